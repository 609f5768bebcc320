/* A cancel waits in `asked` until it is judged, then its move is posted. Until that comes back the
 * cancel covers the message: a copy of it, wherever it waits or comes from, is the cancel's and is
 * not handed over. When the store cannot be written the copy goes its way again. */
#include "messaging/cancel.h"

#include "messaging/dispatch_internal.h"
#include "messaging/status.h"

#include <assert.h>

void cancels_init(struct cancels *c, struct dispatch *d)
{
    mailbox_init(&c->box, d->options.wake, d->options.wake_context);
}

void cancels_done(struct cancels *c)
{
    assert(c->count == 0);
    mailbox_done(&c->box);
}

static size_t slot_of(int64_t message)
{
    return ((uint64_t)message * 0x9e3779b97f4a7c15u) >> (64 - CANCEL_SLOT_BITS);
}

static struct cancel *find(const struct dispatch *d, int64_t message)
{
    struct cancel *c = d->cancels.count > 0 ? d->cancels.slots[slot_of(message)] : NULL;

    while (c && c->message != message)
        c = c->next_in_slot;
    return c;
}

static void take_copy(struct cancel *c, struct parcel *p)
{
    assert(!c->parcel);
    c->parcel = p;
    p->place = PARCEL_COVERED;
}

bool cancels_cover(struct dispatch *d, struct parcel *p)
{
    struct cancel *c = find(d, p->message.id);

    /* What was sent in an earlier run must be followed; its cancel is refused. */
    if (!c || !c->posted || p->message.status != STATUS_QUEUED)
        return false;
    take_copy(c, p);
    return true;
}

static void answer(struct cancel *c, enum cancel_outcome outcome)
{
    c->outcome = outcome;
    c->done(c);
}

void cancel_ask(struct cancel *c, struct dispatch *d)
{
    c->dispatch = d;
    c->parcel = NULL;
    c->posted = c->moved = false;
    if (mailbox_post(&d->cancels.box, &c->errand.job.letter) < 0)
        answer(c, CANCEL_LOST);
}

/* ---- the table ---- */

static void enter(struct cancels *t, struct cancel *c)
{
    struct cancel **slot = &t->slots[slot_of(c->message)];

    c->next_in_slot = *slot;
    *slot = c;
    c->next_asked = t->asked;
    t->asked = c;
    t->count++;
}

static void leave(struct cancels *t, struct cancel *c)
{
    struct cancel **at = &t->slots[slot_of(c->message)];

    while (*at != c)
        at = &(*at)->next_in_slot;
    *at = c->next_in_slot;
    t->count--;
}

static void take_asked(struct dispatch *d)
{
    for (struct letter *l = mailbox_take(&d->cancels.box); l;) {
        struct letter *next = l->next;
        struct cancel *c = (struct cancel *)l;
        if (find(d, c->message))
            answer(c, CANCEL_REFUSED); /* another was first */
        else
            enter(&d->cancels, c);
        l = next;
    }
}

/* ---- judging ---- */

static int apply_cancel(struct write_job *job, struct store *s)
{
    struct cancel *c = (struct cancel *)job;
    int moved = store_move(s, &c->move);

    c->moved = moved == 1;
    return c->moved ? dispatch_refund(s, c->account, c->mode, c->cost_micros)
                    : moved; /* 0 or what broke */
}

static void cancel_back(struct errand *e)
{
    struct cancel *c = (struct cancel *)e;
    struct dispatch *d = c->dispatch;

    leave(&d->cancels, c);
    if (c->parcel && e->result < 0)
        dispatch_wait(d, c->parcel);
    else if (c->parcel)
        dispatch_release(d, c->parcel);
    answer(c, e->result < 0 ? CANCEL_LOST : c->moved ? CANCEL_DONE : CANCEL_REFUSED);
}

static void post(struct dispatch *d, struct cancel *c)
{
    message_move_to(&c->move, c->message, STATUS_CANCELLED, FAILURE_NONE,
                    clock_now_us(d->options.clock));
    c->posted = true;
    errand_init(&c->errand, &d->written, apply_cancel, cancel_back);
    errand_try(&c->errand, d->options.writer);
}

/* What is in memory and does not wait is with a carrier, or as good as. What is not in memory lies
 * in the store only, and the store decides. False: it is not clear yet where it lies. */
static bool judge(struct dispatch *d, struct cancel *c)
{
    struct parcel *p = parcel_index_find(&d->parcels, c->message);

    if (p && p->place == PARCEL_CHANGING)
        return false;
    if (p && (p->place != PARCEL_WAITING || p->message.status != STATUS_QUEUED)) {
        leave(&d->cancels, c);
        answer(c, CANCEL_REFUSED);
        return true;
    }
    if (p) {
        dispatch_unqueue(d, p);
        take_copy(c, p);
    }
    post(d, c);
    return true;
}

void cancels_run(struct dispatch *d)
{
    take_asked(d);
    if (!d->cancels.asked)
        return;
    dispatch_collect(d);
    struct cancel *c = d->cancels.asked;
    d->cancels.asked = NULL;
    while (c) {
        struct cancel *next = c->next_asked;
        if (!judge(d, c)) {
            c->next_asked = d->cancels.asked;
            d->cancels.asked = c;
        }
        c = next;
    }
}

void cancels_close(struct dispatch *d)
{
    mailbox_close(&d->cancels.box);
    take_asked(d);
    while (d->cancels.asked) {
        struct cancel *c = d->cancels.asked;
        d->cancels.asked = c->next_asked;
        leave(&d->cancels, c);
        answer(c, CANCEL_LOST);
    }
}
