/* Reading open work from the store, when dispatch is behind. */
#include "messaging/dispatch_internal.h"

enum { REFILL_MAX = 128 };

/* How many open messages to read: none unless dispatch is behind and half the window is free. */
static size_t refill_room(struct dispatch *d, int64_t *ret_known, int64_t *ret_newest)
{
    size_t room = 0;

    pthread_mutex_lock(&d->lock);
    if (d->behind && d->held <= d->options.window / 2)
        room = d->options.window - d->held;
    *ret_known = d->known;
    *ret_newest = d->newest;
    pthread_mutex_unlock(&d->lock);
    return room < REFILL_MAX ? room : REFILL_MAX;
}

/* Notes that everything up to `known` is in memory now; caught up when nothing newer was offered.
 * True when something was: nobody will call for it, so it must be read at once. */
static bool refill_done(struct dispatch *d, size_t count, int64_t known, bool all, int64_t newest)
{
    pthread_mutex_lock(&d->lock);
    d->held += count;
    d->known = all && newest != INT64_MAX && newest > known ? newest : known;
    if (all && d->newest == newest) {
        d->behind = false;
        if (newest == INT64_MAX)
            d->newest = d->known;
    }
    bool more = all && d->behind;
    pthread_mutex_unlock(&d->lock);
    return more;
}

/* How many of the messages are dealt with; all but when memory is short. */
static size_t keep(struct dispatch *d, const struct message *messages, size_t count,
                   size_t *ret_kept)
{
    size_t kept = 0, i = 0;

    for (; i < count; i++) {
        if (schedule_fires(d->schedule, messages[i].id))
            continue; /* the schedule brings it */
        struct parcel *p = parcel_new(&messages[i]);
        if (!p)
            break;
        if (!cancels_cover(d, p))
            parcel_queue_add(&d->waiting, p);
        kept++;
    }
    *ret_kept = kept;
    return i;
}

bool dispatch_refill(struct dispatch *d)
{
    struct message *messages;
    int64_t known, newest;
    size_t count, kept, room = refill_room(d, &known, &newest);

    if (room == 0)
        return false;
    dispatch_collect(d);
    arena_reset(&d->arena);
    int failed = store_open_work(d->reader, known, room, &d->arena, &messages, &count);
    store_reader_rest(d->reader);
    if (failed)
        return false;
    size_t seen = keep(d, messages, count, &kept);
    if (seen > 0)
        known = messages[seen - 1].id;
    bool missed = refill_done(d, kept, known, count < room && seen == count, newest);
    return seen == room || missed;
}
