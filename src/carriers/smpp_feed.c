/* What goes out: parcels become jobs, jobs find a line, and their parts are sent as window, rate
 * and pauses allow. Nothing is sent from inside the calls of others: they wake the timer. */
#include "carriers/smpp_carrier_internal.h"

#include <errno.h>
#include <stdlib.h>

/* ---- how much ---- */

bool smpp_line_can_send(const struct smpp_line *l, int64_t now_us)
{
    return l->sends && l->link && !l->gone && !l->fault && smpp_link_is_bound(l->link) &&
           !smpp_pause_is_on(&l->pause, now_us);
}

static unsigned window(const struct smpp_carrier *c)
{
    return (unsigned)c->settings->config.window;
}

size_t smpp_feed_places(const struct smpp_carrier *c, int64_t now_us)
{
    size_t places = 0;

    for (unsigned i = 0; i < c->line_count; i++) {
        const struct smpp_line *l = &c->lines[i];
        if (smpp_line_can_send(l, now_us) && l->used < window(c))
            places += window(c) - l->used;
    }
    return places;
}

/* No more than goes in a second, or messages would wait here that could go another route. */
static size_t rate_allows(const struct smpp_carrier *c, size_t places)
{
    size_t most = c->rate.allowed < 1 ? 1 : (size_t)c->rate.allowed;
    return c->rate.allowed != 0 && most < places ? most : places;
}

size_t smpp_feed_room(const struct smpp_carrier *c)
{
    if (!c->settings || c->stopping || c->live.record.drained)
        return 0;
    size_t places = rate_allows(c, smpp_feed_places(c, smpp_now_us()));
    return places > c->ready_parts ? places - c->ready_parts : 0;
}

/* ---- the port ---- */

static size_t carrier_room(struct carrier *port)
{
    return smpp_feed_room((struct smpp_carrier *)port);
}

static unsigned parts_guessed(const struct smpp_job *j)
{
    unsigned segments = parcel_message(j->parcel)->segments;
    return segments ? segments : 1;
}

static void keep_job(struct smpp_carrier *c, struct smpp_job *j)
{
    j->older = c->jobs;
    if (j->older)
        j->older->newer = j;
    c->jobs = j;
}

static void forget_job(struct smpp_carrier *c, struct smpp_job *j)
{
    if (j->newer)
        j->newer->older = j->older;
    else
        c->jobs = j->older;
    if (j->older)
        j->older->newer = j->newer;
    smpp_job_free(j);
}

/* What was handed over when there was room is taken, even if there is less by now. */
static int carrier_submit(struct carrier *port, struct parcel *p)
{
    struct smpp_carrier *c = (struct smpp_carrier *)port;

    if (c->stopping || c->live.record.drained || c->live.record.state != CARRIER_BOUND)
        return -EAGAIN;
    struct smpp_job *j = smpp_job_new(p, ++c->orders);
    if (!j)
        return -EAGAIN;
    keep_job(c, j);
    smpp_jobs_add(&c->ready, j);
    c->ready_parts += parts_guessed(j);
    c->unanswered++;
    live_carrier_wake(&c->live);
    return 0;
}

static void carrier_settled(struct carrier *port, struct parcel *p)
{
    struct smpp_carrier *c = (struct smpp_carrier *)port;
    struct smpp_job *j = parcel_note(p);

    if (!j)
        return;
    parcel_set_note(p, NULL);
    if (j->line && j->generation == c->generation)
        j->line->used -= j->count;
    forget_job(c, j);
    c->room_freed = true;
    live_carrier_wake(&c->live);
}

const struct carrier_ops smpp_carrier_ops = {
    .submit = carrier_submit, .room = carrier_room, .settled = carrier_settled};

/* ---- beginning ---- */

static struct smpp_job *take_ready(struct smpp_carrier *c)
{
    struct smpp_job *j = smpp_jobs_take(&c->ready);

    if (!j)
        return NULL;
    c->ready_parts -= parts_guessed(j);
    c->room_freed |= c->rate.allowed != 0; /* the rate counts what waits here */
    return j;
}

void smpp_feed_return(struct smpp_carrier *c)
{
    struct smpp_job *next;

    /* The last one first, because each goes to the front of dispatch's queue. */
    for (struct smpp_job *j = smpp_jobs_take_all_reversed(&c->ready); j; j = next) {
        next = j->next;
        smpp_job_give_up(j, CARRIER_UNTRIED, FAILURE_NONE, "");
        smpp_answer_give(c, j);
    }
    c->ready_parts = 0;
}

/* Counted for each destination, so that the parts of two long texts to one handset do not mix: one
 * octet of it is all that many carriers take. */
static uint16_t next_reference(struct smpp_carrier *c, struct str to)
{
    uint32_t hash = 2166136261;

    for (size_t i = 0; i < to.n; i++)
        hash = (hash ^ (unsigned char)to.p[i]) * 16777619;
    return ++c->references[hash % SMPP_REFERENCES];
}

/* The PDUs of the job; kept until another job's are wanted. */
static int make(struct smpp_line *l, struct smpp_job *j)
{
    const struct smpp_settings *s = l->carrier->settings;

    if (l->made == j->order)
        return 0;
    l->made = 0;
    int failed =
        smpp_submit_make(l->submission, &s->manner, parcel_message(j->parcel), j->reference);
    if (failed)
        return failed;
    if (j->count == 0 && !smpp_job_open(j, l->submission->count))
        return -ENOMEM;
    l->made = j->order;
    return 0;
}

static void refuse(struct smpp_line *l, struct smpp_job *j)
{
    smpp_job_give_up(
        j, CARRIER_REFUSED, FAILURE_CARRIER_REJECTED,
        "The text or the sender cannot be written in the way that this carrier wants.");
    if (j->queued)
        smpp_jobs_remove(&l->queue, j);
    j->queued = false;
    smpp_answer_give(l->carrier, j);
}

/* The next job gets this line. NULL: there is none, or no place for it, or no memory. */
static struct smpp_job *begin(struct smpp_line *l)
{
    struct smpp_carrier *c = l->carrier;
    int failed = -EINVAL;

    while (failed == -EINVAL) {
        struct smpp_job *j = l->used < window(c) && !c->stopping ? take_ready(c) : NULL;
        if (!j)
            return NULL;
        j->reference = next_reference(c, parcel_message(j->parcel)->to);
        failed = make(l, j);
        if (failed == -EINVAL) {
            refuse(l, j);
        } else if (failed) {
            smpp_jobs_add(&c->ready, j);
            c->ready_parts += parts_guessed(j);
        } else {
            j->line = l;
            j->generation = c->generation;
            j->queued = true;
            l->used += j->count;
            smpp_jobs_add(&l->queue, j);
            return j;
        }
    }
    return NULL;
}

/* ---- sending ---- */

static bool send_part(struct smpp_line *l, struct smpp_job *j, int64_t now_us)
{
    struct smpp_carrier *c = l->carrier;
    unsigned place = 0;
    struct smpp_part *part = smpp_job_next(j, &place);
    int failed = make(l, j);

    if (!failed)
        failed = smpp_link_send(l->link, &l->submission->pdus[place], part);
    if (failed == -EINVAL)
        refuse(l, j);
    if (failed)
        return failed == -EINVAL;
    if (smpp_link_in_flight(l->link) == 1)
        l->moved_us = now_us; /* the watch begins now */
    smpp_rate_take(&c->rate, now_us);
    smpp_part_sent(part);
    c->live.record.submitted++;
    if (j->waiting == 0) {
        smpp_jobs_take(&l->queue);
        j->queued = false;
    }
    return true;
}

/* One part; false: nothing goes over this line now. */
static bool line_send(struct smpp_line *l, int64_t now_us)
{
    struct smpp_job *j = l->queue.first;

    if (!smpp_line_can_send(l, now_us) || smpp_link_room(l->link) == 0)
        return false;
    if (!j)
        j = begin(l);
    return j && send_part(l, j, now_us);
}

/* In turns, so that all lines have the same share. */
static void send_all(struct smpp_carrier *c, int64_t now_us)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (unsigned i = 0; i < c->line_count; i++) {
            if (smpp_rate_wait_us(&c->rate, now_us) > 0)
                return;
            moved |= line_send(&c->lines[i], now_us);
        }
    }
}

static void rebind_faulty(struct smpp_carrier *c)
{
    for (unsigned i = 0; i < c->line_count; i++) {
        struct smpp_line *l = &c->lines[i];
        const char *fault = l->fault;
        l->fault = NULL;
        if (fault && l->link && !l->gone && smpp_link_is_bound(l->link))
            smpp_link_rebind(l->link, fault);
    }
}

/* ---- when to look again ---- */

static int64_t earlier(int64_t a_us, int64_t b_us)
{
    return a_us < 0 || b_us < a_us ? b_us : a_us;
}

/* Microseconds until rate or pauses let something go that waits; negative: nothing waits for them.
 */
static int64_t next_look_us(struct smpp_carrier *c, int64_t now_us)
{
    int64_t rate_us = smpp_rate_wait_us(&c->rate, now_us), next_us = -1;

    for (unsigned i = 0; i < c->line_count; i++) {
        const struct smpp_line *l = &c->lines[i];
        if (l->sends && smpp_pause_is_on(&l->pause, now_us))
            next_us = earlier(next_us, l->pause.until_us - now_us);
        else if (rate_us > 0 && (l->queue.first || c->ready.first))
            next_us = earlier(next_us, rate_us);
    }
    if (c->stopping && !c->unbinding) {
        int64_t end_us = now_us < c->hurry_us ? c->hurry_us : c->grace_us;
        next_us = earlier(next_us, end_us > now_us ? end_us - now_us : 0);
    }
    return next_us;
}

static void tell_room(struct smpp_carrier *c)
{
    if (!c->room_freed || smpp_feed_room(c) == 0)
        return;
    c->room_freed = false;
    dispatch_ready(c->live.options.dispatch);
}

int64_t smpp_feed(struct live_carrier *live)
{
    struct smpp_carrier *c = (struct smpp_carrier *)live;
    int64_t now_us = smpp_now_us();

    if (!c->settings) {
        smpp_limit_judge(c, now_us);
        return -1;
    }
    rebind_faulty(c);
    smpp_carrier_judge(c);
    send_all(c, now_us);
    tell_room(c);
    if (c->stopping)
        smpp_carrier_leave(c);
    smpp_limit_judge(c, now_us);
    return c->settings ? next_look_us(c, now_us) : -1;
}
