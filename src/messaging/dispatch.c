/* The window, and the way from it to the carriers. */
#include "messaging/dispatch_internal.h"

#include "messaging/validity.h"

#include <errno.h>
#include <stdlib.h>

/* As many of the largest messages as are read at once: 1,600 characters and ten URLs of 2,048 are
 * 90 KB each. */
enum { READ_ARENA = 16 << 20 };

int dispatch_new(struct dispatch **ret, const struct dispatch_options *options)
{
    struct dispatch *d = calloc(1, sizeof *d);

    *ret = NULL;
    if (!d)
        return -ENOMEM;
    d->options = *options;
    int failed = store_reader_open(options->store, &d->reader);
    if (!failed)
        failed = schedule_new(&d->schedule, d, options->loop);
    if (failed) {
        store_reader_close(d->reader);
        free(d);
        return failed;
    }
    mailbox_init(&d->offered, options->wake, options->wake_context);
    mailbox_init(&d->written, options->wake, options->wake_context);
    arena_init(&d->arena, READ_ARENA);
    parcel_queue_init(&d->waiting);
    cancels_init(&d->cancels, d);
    pthread_mutex_init(&d->lock, NULL);
    d->behind = true; /* by whatever an earlier run left open */
    d->newest = INT64_MAX;
    *ret = d;
    return 0;
}

void dispatch_add_carrier(struct dispatch *d, struct carrier *c)
{
    d->carriers[c->number ? MODE_LIVE : MODE_TEST] = c;
}

static void take_written(struct dispatch *d)
{
    struct letter *l = mailbox_take(&d->written);

    /* What was offered before these errands were done is seen before them. */
    dispatch_collect(d);
    while (l) {
        struct letter *next = l->next;
        struct errand *e = (struct errand *)l;
        e->back(e);
        l = next;
    }
}

void dispatch_close(struct dispatch *d)
{
    cancels_close(d);
    take_written(d);
}

void dispatch_free(struct dispatch *d)
{
    dispatch_close(d);
    parcel_queue_free(&d->waiting);
    mailbox_done(&d->offered);
    mailbox_done(&d->written);
    cancels_done(&d->cancels);
    schedule_free(d->schedule);
    store_reader_close(d->reader);
    arena_done(&d->arena);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

/* ---- the window ---- */

/* True when the message is in the window; false when the store must bring it later. */
static bool put_in_window(struct dispatch *d, const struct message *m)
{
    struct parcel *p = NULL;

    if (d->behind)
        return false;
    if (m->status == STATUS_SCHEDULED) { /* its time will bring it */
        d->known = m->id;
        return true;
    }
    if (d->held < d->options.window)
        p = parcel_new(m);
    if (!p)
        return false;
    d->held++;
    d->known = m->id;
    /* Under the lock: a refill that starts later must find it in front of what it reads. */
    mailbox_post(&d->offered, &p->letter);
    return true;
}

void dispatch_offer(struct dispatch *d, const struct message *m)
{
    pthread_mutex_lock(&d->lock);
    if (m->status == STATUS_SCHEDULED)
        schedule_offer(d->schedule, m);
    /* A refill may have read it already, between its commit and this call. */
    if (m->id > d->known) {
        d->newest = m->id;
        if (!put_in_window(d, m))
            d->behind = true;
    }
    pthread_mutex_unlock(&d->lock);
}

size_t dispatch_held(struct dispatch *d)
{
    pthread_mutex_lock(&d->lock);
    size_t held = d->held;
    pthread_mutex_unlock(&d->lock);
    return held;
}

int64_t dispatch_known(struct dispatch *d)
{
    pthread_mutex_lock(&d->lock);
    int64_t known = d->known;
    pthread_mutex_unlock(&d->lock);
    return known;
}

size_t dispatch_take_room(struct dispatch *d, size_t wanted)
{
    size_t window = d->options.window, room = 0;

    pthread_mutex_lock(&d->lock);
    if (!d->behind)
        room = window - d->held;
    else if (d->held <= window / 2) /* when a refill would read, and it gets the other half */
        room = (window - d->held + 1) / 2;
    if (room > wanted)
        room = wanted;
    d->held += room;
    pthread_mutex_unlock(&d->lock);
    return room;
}

void dispatch_give_room(struct dispatch *d, size_t count)
{
    pthread_mutex_lock(&d->lock);
    d->held -= count;
    pthread_mutex_unlock(&d->lock);
}

void dispatch_release(struct dispatch *d, struct parcel *p)
{
    free(p);
    dispatch_give_room(d, 1);
}

/* When dispatch is not behind, every lower number has been offered or read: numbers are offered in
 * their order, and this one's before it was queued. */
bool dispatch_claim(struct dispatch *d, int64_t id)
{
    pthread_mutex_lock(&d->lock);
    bool ours = id <= d->known || !d->behind;
    if (ours && id > d->known)
        d->known = id;
    pthread_mutex_unlock(&d->lock);
    return ours;
}

/* ---- to the carriers ---- */

void dispatch_collect(struct dispatch *d)
{
    for (struct letter *l = mailbox_take(&d->offered); l;) {
        struct letter *next = l->next;
        struct parcel *p = (struct parcel *)l;
        if (!cancels_cover(d, p))
            parcel_queue_add(&d->waiting, p);
        l = next;
    }
}

/* Why a message must not go to any carrier, or FAILURE_NONE. The recipient may have opted out since
 * it was accepted. */
static enum failure forbidden(struct dispatch *d, const struct message *m, int64_t now_us)
{
    if (d->options.optouts && optouts_has(d->options.optouts, m->account, m->mode, m->to))
        return FAILURE_RECIPIENT_OPTED_OUT;
    if (message_expires_us(m) <= now_us)
        return FAILURE_VALIDITY_EXPIRED;
    return d->carriers[m->mode] ? FAILURE_NONE : FAILURE_NO_ROUTE;
}

/* What an earlier run handed over is only waited for. */
static bool follow(struct dispatch *d, struct parcel *p)
{
    struct carrier *c = d->carriers[p->message.mode];

    if (c && c->ops->follow(c, &p->message) < 0)
        return false;
    dispatch_release(d, p);
    return true;
}

/* False when the carrier has no room. */
static bool hand_over(struct dispatch *d, struct parcel *p, int64_t now_us)
{
    struct carrier *c = d->carriers[p->message.mode];

    if (p->message.status == STATUS_SENT)
        return follow(d, p);
    enum failure failure = forbidden(d, &p->message, now_us);
    if (failure) {
        dispatch_fail(d, p, failure);
        return true;
    }
    return c->ops->submit(c, p) == 0;
}

static void hand_over_waiting(struct dispatch *d)
{
    int64_t now_us = clock_now_us(d->options.clock);
    struct parcel *p;

    dispatch_collect(d);
    while ((p = parcel_queue_take(&d->waiting)))
        if (!hand_over(d, p, now_us)) {
            parcel_queue_put_back(&d->waiting, p);
            return;
        }
}

void dispatch_run(struct dispatch *d)
{
    bool more;

    do {
        take_written(d);
        cancels_run(d);
        hand_over_waiting(d);
        schedule_run(d->schedule);
        more = dispatch_refill(d);
    } while (more);
    hand_over_waiting(d);
}

void dispatch_ready(struct dispatch *d)
{
    d->options.wake(d->options.wake_context);
}
