/* A hash table of what was written last: from 64 bits of a key to the numbers of the rows that may
 * hold it. Several rows may share those bits, so whoever asks looks at each row. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recent_slot {
    uint64_t term;
    int64_t id; /* 0 = free */
};

/* Zeroed: empty. One thread. */
struct recent {
    struct recent_slot *slots; /* a power of two of them */
    size_t size, count;
};

void recent_done(struct recent *r);
/* -ENOMEM: as before. Numbers are above 0. */
int recent_add(struct recent *r, uint64_t term, int64_t id);
/* Calls `look` with each number under this term until one returns something else than -ENOENT. */
int recent_find(const struct recent *r, uint64_t term, int (*look)(void *context, int64_t id),
                void *context);
/* Forgets the numbers up to this one. */
void recent_forget(struct recent *r, int64_t upto);
