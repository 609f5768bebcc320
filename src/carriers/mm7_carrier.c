/* An MMSC's life, from its first settings to its last. */
#include "carriers/mm7_carrier_internal.h"

#include <errno.h>
#include <stdlib.h>

enum { GRACE_US = 2 * 1000 * 1000 }; /* for answers to what was sent, when there is a hurry */

#define CARRIER(live) ((struct mm7_carrier *)(live))

/* ---- how it stands ---- */

static const struct live_settings *carrier_settings(const struct live_carrier *live)
{
    const struct mm7_carrier *c = (const struct mm7_carrier *)live;
    return c->settings ? &c->settings->live : NULL;
}

static void carrier_state(const struct live_carrier *live, struct carrier_record *ret)
{
    const struct mm7_carrier *c = (const struct mm7_carrier *)live;
    struct dispatch_counts lane = dispatch_counts(c->live.options.dispatch, &c->live.port);

    *ret = c->live.record;
    if (c->live.record.drained && c->settings)
        ret->state = CARRIER_DRAINED;
    ret->in_flight = (int64_t)(c->flying + c->late);
    ret->waiting = (int64_t)(lane.waiting + c->ready_count) + ret->in_flight;
}

/* ---- starting and stopping ---- */

/* The outlet has gone. */
static void on_closed(void *way)
{
    struct mm7_way *gone = way, **at;
    struct mm7_carrier *c = gone->carrier;

    for (at = &c->ways; *at != gone;)
        at = &(*at)->next;
    *at = gone->next;
    free(gone);
    if (!c->stopping || c->ways)
        return;
    c->stopping = false;
    c->stopped(c->stopped_context);
}

/* What is under way ends as it would have: nothing that the MMSC may have is cut off only because
 * somebody edits its section. */
static void end_term(struct mm7_carrier *c)
{
    if (c->way) {
        mm7_outlet_close(c->way->outlet, on_closed, c->way);
        c->used_long += c->used_before;
        c->used_before = c->used;
        c->term_before = c->term;
    }
    c->way = NULL;
    c->settings = NULL;
    c->term++;
    c->used = 0;
    c->late += c->flying;
    c->flying = 0;
}

static int open_way(struct mm7_carrier *c, struct mm7_settings *settings)
{
    struct mm7_way *way = calloc(1, sizeof *way);

    if (!way)
        return -ENOMEM;
    way->carrier = c;
    way->outlet = mm7_outlet_new(c->live.options.wire, settings);
    if (!way->outlet) {
        free(way);
        return -ENOMEM;
    }
    end_term(c);
    way->next = c->ways;
    c->ways = c->way = way;
    c->settings = settings;
    return 0;
}

/* What waits here goes back: dispatch may find that it does not fit the new settings. */
static int carrier_start(struct live_carrier *live, struct live_settings *settings)
{
    struct mm7_carrier *c = CARRIER(live);
    int failed = open_way(c, (struct mm7_settings *)settings);

    if (failed)
        return failed;
    mm7_feed_return(c);
    live->port.resend = c->settings->config.unanswered == 0;
    dispatch_set_profile(c->live.options.dispatch, &live->port, &c->settings->media);
    c->stopping = c->aborted = false;
    mm7_standing_init(c, clock_monotonic_us());
    mm7_standing_judge(c);
    c->room_freed = true;
    live_carrier_wake(&c->live);
    return 0;
}

void mm7_carrier_leave(struct mm7_carrier *c)
{
    if (c->aborted || !c->grace_us || clock_monotonic_us() < c->grace_us)
        return;
    c->aborted = true;
    for (struct mm7_way *way = c->ways; way; way = way->next)
        mm7_outlet_abort(way->outlet);
}

/* Without a hurry everything has the time that its settings give it. */
static void carrier_stop(struct live_carrier *live, bool hurry, void (*stopped)(void *context),
                         void *context)
{
    struct mm7_carrier *c = CARRIER(live);

    c->stopped = stopped;
    c->stopped_context = context;
    c->stopping = true;
    c->grace_us = hurry ? clock_monotonic_us() + GRACE_US : 0;
    end_term(c);
    mm7_standing_judge(c);
    mm7_feed_return(c);
    live_carrier_wake(&c->live);
}

/* ---- running ---- */

static void carrier_drained(struct live_carrier *live)
{
    struct mm7_carrier *c = CARRIER(live);

    if (live->record.drained)
        mm7_feed_return(c);
    c->room_freed = true;
    mm7_standing_judge(c);
}

static void carrier_tick(struct live_carrier *live)
{
    struct mm7_carrier *c = CARRIER(live);

    if (!c->settings)
        return;
    smpp_rate_tick(&c->rate, clock_monotonic_us());
    live_carrier_wake(&c->live);
}

/* ---- made and freed ---- */

/* The parcels are dispatch's. */
static void carrier_forget(struct live_carrier *live)
{
    struct mm7_carrier *c = CARRIER(live);

    while (c->jobs) {
        struct mm7_job *j = c->jobs;
        c->jobs = j->older;
        free(j);
    }
}

static void carrier_init(struct live_carrier *live)
{
    CARRIER(live)->ready_end = &CARRIER(live)->ready;
    live->port.is_mmsc = true;
    live->port.media.need = MEDIA_FIRST;
}

/* What is left of its outlets goes with the wire. */
static void carrier_done(struct live_carrier *live)
{
    struct mm7_carrier *c = CARRIER(live);

    carrier_forget(live);
    while (c->ways) {
        struct mm7_way *next = c->ways->next;
        free(c->ways);
        c->ways = next;
    }
}

static bool is_same(const struct live_settings *a, const struct live_settings *b)
{
    return mm7_settings_same((const struct mm7_settings *)a,
                             &((const struct mm7_settings *)b)->config);
}

static void free_settings(struct live_settings *settings)
{
    mm7_settings_free((struct mm7_settings *)settings);
}

const struct live_kind mm7_carrier_kind = {.word = "mmsc",
                                           .changes_over = true,
                                           .size = sizeof(struct mm7_carrier),
                                           .ops = &mm7_carrier_ops,
                                           .init = carrier_init,
                                           .done = carrier_done,
                                           .feed = mm7_feed,
                                           .start = carrier_start,
                                           .stop = carrier_stop,
                                           .forget = carrier_forget,
                                           .settings = carrier_settings,
                                           .drained = carrier_drained,
                                           .tick = carrier_tick,
                                           .state = carrier_state,
                                           .same = is_same,
                                           .settings_free = free_settings};
