/* How long messages took from sent to delivered, counted in the slots of rollups (store/rollup.h),
 * for many sums at once: only the parts of the scale that have counts take memory. */
#pragma once

#include "store/rollup.h"

enum { TIMES_SLOTS = ROLLUP_TIME_SLOTS, TIMES_PAGE = 16, TIMES_PAGES = TIMES_SLOTS / TIMES_PAGE };

struct delivery_times {
    int64_t *pages[TIMES_PAGES]; /* in an arena; NULL: nothing */
};

/* When the arena has no more, that shows there. */
void delivery_times_add(struct delivery_times *t, struct arena *a, const struct rollup_slots *more);
void delivery_times_merge(struct delivery_times *t, struct arena *a,
                          const struct delivery_times *more);
int64_t delivery_times_count(const struct delivery_times *t, unsigned slot);
/* The time that `percent` of all did not exceed; false when there are none. */
bool delivery_times_within(const struct delivery_times *t, unsigned percent, int64_t *ret_ms);
