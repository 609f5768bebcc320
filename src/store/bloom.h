/* Says of a key that it was never added, or that it may have been. Each key has its bits in one
 * cache line. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BLOOM_WORDS = 8 };

struct bloom {
    uint64_t (*lines)[BLOOM_WORDS];
    size_t count;
};

/* For so many keys, of which then less than one in a hundred is mistaken; -ENOMEM. */
int bloom_init(struct bloom *b, size_t keys);
void bloom_done(struct bloom *b);
void bloom_add(struct bloom *b, uint64_t key);
bool bloom_may_have(const struct bloom *b, uint64_t key);
