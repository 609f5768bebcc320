/* Which time a client asks about, and in which pieces: from dates, times or a period to whole hours
 * of UTC. */
#pragma once

#include "messaging/interval.h"
#include "messaging/problem.h"

enum { RANGE_DAYS_MAX = 366, RANGE_DAYS_DEFAULT = 30 };

/* As it was given; p == NULL: it was not. */
struct time_range_query {
    struct str start_date, end_date, period, interval;
};

struct time_range {
    int64_t from_us, to_us; /* whole hours; up to `to_us` and without it */
    enum interval interval;
};

/* False with a problem that names field and remedy. */
bool time_range_read(const struct time_range_query *q, int64_t now_us, struct time_range *ret,
                     struct problem *p);
/* In how many pieces it is cut; the first may begin before it, the last end behind it. */
size_t time_range_pieces(const struct time_range *r);
