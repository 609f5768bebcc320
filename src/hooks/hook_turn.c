/* A lane's turn: it looks at its endpoint, reads what is due, and sends as much as it may. */
#include "hooks/hook_set_internal.h"

#include <errno.h>

/* ---- reading ---- */

static void take_all(struct hook_set *s, struct hook_lane *l, const struct delivery_record *records,
                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool known;

        if (hook_lane_take(l, &records[i], &known))
            s->held++;
        else if (!known) { /* memory is short: in a moment */
            l->more = true;
            hook_wake_at(s, l, hook_now_us(s) + HOOK_TROUBLE_US);
            return;
        }
    }
}

/* When the next one becomes due, as far as that was not known. */
static int look_ahead(struct hook_set *s, struct hook_lane *l, int64_t now_us)
{
    int64_t next_us;

    if (l->next_us > now_us)
        return 0;
    int r = store_delivery_next(s->reader, l->endpoint, now_us, &next_us);
    if (r && r != -ENOENT)
        return r;
    l->next_us = r ? INT64_MAX : next_us;
    if (!r)
        hook_wake_at(s, l, next_us);
    return 0;
}

static int fill(struct hook_set *s, struct hook_lane *l, struct delivery_place after)
{
    int64_t now_us = hook_now_us(s);
    size_t limit = hook_lane_wants(l), count;
    struct delivery_record *records;

    if (s->held >= HOOK_HELD_MAX && limit > l->allowance)
        limit = l->held < l->allowance ? l->allowance : 0;
    if (!limit)
        return 0;
    arena_reset(&s->memory);
    int failed = store_delivery_due(s->reader, l->endpoint, after, now_us, limit, &s->memory,
                                    &records, &count);
    if (failed)
        return failed;
    l->more = count == limit;
    take_all(s, l, records, count);
    return l->more ? 0 : look_ahead(s, l, now_us);
}

/* ---- sending ---- */

/* It cannot go while the lane rests: it has no other address. So those behind it are found,
 * however many of its kind there are. */
static void pass_over(struct hook_set *s, struct hook_lane *l, struct hook_job *j)
{
    const struct delivery_record *d = &j->delivery;

    if (d->due_us > l->passed.due_us || (d->due_us == l->passed.due_us && d->id > l->passed.id))
        l->passed = (struct delivery_place){d->due_us, d->id};
    hook_lane_drop(l, j);
    s->held--;
}

/* True when the lane may go on to the next. */
static bool send_one(struct hook_set *s, struct hook_lane *l, struct hook_job *j,
                     enum circuit_gate gate, const struct endpoint_record *e)
{
    j->failover = gate == CIRCUIT_RESTS;
    switch (hook_send(s, j, e)) {
    case HOOK_SENT:
    case HOOK_LOST:
        return true;
    case HOOK_NO_OTHER:
        pass_over(s, l, j);
        return true;
    case HOOK_NO_SECRET:
    case HOOK_TROUBLE:
        return false;
    }
    return false;
}

static void send_some(struct hook_set *s, struct hook_lane *l, enum circuit_gate gate,
                      const struct endpoint_record *e)
{
    for (int i = 0; i < HOOK_TURN_MAX && hook_has_room(s, hook_lane_is_doubtful(l)); i++) {
        struct hook_job *j = hook_lane_next(l, gate);
        if (!j || !send_one(s, l, j, gate, e))
            return;
    }
    if (hook_lane_next(l, gate))
        hook_queue_lane(s, l);
}

/* What waits lies in the store behind others that cannot go. */
static void look_further(struct hook_set *s, struct hook_lane *l)
{
    if (l->more && l->held < l->allowance)
        hook_queue_lane(s, l);
}

/* It flows again: what was passed over is due. */
static void look_back(struct hook_lane *l)
{
    if (l->passed.id)
        l->more = true;
    l->passed = (struct delivery_place){0};
}

/* Nothing goes; what waits lies in the store as well as here. */
static void put_down(struct hook_set *s, struct hook_lane *l)
{
    size_t held = l->held;

    hook_lane_drop_waiting(l);
    l->more = true;
    s->held -= held - l->held;
}

/* Neither does time change that: only news can. */
static void give_up(struct hook_set *s, struct hook_lane *l)
{
    put_down(s, l);
    hook_alarm_clear(&s->alarms, &l->alarm);
}

static void go_on(struct hook_set *s, struct hook_lane *l, const struct endpoint_record *e)
{
    int64_t now_us = hook_now_us(s);
    enum circuit_gate gate = circuit_gate(&l->circuit, now_us);

    if (gate == CIRCUIT_RESTS)
        hook_wake_at(s, l, l->circuit.paused_until_us);
    if (gate == CIRCUIT_OFF) {
        give_up(s, l);
        return;
    }
    if (gate == CIRCUIT_RESTS && !l->of_messages) {
        put_down(s, l);
        return;
    }
    if (gate == CIRCUIT_FLOWS)
        look_back(l);
    bool rests = gate == CIRCUIT_RESTS;
    int failed = fill(s, l, rests ? l->passed : (struct delivery_place){0});
    if (failed) {
        hook_trouble(s, l, failed);
        return;
    }
    send_some(s, l, gate, e);
    if (rests)
        look_further(s, l);
}

/* A lane that has nothing to do is over, but one that was let do much stays for a moment: what it
 * knows of its endpoint is worth keeping. */
static void linger(struct hook_set *s, struct hook_lane *l)
{
    int64_t now_us = hook_now_us(s);

    if (l->held || l->alarm.place) {
        l->idle_us = 0;
    } else if (l->allowance > HOOK_ALLOWANCE_FIRST && l->circuit.off == ENDPOINT_OFF_NONE) {
        if (!l->idle_us)
            l->idle_us = now_us;
        if (now_us - l->idle_us < HOOK_LINGER_US)
            hook_wake_at(s, l, l->idle_us + HOOK_LINGER_US);
    }
}

void hook_turn(struct hook_set *s, struct hook_lane *l)
{
    struct endpoint_record e;

    if (hook_now_us(s) < l->rest_us) {
        hook_wake_at(s, l, l->rest_us);
        return;
    }
    arena_reset(&s->endpoint);
    int r = store_endpoint_get(s->reader, 0, l->endpoint, &s->endpoint, &e);
    if (r == -ENOENT) { /* removed, and its deliveries with it */
        give_up(s, l);
        return;
    }
    if (r) {
        hook_trouble(s, l, r);
        return;
    }
    hook_lane_learn(l, &e);
    if (e.replay_to && !l->replaying)
        hook_replay(s, l);
    if (!l->wants_secret)
        go_on(s, l, &e);
    linger(s, l);
}
