/* How an MMSC stands, as far as its answers tell: there is no link that could be seen to be up. */
#include "base/log.h"
#include "base/random.h"
#include "carriers/mm7_carrier_internal.h"

#include <stdio.h>

enum {
    HEALTH_LEAST = 50, /* of one that stands well, whatever it refuses; and of one to be probed */
    MEMORY = 32,       /* answers that health looks back on */
    FAILURES_MAX = 3,  /* in a row: then it is left alone for a while */
    HOLD_US = 1000000, /* a limit is named until it has not been met for so long */
};

/* ---- health and state ---- */

/* One that is to be probed has to get a message from somewhere; when it has one, others go other
 * ways, also while the media of that one are fetched. What rests until its next attempt is none:
 * the probe would wait for minutes. */
static bool has_a_probe(const struct mm7_carrier *c)
{
    return c->flying || c->ready ||
           dispatch_counts(c->live.options.dispatch, &c->live.port).coming > 0;
}

static int health_of(const struct mm7_carrier *c)
{
    if (!c->settings || c->live.record.drained || c->stands == MM7_STANDS_DOWN)
        return 0;
    if (c->stands == MM7_STANDS_PROBED)
        return has_a_probe(c) ? 0 : HEALTH_LEAST;
    int health = (int)(CARRIER_HEALTH_FULL * (1 - c->trouble));
    return health < HEALTH_LEAST ? HEALTH_LEAST : health;
}

static enum carrier_state state_of(const struct mm7_carrier *c)
{
    static const enum carrier_state states[] = {[MM7_STANDS_WELL] = CARRIER_READY,
                                                [MM7_STANDS_DOWN] = CARRIER_DOWN,
                                                [MM7_STANDS_PROBED] = CARRIER_CONNECTING};

    return c->settings ? states[c->stands] : CARRIER_UNUSED;
}

void mm7_standing_judge(struct mm7_carrier *c)
{
    enum carrier_state state = state_of(c);

    if (state != c->live.record.state) {
        c->live.record.state = state;
        c->live.record.since_us = clock_now_us(c->live.options.clock);
    }
    atomic_store(&c->live.port.health, health_of(c));
}

/* ---- what answers show ---- */

static void stand(struct mm7_carrier *c, enum mm7_stands stands, int64_t now_us)
{
    c->stands = stands;
    c->stands_us = now_us;
    c->room_freed = true;
}

static void rise(struct mm7_carrier *c, int64_t now_us)
{
    c->failures = 0;
    if (c->stands == MM7_STANDS_WELL)
        return;
    log_info("carrier", "%s answers again", c->live.record.name);
    stand(c, MM7_STANDS_WELL, now_us);
}

static uint64_t wait_ms(struct mm7_carrier *c, bool closed, int64_t now_us)
{
    uint64_t well_ms = 0;

    if (closed)
        return smpp_backoff_jitter((uint64_t)c->settings->config.refused_wait_ms, random_fast());
    if (c->stands == MM7_STANDS_WELL)
        well_ms = (uint64_t)(now_us - c->stands_us) / 1000;
    return smpp_backoff_wait_ms(&c->backoff, well_ms, random_fast());
}

static void fall(struct mm7_carrier *c, const struct mm7_outcome *o, int64_t now_us)
{
    uint64_t ms = wait_ms(c, o->shows == MM7_SHOWS_CLOSED, now_us);
    bool known = c->stands == MM7_STANDS_PROBED;

    log_event(known ? LOG_DEBUG : LOG_WARNING, "carrier",
              "%s cannot be used: %s It is tried again in %.1f s", c->live.record.name, o->detail,
              (double)ms / 1000);
    c->until_us = now_us + (int64_t)ms * 1000;
    stand(c, MM7_STANDS_DOWN, now_us);
    mm7_feed_return(c);
}

static void remember(struct mm7_carrier *c, bool trouble)
{
    c->trouble += ((trouble ? 1.0 : 0.0) - c->trouble) / MEMORY;
}

/* All that were under way when it fell say the same of it, and that was heard. */
static bool is_news(const struct mm7_carrier *c, int64_t begun_us)
{
    return c->stands != MM7_STANDS_DOWN && begun_us >= c->stands_us;
}

static void ail(struct mm7_carrier *c, const struct mm7_outcome *o, int64_t begun_us,
                int64_t now_us)
{
    bool gone = o->shows != MM7_SHOWS_ILL || c->stands == MM7_STANDS_PROBED;

    remember(c, true);
    if (is_news(c, begun_us) && (++c->failures >= FAILURES_MAX || gone))
        fall(c, o, now_us);
}

void mm7_standing_take(struct mm7_carrier *c, const struct mm7_outcome *o, int64_t begun_us,
                       int64_t now_us)
{
    if (o->detail[0])
        str_format(c->live.record.note, sizeof c->live.record.note, "%s", o->detail);
    switch (o->shows) {
    case MM7_SHOWS_WELL:
        remember(c, o->outcome != CARRIER_TOOK && o->outcome != CARRIER_REFUSED);
        rise(c, now_us);
        return;
    case MM7_SHOWS_BUSY:
        c->live.record.throttled++;
        remember(c, true);
        smpp_rate_slow_down(&c->rate, now_us);
        rise(c, now_us);
        return;
    case MM7_SHOWS_ILL:
    case MM7_SHOWS_AWAY:
    case MM7_SHOWS_CLOSED:
        ail(c, o, begun_us, now_us);
        return;
    case MM7_SHOWS_NOTHING:
        return;
    }
}

void mm7_standing_look(struct mm7_carrier *c, int64_t now_us)
{
    if (c->stands == MM7_STANDS_DOWN && now_us >= c->until_us)
        stand(c, MM7_STANDS_PROBED, now_us);
}

void mm7_standing_init(struct mm7_carrier *c, int64_t now_us)
{
    const struct config_mmsc *config = &c->settings->config;

    c->stands = MM7_STANDS_WELL;
    c->stands_us = now_us;
    c->failures = 0;
    c->trouble = 0;
    c->backoff = (struct smpp_backoff){.min_ms = (uint64_t)config->reconnect_min_ms,
                                       .max_ms = (uint64_t)config->reconnect_max_ms};
    smpp_rate_init(&c->rate, (unsigned)config->rate, now_us);
}

/* ---- what keeps it back ---- */

/* Whether or not anything waits. */
static enum carrier_limit standing(const struct mm7_carrier *c)
{
    if (!c->settings || c->stands != MM7_STANDS_WELL)
        return CARRIER_LIMIT_LINK_DOWN;
    return c->live.record.drained ? CARRIER_LIMIT_DRAINED : CARRIER_LIMIT_NONE;
}

static enum carrier_limit pressing(struct mm7_carrier *c, int64_t now_us, uint32_t *ret_figure)
{
    const struct smpp_rate *r = &c->rate;

    if (mm7_feed_places(c) == 0) {
        *ret_figure = (uint32_t)c->settings->config.window;
        return CARRIER_LIMIT_WINDOW;
    }
    if (smpp_rate_wait_us(&c->rate, now_us) == 0)
        return CARRIER_LIMIT_NONE;
    *ret_figure = r->allowed < 1 ? 1 : (uint32_t)(r->allowed + 0.5);
    return r->allowed == r->configured ? CARRIER_LIMIT_RATE : CARRIER_LIMIT_THROTTLED;
}

/* Between a place that becomes free and the message that takes it lies the store, a few
 * milliseconds in which nothing keeps anything back. */
void mm7_standing_limit(struct mm7_carrier *c, int64_t now_us)
{
    enum carrier_limit limit = standing(c);
    bool waits = !limit && (c->ready || dispatch_waiting(c->live.options.dispatch, &c->live.port));
    uint32_t figure = 0;

    if (waits)
        limit = pressing(c, now_us, &figure);
    if (waits && !limit && c->limited_us && now_us - c->limited_us < HOLD_US)
        return;
    c->limited_us = waits && limit ? now_us : 0;
    carrier_limit_set(&c->live.port, limit, figure);
}
