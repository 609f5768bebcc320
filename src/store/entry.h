/* An entry of an index: under this term of this owner stands the row of this number. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All of them 0 or above; ordered by owner, then term, then id. */
struct entry {
    int64_t owner, term, id;
};

/* Below, at or above 0, by owner and term alone. */
static inline int entry_compare_terms(const struct entry *a, const struct entry *b)
{
    if (a->owner != b->owner)
        return a->owner < b->owner ? -1 : 1;
    return a->term < b->term ? -1 : a->term > b->term;
}

/* Sorts by owner and term and leaves equal ones as they stand; those that come in the order of ids
 * are then in the order of entries. `room` has the size of `entries`. */
void entry_sort(struct entry *entries, struct entry *room, size_t n);
