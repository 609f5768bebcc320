/* JSON, written straight onto a buf: no tree, no allocation of its own. The writer sets the
 * commas; failure is the buf's and sticky, so check once at the end. */
#pragma once

#include "base/buf.h"

enum { JSON_DEPTH_MAX = 64 };

struct json_writer {
    struct buf *out;
    uint64_t arrays; /* bit per open level: it is an array */
    unsigned depth;
    bool comma; /* a value was written on this level */
};

void json_writer_init(struct json_writer *w, struct buf *out);

void json_begin_object(struct json_writer *w);
void json_begin_array(struct json_writer *w);
/* Closes the innermost object or array. */
void json_end(struct json_writer *w);

/* The name of the next value: one of our own, which needs no escapes. */
void json_put_name(struct json_writer *w, struct str name);
/* The same; of a literal the compiler knows the length. */
static inline void json_key(struct json_writer *w, const char *name)
{
    json_put_name(w, str_of(name));
}

void json_put_string(struct json_writer *w, struct str text); /* valid UTF-8 */
void json_put_i64(struct json_writer *w, int64_t value);
void json_put_bool(struct json_writer *w, bool value);
void json_put_null(struct json_writer *w);
/* A value that is JSON already. */
void json_put_raw(struct json_writer *w, struct str json);
/* Millionths as a number with no more decimals than needed: 7500 is 0.0075. */
void json_put_micros(struct json_writer *w, int64_t micros);
/* RFC 3339 with milliseconds; null for 0, which means "not yet". */
void json_put_time(struct json_writer *w, int64_t unix_us);

/* Members of an object: a name and its value. */
void json_member_text(struct json_writer *w, const char *name, struct str text);
void json_member_word(struct json_writer *w, const char *name, const char *word); /* NULL: null */
void json_member_i64(struct json_writer *w, const char *name, int64_t value);
void json_member_bool(struct json_writer *w, const char *name, bool value);
void json_member_time(struct json_writer *w, const char *name, int64_t unix_us);
