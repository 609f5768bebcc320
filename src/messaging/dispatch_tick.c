/* What time does to messages that wait: they rest no longer, expire, or go another way. */
#include "messaging/dispatch_internal.h"

#include "messaging/validity.h"

/* What is done of it in a second: messages that change, or are asked about; reads of the store. */
enum { CHANGES_MAX = 4096, SCAN_READS = 8, SCAN_MAX = 128, SCAN_LOOK_MAX = 1024 };

static bool is_expired(const struct message *m, int64_t now_us)
{
    return m->status == STATUS_QUEUED && message_expires_us(m) <= now_us;
}

static void expire(struct dispatch *d, struct parcel_queue *q, int64_t now_us, size_t *left)
{
    struct parcel *next;

    for (struct parcel *p = q->first; p && *left > 0; p = next) {
        next = parcel_next(p);
        if (!is_expired(&p->message, now_us))
            continue;
        dispatch_unqueue(d, p);
        dispatch_fail(d, p, FAILURE_VALIDITY_EXPIRED, NULL);
        --*left;
    }
}

/* All of a step rest equally long, so the first one is the first to be done. */
static void end_rests(struct dispatch *d, struct lane *l, int64_t now_us)
{
    for (int i = 0; i < DISPATCH_RETRIES; i++) {
        struct parcel_queue *q = &l->resting[i];
        while (q->first && (q->first->due_us <= now_us || !l->carrier)) {
            struct parcel *p = parcel_queue_take(q);
            p->since_us = now_us;
            dispatch_wait(d, p);
        }
    }
}

static void note_death(struct lane *l, int64_t now_us)
{
    if (l->carrier && atomic_load(&l->carrier->health) > 0)
        l->dead_us = 0;
    else if (l->dead_us == 0)
        l->dead_us = now_us;
}

static void move_on(struct dispatch *d, struct lane *l, int64_t now_us, size_t *left)
{
    struct parcel *next;

    if (!l->carrier || l->number == 0)
        return;
    for (struct parcel *p = l->waiting.first; p && *left > 0; p = next) {
        next = parcel_next(p);
        failover_overdue(d, p, now_us, left);
    }
}

/* ---- what lies in the store only ---- */

static bool expire_unread(struct dispatch *d, struct lane *l, const struct message *m)
{
    struct parcel *p = lane_parcel(l, m, 0);

    if (!p)
        return false;
    p->unread = true;
    d->expiring++;
    parcel_index_add(&d->parcels, p);
    dispatch_fail(d, p, FAILURE_VALIDITY_EXPIRED, NULL);
    return true;
}

/* False when there is no more, or something failed. */
static bool scan_on(struct dispatch *d, struct lane *l, int64_t now_us)
{
    struct work_query query = {
        .carrier = l->number, .after = l->scanned, .limit = SCAN_MAX, .look_max = SCAN_LOOK_MAX};
    struct message *messages;
    size_t count;
    bool end;

    arena_reset(&d->arena);
    int failed =
        store_work_list(d->reader, &query, &d->arena, &messages, &count, &l->scanned, &end);
    store_reader_rest(d->reader);
    for (size_t i = 0; i < count && !failed; i++)
        if (is_expired(&messages[i], now_us) && !messages[i].handed &&
            !parcel_index_find(&d->parcels, messages[i].id) && !expire_unread(d, l, &messages[i]))
            return false;
    if (end)
        l->scanned = 0;
    return !failed && !end;
}

/* The one that is behind and was not looked at for longest. */
static struct lane *next_to_scan(struct dispatch *d, int64_t *ret_known)
{
    struct lane *found = NULL;
    int64_t known;

    for (struct lane *l = d->lanes.first; l; l = l->next)
        if (lane_is_behind(&d->lanes, l, &known) && (!found || l->scan_us < found->scan_us)) {
            found = l;
            *ret_known = known;
        }
    return found;
}

/* What the last one found is written before the next one begins. */
static void scan(struct dispatch *d, int64_t now_us)
{
    int64_t known;
    struct lane *l = d->expiring == 0 ? next_to_scan(d, &known) : NULL;

    if (!l)
        return;
    l->scan_us = now_us;
    if (l->scanned < known)
        l->scanned = known;
    for (int i = 0; i < SCAN_READS && scan_on(d, l, now_us); i++)
        ;
}

void dispatch_tick(struct dispatch *d)
{
    int64_t now_us = clock_now_us(d->options.clock);
    size_t left = CHANGES_MAX;

    dispatch_collect(d);
    for (struct lane *l = d->lanes.first; l; l = l->next) {
        note_death(l, now_us);
        for (int i = 0; i < DISPATCH_RETRIES; i++)
            expire(d, &l->resting[i], now_us, &left);
        end_rests(d, l, now_us);
        expire(d, &l->waiting, now_us, &left);
        for (int i = 0; i < FETCH_QUEUES && l->unfetched.count; i++)
            expire(d, &l->unfetched.queues[i], now_us, &left);
        expire(d, &l->fetching, now_us, &left);
        move_on(d, l, now_us, &left);
    }
    scan(d, now_us);
    dispatch_ready(d);
}
