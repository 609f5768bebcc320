/* JSON as it stands in the body: checked in one pass from front to back, nothing built. What is
 * found is told as views into the body, so whoever wants a value decodes that one alone.
 *
 * Strict RFC 8259 in UTF-8, with four choices of our own: at most JSON_LEVELS_MAX levels, no name
 * twice in one object, no U+0000 in a name, no half of a surrogate pair. Numbers may be of any
 * size here; whoever takes one checks its range. */
#pragma once

#include "base/arena.h"

enum { JSON_LEVELS_MAX = 64 };

enum json_type {
    JSON_TYPE_NONE, /* there is no value */
    JSON_TYPE_NULL,
    JSON_TYPE_FALSE,
    JSON_TYPE_TRUE,
    JSON_TYPE_INTEGER, /* a number without fraction and exponent */
    JSON_TYPE_REAL,
    JSON_TYPE_STRING,
    JSON_TYPE_ARRAY,
    JSON_TYPE_OBJECT,
};

struct json_value {
    enum json_type type;
    bool escaped;   /* a string with a backslash in it */
    struct str raw; /* as it stands in the body, a string with its quotes */
};

struct json_name {
    struct str text, raw;
};

/* Where the reading stands. Private to scan.c but for reading `next`. */
struct json_scan {
    const char *start, *next, *end;
    unsigned depth;
    struct arena *arena;
    /* The names of all objects that are open, the innermost last. */
    struct json_name *names;
    size_t name_count, name_room;
    const char *fault; /* what is wrong, or NULL */
    struct str near;   /* and with what */
    struct json_name few_names[16];
};

/* The arena is for names with escapes in them, and when there are many names. */
void json_scan_init(struct json_scan *s, struct str text, struct arena *a);

/* All below: 0 (or 1 where it says so), -EBADMSG with the fault noted, -ENOMEM. */

int json_scan_object_begin(struct json_scan *s, size_t *ret_mark);
/* 1 and the next name, its value comes next; 0 behind the end of the object. */
int json_scan_object_next(struct json_scan *s, size_t mark, struct str *ret_name);
int json_scan_array_begin(struct json_scan *s);
/* 1 when an item comes next, 0 behind the end of the array. `first`: none was read yet. */
int json_scan_array_next(struct json_scan *s, bool first);
int json_scan_value(struct json_scan *s, struct json_value *ret);
/* Nothing but white space follows. */
int json_scan_end(struct json_scan *s);

/* The items of an array that was scanned before, `max` at most; how many there are. */
int json_scan_items(struct str array, struct arena *a, struct json_value *ret, size_t max,
                    size_t *ret_count);

/* "what is wrong near 'this' (line 1, column 2)", in printable ASCII. */
void json_scan_describe(const struct json_scan *s, char *out, size_t size);

/* The text of a string that was scanned: a view of the body, or decoded into the arena when it has
 * escapes. -ENOMEM at the arena's ceiling. */
int json_value_text(const struct json_value *v, struct arena *a, struct str *ret);
