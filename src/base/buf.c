#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>

void buf_init(struct buf *b, size_t max)
{
    *b = (struct buf){.max = max};
}

void buf_done(struct buf *b)
{
    free(b->p);
    b->p = NULL;
    b->n = b->size = 0;
}

char *buf_grow(struct buf *b, size_t n)
{
    bool fits = !b->failed && b->n <= b->max && n <= b->max - b->n;
    size_t size = b->size ? b->size : 256;

    while (fits && size < b->n + n)
        size *= 2;
    if (size > b->max)
        size = b->max;
    char *p = fits ? realloc(b->p, size) : NULL;
    if (!p) {
        b->full = b->full || (!fits && !b->failed);
        b->failed = true;
        return NULL;
    }
    b->p = p;
    b->size = size;
    return b->p + b->n;
}

void buf_shrink(struct buf *b, size_t size)
{
    if (size < b->n)
        size = b->n;
    char *p = size && size < b->size ? realloc(b->p, size) : NULL;
    if (!p)
        return;
    b->p = p;
    b->size = size;
}

void buf_add_i64(struct buf *b, int64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (value < 0)
        digits[--at] = '-';
    buf_add(b, (struct str){digits + at, sizeof digits - at});
}

void buf_vprintf(struct buf *b, const char *format, va_list args)
{
    va_list again;

    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *at = n < 0 ? NULL : buf_reserve(b, (size_t)n + 1);
    if (!at)
        return;
    vsnprintf(at, (size_t)n + 1, format, args);
    b->n += (size_t)n;
}

void buf_printf(struct buf *b, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    buf_vprintf(b, format, args);
    va_end(args);
}
