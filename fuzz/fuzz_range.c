/* Ranges of time as clients ask for them, one parameter per line: whatever is taken is a range of
 * whole hours within its bounds, cut into pieces that hold every hour of it; what is refused names
 * a parameter. */
#include "messaging/time_range.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const int64_t now_us = INT64_C(1794841445678901); /* 2026-11-16T15:04:05Z */

static struct str take_line(struct str *rest)
{
    struct str line = rest->n ? str_cut(rest, '\n') : *rest;
    return line.n ? line : (struct str){NULL, 0};
}

static void check_pieces(const struct time_range *r)
{
    size_t pieces = time_range_pieces(r), at = 0;
    int64_t first = interval_start(r->interval, r->from_us), next = first;

    assert(pieces >= 1 && pieces <= 24 * RANGE_DAYS_MAX);
    for (int64_t us = r->from_us; us < r->to_us; us += HOUR_US) {
        if (us >= next) {
            next = interval_next(r->interval, next);
            at += us > r->from_us;
        }
        assert(interval_index(r->interval, first, us) == at);
    }
    assert(at + 1 == pieces && next >= r->to_us);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, size};
    struct time_range_query q = {.start_date = take_line(&rest)};
    struct time_range r;
    struct problem p = {0};

    q.end_date = take_line(&rest);
    q.period = take_line(&rest);
    q.interval = take_line(&rest);
    if (!time_range_read(&q, now_us, &r, &p)) {
        assert(p.field && p.message);
        assert(p.code == PROBLEM_INVALID_DATE_RANGE || p.code == PROBLEM_INVALID_PARAMETER);
        return 0;
    }
    assert(r.from_us < r.to_us && r.to_us - r.from_us <= RANGE_DAYS_MAX * DAY_US);
    assert(r.from_us % HOUR_US == 0 && r.to_us % HOUR_US == 0);
    check_pieces(&r);
    return 0;
}
