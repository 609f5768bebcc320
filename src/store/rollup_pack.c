#include "store/rollup_pack.h"

#include "store/rollup.h"
#include "store/varint.h"

#include <errno.h>

/* ---- packing ---- */

size_t rollup_pack_room(const struct rollup *r)
{
    return VARINT_MAX * (2 + 1 + 1 + STATUS_SLOTS + 3 + 1 + 2 * r->failures.count);
}

size_t rollup_pack_times_room(const struct rollup *r)
{
    return VARINT_MAX * (1 + 3 * r->times.count);
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

static uint8_t *put_failures(uint8_t *to, const struct rollup_slots *s)
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

static uint8_t *put_times(uint8_t *to, const struct rollup_slots *s)
{
    unsigned next = 0;

    for (size_t i = 0; i < s->count; i++) {
        const struct rollup_slot *at = &s->at[i];
        if (at->count == 0)
            continue;
        if (at->slot > next) {
            *to++ = 0;
            to = varint_put(to, at->slot - next);
        }
        to = varint_put(to, (uint64_t)at->count);
        next = at->slot + 1;
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
    return put_failures(to, &r->failures);
}

/* The size stands before the body and is known after it: the body, which was written a little
 * further on, moves up to it. */
static uint8_t *put_size(uint8_t *to, const uint8_t *body, const uint8_t *end)
{
    size_t n = (size_t)(end - body);

    to = varint_put(to, n);
    memmove(to, body, n);
    return to + n;
}

uint8_t *rollup_pack(uint8_t *to, unsigned place, const struct rollup *r)
{
    uint8_t *size = varint_put(to, place), *body = size + VARINT_MAX;

    return put_size(size, body, put_body(body, r));
}

uint8_t *rollup_pack_times(uint8_t *to, const struct rollup *r)
{
    uint8_t *body = to + VARINT_MAX;

    return put_size(to, body, put_times(body, &r->times));
}

/* ---- unpacking ---- */

void rollup_unpack_begin(struct rollup_unpack *u, const void *bytes, size_t n)
{
    const uint8_t *at = bytes;

    *u = (struct rollup_unpack){.at = at, .end = n ? at + n : at};
}

void rollup_unpack_times(struct rollup_unpack *u, const void *bytes, size_t n)
{
    u->times_at = bytes;
    u->times_end = n ? u->times_at + n : u->times_at;
    u->with_times = true;
}

/* To the next piece of a pack that begins with its size, between *at and the end. */
static inline bool next_piece(const uint8_t **at, const uint8_t *end, const uint8_t **ret)
{
    uint64_t size = 0;

    if (!varint_get(at, end, &size) || size > (uint64_t)(end - *at))
        return false;
    *ret = *at;
    *at += size;
    return true;
}

bool rollup_unpack_next(struct rollup_unpack *u)
{
    uint64_t place = 0;

    if (u->damaged)
        return false;
    if (u->at == u->end) {
        u->damaged = u->with_times && u->times_at != u->times_end;
        return false;
    }
    const uint8_t *at = u->at;
    u->damaged = !varint_get(&at, u->end, &place) || place >= ROLLUP_CHUNK ||
                 !next_piece(&at, u->end, &u->body) ||
                 (u->with_times && !next_piece(&u->times_at, u->times_end, &u->times));
    u->at = at;
    u->place = (unsigned)place;
    return !u->damaged;
}

/* Reads on; 0 when there is nothing more, and the entry is damaged. */
static inline int64_t get(struct rollup_unpack *u)
{
    const uint8_t *at = u->body;
    uint64_t number = 0;

    u->damaged |= !varint_get(&at, u->at, &number);
    u->body = at;
    return (int64_t)number;
}

static void add_statuses(struct rollup_unpack *u, struct rollup *sum)
{
    sum->accepted += get(u);
    uint64_t bits = (uint64_t)get(u);
    u->damaged |= bits >= 1u << STATUS_SLOTS;
    for (; bits && !u->damaged; bits &= bits - 1)
        sum->statuses[__builtin_ctzll(bits)] += get(u);
}

bool rollup_unpack_statuses(struct rollup_unpack *u, struct rollup *ret)
{
    *ret = (struct rollup){0};
    add_statuses(u, ret);
    return !u->damaged;
}

bool rollup_unpack_add(struct rollup_unpack *u, struct rollup *sum)
{
    add_statuses(u, sum);
    sum->segments += get(u);
    sum->cost_micros += get(u);
    sum->delivery_ms += get(u);
    return !u->damaged;
}

/* All between `at` and the end, which must be just them. */
static int get_failures(const uint8_t *at, const uint8_t *end, unsigned limit, struct arena *a,
                        struct rollup_slots *ret)
{
    uint64_t count = 0, slot = 0;

    if (!varint_get(&at, end, &count) || count > limit)
        return -EBADMSG;
    struct rollup_slot *slots = count ? arena_alloc(a, count * sizeof *slots) : NULL;
    if (count && !slots)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        uint64_t more, number;
        if (!varint_get(&at, end, &more) || !varint_get(&at, end, &number) || more >= limit ||
            (i > 0 && more == 0) || (slot += more) >= limit)
            return -EBADMSG;
        slots[i] = (struct rollup_slot){(unsigned)slot, (int64_t)number};
    }
    *ret = (struct rollup_slots){slots, count, count};
    return at == end ? 0 : -EBADMSG;
}

static int get_times(const uint8_t *at, const uint8_t *end, struct arena *a,
                     struct rollup_slots *ret)
{
    size_t room = (size_t)(end - at) < ROLLUP_TIME_SLOTS ? (size_t)(end - at) : ROLLUP_TIME_SLOTS;
    struct rollup_slot *slots = room ? arena_alloc(a, room * sizeof *slots) : NULL;
    uint64_t slot = 0, count, none;
    size_t used = 0;

    if (room && !slots)
        return -ENOMEM;
    while (at < end) {
        if (!varint_get(&at, end, &count) || slot >= ROLLUP_TIME_SLOTS)
            return -EBADMSG;
        if (count) {
            slots[used++] = (struct rollup_slot){(unsigned)slot++, (int64_t)count};
            continue;
        }
        if (!varint_get(&at, end, &none) || none == 0 || none >= ROLLUP_TIME_SLOTS - slot)
            return -EBADMSG;
        slot += none;
    }
    *ret = (struct rollup_slots){slots, used, room};
    return 0;
}

int rollup_unpack_all(struct rollup_unpack *u, struct arena *a, struct rollup *ret)
{
    *ret = (struct rollup){0};
    if (!rollup_unpack_add(u, ret))
        return -EBADMSG;
    int failed = get_failures(u->body, u->at, ROLLUP_FAILURE_SLOTS, a, &ret->failures);
    if (!failed && u->with_times && u->old_times)
        failed = get_failures(u->times, u->times_at, ROLLUP_TIME_SLOTS, a, &ret->times);
    else if (!failed && u->with_times)
        failed = get_times(u->times, u->times_at, a, &ret->times);
    u->damaged |= failed == -EBADMSG;
    return failed;
}
