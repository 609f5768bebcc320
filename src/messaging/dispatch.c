/* Offers, and whose turn it is. */
#include "messaging/dispatch_internal.h"

#include <errno.h>
#include <stdlib.h>

/* As many of the largest messages as are read at once: 1,600 characters and ten URLs of 2,048 are
 * 90 KB each. */
enum { READ_ARENA = 16 << 20 };
/* How often open work is read before the engine looks after its sockets and timers again. */
enum { READS_AT_ONCE = 16 };

static int open_parts(struct dispatch *d)
{
    int failed = store_reader_open(d->options.store, &d->reader);

    if (!failed)
        failed = schedule_new(&d->schedule, d, d->options.loop);
    if (!failed)
        failed = parcel_index_init(&d->parcels, d->options.window);
    return failed;
}

static void set_rests(struct dispatch *d)
{
    static const int64_t usual_us[DISPATCH_RETRIES] = {30000000, 120000000, 480000000};

    for (size_t i = 0; i < DISPATCH_RETRIES; i++)
        if (d->options.retry_us[i] == 0)
            d->options.retry_us[i] = usual_us[i];
}

int dispatch_new(struct dispatch **ret, const struct dispatch_options *options)
{
    struct dispatch *d = calloc(1, sizeof *d);

    *ret = NULL;
    if (!d)
        return -ENOMEM;
    d->options = *options;
    set_rests(d);
    int failed = open_parts(d);
    if (failed) {
        schedule_free(d->schedule);
        store_reader_close(d->reader);
        free(d);
        return failed;
    }
    lanes_init(&d->lanes, options->window);
    mailbox_init(&d->offered, options->wake, options->wake_context);
    mailbox_init(&d->written, options->wake, options->wake_context);
    arena_init(&d->arena, READ_ARENA);
    cancels_init(&d->cancels, d);
    d->started_us = clock_now_us(options->clock);
    atomic_store(&d->strangers, true); /* whom an earlier run knew */
    *ret = d;
    return 0;
}

void dispatch_add_carrier(struct dispatch *d, struct carrier *c)
{
    struct lane *l = lane_make(&d->lanes, c->number);

    if (!l)
        abort(); /* out of memory for some KB: the store is safe, start again */
    media_leave_carrier(d, l);
    lane_set_carrier(&d->lanes, l, c);
}

void dispatch_drop_carrier(struct dispatch *d, struct carrier *c)
{
    struct lane *l = lane_find(&d->lanes, c->number);

    if (!l || l->carrier != c)
        return;
    media_leave_carrier(d, l);
    lane_set_carrier(&d->lanes, l, NULL);
}

void dispatch_set_routing(struct dispatch *d, const struct routing *routing)
{
    d->routing = routing;
    d->routing_age++;
}

void dispatch_set_receipts(struct dispatch *d, struct receipts *receipts)
{
    d->receipts = receipts;
}

struct mailbox *dispatch_box(struct dispatch *d)
{
    return &d->written;
}

/* True when there were some. */
static bool take_written(struct dispatch *d)
{
    struct letter *l = mailbox_take(&d->written);
    bool any = l != NULL;

    /* What was offered before these errands were done is seen before them. */
    dispatch_collect(d);
    errands_back(l);
    return any;
}

void dispatch_close(struct dispatch *d)
{
    d->closing = true;
    cancels_close(d);
    while (take_written(d))
        ;
}

void dispatch_free(struct dispatch *d)
{
    dispatch_close(d);
    parcel_index_done(&d->parcels);
    lanes_done(&d->lanes);
    mailbox_done(&d->offered);
    mailbox_done(&d->written);
    cancels_done(&d->cancels);
    schedule_free(d->schedule);
    store_reader_close(d->reader);
    arena_done(&d->arena);
    free(d);
}

/* ---- into the lanes and out of them ---- */

void dispatch_offer(struct dispatch *d, const struct message *m)
{
    bool stranger = false;

    pthread_mutex_lock(&d->lanes.lock);
    if (m->status == STATUS_SCHEDULED) {
        schedule_offer(d->schedule, m);
    } else {
        struct lane *l = lane_find(&d->lanes, m->carrier);
        struct parcel *p = l ? lane_offer(l, m) : NULL;
        stranger = !l;
        if (p) /* under the lock: a refill that starts later must find it before what it reads */
            mailbox_post(&d->offered, &p->letter);
    }
    pthread_mutex_unlock(&d->lanes.lock);
    if (stranger && !atomic_exchange(&d->strangers, true))
        dispatch_ready(d);
}

void dispatch_enqueue(struct dispatch *d, struct parcel *p)
{
    if (media_are_due(d, p))
        media_enqueue(d, p);
    else
        parcel_queue_add(&p->lane->waiting, p);
}

void dispatch_collect(struct dispatch *d)
{
    for (struct letter *l = mailbox_take(&d->offered); l;) {
        struct letter *next = l->next;
        struct parcel *p = (struct parcel *)l;
        parcel_index_add(&d->parcels, p);
        if (!cancels_cover(d, p))
            dispatch_enqueue(d, p);
        l = next;
    }
}

void dispatch_release(struct dispatch *d, struct parcel *p)
{
    if (p->counted)
        lane_give(&d->lanes, p->lane);
    d->expiring -= p->unread;
    parcel_index_remove(&d->parcels, p);
    free(p);
}

void dispatch_wait(struct dispatch *d, struct parcel *p)
{
    if (!p->counted)
        lane_take(&d->lanes, p->lane);
    p->counted = true;
    p->place = PARCEL_WAITING;
    parcel_queue_put_back(&p->lane->waiting, p);
}

void dispatch_settle(struct dispatch *d, struct parcel *p)
{
    struct lane *l = p->lane;

    if (l->carrier && p->given == l->term && l->carrier->ops->settled)
        l->carrier->ops->settled(l->carrier, p);
    p->given = 0;
    p->note = NULL;
}

void dispatch_admit(struct dispatch *d, struct parcel *p)
{
    if (!lane_admit(&d->lanes, p->lane, p->message.id)) {
        dispatch_release(d, p);
        return;
    }
    p->counted = true;
    p->place = PARCEL_WAITING;
    dispatch_enqueue(d, p);
}

size_t dispatch_held(struct dispatch *d)
{
    size_t held = 0;

    for (struct lane *l = d->lanes.first; l; l = l->next) {
        held += lane_held(&d->lanes, l);
        for (int i = 0; i < DISPATCH_RETRIES; i++)
            for (struct parcel *p = l->resting[i].first; p; p = parcel_next(p))
                held += !p->counted;
    }
    return held;
}

struct dispatch_counts dispatch_counts(struct dispatch *d, const struct carrier *c)
{
    struct lane *l = lane_find(&d->lanes, c->number);
    struct dispatch_counts counts = {0};
    int64_t known;

    if (!l)
        return counts;
    counts = l->counts;
    size_t ahead = l->waiting.count + l->unfetched.count + l->fetching.count;
    counts.waiting = ahead + lane_resting(l);
    counts.coming = ahead + l->marking;
    counts.behind = lane_is_behind(&d->lanes, l, &known);
    return counts;
}

size_t dispatch_waiting(struct dispatch *d, const struct carrier *c)
{
    const struct lane *l = lane_find(&d->lanes, c->number);

    return l ? l->waiting.count : 0;
}

/* ---- turns ---- */

void dispatch_run(struct dispatch *d)
{
    bool more = true;

    for (int reads = READS_AT_ONCE; more && reads > 0; reads--) {
        take_written(d);
        cancels_run(d);
        more = handover_run(d);
        schedule_run(d->schedule);
        more |= dispatch_refill(d, &reads);
    }
    more |= handover_run(d);
    lanes_rotate(&d->lanes);
    /* It looks at all open work, so the lanes that there are come first. */
    if (atomic_exchange(&d->strangers, false))
        more |= dispatch_find_strangers(d);
    if (more)
        dispatch_ready(d);
}

void dispatch_ready(struct dispatch *d)
{
    d->options.wake(d->options.wake_context);
}
