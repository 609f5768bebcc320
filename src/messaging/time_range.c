#include "messaging/time_range.h"

#include "base/calendar.h"
#include "base/clock.h"

/* Beyond these nobody has messages, and slips of the pen lie. */
enum { YEAR_FIRST = 2020, YEAR_LAST = 2100 };

static const struct period {
    const char *word;
    int64_t us;
    enum interval grain; /* it ends with the running one of these */
} periods[] = {
    {"24h", DAY_US, INTERVAL_HOUR},
    {"7d", 7 * DAY_US, INTERVAL_DAY},
    {"30d", RANGE_DAYS_DEFAULT *DAY_US, INTERVAL_DAY},
    {"90d", 90 * DAY_US, INTERVAL_DAY},
};

static bool wrong(struct problem *p, const char *field, const char *message)
{
    return problem_set(p, PROBLEM_INVALID_DATE_RANGE, field, message);
}

/* The end of the hour or day that runs. */
static int64_t running_end(enum interval grain, int64_t now_us)
{
    return interval_next(grain, interval_start(grain, now_us));
}

/* ---- bounds ---- */

/* One end of the range: a date, or a time of day. */
struct bound {
    int64_t us;          /* when the day begins, or the time itself */
    enum interval grain; /* a day, or an hour */
};

static bool read_bound(struct str text, const char *field, struct bound *ret, struct problem *p)
{
    int64_t days;

    *ret = (struct bound){.grain = INTERVAL_HOUR};
    if (date_parse(text, &days))
        *ret = (struct bound){days * DAY_US, INTERVAL_DAY};
    else if (!rfc3339_parse(text, &ret->us))
        return wrong(p, field,
                     "This is not a day or a time that exists; write it like 2026-01-31, or like "
                     "2026-01-31T09:00:00Z, where the + of an offset is written as %2B.");
    if (ret->us < civil_to_days(YEAR_FIRST, 1, 1) * DAY_US ||
        ret->us >= civil_to_days(YEAR_LAST + 1, 1, 1) * DAY_US)
        return wrong(p, field, "Give a day or a time of the years 2020 to 2100.");
    return true;
}

/* The whole day belongs to the range, and the whole hour of a time. */
static int64_t bound_end(const struct bound *b)
{
    int64_t start_us = interval_start(b->grain, b->us);
    bool on_the_hour = b->grain == INTERVAL_HOUR && start_us == b->us;

    return on_the_hour ? start_us : interval_next(b->grain, start_us);
}

static const char end_first[] =
    "endDate must lie after startDate, or both be the same day without a "
    "time; move one of them.";

/* Times of the same hour make an hour of range in whichever order they stand. */
static bool in_order(const struct bound *start, const struct bound *end)
{
    return end->grain == INTERVAL_DAY || end->us >= start->us;
}

static bool check_bounds(const struct time_range_query *q, const struct time_range *r,
                         struct problem *p)
{
    const char *field = q->end_date.p ? "endDate" : "startDate";

    if (r->to_us <= r->from_us)
        return wrong(p, field,
                     q->end_date.p ? end_first
                                   : "startDate lies ahead; move it back, or give endDate too.");
    if (r->to_us - r->from_us > RANGE_DAYS_MAX * DAY_US)
        return wrong(p, field,
                     "The range is longer than 366 days; move startDate and endDate closer, and "
                     "ask for the rest in another request.");
    return true;
}

static bool read_bounds(const struct time_range_query *q, int64_t now_us, struct time_range *ret,
                        struct problem *p)
{
    struct bound start = {0}, end = {0};

    if ((q->start_date.p && !read_bound(q->start_date, "startDate", &start, p)) ||
        (q->end_date.p && !read_bound(q->end_date, "endDate", &end, p)))
        return false;
    if (q->start_date.p && q->end_date.p && !in_order(&start, &end))
        return wrong(p, "endDate", end_first);
    ret->to_us = q->end_date.p ? bound_end(&end) : running_end(start.grain, now_us);
    ret->from_us = q->start_date.p ? interval_start(INTERVAL_HOUR, start.us)
                                   : ret->to_us - RANGE_DAYS_DEFAULT * DAY_US;
    return check_bounds(q, ret, p);
}

/* ---- periods ---- */

static const struct period *find_period(struct str word)
{
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++)
        if (str_is(word, periods[i].word))
            return &periods[i];
    return NULL;
}

static bool read_period(const struct time_range_query *q, int64_t now_us, struct time_range *ret,
                        struct problem *p)
{
    const struct period *period = find_period(q->period.p ? q->period : STR("30d"));

    if (!period)
        return problem_set(p, PROBLEM_INVALID_PARAMETER, "period",
                           "period must be 24h, 7d, 30d or 90d; for another time give startDate "
                           "and endDate.");
    ret->to_us = running_end(period->grain, now_us);
    ret->from_us = ret->to_us - period->us;
    return true;
}

/* ---- */

static bool read_interval(const struct time_range_query *q, struct time_range *ret,
                          struct problem *p)
{
    if (q->interval.p)
        return interval_from_word(q->interval, &ret->interval) ||
               problem_set(p, PROBLEM_INVALID_PARAMETER, "interval",
                           "interval must be hour, day, week or month.");
    ret->interval = ret->to_us - ret->from_us <= 2 * DAY_US ? INTERVAL_HOUR : INTERVAL_DAY;
    return true;
}

bool time_range_read(const struct time_range_query *q, int64_t now_us, struct time_range *ret,
                     struct problem *p)
{
    bool bounds = q->start_date.p || q->end_date.p;
    struct time_range r = {0};

    if (bounds && q->period.p)
        return problem_set(p, PROBLEM_INVALID_PARAMETER, "period",
                           "period and startDate or endDate are two ways to say the same; give "
                           "one of them.");
    if (!(bounds ? read_bounds(q, now_us, &r, p) : read_period(q, now_us, &r, p)) ||
        !read_interval(q, &r, p))
        return false;
    *ret = r;
    return true;
}

size_t time_range_pieces(const struct time_range *r)
{
    return interval_index(r->interval, interval_start(r->interval, r->from_us), r->to_us - 1) + 1;
}
