/* A carrier's life, from binding to unbinding, and how it stands. */
#include "carriers/smpp_carrier_internal.h"

#include "base/random.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    HEALTH_LEAST = 50, /* of a carrier that is bound, whatever it refuses */
};

/* For answers to what was sent, before unbinding. Until then nothing goes out under new settings:
 * many carriers allow no more binds than are open. With the time to bind anew it is less than that
 * after which a carrier counts as dead. What a carrier brings meanwhile gets only the shorter time:
 * one that brings receipts all the time is never without any. */
#define GRACE_US INT64_C(4000000)
#define HURRY_US INT64_C(2000000)

int64_t smpp_now_us(void)
{
    return clock_monotonic_us();
}

/* ---- how it stands ---- */

static enum carrier_state state_of(const struct smpp_carrier *c)
{
    if (!c->settings)
        return CARRIER_UNUSED;
    if (smpp_lines_bound(c, true))
        return CARRIER_BOUND;
    return c->tried ? CARRIER_DOWN : CARRIER_CONNECTING;
}

static int health_of(const struct smpp_carrier *c)
{
    if (c->live.record.state != CARRIER_BOUND || c->live.record.drained || c->stopping)
        return 0;
    int health = (int)(CARRIER_HEALTH_FULL * (1 - c->trouble));
    return health < HEALTH_LEAST ? HEALTH_LEAST : health;
}

void smpp_carrier_judge(struct smpp_carrier *c)
{
    enum carrier_state state = state_of(c);

    if (state != c->live.record.state) {
        c->live.record.state = state;
        c->live.record.since_us = clock_now_us(c->live.options.clock);
    }
    atomic_store(&c->live.port.health, health_of(c));
}

void smpp_carrier_note(struct smpp_carrier *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(c->live.record.note, sizeof c->live.record.note, format, args);
    va_end(args);
}

static void carrier_state(const struct live_carrier *live, struct carrier_record *ret)
{
    const struct smpp_carrier *c = (const struct smpp_carrier *)live;
    struct dispatch_counts lane = dispatch_counts(c->live.options.dispatch, &c->live.port);

    *ret = c->live.record;
    if (c->live.record.drained && c->settings)
        ret->state = CARRIER_DRAINED;
    ret->binds = c->line_count;
    ret->binds_up = smpp_lines_bound(c, false);
    ret->waiting = (int64_t)(lane.waiting + c->unanswered);
    for (unsigned i = 0; i < c->line_count; i++)
        if (c->lines[i].link)
            ret->in_flight += smpp_link_in_flight(c->lines[i].link);
}

static const struct live_settings *carrier_settings(const struct live_carrier *live)
{
    const struct smpp_carrier *c = (const struct smpp_carrier *)live;
    return c->settings ? &c->settings->live : NULL;
}

/* ---- starting ---- */

static int carrier_start(struct live_carrier *live, struct live_settings *wanted)
{
    struct smpp_carrier *c = (struct smpp_carrier *)live;
    struct smpp_settings *settings = (struct smpp_settings *)wanted;

    c->settings = settings;
    int failed = smpp_lines_open(c);
    if (failed) {
        smpp_lines_close(c);
        c->settings = NULL;
        return failed;
    }
    c->live.port.resend = settings->config.unanswered == 0;
    c->tried = c->stopping = c->unbinding = false;
    c->trouble = 0;
    smpp_rate_init(&c->rate, (unsigned)settings->config.rate, smpp_now_us());
    smpp_carrier_judge(c);
    for (unsigned i = 0; i < c->line_count; i++)
        smpp_link_start(c->lines[i].link);
    return 0;
}

/* ---- stopping ---- */

static void on_unbound(void *line)
{
    struct smpp_line *l = line;

    l->gone = true;
    smpp_answer_lost(l);
    smpp_carrier_judge(l->carrier);
    live_carrier_wake(&l->carrier->live);
}

static void unbind(struct smpp_carrier *c)
{
    c->unbinding = true;
    for (unsigned i = 0; i < c->line_count; i++)
        smpp_link_stop(c->lines[i].link, on_unbound, &c->lines[i]);
}

static bool all_gone(const struct smpp_carrier *c)
{
    for (unsigned i = 0; i < c->line_count; i++)
        if (!c->lines[i].gone)
            return false;
    return true;
}

static void finish(struct smpp_carrier *c)
{
    smpp_lines_close(c);
    smpp_settings_free(c->settings);
    c->settings = NULL;
    c->stopping = false;
    smpp_carrier_judge(c);
    c->stopped(c->stopped_context);
}

/* On the timer, so no link is in the middle of anything. */
void smpp_carrier_leave(struct smpp_carrier *c)
{
    int64_t now_us = smpp_now_us();
    bool answered = c->unanswered == 0;
    bool idle = answered && (!c->deliveries || now_us >= c->hurry_us);

    if (!c->unbinding && (idle || now_us >= c->grace_us))
        unbind(c);
    else if (c->unbinding && all_gone(c))
        finish(c);
}

static int64_t grace_us(const struct smpp_carrier *c, bool hurry)
{
    int64_t timeout_us = c->settings->config.response_timeout_ms * INT64_C(1000);

    if (hurry || timeout_us < HURRY_US)
        return HURRY_US;
    return GRACE_US < timeout_us ? GRACE_US : timeout_us;
}

static void carrier_stop(struct live_carrier *live, bool hurry, void (*stopped)(void *context),
                         void *context)
{
    struct smpp_carrier *c = (struct smpp_carrier *)live;

    c->stopped = stopped;
    c->stopped_context = context;
    int64_t now_us = smpp_now_us(), end_us = now_us + grace_us(c, hurry);
    if (!c->stopping || end_us < c->grace_us)
        c->grace_us = end_us;
    live_carrier_wake(&c->live);
    if (c->stopping)
        return;
    c->stopping = true;
    c->hurry_us = now_us + HURRY_US;
    smpp_carrier_judge(c);
    smpp_feed_return(c);
}

/* ---- running ---- */

static void carrier_drained(struct live_carrier *live)
{
    struct smpp_carrier *c = (struct smpp_carrier *)live;

    if (live->record.drained)
        smpp_feed_return(c);
    c->room_freed = true;
    smpp_carrier_judge(c);
}

/* A carrier that goes on throttling does not keep what it will not take. */
static void release_what_pauses(struct smpp_carrier *c, int64_t now_us)
{
    bool moves = false;

    for (unsigned i = 0; i < c->line_count; i++) {
        struct smpp_line *l = &c->lines[i];
        if (l->sends && smpp_pause_goes_on(&l->pause, now_us))
            smpp_answer_release(l);
        moves |= smpp_line_can_send(l, now_us);
    }
    if (!moves)
        smpp_feed_return(c);
}

/* The rate recovers, and a bind that moves nothing while work waits is bound anew. */
static void carrier_tick(struct live_carrier *live)
{
    struct smpp_carrier *c = (struct smpp_carrier *)live;
    int64_t now_us = smpp_now_us();

    if (!c->settings)
        return;
    smpp_rate_tick(&c->rate, now_us);
    for (unsigned i = 0; i < c->line_count && !c->unbinding; i++)
        if (c->lines[i].sends && smpp_link_is_bound(c->lines[i].link))
            smpp_line_watch(&c->lines[i], now_us);
    release_what_pauses(c, now_us);
    live_carrier_wake(&c->live);
}

/* ---- made and freed ---- */

/* The parcels are dispatch's. */
static void carrier_forget(struct live_carrier *live)
{
    struct smpp_carrier *c = (struct smpp_carrier *)live;

    while (c->jobs) {
        struct smpp_job *j = c->jobs;
        c->jobs = j->older;
        smpp_job_free(j);
    }
}

static void carrier_init(struct live_carrier *live)
{
    struct smpp_carrier *c = (struct smpp_carrier *)live;

    smpp_delivered_init(&c->delivered);
    for (size_t i = 0; i < SMPP_REFERENCES; i++)
        c->references[i] = (uint16_t)random_fast();
}

static void carrier_done(struct live_carrier *live)
{
    struct smpp_carrier *c = (struct smpp_carrier *)live;

    carrier_forget(live);
    smpp_lines_close(c);
    smpp_settings_free(c->settings);
    while (c->deliveries) {
        struct smpp_delivering *next = c->deliveries->next;
        free(c->deliveries);
        c->deliveries = next;
    }
    smpp_delivered_done(&c->delivered);
}

static bool is_same(const struct live_settings *a, const struct live_settings *b)
{
    return smpp_settings_same((const struct smpp_settings *)a,
                              &((const struct smpp_settings *)b)->config);
}

static void free_settings(struct live_settings *settings)
{
    smpp_settings_free((struct smpp_settings *)settings);
}

const struct live_kind smpp_carrier_kind = {.word = "carrier",
                                            .size = sizeof(struct smpp_carrier),
                                            .ops = &smpp_carrier_ops,
                                            .init = carrier_init,
                                            .done = carrier_done,
                                            .feed = smpp_feed,
                                            .start = carrier_start,
                                            .stop = carrier_stop,
                                            .forget = carrier_forget,
                                            .settings = carrier_settings,
                                            .drained = carrier_drained,
                                            .tick = carrier_tick,
                                            .state = carrier_state,
                                            .same = is_same,
                                            .settings_free = free_settings};
