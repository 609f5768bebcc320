#include "messaging/pulse_ring.h"

#include <assert.h>
#include <stdlib.h>

enum {
    SECOND_US = 1000000,
    MINUTE = 60,
    HOUR_MINUTES = 60,
    DAY_MINUTES = 1440,
    /* Minutes that are read again each time: what is written now may have happened a moment ago. */
    LATE_MINUTES = 2,
    /* A store that could not be written for a while brings what is older than that. So from time to
     * time all of it is read again. */
    WHOLE_EVERY = 10,
    EDGES = 2,
};

#define NEVER INT64_MIN

struct pulse_ring {
    int64_t account;
    enum mode mode;
    int64_t now;   /* the minute in which it was read last; NEVER */
    int64_t whole; /* the one in which all of it was */
    struct {
        int64_t minute;
        struct pulse sum;
    } minutes[DAY_MINUTES]; /* by the minute's remainder; another one's count for nothing */
    /* By seconds: the running minute and the one before, and those in which the windows of an hour
     * and of a day begin. */
    struct pulse_minute newest[2], edges[EDGES];
};

static const int64_t edge_ages[EDGES] = {HOUR_MINUTES, DAY_MINUTES};

static void clear(struct pulse_ring *r)
{
    r->now = r->whole = NEVER;
    for (size_t i = 0; i < DAY_MINUTES; i++)
        r->minutes[i].minute = NEVER;
    for (size_t i = 0; i < 2; i++)
        r->newest[i].minute = NEVER;
    for (size_t i = 0; i < EDGES; i++)
        r->edges[i].minute = NEVER;
}

struct pulse_ring *pulse_ring_new(int64_t account, enum mode mode)
{
    struct pulse_ring *r = malloc(sizeof *r);

    if (!r)
        return NULL;
    r->account = account;
    r->mode = mode;
    clear(r);
    return r;
}

void pulse_ring_free(struct pulse_ring *r)
{
    free(r);
}

static void add(struct pulse *sum, const struct pulse *p)
{
#define X(member) sum->member += p->member;
    PULSE_COUNTS(X)
#undef X
}

/* Rounds down, also before 1970. */
static int64_t minute_of(int64_t second)
{
    return (second >= 0 ? second : second - MINUTE + 1) / MINUTE;
}

static int64_t second_of(int64_t unix_us)
{
    return (unix_us >= 0 ? unix_us : unix_us - SECOND_US + 1) / SECOND_US;
}

static size_t place_of(int64_t minute, int64_t count)
{
    return (size_t)((minute % count + count) % count);
}

/* ---- reading ---- */

static void put_sum(struct pulse_ring *r, const struct pulse_minute *m)
{
    size_t place = place_of(m->minute, DAY_MINUTES);
    struct pulse sum = {0};

    for (size_t i = 0; i < MINUTE; i++)
        add(&sum, &m->seconds[i]);
    r->minutes[place].minute = m->minute;
    r->minutes[place].sum = sum;
}

static void put_minute(void *ring, const struct pulse_minute *m)
{
    struct pulse_ring *r = ring;
    int64_t age = r->now - m->minute;

    assert(age >= 0 && age <= DAY_MINUTES);
    if (age < DAY_MINUTES)
        put_sum(r, m);
    if (age < 2)
        r->newest[place_of(m->minute, 2)] = *m;
    for (size_t i = 0; i < EDGES; i++)
        if (age == edge_ages[i])
            r->edges[i] = *m;
}

static int read_minutes(struct pulse_ring *r, struct store_reader *reader, int64_t from, int64_t to)
{
    return store_pulse_each(reader, r->account, r->mode, from, to, put_minute, r);
}

/* What is new, and the minutes in which the windows begin now. */
static int read_on(struct pulse_ring *r, struct store_reader *reader, int64_t before)
{
    int failed = read_minutes(r, reader, before - LATE_MINUTES, r->now);

    for (size_t i = 0; i < EDGES && !failed && r->now != before; i++)
        failed = read_minutes(r, reader, r->now - edge_ages[i], r->now - edge_ages[i]);
    return failed;
}

static int read_whole(struct pulse_ring *r, struct store_reader *reader)
{
    r->whole = r->now;
    return read_minutes(r, reader, r->now - DAY_MINUTES, r->now);
}

int pulse_ring_read(struct pulse_ring *r, struct store_reader *reader, int64_t now_us)
{
    int64_t now = minute_of(second_of(now_us)), before = r->now;
    bool whole = before == NEVER || now < before || now >= r->whole + WHOLE_EVERY;

    if (whole)
        clear(r);
    r->now = now;
    int failed = whole ? read_whole(r, reader) : read_on(r, reader, before);
    if (failed)
        clear(r);
    return failed;
}

/* ---- windows ---- */

static const struct pulse_minute *find_seconds(const struct pulse_ring *r, int64_t minute)
{
    for (size_t i = 0; i < EDGES; i++)
        if (r->edges[i].minute == minute)
            return &r->edges[i];
    const struct pulse_minute *newest = &r->newest[place_of(minute, 2)];
    return newest->minute == minute ? newest : NULL;
}

static void add_seconds(const struct pulse_ring *r, int64_t first, int64_t last, struct pulse *sum)
{
    const struct pulse_minute *m = find_seconds(r, minute_of(first));

    for (int64_t i = place_of(first, MINUTE); m && first <= last; first++, i++)
        add(sum, &m->seconds[i]);
}

static void add_minute(const struct pulse_ring *r, int64_t minute, struct pulse *sum)
{
    size_t place = place_of(minute, DAY_MINUTES);

    if (r->minutes[place].minute == minute)
        add(sum, &r->minutes[place].sum);
}

/* Both seconds are inside: the rest of the first minute, whole minutes, the start of the last. */
static struct pulse between(const struct pulse_ring *r, int64_t first, int64_t last)
{
    int64_t from = minute_of(first), to = minute_of(last);
    struct pulse sum = {0};

    if (from == to) {
        add_seconds(r, first, last, &sum);
        return sum;
    }
    if (first % MINUTE == 0)
        add_minute(r, from, &sum);
    else
        add_seconds(r, first, (from + 1) * MINUTE - 1, &sum);
    for (int64_t minute = from + 1; minute < to; minute++)
        add_minute(r, minute, &sum);
    add_seconds(r, to * MINUTE, last, &sum);
    return sum;
}

void pulse_ring_view(const struct pulse_ring *r, int64_t now_us, struct pulse_view *ret)
{
    int64_t now = second_of(now_us);

    ret->minute = between(r, now - MINUTE + 1, now);
    ret->hour = between(r, now - HOUR_MINUTES * MINUTE + 1, now);
    ret->day = between(r, now - DAY_MINUTES * MINUTE + 1, now);
    ret->rate = between(r, now - PULSE_RATE_SECONDS, now - 1);
}
