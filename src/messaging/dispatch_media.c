/* Media that are fetched before a message goes to its carrier, or while it does.
 *
 * A message whose carrier wants its media first waits in `unfetched` of its lane until whoever
 * fetches takes it, which depends on how much is fetched for its account and from its host, and in
 * `fetching` until the answer comes; others pass it meanwhile. It keeps its place in the lane all
 * that time, can be cancelled and expires. What was fetched is fetched for one carrier: another may
 * take less. */
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
        p->fetched = p->lane->media_term;
        return false;
    case MEDIA_BESIDE: /* when too many are fetched already it goes without */
        p->fetched = p->lane->media_term;
        d->media->fetch(d->media->context, &p->message, profile_of(p));
        return false;
    case MEDIA_FIRST:
        break;
    }
    p->place = PARCEL_WAITING;
    fetch_queue_add(&p->lane->unfetched, p);
    return true;
}

void media_enqueue(struct dispatch *d, struct parcel *p)
{
    if (p->lane->carrier && profile_of(p)->need == MEDIA_FIRST)
        fetch_queue_add(&p->lane->unfetched, p);
    else
        parcel_queue_add(&p->lane->waiting, p);
}

/* False when it has to wait on. */
static bool ask_for(struct dispatch *d, struct parcel *p, int64_t now_us)
{
    if (!handover_allowed(d, p, now_us))
        return true;
    if (d->media->fetch(d->media->context, &p->message, profile_of(p)) < 0) {
        fetch_queue_put_back(&p->lane->unfetched, p);
        return false;
    }
    parcel_queue_add(&p->lane->fetching, p);
    return true;
}

void media_ask(struct dispatch *d, struct lane *l, int64_t now_us)
{
    /* Each that waits on leaves its queue filled: when all of them were asked in vain it ends. */
    for (size_t in_vain = 0; in_vain < l->unfetched.filled_count;)
        in_vain = ask_for(d, fetch_queue_take(&l->unfetched), now_us) ? 0 : in_vain + 1;
}

void dispatch_unqueue(struct dispatch *d, struct parcel *p)
{
    struct lane *l = p->lane;

    if (p->queue == &l->fetching)
        d->media->forget(d->media->context, p->message.id);
    if (fetch_queue_has(&l->unfetched, p))
        fetch_queue_remove(&l->unfetched, p);
    else
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
    for (int i = 0; i < FETCH_QUEUES; i++)
        give_back(d, &l->unfetched.queues[i]);
    give_back(d, &l->fetching);
}

void dispatch_set_profile(struct dispatch *d, struct carrier *c, const struct media_profile *media)
{
    struct lane *l = lane_find(&d->lanes, c->number);
    bool same = c->media.need == media->need && c->media.kinds == media->kinds &&
                c->media.size_max == media->size_max;

    c->media = *media;
    if (same || !l || l->carrier != c)
        return;
    media_leave_carrier(d, l);
    l->media_term++;
    dispatch_ready(d);
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
        p->fetched = p->lane->media_term;
        p->since_us = clock_now_us(d->options.clock); /* the carrier is not to blame until now */
        parcel_queue_add(&p->lane->waiting, p);
    }
    dispatch_ready(d);
}
