/* What an account's messages come to in a span of time: in all, piece by piece, and by what they
 * have in common. Made from the rollups that the store tells, in one pass, in an arena. */
#pragma once

#include "messaging/series_sums.h"
#include "messaging/time_range.h"

enum { ANALYTICS_TAGS_SHOWN = 100, FAILURE_SLOTS = ROLLUP_FAILURE_SLOTS };

struct analytics {
    /* Said by the caller. */
    struct time_range range;
    struct arena *arena;
    bool with_times;     /* p95 is wanted, which costs memory */
    bool hours_apart;    /* the pieces are hours, which are told by themselves */
    bool pieces_untimed; /* p95 is wanted, but not of single pieces */

    int64_t first_us; /* when the first piece begins */
    size_t piece_count;
    struct sum *pieces, *last_piece; /* the one that was asked for last, at `last_us` */
    int64_t last_us;
    int64_t failures[FAILURE_SLOTS]; /* by enum failure */
    struct series_sums series;

    /* From analytics_end on. */
    struct sum total;
    struct sum_groups countries, types, number_types, kinds, tags; /* of outbound messages */
    struct sum other_tags; /* of those whose tags are not told apart */
};

/* `requests`: whether calls are counted too. False: no memory. */
bool analytics_init(struct analytics *a, bool requests);
/* For store_rollup_each and store_request_each: the context is the struct analytics. */
void analytics_take_rollup(void *analytics, const struct series_record *series, int64_t start_us,
                           const struct rollup *counts);
/* With hours_apart, for rollup_query.hours. */
void analytics_take_hour(void *analytics, const struct series_record *series, int64_t start_us,
                         const struct rollup *counts);
void analytics_take_requests(void *analytics, int64_t start_us, int64_t count);
/* After the last rollup. False: memory was short, and what is there is not whole. */
bool analytics_end(struct analytics *a);

/* When the piece behind the one that begins here does. */
static inline int64_t analytics_next(const struct analytics *a, int64_t start_us)
{
    return interval_next(a->range.interval, start_us);
}
