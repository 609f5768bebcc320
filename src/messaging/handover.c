/* The way from the lanes to their carriers.
 *
 * Before live messages go to a carrier the store marks them, as many at once as the carrier has
 * room for; when the marks are durable they are submitted. So after a crash it is known which
 * messages a carrier may have had. Whatever it proves not to have had loses its mark again. */
#include "messaging/dispatch_internal.h"

#include "base/metric.h"
#include "messaging/validity.h"

#include <stdlib.h>

/* Parcels of one lane before the next has its turn; those that are marked at once. */
enum { TURN_MAX = 1024, MARK_MAX = 256 };
#define ORPHAN_US INT64_C(2000000)

/* No network has such a number, so no carrier is asked to try. */
static bool cannot_exist(const struct message *m)
{
    struct number_place place;

    if (m->mode == MODE_TEST)
        return false;
    number_place(m->to, &place);
    return !place.possible;
}

/* Why a message must not go to any carrier, or FAILURE_NONE. The recipient may have opted out since
 * it was accepted. */
static enum failure forbidden(struct dispatch *d, const struct message *m, int64_t now_us)
{
    if (d->options.optouts && optouts_has(d->options.optouts, m->account, m->mode, m->to))
        return FAILURE_RECIPIENT_OPTED_OUT;
    if (message_expires_us(m) <= now_us)
        return FAILURE_VALIDITY_EXPIRED;
    if (cannot_exist(m))
        return FAILURE_INVALID_DESTINATION;
    return FAILURE_NONE;
}

/* Test messages go to the simulator, and nothing else does. */
static bool fits(const struct lane *l, const struct message *m)
{
    return l->carrier && (m->mode == MODE_TEST) == (l->number == 0);
}

/* Nobody has its carrier's number any more. */
static void go_elsewhere(struct dispatch *d, struct parcel *p)
{
    struct lane *to = failover_lane(d, p);

    if (to)
        dispatch_requeue(d, p, to, p->message.retry_count, NO_REST,
                         failover_note(p, to, STR("Its carrier is not configured any more.")));
    else
        dispatch_fail(d, p, FAILURE_NO_ROUTE, NULL);
}

bool handover_allowed(struct dispatch *d, struct parcel *p, int64_t now_us)
{
    enum failure failure = forbidden(d, &p->message, now_us);

    if (failure)
        dispatch_fail(d, p, failure, NULL);
    else if (!fits(p->lane, &p->message))
        go_elsewhere(d, p);
    else
        return true;
    return false;
}

/* False when the parcel goes another way, or its media are to be fetched first. */
static bool may_go(struct dispatch *d, struct parcel *p, int64_t now_us)
{
    return handover_allowed(d, p, now_us) && !(media_are_due(d, p) && media_wait(d, p));
}

/* What an earlier run handed over is only waited for. False when the carrier has no room. */
static bool follow(struct dispatch *d, struct parcel *p)
{
    struct carrier *c = p->lane->carrier;

    if (c && c->ops->follow && c->ops->follow(c, &p->message) < 0)
        return false;
    dispatch_release(d, p);
    return true;
}

static bool submit(struct parcel *p)
{
    struct lane *l = p->lane;

    p->place = PARCEL_LEAVING;
    p->given = l->term;
    enum mode mode = p->message.mode; /* the carrier may have answered when it returns */
    if (l->carrier && l->carrier->ops->submit(l->carrier, p) == 0) {
        metric_add(METRIC_HANDED, mode, 1);
        return true;
    }
    p->given = 0;
    p->place = PARCEL_WAITING;
    return false;
}

/* ---- straight to the carrier ---- */

/* False when the carrier has no room. */
static bool hand_over(struct dispatch *d, struct parcel *p, int64_t now_us)
{
    if (p->message.status == STATUS_SENT)
        return follow(d, p);
    return !may_go(d, p, now_us) || submit(p);
}

/* Carriers and routes change one after the other, so an orphan waits a moment for both. */
static bool is_quiet(const struct lane *l, int64_t now_us)
{
    return !l->carrier && (l->dead_us == 0 || now_us - l->dead_us < ORPHAN_US);
}

/* True when it could go on. */
static bool take_turn(struct dispatch *d, struct lane *l, int64_t now_us)
{
    struct parcel *p;

    if (is_quiet(l, now_us))
        return false;
    for (int i = 0; i < TURN_MAX; i++) {
        if (!(p = parcel_queue_take(&l->waiting)))
            return false;
        if (!hand_over(d, p, now_us)) {
            parcel_queue_put_back(&l->waiting, p);
            return false;
        }
    }
    return l->waiting.count > 0;
}

/* ---- marks ---- */

/* Parcels whose marks are on their way to the store. */
struct marking {
    struct errand errand;
    struct dispatch *dispatch;
    struct lane *lane;
    size_t count;
    struct parcel *parcels[MARK_MAX];
    int64_t ids[MARK_MAX];
};

/* Messages that lose their mark. */
struct unmarking {
    struct errand errand;
    struct dispatch *dispatch;
    size_t count;
    struct {
        int64_t id;
        unsigned carrier, retry_count;
    } items[];
};

static int apply_unmarking(struct write_job *job, struct store *s)
{
    struct unmarking *u = (struct unmarking *)job;
    int failed = 0;

    for (size_t i = 0; i < u->count && failed >= 0; i++)
        failed = store_requeue(s, u->items[i].id, u->items[i].carrier, u->items[i].retry_count);
    return failed < 0 ? failed : 0;
}

static void unmarking_back(struct errand *e)
{
    struct unmarking *u = (struct unmarking *)e;
    struct store *s = u->dispatch->options.store;

    /* The writer takes nothing any more, so the store is ours. A mark that stays is no harm, but a
     * message would be said to have been sent twice, or fail, that never was sent. */
    if (e->result < 0 && u->dispatch->closing && store_begin(s) == 0)
        store_end(s, apply_unmarking(&e->job, s));
    free(u);
}

void dispatch_untried(struct dispatch *d, struct parcel **parcels, size_t count)
{
    struct unmarking *u = malloc(sizeof *u + count * sizeof *u->items);

    if (!u)
        abort(); /* out of memory for some KB: the store is safe, start again */
    u->dispatch = d;
    u->count = count;
    for (size_t i = count; i-- > 0;) {
        struct parcel *p = parcels[i];
        u->items[i].id = p->message.id;
        u->items[i].carrier = p->lane->number;
        u->items[i].retry_count = p->message.retry_count;
        dispatch_settle(d, p);
        p->place = PARCEL_WAITING;
        parcel_queue_put_back(&p->lane->waiting, p);
    }
    errand_init(&u->errand, &d->written, apply_unmarking, unmarking_back);
    u->errand.job.weight = (unsigned)count;
    errand_owe(&u->errand, d->options.writer);
}

static int apply_marking(struct write_job *job, struct store *s)
{
    struct marking *m = (struct marking *)job;
    return store_hand_over(s, m->ids, m->count, m->lane->number);
}

static void marking_back(struct errand *e)
{
    struct marking *m = (struct marking *)e;
    struct dispatch *d = m->dispatch;
    size_t gone = 0;

    m->lane->marking -= m->count;
    if (e->result < 0) {
        for (; gone < m->count; gone++)
            dispatch_release(d, m->parcels[gone]);
    } else if (!d->closing) {
        while (gone < m->count && !media_are_due(d, m->parcels[gone]) && submit(m->parcels[gone]))
            gone++;
    }
    if (gone < m->count)
        dispatch_untried(d, m->parcels + gone, m->count - gone);
    free(m);
}

static size_t room_of(const struct lane *l)
{
    size_t room = l->carrier->ops->room(l->carrier);

    room = room > l->marking ? room - l->marking : 0;
    return room < MARK_MAX ? room : MARK_MAX;
}

/* The same. */
static bool take_marked_turn(struct dispatch *d, struct lane *l, int64_t now_us)
{
    size_t room = l->waiting.count > 0 ? room_of(l) : 0;
    struct marking *m = room > 0 ? malloc(sizeof *m) : NULL;
    struct parcel *p;

    if (!m)
        return false;
    m->dispatch = d;
    m->lane = l;
    m->count = 0;
    while (m->count < room && (p = parcel_queue_take(&l->waiting))) {
        if (!may_go(d, p, now_us))
            continue;
        p->place = PARCEL_LEAVING;
        m->parcels[m->count] = p;
        m->ids[m->count++] = p->message.id;
    }
    l->marking += m->count;
    if (m->count == 0) {
        free(m);
        return false;
    }
    errand_init(&m->errand, &d->written, apply_marking, marking_back);
    m->errand.job.weight = (unsigned)m->count;
    errand_owe(&m->errand, d->options.writer);
    return room == MARK_MAX && l->waiting.count > 0;
}

bool handover_run(struct dispatch *d)
{
    int64_t now_us = clock_now_us(d->options.clock);
    bool more = false;

    dispatch_collect(d);
    for (struct lane *l = d->lanes.first; l; l = l->next) {
        more |= l->carrier && l->carrier->ops->room ? take_marked_turn(d, l, now_us)
                                                    : take_turn(d, l, now_us);
        if (l->unfetched.count)
            media_ask(d, l, now_us);
    }
    return more;
}
