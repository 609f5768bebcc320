#include "store/entry.h"

#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, KEY_BITS = 64 };

static unsigned digit(uint64_t key, unsigned shift)
{
    return (unsigned)(key >> shift) & (DIGITS - 1);
}

static uint64_t key_of(const struct entry *e, bool by_owner)
{
    return (uint64_t)(by_owner ? e->owner : e->term);
}

/* One pass of a radix sort, from one array into the other. */
static void scatter(const struct entry *from, struct entry *to, size_t n, bool by_owner,
                    unsigned shift)
{
    size_t starts[DIGITS] = {0}, at = 0;

    for (size_t i = 0; i < n; i++)
        starts[digit(key_of(&from[i], by_owner), shift)]++;
    for (size_t i = 0; i < DIGITS; i++) {
        size_t count = starts[i];
        starts[i] = at;
        at += count;
    }
    for (size_t i = 0; i < n; i++)
        to[starts[digit(key_of(&from[i], by_owner), shift)]++] = from[i];
}

/* The bits in which the keys differ: digits without any need no pass, and most keys are alike in
 * most digits. */
static uint64_t differing(const struct entry *entries, size_t n, bool by_owner)
{
    uint64_t bits = 0;

    for (size_t i = 1; i < n; i++)
        bits |= key_of(&entries[i], by_owner) ^ key_of(&entries[0], by_owner);
    return bits;
}

void entry_sort(struct entry *entries, struct entry *room, size_t n)
{
    struct entry *from = entries, *to = room;

    for (int by_owner = 0; by_owner < 2; by_owner++) {
        uint64_t bits = differing(entries, n, by_owner);
        for (unsigned shift = 0; shift < KEY_BITS; shift += DIGIT_BITS) {
            if (digit(bits, shift) == 0)
                continue;
            scatter(from, to, n, by_owner, shift);
            struct entry *swap = from;
            from = to;
            to = swap;
        }
    }
    if (from != entries)
        memcpy(entries, from, n * sizeof *entries);
}
