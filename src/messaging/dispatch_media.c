/* Media that are fetched before a message goes to its carrier, or while it does.
 *
 * A message whose carrier wants its media first waits in `unfetched` of its lane until it is asked
 * for, and in `fetching` until the answer comes; it keeps its place in the lane all that time, can
 * be cancelled and expires. What was fetched is fetched for one carrier: another may take less. */
#include "messaging/dispatch_internal.h"

#include "base/utf8.h"

#include <stdlib.h>

void dispatch_set_media(struct dispatch *d, const struct media_port *media)
{
    d->media = media;
}

static const struct media_profile *profile_of(const struct parcel *p)
{
    return &p->lane->carrier->media;
}

bool media_wait(struct dispatch *d, struct parcel *p)
{
    switch (profile_of(p)->need) {
    case MEDIA_NEVER:
        return false;
    case MEDIA_BESIDE: /* when too many are fetched already it goes without */
        p->fetched = p->lane->term;
        d->media->fetch(d->media->context, &p->message, profile_of(p));
        return false;
    case MEDIA_FIRST:
        break;
    }
    p->place = PARCEL_WAITING;
    parcel_queue_add(&p->lane->unfetched, p);
    return true;
}

void media_enqueue(struct dispatch *d, struct parcel *p)
{
    bool first = p->lane->carrier && profile_of(p)->need == MEDIA_FIRST;

    parcel_queue_add(first ? &p->lane->unfetched : &p->lane->waiting, p);
}

void media_ask(struct dispatch *d, struct lane *l, int64_t now_us)
{
    struct parcel *p;

    while (l->fetching.count < FETCHING_MAX && (p = parcel_queue_take(&l->unfetched))) {
        if (!handover_allowed(d, p, now_us))
            continue;
        if (d->media->fetch(d->media->context, &p->message, profile_of(p)) < 0) {
            parcel_queue_put_back(&l->unfetched, p);
            return;
        }
        parcel_queue_add(&l->fetching, p);
    }
}

void dispatch_unqueue(struct dispatch *d, struct parcel *p)
{
    if (p->queue == &p->lane->fetching)
        d->media->forget(d->media->context, p->message.id);
    parcel_queue_remove(p);
}

static void give_back(struct dispatch *d, struct parcel_queue *q)
{
    while (q->last) {
        struct parcel *p = q->last;
        dispatch_unqueue(d, p);
        parcel_queue_put_back(&p->lane->waiting, p);
    }
}

void media_leave_carrier(struct dispatch *d, struct lane *l)
{
    give_back(d, &l->unfetched);
    give_back(d, &l->fetching);
}

/* ---- answers ---- */

/* A sentence for the history of a message that does not wait for its media. */
struct aside {
    struct errand errand;
    struct event_record event;
    char detail[];
};

static int apply_aside(struct write_job *job, struct store *s)
{
    return store_event_add(s, &((struct aside *)job)->event);
}

static void aside_back(struct errand *e)
{
    free(e);
}

static void write_aside(struct dispatch *d, int64_t message, struct str detail)
{
    struct aside *a = malloc(sizeof *a + detail.n);

    if (!a)
        return;
    memcpy(a->detail, detail.p, detail.n);
    a->event = (struct event_record){.message = message,
                                     .at_us = clock_now_us(d->options.clock),
                                     .kind = EVENT_MEDIA,
                                     .detail = {a->detail, detail.n}};
    errand_init(&a->errand, &d->written, apply_aside, aside_back);
    errand_owe(&a->errand, d->options.writer);
}

/* Another carrier may take what this one does not. */
static bool depends_on_carrier(enum failure failure)
{
    return failure == FAILURE_MEDIA_TOO_LARGE || failure == FAILURE_UNSUPPORTED_MEDIA_TYPE;
}

static void fetch_failed(struct dispatch *d, struct parcel *p, enum failure failure,
                         struct str detail)
{
    struct note *note = note_new(EVENT_MEDIA, "%.*s", STR_FMT(detail));
    struct lane *to = NULL;

    if (depends_on_carrier(failure)) {
        failover_tried(d, p);
        to = failover_lane(d, p);
    }
    if (to) {
        note->next = failover_note(p, to, (struct str){"", 0});
        dispatch_requeue(d, p, to, p->message.retry_count, NO_REST, note);
    } else {
        dispatch_fail(d, p, failure, note);
    }
}

void dispatch_media_done(struct dispatch *d, int64_t message, const struct media_answer *answer)
{
    struct parcel *p = parcel_index_find(&d->parcels, message);
    struct str detail = utf8_shown(answer->detail, NOTE_WHY_MAX);

    if (!p || p->queue != &p->lane->fetching) {
        if (answer->failure)
            write_aside(d, message, detail);
        return;
    }
    parcel_queue_remove(p);
    if (answer->failure) {
        fetch_failed(d, p, answer->failure, detail);
    } else {
        p->fetched = p->lane->term;
        p->since_us = clock_now_us(d->options.clock); /* the carrier is not to blame until now */
        parcel_queue_add(&p->lane->waiting, p);
    }
    dispatch_ready(d);
}
