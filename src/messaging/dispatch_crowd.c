/* Messages that wait for their media have half of a lane at most, and an account what its crowd may
 * have of that (crowd.h). The others stay in the store, where the lane passes them by, and are read
 * from there when those before them have gone. */
#include "messaging/dispatch_internal.h"

static size_t room_of(const struct lane *l)
{
    return l->share / 2;
}

static bool waits_for_media(const struct dispatch *d, const struct lane *l, const struct message *m)
{
    return m->kind == KIND_MMS && m->status == STATUS_QUEUED && !m->handed && d->media &&
           l->carrier && l->carrier->media.need == MEDIA_FIRST;
}

bool crowd_is_left(struct dispatch *d, struct lane *l, const struct message *m)
{
    return waits_for_media(d, l, m) && crowd_keeps_out(&l->crowds, m, room_of(l));
}

bool crowd_wants(struct dispatch *d, struct lane *l)
{
    return l->crowds.some_out && lane_is_half_free(&d->lanes, l);
}

/* False when it must stay, or memory is short. */
static bool keep(struct dispatch *d, struct lane *l, const struct message *m)
{
    if (parcel_index_find(&d->parcels, m->id))
        return true;
    if (crowd_is_left(d, l, m) || !refill_keep(d, l, m))
        return false;
    lane_take(&d->lanes, l);
    return true;
}

/* From which number on there may be more of them, after what has been read; 0: there are none. */
static int64_t keep_all(struct dispatch *d, struct lane *l, unsigned slot,
                        const struct message *messages, size_t count, int64_t looked, int64_t end)
{
    for (size_t i = 0; i < count && messages[i].id <= end; i++) {
        if (crowd_of(&messages[i]) != slot)
            continue;
        crowd_read(&l->crowds, slot, messages[i].id);
        if (!keep(d, l, &messages[i]))
            return messages[i].id;
    }
    return looked < end ? looked + 1 : 0;
}

/* What lies behind what the lane knows comes by itself, and up to there no offer is under way. */
bool crowd_refill(struct dispatch *d, struct lane *l)
{
    struct crowds *c = &l->crowds;
    struct work_query query = {.carrier = l->number, .limit = READ_MAX, .look_max = LOOK_MAX};
    int64_t known = lane_known(&d->lanes, l), looked;
    struct message *messages;
    unsigned slot;
    size_t count;
    bool end;

    dispatch_collect(d);
    if (!crowd_next(c, room_of(l), &slot))
        return false;
    int64_t first = c->kept_out[slot];
    query.after = first - 1;
    arena_reset(&d->arena);
    int failed = store_work_list(d->reader, &query, &d->arena, &messages, &count, &looked, &end);
    store_reader_rest(d->reader);
    if (failed)
        return false;
    crowd_read(c, slot, keep_all(d, l, slot, messages, count, end ? known : looked, known));
    return c->kept_out[slot] != first;
}
