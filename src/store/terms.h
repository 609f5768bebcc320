/* What a message can be found by: each is a term under which the index has its number. */
#pragma once

#include "store/records.h"

/* The numbers are on disk. */
enum term_kind {
    TERM_ANY = 0, /* every message */
    TERM_INBOUND = 1,
    TERM_TO = 2,
    TERM_FROM = 3,
    TERM_TAG = 4,
};

enum { TERM_KIND_SHIFT = 60 };
enum { TERM_TAGS_MAX = 32, TERMS_MAX = 4 + TERM_TAGS_MAX };

/* Of a kind that says all. */
static inline int64_t term_alone(enum term_kind kind)
{
    return (int64_t)kind << TERM_KIND_SHIFT;
}

/* A phone number stands for itself. Of any other text it is a hash under the store's secret: with a
 * million names, two of them meet in one store of a million. */
int64_t term_of(enum term_kind kind, struct str text, const uint8_t secret[16]);

bool terms_have(const int64_t *terms, size_t n, int64_t term);
/* The terms of a message, by its direction, from, to and tags; how many. */
size_t message_terms(const struct message *m, const uint8_t secret[16], int64_t ret[TERMS_MAX]);
