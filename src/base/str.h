/* A view of bytes that somebody else owns. Never NUL-terminated by promise. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
    const char *p;
    size_t n;
};

struct str_list {
    struct str *items;
    size_t count;
};

#define STR(literal) ((struct str){(literal), sizeof(literal) - 1})
#define STR_FMT(s)   (int)(s).n, (s).p /* for "%.*s" */

static inline struct str str_of(const char *text)
{
    return (struct str){text, text ? strlen(text) : 0};
}

static inline bool str_eq(struct str a, struct str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_is(struct str a, const char *text)
{
    return str_eq(a, str_of(text));
}

bool str_eq_nocase(struct str a, struct str b);
bool str_starts(struct str s, struct str prefix);
bool str_starts_nocase(struct str s, struct str prefix);
struct str str_skip(struct str s, size_t n);
struct str str_trim(struct str s);

/* Cuts s at the first `mark`: returns the part before it and leaves the part after it in *s.
 * Without a mark the whole of *s is returned and *s is left empty with p == NULL. */
struct str str_cut(struct str *s, char mark);

/* The value of a hex digit of either case, or -1. */
int hex_value(char c);

/* Whole string, decimal digits only, no sign, no overflow. */
bool str_to_u64(struct str s, uint64_t *ret);
/* The same, with an optional minus. */
bool str_to_i64(struct str s, int64_t *ret);

/* Levenshtein distance of two short words, for "did you mean". */
unsigned str_distance(const char *a, const char *b);

/* snprintf for where a cut-off end does no harm: messages for people. */
void str_format(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
