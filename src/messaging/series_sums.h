/* Sums by series, while rollups are told in whatever order; and the groups that each belongs to. */
#pragma once

#include "messaging/sum_group.h"

struct series_sum {
    int64_t series;
    bool outbound, other_tags;
    struct sum sum;
    /* Of outbound messages. */
    struct sum_group *country, *type, *number_type, *kind;
    struct sum_group **tags; /* NULL at its end */
};

/* Zeroed: none. All memory is the arena's. */
struct series_sums {
    struct series_sum **slots; /* by number, with gaps */
    size_t slot_count, count;
    struct series_sum *last; /* that was asked for */
};

/* That of a series, zeroed when it was not there; it stays where it is. NULL: no memory. */
struct series_sum *series_sums_get(struct series_sums *s, struct arena *a, int64_t series);
