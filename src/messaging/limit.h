/* Request limits: exact fixed windows per key, aligned to unix minutes and hours.
 *
 * Never over: a window grants at most its limit, whatever the threads and whatever the clock. A
 * clock set back by up to an hour leaves the windows where they were; set back further, it is
 * taken for the correction of a clock that was wrong, and the counts move with it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct limit_plan {
    uint32_t per_minute, per_hour; /* 0 = no limit */
};

/* The window with fewer requests left, or the one that refused. */
struct limit_view {
    uint32_t limit, remaining; /* limit 0: there is none, and the rest means nothing */
    int64_t reset_s;           /* unix time when the window ends */
    uint32_t retry_after_s;    /* 0 unless refused */
    const char *window;        /* "minute" or "hour" */
};

struct limiter;

/* Any thread may use it. NULL when memory is short. */
struct limiter *limiter_new(void);
void limiter_free(struct limiter *l);

/* Takes one request of the key's windows. False, and nothing taken, when one of them is used up
 * (or, for a key seen first, when memory is short: better refused than uncounted). */
bool limiter_take(struct limiter *l, int64_t key, struct limit_plan plan, int64_t now_us,
                  struct limit_view *ret);
