/* Reading open work from the store, for lanes that are behind. */
#include "messaging/dispatch_internal.h"

#include <errno.h>

/* Messages that are read at once; rows that are looked at for them, most of them other lanes'. */
enum { READ_MAX = 128, LOOK_MAX = 4096 };
enum { STRANGERS_MAX = 256 };

bool dispatch_find_strangers(struct dispatch *d)
{
    unsigned numbers[STRANGERS_MAX];
    size_t count = 0;
    bool found = false;

    int failed = store_work_carriers(d->reader, numbers, STRANGERS_MAX, &count);
    store_reader_rest(d->reader);
    for (size_t i = 0; i < count && !failed; i++)
        if (!lane_find(&d->lanes, numbers[i])) {
            found = true;
            failed = lane_make(&d->lanes, numbers[i]) ? 0 : -ENOMEM;
        }
    if (failed)
        atomic_store(&d->strangers, true); /* at the next turn */
    return found;
}

/* Some lie in the way of a lane that reads again from an earlier number on; others are on their way
 * into the lane. */
static bool is_known(const struct dispatch *d, const struct lane *l, const struct message *m)
{
    return parcel_index_find(&d->parcels, m->id) ||
           (m->status == STATUS_SENT && m->id <= l->followed);
}

/* What lay in the store has waited there. Not for this carrier, though, when it was another's
 * before; and while no program ran nobody could have sent it another way. */
static int64_t waits_since(const struct dispatch *d, const struct message *m, int64_t now_us)
{
    if (m->reason == REASON_FAILOVER)
        return now_us;
    return m->updated_us > d->started_us ? m->updated_us : d->started_us;
}

/* How many of the messages are dealt with; all but when memory is short. */
static size_t keep(struct dispatch *d, struct lane *l, const struct message *messages, size_t count,
                   size_t *ret_kept)
{
    int64_t now_us = clock_now_us(d->options.clock);
    size_t kept = 0, i = 0;

    for (; i < count; i++) {
        if (is_known(d, l, &messages[i]))
            continue;
        struct parcel *p = lane_parcel(l, &messages[i], waits_since(d, &messages[i], now_us));
        if (!p)
            break;
        p->counted = true;
        parcel_index_add(&d->parcels, p);
        if (p->message.handed)
            dispatch_unanswered(d, p, STR("The server stopped before the carrier had answered."));
        else if (!cancels_cover(d, p))
            dispatch_enqueue(d, p);
        kept++;
    }
    *ret_kept = kept;
    return i;
}

/* What this run has sent is not followed when it is met again. */
static void note_followed(struct lane *l, int64_t looked, bool end)
{
    if (looked > l->followed)
        l->followed = looked;
    l->followed_all |= end;
}

static bool refill(struct dispatch *d, struct lane *l, size_t room, int64_t after)
{
    struct work_query query = {.carrier = l->number,
                               .sent = l->carrier && l->carrier->ops->follow && !l->followed_all,
                               .after = after,
                               .limit = room < READ_MAX ? room : READ_MAX,
                               .look_max = LOOK_MAX};
    struct message *messages;
    size_t count, kept;
    int64_t looked;
    bool end;

    dispatch_collect(d);
    arena_reset(&d->arena);
    int failed = store_work_list(d->reader, &query, &d->arena, &messages, &count, &looked, &end);
    store_reader_rest(d->reader);
    if (failed)
        return false;
    size_t seen = keep(d, l, messages, count, &kept);
    if (seen < count) {
        lane_has_read(&d->lanes, l, kept, seen > 0 ? messages[seen - 1].id : after, false);
        return false;
    }
    note_followed(l, looked, end);
    return lane_has_read(&d->lanes, l, kept, looked, end);
}

bool dispatch_refill(struct dispatch *d, int *reads)
{
    bool more = false;
    int64_t after;

    for (struct lane *l = d->lanes.first; l; l = l->next) {
        size_t room = lane_wants(&d->lanes, l, &after);
        if (room == 0)
            continue;
        if (*reads <= 0)
            return true;
        --*reads;
        more |= refill(d, l, room, after);
    }
    return more;
}
