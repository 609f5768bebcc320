/* application/x-www-form-urlencoded: bodies and query strings. */
#pragma once

#include "json/read.h"

enum { FORM_PAIRS_MAX = 1000 };

enum form_plus { FORM_PAIR, FORM_PATH }; /* where a + stands for a space, and where for itself */

/* One text with its %-escapes decoded, into the arena: 0, -EBADMSG on a bad escape or when the
 * result is not UTF-8, -ENOMEM. */
int form_unescape(struct str text, enum form_plus plus, struct arena *a, struct str *ret);

/* Walks over name=value pairs. Zeroed but for `rest`. */
struct form {
    struct str rest;
    size_t pairs; /* seen so far */
};

static inline struct form form_of(struct str text)
{
    return (struct form){.rest = text};
}

/* 1 and the next pair, decoded (%41, and + for a space) into the arena; 0 at the end. -EBADMSG on
 * a bad escape or when the result is not UTF-8, -E2BIG after FORM_PAIRS_MAX pairs, -ENOMEM at the
 * arena's ceiling. A pair without '=' has an empty value; empty pairs ("a=1&&b=2") are skipped. */
int form_next(struct form *f, struct arena *a, struct str *ret_name, struct str *ret_value);

/* json_decode for a form body. A list is its name repeated, with or without [] behind it; whole
 * numbers and booleans are read from their text. Anything else given twice is of the wrong type. */
enum json_result form_decode(struct str body, const struct json_field *fields, size_t count,
                             void *out, struct arena *a, struct json_error *error);
