/* Messages that a carrier has not taken and that are queued again: for the same carrier, at once or
 * after a rest, or for another one. */
#include "messaging/dispatch_internal.h"

#include "base/metric.h"

#include <stdlib.h>

struct requeue {
    struct errand errand;
    struct dispatch *dispatch;
    struct parcel *parcel;
    struct lane *to;
    unsigned from; /* number of the carrier that may have it */
    unsigned retry_count;
    int rest; /* the step to rest for, or NO_REST */
    int64_t at_us;
    struct note *notes;
    bool moved;
};

static bool is_maybe_twice(const struct note *n)
{
    return n && n->kind == EVENT_POSSIBLE_DUPLICATE; /* which comes before others */
}

static int apply_requeue(struct write_job *job, struct store *s)
{
    struct requeue *r = (struct requeue *)job;
    const struct message *m = &r->parcel->message;
    int moved = store_requeue(s, m->id, r->to->number, r->retry_count);

    r->moved = moved == 1;
    if (moved != 1)
        return moved;
    int failed = note_write(r->notes, s, m, r->at_us);
    if (!failed && is_maybe_twice(r->notes))
        failed = store_carrier_twice(s, r->from);
    return failed;
}

/* Into the other lane like a message from the schedule: its number may be one that the lane has
 * long read past. */
static void change_lane(struct dispatch *d, struct parcel *p, struct lane *to)
{
    if (p->counted)
        lane_give(&d->lanes, p->lane);
    p->counted = false;
    p->lane = to;
    p->message.carrier = to->number;
    p->since_us = clock_now_us(d->options.clock);
    p->failover_us = FAILOVER_UNKNOWN;
    p->tries = 0;
    p->fetched = 0;
    dispatch_admit(d, p);
}

/* While it rests it has no place in its lane, or those that a carrier takes later would keep out
 * those that it takes now; as many as have places, at most, so memory stays bounded. */
static void rest(struct dispatch *d, struct parcel *p, int step)
{
    struct lane *l = p->lane;

    if (p->counted && lane_resting(l) < l->share) {
        lane_give(&d->lanes, l);
        p->counted = false;
    }
    p->place = PARCEL_WAITING;
    p->due_us = clock_now_us(d->options.clock) + d->options.retry_us[step];
    parcel_queue_add(&l->resting[step], p);
}

static void go_on(struct dispatch *d, struct requeue *r)
{
    struct parcel *p = r->parcel;

    p->message.retry_count = r->retry_count;
    p->message.handed = false;
    if (r->to != p->lane)
        change_lane(d, p, r->to);
    else if (r->rest == NO_REST)
        dispatch_wait(d, p);
    else
        rest(d, p, r->rest);
}

static void requeue_back(struct errand *e)
{
    struct requeue *r = (struct requeue *)e;
    struct dispatch *d = r->dispatch;

    if (r->to != r->parcel->lane)
        r->to->coming--;
    dispatch_settle(d, r->parcel);
    if (e->result == 0 && r->moved)
        go_on(d, r);
    else
        dispatch_release(d, r->parcel);
    note_free(r->notes);
    free(r);
}

void dispatch_requeue(struct dispatch *d, struct parcel *p, struct lane *to, unsigned retry_count,
                      int rest, struct note *notes)
{
    struct requeue *r = malloc(sizeof *r);

    if (!r)
        abort(); /* out of memory for 200 bytes: the store is safe, start again */
    *r = (struct requeue){.dispatch = d,
                          .parcel = p,
                          .to = to,
                          .from = p->lane->number,
                          .retry_count = retry_count,
                          .rest = rest,
                          .at_us = clock_now_us(d->options.clock),
                          .notes = notes};
    p->place = PARCEL_CHANGING;
    p->lane->counts.maybe_twice += is_maybe_twice(notes);
    metric_add(METRIC_DUPLICATES, 0, is_maybe_twice(notes));
    if (to != p->lane)
        to->coming++;
    errand_init(&r->errand, &d->written, apply_requeue, requeue_back);
    errand_owe(&r->errand, d->options.writer);
}
