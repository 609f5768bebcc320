/* What keeps a carrier's next message back, for those who ask why it takes so long.
 *
 * It is judged each time the carrier has sent what it could, and once a second. Between a place
 * that becomes free and the message that takes it lies the store, a few milliseconds in which
 * nothing keeps anything back: so rate, window and pauses are named until they have not been met
 * for a second while messages wait. */
#include "carriers/smpp_carrier_internal.h"

enum { HOLD_US = 1000000 };

/* Whether or not anything waits. */
static enum carrier_limit standing(const struct smpp_carrier *c)
{
    if (!c->settings || c->stopping || c->live.record.state != CARRIER_BOUND)
        return CARRIER_LIMIT_LINK_DOWN;
    return c->live.record.drained ? CARRIER_LIMIT_DRAINED : CARRIER_LIMIT_NONE;
}

static bool work_waits(const struct smpp_carrier *c)
{
    bool waits = c->ready.first || dispatch_waiting(c->live.options.dispatch, &c->live.port) > 0;

    for (unsigned i = 0; i < c->line_count && !waits; i++)
        waits = c->lines[i].queue.first;
    return waits;
}

/* No line may send, and one of them because it pauses. */
static bool pauses(const struct smpp_carrier *c, int64_t now_us)
{
    bool one = false;

    for (unsigned i = 0; i < c->line_count; i++) {
        const struct smpp_line *l = &c->lines[i];
        if (smpp_line_can_send(l, now_us))
            return false;
        one |= l->sends && smpp_pause_is_on(&l->pause, now_us);
    }
    return one;
}

static enum carrier_limit rate_limit(const struct smpp_rate *r)
{
    return r->allowed == r->configured ? CARRIER_LIMIT_RATE : CARRIER_LIMIT_THROTTLED;
}

static uint32_t per_second(const struct smpp_rate *r)
{
    return r->allowed < 1 ? 1 : (uint32_t)(r->allowed + 0.5);
}

static uint32_t all_places(const struct smpp_carrier *c)
{
    return (uint32_t)c->settings->config.window * smpp_lines_bound(c, true);
}

/* When the last token and the last place went together, it is what it was before. */
static bool is_window(struct smpp_carrier *c, int64_t now_us, bool by_rate)
{
    uint32_t figure;
    enum carrier_limit before = carrier_limit_get(&c->live.port, &figure);

    if (smpp_feed_places(c, now_us) > 0)
        return false;
    return !by_rate || (before != CARRIER_LIMIT_RATE && before != CARRIER_LIMIT_THROTTLED);
}

static enum carrier_limit pressing(struct smpp_carrier *c, int64_t now_us, uint32_t *ret_figure)
{
    bool by_rate = smpp_rate_wait_us(&c->rate, now_us) > 0;

    *ret_figure = 0;
    if (pauses(c, now_us))
        return CARRIER_LIMIT_THROTTLED;
    if (is_window(c, now_us, by_rate)) {
        *ret_figure = all_places(c);
        return CARRIER_LIMIT_WINDOW;
    }
    if (!by_rate)
        return CARRIER_LIMIT_NONE;
    *ret_figure = per_second(&c->rate);
    return rate_limit(&c->rate);
}

void smpp_limit_judge(struct smpp_carrier *c, int64_t now_us)
{
    enum carrier_limit limit = standing(c);
    bool waits = !limit && work_waits(c);
    uint32_t figure = 0;

    if (waits)
        limit = pressing(c, now_us, &figure);
    if (waits && !limit && c->limited_us && now_us - c->limited_us < HOLD_US)
        return;
    c->limited_us = waits && limit ? now_us : 0;
    carrier_limit_set(&c->live.port, limit, figure);
}
