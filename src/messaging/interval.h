/* The pieces that time is cut into when things are counted: hours, days, weeks that begin on
 * Monday, and months; all in UTC, which has no other hours than whole ones. */
#pragma once

#include "base/str.h"

#define HOUR_US INT64_C(3600000000)
#define DAY_US  (24 * HOUR_US)

/* X(name, word in the API) */
#define INTERVALS(X)                                                                               \
    X(HOUR, "hour")                                                                                \
    X(DAY, "day")                                                                                  \
    X(WEEK, "week")                                                                                \
    X(MONTH, "month")

enum interval {
#define X(name, word) INTERVAL_##name,
    INTERVALS(X)
#undef X
};

const char *interval_word(enum interval value);
bool interval_from_word(struct str word, enum interval *ret);

/* When the one began that holds this time, which is not before 1970-01-05. */
int64_t interval_start(enum interval i, int64_t at_us);
/* When the next one begins. */
int64_t interval_next(enum interval i, int64_t start_us);
/* How many lie between the one that begins at `first_us` and the one that holds `at_us`. */
size_t interval_index(enum interval i, int64_t first_us, int64_t at_us);
