/* A bounded string builder. Failure (memory, ceiling) is sticky: write everything, check once. */
#pragma once

#include "base/str.h"

#include <stdarg.h>

struct buf {
    char *p;
    size_t n, size, max;
    bool failed;
    bool full; /* because of its ceiling */
};

void buf_init(struct buf *b, size_t max);
void buf_done(struct buf *b);
static inline void buf_clear(struct buf *b)
{
    b->n = 0;
    b->failed = b->full = false;
}

/* Gives memory back that is not used, down to `size`. */
void buf_shrink(struct buf *b, size_t size);

/* buf_reserve when there is no room left. */
char *buf_grow(struct buf *b, size_t n);

/* Room for n more bytes at p + n, or NULL; the caller adds to n what it wrote. */
static inline char *buf_reserve(struct buf *b, size_t n)
{
    return b->p && !b->failed && n <= b->size - b->n ? b->p + b->n : buf_grow(b, n);
}

static inline void buf_add(struct buf *b, struct str s)
{
    char *at = s.n ? buf_reserve(b, s.n) : NULL;

    if (!at)
        return;
    memcpy(at, s.p, s.n);
    b->n += s.n;
}

static inline void buf_add_char(struct buf *b, char c)
{
    buf_add(b, (struct str){&c, 1});
}

void buf_add_i64(struct buf *b, int64_t value);
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

static inline void buf_text(struct buf *b, const char *text)
{
    buf_add(b, str_of(text));
}

static inline struct str buf_str(const struct buf *b)
{
    return (struct str){b->p, b->n};
}

#define BUF_CLEANUP __attribute__((cleanup(buf_done)))
