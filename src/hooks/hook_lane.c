#include "hooks/hook_lane.h"

#include <assert.h>
#include <stdlib.h>

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

struct hook_lane *hook_lane_new(int64_t endpoint, unsigned per_endpoint)
{
    struct hook_lane *l = calloc(1, sizeof *l);

    if (!l)
        return NULL;
    l->endpoint = endpoint;
    l->allowance = least(HOOK_ALLOWANCE_FIRST, per_endpoint);
    l->more = true;
    return l;
}

void hook_lane_free(struct hook_lane *l)
{
    while (l->jobs) {
        struct hook_job *next = l->jobs->next;
        free(l->jobs);
        l->jobs = next;
    }
    free(l);
}

void hook_lane_learn(struct hook_lane *l, const struct endpoint_record *e)
{
    bool changed = e->updated_us != l->updated_us;

    l->updated_us = e->updated_us;
    l->of_messages = e->of_messages;
    if (changed || l->owing == 0)
        l->circuit = circuit_of(e);
}

bool hook_lane_is_doubtful(const struct hook_lane *l)
{
    return l->updated_us && (l->slow || l->circuit.failures || !l->circuit.last_success_us);
}

/* ---- which go ---- */

size_t hook_lane_wants(const struct hook_lane *l)
{
    size_t window = (size_t)l->allowance * HOOK_WINDOW_EACH;

    /* While the first address rests, those with another are looked for among the rest. */
    if (window > HOOK_WINDOW_MAX || (l->of_messages && l->circuit.paused_until_us))
        window = HOOK_WINDOW_MAX;
    return l->more && l->held <= window / 2 ? window : 0;
}

/* Tests have no message, and nothing that they could be behind. */
static bool same_message(const struct hook_job *j, int64_t message)
{
    return message && j->delivery.message == message;
}

struct hook_job *hook_lane_take(struct hook_lane *l, const struct delivery_record *d,
                                bool *ret_known)
{
    struct hook_job **at = &l->jobs;
    bool behind = false;

    *ret_known = false;
    for (; *at; at = &(*at)->next) {
        if ((*at)->delivery.id == d->id) {
            *ret_known = true;
            return NULL;
        }
        behind |= same_message(*at, d->message);
    }
    struct hook_job *j = calloc(1, sizeof *j);
    if (!j)
        return NULL;
    j->lane = l;
    j->delivery = *d;
    j->behind = behind;
    *at = j;
    l->held++;
    return j;
}

struct hook_job *hook_lane_next(const struct hook_lane *l, enum circuit_gate gate)
{
    if (gate == CIRCUIT_OFF || l->flying >= (gate == CIRCUIT_PROBES ? 1 : l->allowance))
        return NULL;
    for (struct hook_job *j = l->jobs; j; j = j->next)
        if (j->stage == HOOK_WAITS && !j->behind)
            return j;
    return NULL;
}

void hook_lane_fly(struct hook_lane *l, struct hook_job *j)
{
    assert(j->stage != HOOK_FLIES);
    j->stage = HOOK_FLIES;
    l->flying++;
}

void hook_lane_land(struct hook_lane *l, struct hook_job *j, bool well, int64_t duration_us,
                    unsigned per_endpoint)
{
    assert(j->stage == HOOK_FLIES);
    j->stage = HOOK_LANDED;
    l->flying--;
    l->slow = duration_us > HOOK_SLOW_US;
    if (!well)
        l->allowance = 1;
    else if (l->allowance < per_endpoint)
        l->allowance++;
}

/* ---- which leave ---- */

/* The next of its message, if this was the first of it, is first now. */
static void drop(struct hook_lane *l, struct hook_job **at)
{
    struct hook_job *j = *at, *next = j->next;

    *at = next;
    while (!j->behind && next && !same_message(next, j->delivery.message))
        next = next->next;
    if (!j->behind && next)
        next->behind = false;
    l->held--;
    free(j);
}

void hook_lane_drop(struct hook_lane *l, struct hook_job *j)
{
    struct hook_job **at = &l->jobs;

    assert(j->stage != HOOK_FLIES);
    while (*at != j)
        at = &(*at)->next;
    drop(l, at);
}

void hook_lane_drop_behind(struct hook_lane *l, const struct hook_job *j)
{
    struct hook_job **at = &l->jobs;

    while (*at != j)
        at = &(*at)->next;
    at = &(*at)->next;
    while (*at)
        if (same_message(*at, j->delivery.message))
            drop(l, at);
        else
            at = &(*at)->next;
}

void hook_lane_drop_waiting(struct hook_lane *l)
{
    struct hook_job **at = &l->jobs;

    while (*at)
        if ((*at)->stage == HOOK_WAITS)
            drop(l, at);
        else
            at = &(*at)->next;
}
