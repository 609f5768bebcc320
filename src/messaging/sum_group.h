/* Sums by name: what messages come to for each country, tag, and so on. */
#pragma once

#include "messaging/sum.h"

struct sum_group {
    struct str name;
    uint64_t hash;
    struct sum sum;
};

/* Zeroed: none. All memory is the arena's. */
struct sum_groups {
    struct sum_group **items;
    size_t count;
    struct sum_group **slots; /* by hash, with gaps */
    size_t slot_count;        /* a power of two */
};

/* The group of this name, made when it is not there; it stays where it is. NULL: no memory. */
struct sum_group *sum_groups_get(struct sum_groups *g, struct arena *a, struct str name);
/* Greatest first by a measure that is a count or an amount, then by name. Nothing can be got
 * afterwards but by place. */
void sum_groups_sort(struct sum_groups *g, enum measure by);
