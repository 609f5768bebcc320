/* Request limits: exact fixed windows per key, aligned to unix minutes and hours.
 *
 * Never over: a window grants at most its limit, whatever the threads and whatever the clock. A
 * clock set back by up to an hour leaves the windows where they were; set back further, it is
 * taken for the correction of a clock that was wrong, and the counts move with it.
 *
 * A restart changes nothing: what a window has granted goes to disk with each transaction of the
 * writer, and so before any request of that transaction is answered. Requests that write nothing
 * wait for the next one, at most a tenth of a second. */
#pragma once

#include "store/writer.h"

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
/* Goes on where an earlier run stopped; before anybody takes. 0 or the reader's negative errno. */
int limiter_load(struct limiter *l, struct store_reader *r, int64_t now_us);
/* What writes the counts; the limiter must outlive the writer's thread. */
struct writer_rider limiter_rider(struct limiter *l);

/* Takes one request of the key's windows. False, and nothing taken, when one of them is used up
 * (or, for a key seen first, when memory is short: better refused than uncounted). Requests without
 * a limit are counted as well, but not on disk. */
bool limiter_take(struct limiter *l, int64_t key, struct limit_plan plan, int64_t now_us,
                  struct limit_view *ret);

enum { LIMIT_WINDOWS = 2 };

struct limit_window {
    const char *name; /* "minute", "hour" */
    uint32_t seconds;
    uint32_t limit, used, remaining; /* limit 0: there is none, and nothing remains */
    int64_t reset_s;                 /* unix time when the window ends */
};

/* Both windows as they stand, the minute first; takes nothing. */
void limiter_peek(struct limiter *l, int64_t key, struct limit_plan plan, int64_t now_us,
                  struct limit_window ret[LIMIT_WINDOWS]);
