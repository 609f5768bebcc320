/* Request bodies into structs, by a table of fields. The same table serves JSON (here) and form
 * bodies (form.h), so an endpoint describes its fields once. No tree is built on the way; tree.h
 * does that, for the command line. */
#pragma once

#include "base/arena.h"

enum json_kind {
    JSON_TEXT,         /* struct str; valid UTF-8, may hold NUL bytes */
    JSON_TEXT_OR_NULL, /* the same, and null is given too: an empty text */
    JSON_TEXT_LIST,    /* struct str_list */
    JSON_INT64,   /* int64_t, of a whole number that every reader takes for the same one: to 2^53 */
    JSON_BOOLEAN, /* bool */
    JSON_RAW_OBJECT, /* struct str: an object as it stands in the body */
    JSON_RAW_ARRAY,  /* struct str: an array likewise */
};

/* What every reader of JSON holds exactly. */
#define JSON_INT_MAX (INT64_C(1) << 53)

struct json_field {
    const char *name;
    size_t name_size;
    const char *alias; /* a second spelling, or NULL; the first wins when both are given */
    enum json_kind kind;
    size_t offset;     /* of the value in the struct */
    size_t set_offset; /* of a bool: the field is given, whatever its type */
};

/* A row for member `member` with its `has_member` beside it. */
#define JSON_FIELD(type, member, kind, name, alias)                                                \
    {                                                                                              \
        (name), sizeof(name) - 1, (alias), (kind), offsetof(type, member),                         \
            offsetof(type, has_##member)                                                           \
    }

enum json_result {
    JSON_OK,
    JSON_MALFORMED,  /* not one object in UTF-8: nothing was filled */
    JSON_WRONG_TYPE, /* `field` is the first one at fault in the order of the table */
    JSON_NO_MEMORY,  /* the arena's ceiling */
};

struct json_error {
    const char *field; /* the table's name for it, or NULL */
    char message[192]; /* "must be a string", or what is malformed and where */
};

/* Fills `out`, which the caller has zeroed or set to defaults. Everything of the right type is
 * filled even when another field is wrong, so that the caller can name missing fields first.
 * Texts are views of the body, or lie in the arena when they had escapes: both must outlive `out`.
 * null counts as absent (but of JSON_TEXT_OR_NULL), unknown fields are checked and then ignored.
 *
 * A name given twice in one object is malformed: readers differ in which one they take, and a
 * proxy or log in front of us must not see another message than the one that is sent. */
enum json_result json_decode(struct str body, const struct json_field *fields, size_t count,
                             void *out, struct arena *a, struct json_error *error);

/* For decoders: what a field of this kind must be, "must be a string". */
const char *json_kind_wanted(enum json_kind kind);
/* Notes a field of the wrong type unless one was noted before. */
enum json_result json_wrong_type(struct json_error *error, const struct json_field *field,
                                 const char *message);
