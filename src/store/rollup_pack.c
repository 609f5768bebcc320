#include "store/rollup_pack.h"

#include "store/rollup.h"
#include "store/varint.h"

#include <errno.h>

/* ---- packing ---- */

size_t rollup_pack_room(const struct rollup *r)
{
    return VARINT_MAX *
           (2 + 1 + 1 + STATUS_SLOTS + 3 + 2 + 2 * (r->failures.count + r->times.count));
}

static uint8_t *put_statuses(uint8_t *to, const int64_t statuses[STATUS_SLOTS])
{
    unsigned bits = 0;

    for (unsigned i = 0; i < STATUS_SLOTS; i++)
        bits |= statuses[i] ? 1u << i : 0;
    to = varint_put(to, bits);
    for (unsigned i = 0; i < STATUS_SLOTS; i++)
        if (statuses[i])
            to = varint_put(to, (uint64_t)statuses[i]);
    return to;
}

static uint8_t *put_slots(uint8_t *to, const struct rollup_slots *s)
{
    unsigned before = 0;

    to = varint_put(to, s->count);
    for (size_t i = 0; i < s->count; i++) {
        to = varint_put(to, s->at[i].slot - before);
        to = varint_put(to, (uint64_t)s->at[i].count);
        before = s->at[i].slot;
    }
    return to;
}

static uint8_t *put_body(uint8_t *to, const struct rollup *r)
{
    to = varint_put(to, (uint64_t)r->accepted);
    to = put_statuses(to, r->statuses);
    to = varint_put(to, (uint64_t)r->segments);
    to = varint_put(to, (uint64_t)r->cost_micros);
    to = varint_put(to, (uint64_t)r->delivery_ms);
    to = put_slots(to, &r->failures);
    return put_slots(to, &r->times);
}

/* The size stands before the body and is known after it: the body moves up to it. */
uint8_t *rollup_pack(uint8_t *to, unsigned place, const struct rollup *r)
{
    uint8_t *size = varint_put(to, place), *body = size + VARINT_MAX;
    size_t n = (size_t)(put_body(body, r) - body);

    to = varint_put(size, n);
    memmove(to, body, n);
    return to + n;
}

/* ---- unpacking ---- */

void rollup_unpack_begin(struct rollup_unpack *u, const void *bytes, size_t n)
{
    *u = (struct rollup_unpack){.at = bytes, .end = (const uint8_t *)bytes + n};
}

bool rollup_unpack_next(struct rollup_unpack *u)
{
    uint64_t place = 0, size = 0;

    if (u->damaged || u->at == u->end)
        return false;
    u->damaged = !varint_get(&u->at, u->end, &place) || !varint_get(&u->at, u->end, &size) ||
                 place >= ROLLUP_CHUNK || size > (uint64_t)(u->end - u->at);
    if (u->damaged)
        return false;
    u->place = (unsigned)place;
    u->body = u->at;
    u->at += size;
    return true;
}

/* Reads on; 0 when there is nothing more, and the entry is damaged. */
static int64_t get(struct rollup_unpack *u)
{
    uint64_t number = 0;

    if (!varint_get(&u->body, u->at, &number))
        u->damaged = true;
    return (int64_t)number;
}

bool rollup_unpack_statuses(struct rollup_unpack *u, struct rollup *ret)
{
    *ret = (struct rollup){.accepted = get(u)};
    uint64_t bits = (uint64_t)get(u);
    u->damaged |= bits >= 1u << STATUS_SLOTS;
    for (unsigned i = 0; i < STATUS_SLOTS; i++)
        if (bits & 1u << i)
            ret->statuses[i] = get(u);
    return !u->damaged;
}

static int get_slots(struct rollup_unpack *u, unsigned limit, struct arena *a,
                     struct rollup_slots *ret)
{
    uint64_t count = (uint64_t)get(u), slot = 0;

    if (count > limit || u->damaged)
        return -EBADMSG;
    struct rollup_slot *at = count ? arena_alloc(a, count * sizeof *at) : NULL;
    if (count && !at)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        uint64_t more = (uint64_t)get(u);
        slot += more;
        if (more >= limit || slot >= limit || (i > 0 && more == 0) || u->damaged)
            return -EBADMSG;
        at[i] = (struct rollup_slot){(unsigned)slot, get(u)};
    }
    *ret = (struct rollup_slots){at, count, count};
    return u->damaged ? -EBADMSG : 0;
}

int rollup_unpack_counts(struct rollup_unpack *u, struct arena *a, struct rollup *ret)
{
    if (!rollup_unpack_statuses(u, ret))
        return -EBADMSG;
    ret->segments = get(u);
    ret->cost_micros = get(u);
    ret->delivery_ms = get(u);
    return get_slots(u, ROLLUP_FAILURE_SLOTS, a, &ret->failures);
}

int rollup_unpack_all(struct rollup_unpack *u, struct arena *a, struct rollup *ret)
{
    int failed = rollup_unpack_counts(u, a, ret);

    if (!failed)
        failed = get_slots(u, ROLLUP_TIME_SLOTS, a, &ret->times);
    u->damaged |= u->body != u->at;
    return failed ? failed : u->damaged ? -EBADMSG : 0;
}
