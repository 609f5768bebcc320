#include "store/pulse_pack.h"

#include "store/varint.h"

#include <assert.h>
#include <string.h>

static_assert(PULSE_SLOTS <= 8, "`which` is a byte");

int64_t pulse_add(struct pulse_counts *c, unsigned second, enum pulse_slot slot, int64_t delta)
{
    uint32_t *count = &c->at[second][slot], was = *count;
    int64_t now = (int64_t)was + delta;

    *count = now < 0 ? 0 : now > UINT32_MAX ? UINT32_MAX : (uint32_t)now;
    c->seconds |= UINT64_C(1) << second;
    return (int64_t)*count - was;
}

static uint8_t *pack_second(uint8_t *to, unsigned second, const uint32_t counts[PULSE_SLOTS])
{
    uint8_t *begin = to, which = 0;

    *to++ = (uint8_t)second;
    to++;
    for (unsigned slot = 0; slot < PULSE_SLOTS; slot++)
        if (counts[slot]) {
            which |= (uint8_t)(1u << slot);
            to = varint_put(to, counts[slot]);
        }
    begin[1] = which;
    return which ? to : begin;
}

size_t pulse_pack(const struct pulse_counts *c, uint8_t bytes[PULSE_PACK_SIZE])
{
    uint8_t *to = bytes;

    for (uint64_t left = c->seconds; left; left &= left - 1) {
        unsigned second = (unsigned)__builtin_ctzll(left);
        to = pack_second(to, second, c->at[second]);
    }
    return (size_t)(to - bytes);
}

static bool unpack_second(uint32_t counts[PULSE_SLOTS], unsigned which, const uint8_t **at,
                          const uint8_t *end)
{
    if (which == 0 || which >> PULSE_SLOTS)
        return false;
    for (unsigned slot = 0; slot < PULSE_SLOTS; slot++) {
        uint64_t count = 0;
        if (!(which & 1u << slot))
            continue;
        if (!varint_get(at, end, &count) || count == 0 || count > UINT32_MAX)
            return false;
        counts[slot] = (uint32_t)count;
    }
    return true;
}

bool pulse_unpack(struct pulse_counts *ret, const uint8_t *bytes, size_t n)
{
    const uint8_t *at = bytes, *end = n ? bytes + n : bytes; /* there may be none */
    unsigned next = 0;
    bool whole = true;

    memset(ret, 0, sizeof *ret);
    while (whole && at < end) {
        unsigned second = *at++;
        unsigned which = at < end ? *at++ : 0;
        whole = second >= next && second < PULSE_SECONDS &&
                unpack_second(ret->at[second], which, &at, end);
        if (whole)
            ret->seconds |= UINT64_C(1) << second;
        next = second + 1;
    }
    if (!whole)
        memset(ret, 0, sizeof *ret);
    return whole;
}

void pulse_tell(const struct pulse_counts *c, int64_t minute, struct pulse_minute *ret)
{
    memset(ret, 0, sizeof *ret);
    ret->minute = minute;
    for (uint64_t left = c->seconds; left; left &= left - 1) {
        unsigned second = (unsigned)__builtin_ctzll(left);
#define X(member) ret->seconds[second].member = c->at[second][PULSE_##member];
        PULSE_COUNTS(X)
#undef X
    }
}

int64_t pulse_queued(const struct pulse_counts *c)
{
    int64_t queued = 0;

    for (uint64_t left = c->seconds; left; left &= left - 1)
        queued += c->at[__builtin_ctzll(left)][PULSE_QUEUED];
    return queued;
}
