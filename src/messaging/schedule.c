/* The schedule: messages become queued when their time has come, also when the program slept
 * through it.
 *
 * It fires a few at a time. When a move is durable the message joins its lane; if that is full it
 * lies in the store like any other, and no lane keeps those of another waiting. */
#include "messaging/dispatch_internal.h"
#include "messaging/status.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRE_MAX = 128 };
#define RETRY_US INT64_C(1000000) /* after the store has failed */

/* A message on its way from scheduled to queued. */
struct firing {
    struct errand errand;
    struct schedule *schedule;
    struct message_move move;
    struct parcel *parcel;
    bool moved;
};

/* Engine's thread, but for next_us. */
struct schedule {
    struct dispatch *dispatch;
    struct loop_timer *timer; /* or NULL */
    int64_t armed_us;         /* what the timer waits for */
    int64_t next_us;          /* nothing is due before; under the lanes' lock */
    int64_t not_before_us;    /* nothing is fired before */
    size_t firing;
    struct firing slots[FIRE_MAX];
};

static void on_timer(void *schedule)
{
    struct schedule *s = schedule;

    s->armed_us = 0; /* a timer may be early by a moment, and is started again then */
    s->dispatch->options.wake(s->dispatch->options.wake_context);
}

int schedule_new(struct schedule **ret, struct dispatch *d, struct loop *loop)
{
    struct schedule *s = calloc(1, sizeof *s);

    *ret = NULL;
    if (s && loop)
        s->timer = loop_timer_new(loop, on_timer, s);
    if (!s || (loop && !s->timer)) {
        free(s);
        return -ENOMEM;
    }
    s->dispatch = d;
    *ret = s;
    return 0;
}

void schedule_free(struct schedule *s)
{
    free(s);
}

/* ---- when ---- */

void schedule_offer(struct schedule *s, const struct message *m)
{
    if (m->scheduled_us >= s->next_us)
        return;
    s->next_us = m->scheduled_us;
    s->dispatch->options.wake(s->dispatch->options.wake_context); /* the timer is late now */
}

/* Sets the time, or lets an earlier one stand that was offered meanwhile. Returns what holds. */
static int64_t set_next(struct schedule *s, int64_t at_us, bool may_raise)
{
    pthread_mutex_lock(&s->dispatch->lanes.lock);
    if (may_raise || at_us < s->next_us)
        s->next_us = at_us;
    int64_t next_us = s->next_us;
    pthread_mutex_unlock(&s->dispatch->lanes.lock);
    return next_us;
}

static int64_t get_next(struct schedule *s)
{
    return set_next(s, INT64_MAX, false);
}

static void arm(struct schedule *s, int64_t next_us, int64_t now_us)
{
    if (!s->timer || s->armed_us == next_us)
        return;
    s->armed_us = next_us;
    if (next_us == INT64_MAX)
        loop_timer_stop(s->timer);
    else
        loop_timer_start(s->timer, (uint64_t)(next_us - now_us + 999) / 1000, 0);
}

/* ---- firing ---- */

static int apply_firing(struct write_job *job, struct store *store)
{
    struct firing *f = (struct firing *)job;
    int moved = store_move(store, &f->move);

    f->moved = moved == 1; /* 0: it was cancelled before its time */
    return moved < 0 ? moved : 0;
}

static void firing_back(struct errand *e)
{
    struct firing *f = (struct firing *)e;
    struct dispatch *d = f->schedule->dispatch;

    f->schedule->firing--;
    if (e->result < 0) /* it is still due */
        f->schedule->not_before_us = clock_now_us(d->options.clock) + RETRY_US;
    if (e->result == 0 && f->moved)
        dispatch_admit(d, f->parcel);
    else
        dispatch_release(d, f->parcel);
}

/* False when memory is short. */
static bool fire(struct schedule *s, struct firing *f, const struct message *m, int64_t now_us)
{
    struct dispatch *d = s->dispatch;
    struct lane *lane = lane_make(&d->lanes, m->carrier);
    struct parcel *p = lane ? lane_parcel(lane, m, now_us) : NULL;

    if (!p)
        return false;
    p->place = PARCEL_CHANGING;
    p->message.status = STATUS_QUEUED;
    p->message.updated_us = now_us;
    parcel_index_add(&d->parcels, p);
    f->schedule = s;
    f->parcel = p;
    message_move_to(&f->move, m->id, STATUS_QUEUED, FAILURE_NONE, now_us);
    s->firing++;
    errand_init(&f->errand, &d->written, apply_firing, firing_back);
    errand_owe(&f->errand, d->options.writer);
    return true;
}

/* Fires what is due; returns when to look again. */
static int64_t fire_due(struct schedule *s, int64_t now_us)
{
    struct dispatch *d = s->dispatch;
    struct message *messages;
    size_t count, fired = 0;
    int64_t next_us = INT64_MAX;

    arena_reset(&d->arena);
    int failed = store_due(d->reader, now_us, FIRE_MAX, &d->arena, &messages, &count);
    while (fired < count && fire(s, &s->slots[fired], &messages[fired], now_us))
        fired++;
    if (!failed && count == 0)
        failed = store_next_due(d->reader, &next_us);
    store_reader_rest(d->reader);
    if (count > 0)
        return fired > 0 ? now_us : now_us + RETRY_US;
    return failed && failed != -ENOENT ? now_us + RETRY_US : next_us;
}

void schedule_run(struct schedule *s)
{
    int64_t now_us, next_us;

    if (s->firing > 0)
        return; /* the last of them to come back calls again */
    now_us = clock_now_us(s->dispatch->options.clock);
    next_us = get_next(s);
    if (next_us < s->not_before_us)
        next_us = s->not_before_us;
    if (next_us <= now_us) {
        set_next(s, INT64_MAX, true); /* what is offered from here on is not missed */
        next_us = set_next(s, fire_due(s, now_us), false);
    }
    if (next_us > now_us)
        arm(s, next_us, now_us);
}
