#include "store/bloom.h"

#include <errno.h>
#include <stdlib.h>

enum { BITS_PER_KEY = 12, LINE_BITS = 64 * BLOOM_WORDS };

/* Odd numbers without a pattern: one bit of each word of the line. */
static const uint64_t factors[BLOOM_WORDS] = {
    0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9, 0xd6e8feb86659fd93,
    0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3, 0x589965cc75374cc3,
};

int bloom_init(struct bloom *b, size_t keys)
{
    b->count = keys * BITS_PER_KEY / LINE_BITS + 1;
    b->lines = calloc(b->count, sizeof *b->lines);
    return b->lines ? 0 : -ENOMEM;
}

void bloom_done(struct bloom *b)
{
    free(b->lines);
    *b = (struct bloom){0};
}

static uint64_t mix(uint64_t key)
{
    key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93u;
    return key ^ (key >> 32);
}

static uint64_t *line_of(const struct bloom *b, uint64_t mixed)
{
    return b->lines[((mixed >> 32) * b->count) >> 32];
}

static uint64_t bit_of(uint64_t mixed, size_t word)
{
    return UINT64_C(1) << ((mixed * factors[word]) >> 58);
}

void bloom_add(struct bloom *b, uint64_t key)
{
    uint64_t mixed = mix(key), *line = line_of(b, mixed);

    for (size_t i = 0; i < BLOOM_WORDS; i++)
        line[i] |= bit_of(mixed, i);
}

bool bloom_may_have(const struct bloom *b, uint64_t key)
{
    uint64_t mixed = mix(key), missing = 0;
    const uint64_t *line = line_of(b, mixed);

    for (size_t i = 0; i < BLOOM_WORDS; i++)
        missing |= bit_of(mixed, i) & ~line[i];
    return !missing;
}
