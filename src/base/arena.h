/* Memory of one request or job: taken piece by piece, given back all at once.
 * Has a ceiling, because what fills it comes from the network. Owned by one thread at a time. */
#pragma once

#include "base/str.h"

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks; /* newest first; the oldest is kept by arena_reset */
    size_t used, size;          /* in the newest chunk */
    size_t total, max;
    bool failed; /* memory was refused since the last reset */
    bool full;   /* because of the ceiling */
};

void arena_init(struct arena *a, size_t max);
void arena_reset(struct arena *a);
void arena_done(struct arena *a);

/* Zeroed memory, aligned for any type; NULL when the ceiling or the machine's memory is reached. */
void *arena_alloc(struct arena *a, size_t n);
/* The same, not zeroed and not aligned: for bytes. */
char *arena_bytes(struct arena *a, size_t n);
/* A copy with a NUL behind it; p is NULL on failure. */
struct str arena_copy(struct arena *a, struct str s);
/* A number as text. */
char *arena_number(struct arena *a, int64_t value);
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether nothing was refused so far, and n more bytes would not be. */
bool arena_spares(const struct arena *a, size_t n);

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))
