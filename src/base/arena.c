#include "base/arena.h"

#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct arena_chunk {
    struct arena_chunk *older;
    size_t size;
    _Alignas(16) char bytes[];
};

enum { FIRST_CHUNK = 4096 - sizeof(struct arena_chunk) };

void arena_init(struct arena *a, size_t max)
{
    *a = (struct arena){.max = max};
}

static void open_chunk(struct arena *a, struct arena_chunk *c)
{
    a->chunks = c;
    a->size = c ? c->size : 0;
    a->used = 0;
}

void arena_reset(struct arena *a)
{
    while (a->chunks && a->chunks->older) {
        struct arena_chunk *older = a->chunks->older;
        free(a->chunks);
        a->chunks = older;
    }
    open_chunk(a, a->chunks);
    a->total = a->size;
    a->failed = a->full = false;
}

void arena_done(struct arena *a)
{
    arena_reset(a);
    free(a->chunks);
    *a = (struct arena){.max = a->max};
}

static bool grow(struct arena *a, size_t n)
{
    size_t size = a->size ? a->size * 2 : FIRST_CHUNK;
    if (size < n)
        size = n;
    if (a->total + size > a->max)
        size = n;
    if (n > a->max || a->total > a->max - n) {
        a->full = true;
        return false;
    }
    struct arena_chunk *c = malloc(sizeof *c + size);
    if (!c)
        return false;
    c->older = a->chunks;
    c->size = size;
    a->total += size;
    open_chunk(a, c);
    return true;
}

static void *take(struct arena *a, size_t n, size_t align)
{
    size_t at = (a->used + align - 1) & ~(align - 1);

    if (!a->chunks || at > a->size || n > a->size - at) {
        if (!grow(a, n)) {
            a->failed = true;
            return NULL;
        }
        at = 0;
    }
    a->used = at + n;
    return a->chunks->bytes + at;
}

void *arena_alloc(struct arena *a, size_t n)
{
    void *p = take(a, n, 16);
    if (p)
        memset(p, 0, n);
    return p;
}

char *arena_bytes(struct arena *a, size_t n)
{
    return take(a, n, 1);
}

struct str arena_copy(struct arena *a, struct str s)
{
    char *p = take(a, s.n + 1, 1);
    if (!p)
        return (struct str){NULL, 0};
    if (s.n)
        memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    return (struct str){p, s.n};
}

bool arena_spares(const struct arena *a, size_t n)
{
    return !a->failed && (n <= a->size - a->used || (a->total <= a->max && n <= a->max - a->total));
}

char *arena_number(struct arena *a, int64_t value)
{
    enum { SIZE = 21 };
    char *text = take(a, SIZE, 1);
    struct buf b = {.p = text, .size = SIZE, .max = SIZE};

    if (!text)
        return NULL;
    buf_add_i64(&b, value);
    text[b.n] = '\0';
    return text;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *p = n < 0 ? NULL : take(a, (size_t)n + 1, 1);
    if (!p)
        return NULL;
    va_start(args, format);
    vsnprintf(p, (size_t)n + 1, format, args);
    va_end(args);
    return p;
}
