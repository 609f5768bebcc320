/* An MMSC's life, from its first settings to its last. */
#include "carriers/mm7_carrier_internal.h"

#include "base/log.h"

#include <errno.h>
#include <stdlib.h>

enum { GRACE_US = 2 * 1000 * 1000 }; /* for answers to what was sent */

#define CARRIER(live) ((struct mm7_carrier *)(live))

void mm7_carrier_wake(struct mm7_carrier *c)
{
    if (c->awake)
        return;
    c->awake = true;
    loop_timer_start(c->timer, 0, 0);
}

/* ---- how it stands ---- */

static const struct live_settings *carrier_settings(const struct live_carrier *live)
{
    const struct mm7_carrier *c = (const struct mm7_carrier *)live;
    return c->settings ? &c->settings->live : NULL;
}

static void carrier_state(const struct live_carrier *live, struct carrier_record *ret)
{
    const struct mm7_carrier *c = (const struct mm7_carrier *)live;
    struct dispatch_counts lane = dispatch_counts(c->options.dispatch, &c->live.port);

    *ret = c->record;
    if (c->record.drained && c->settings)
        ret->state = CARRIER_DRAINED;
    ret->waiting = (int64_t)(lane.waiting + c->ready_count + c->flying);
    ret->in_flight = (int64_t)c->flying;
}

static void carrier_count_receipt(struct live_carrier *live, bool stray)
{
    CARRIER(live)->record.receipts++;
    CARRIER(live)->record.strays += stray;
}

/* ---- starting and stopping ---- */

static int carrier_start(struct live_carrier *live, struct live_settings *settings)
{
    struct mm7_carrier *c = CARRIER(live);

    c->outlet = mm7_outlet_new(c->options.wire, (struct mm7_settings *)settings);
    if (!c->outlet)
        return -ENOMEM;
    c->settings = (struct mm7_settings *)settings;
    live->port.resend = c->settings->config.unanswered == 0;
    dispatch_set_profile(c->options.dispatch, &live->port, &c->settings->media);
    c->stopping = c->aborted = c->closing = false;
    c->term++;
    c->used = 0;
    mm7_standing_init(c, clock_monotonic_us());
    mm7_standing_judge(c);
    c->room_freed = true;
    mm7_carrier_wake(c);
    return 0;
}

static void on_closed(void *carrier)
{
    struct mm7_carrier *c = carrier;

    c->outlet = NULL;
    mm7_settings_free(c->settings);
    c->settings = NULL;
    c->stopping = false;
    mm7_standing_judge(c);
    c->stopped(c->stopped_context);
}

void mm7_carrier_leave(struct mm7_carrier *c)
{
    if (c->flying == 0 && !c->closing) {
        c->closing = c->aborted = true;
        mm7_outlet_close(c->outlet, on_closed, c);
    } else if (!c->aborted && clock_monotonic_us() >= c->grace_us) {
        c->aborted = true;
        mm7_outlet_abort(c->outlet);
    }
}

static void carrier_stop(struct live_carrier *live, void (*stopped)(void *context), void *context)
{
    struct mm7_carrier *c = CARRIER(live);

    c->stopped = stopped;
    c->stopped_context = context;
    c->stopping = true;
    c->grace_us = clock_monotonic_us() + GRACE_US;
    mm7_standing_judge(c);
    mm7_feed_return(c);
    mm7_carrier_wake(c);
}

/* ---- running ---- */

static void carrier_drain(struct live_carrier *live, bool drained)
{
    struct mm7_carrier *c = CARRIER(live);

    if (c->record.drained == drained)
        return;
    c->record.drained = drained;
    c->record.since_us = clock_now_us(c->options.clock);
    log_info("carrier", drained ? "%s is drained: it gets no messages" : "%s gets messages again",
             c->record.name);
    if (drained)
        mm7_feed_return(c);
    c->room_freed = true;
    mm7_standing_judge(c);
    mm7_carrier_wake(c);
}

static void carrier_tick(struct live_carrier *live)
{
    struct mm7_carrier *c = CARRIER(live);

    if (!c->settings)
        return;
    smpp_rate_tick(&c->rate, clock_monotonic_us());
    mm7_carrier_wake(c);
}

/* ---- made and freed ---- */

static void on_timer(void *carrier)
{
    mm7_feed(carrier);
}

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

/* What is left of its outlet goes with the wire. */
static void carrier_destroy(struct live_carrier *live)
{
    carrier_forget(live);
    mm7_settings_free(CARRIER(live)->settings);
    free(live);
}

static void forget_moment(struct carrier_record *r)
{
    r->state = CARRIER_UNUSED;
    r->binds = r->binds_up = 0;
    r->waiting = r->in_flight = 0;
    r->note[0] = '\0';
}

static int carrier_create(struct live_carrier **ret, const struct live_carrier_options *options,
                          const struct carrier_record *record)
{
    struct mm7_carrier *c = calloc(1, sizeof *c);

    *ret = NULL;
    if (!c)
        return -ENOMEM;
    c->live.kind = &mm7_carrier_kind;
    c->options = *options;
    c->record = *record;
    forget_moment(&c->record);
    c->ready_end = &c->ready;
    c->live.port = (struct carrier){.name = c->record.name,
                                    .ops = &mm7_carrier_ops,
                                    .number = record->id,
                                    .resend = true,
                                    .media = {.need = MEDIA_FIRST}};
    carrier_limit_set(&c->live.port, CARRIER_LIMIT_LINK_DOWN, 0);
    c->timer = loop_timer_new(options->loop, on_timer, c);
    if (!c->timer) {
        carrier_destroy(&c->live);
        return -ENOMEM;
    }
    *ret = &c->live;
    return 0;
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
                                           .create = carrier_create,
                                           .destroy = carrier_destroy,
                                           .start = carrier_start,
                                           .stop = carrier_stop,
                                           .forget = carrier_forget,
                                           .settings = carrier_settings,
                                           .drain = carrier_drain,
                                           .tick = carrier_tick,
                                           .state = carrier_state,
                                           .count_receipt = carrier_count_receipt,
                                           .same = is_same,
                                           .settings_free = free_settings};
