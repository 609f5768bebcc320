#include "base/id.h"

const char base62_digits[63] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

enum { SEQUENCE_BITS = 12, SLOT_BITS = ID_TIME_SHIFT - SEQUENCE_BITS };
static const int64_t epoch_ms = 1577836800000; /* 2020-01-01 */

int64_t id_next(struct id_source *s, int64_t now_us)
{
    int64_t ms = now_us / 1000 - epoch_ms;
    if (ms < 0)
        ms = 0; /* a machine that does not know the time yet */
    int64_t id = (ms << ID_TIME_SHIFT) | ((int64_t)s->slot << SEQUENCE_BITS);

    if (id <= s->last) {
        id = s->last + 1;
        /* The sequence ran over into the slot: borrow the next millisecond. */
        if (((id >> SEQUENCE_BITS) & ((1 << SLOT_BITS) - 1)) != s->slot)
            id = (((s->last >> ID_TIME_SHIFT) + 1) << ID_TIME_SHIFT) |
                 ((int64_t)s->slot << SEQUENCE_BITS);
    }
    s->last = id;
    return id;
}

int64_t id_time_ms(int64_t id)
{
    return (id >> ID_TIME_SHIFT) + epoch_ms;
}

int64_t id_at_ms(int64_t unix_ms)
{
    const int64_t last = INT64_MAX >> ID_TIME_SHIFT;
    int64_t ms = unix_ms < epoch_ms ? 0 : unix_ms - epoch_ms;

    return (ms < last ? ms : last) << ID_TIME_SHIFT;
}

void id_cipher_init(struct id_cipher *c, const uint8_t secret[16])
{
    memcpy(c->round_keys, secret, sizeof c->round_keys);
}

static uint32_t mix(uint32_t half, uint32_t key)
{
    uint32_t x = half ^ key;

    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16) ^ key;
}

/* Four Feistel rounds over two 32-bit halves; a permutation whatever mix() does. */
static uint64_t permute(const struct id_cipher *c, uint64_t value)
{
    uint32_t left = (uint32_t)(value >> 32), right = (uint32_t)value;

    for (int i = 0; i < 4; i++) {
        uint32_t next = left ^ mix(right, c->round_keys[i]);
        left = right;
        right = next;
    }
    return (uint64_t)left << 32 | right;
}

static uint64_t permute_back(const struct id_cipher *c, uint64_t value)
{
    uint32_t left = (uint32_t)(value >> 32), right = (uint32_t)value;

    for (int i = 3; i >= 0; i--) {
        uint32_t before = right ^ mix(left, c->round_keys[i]);
        right = left;
        left = before;
    }
    return (uint64_t)left << 32 | right;
}

void id_encode(const struct id_cipher *c, int64_t id, char out[ID_DIGITS])
{
    uint64_t value = permute(c, (uint64_t)id);

    for (int i = ID_DIGITS - 1; i >= 0; i--) {
        out[i] = base62_digits[value % 62];
        value /= 62;
    }
}

static int digit_value(char d)
{
    if (d >= '0' && d <= '9')
        return d - '0';
    if (d >= 'A' && d <= 'Z')
        return d - 'A' + 10;
    if (d >= 'a' && d <= 'z')
        return d - 'a' + 36;
    return -1;
}

bool id_decode(const struct id_cipher *c, struct str text, int64_t *ret)
{
    uint64_t value = 0;

    if (text.n != ID_DIGITS)
        return false;
    for (size_t i = 0; i < text.n; i++) {
        int digit = digit_value(text.p[i]);
        if (digit < 0 || __builtin_mul_overflow(value, 62, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return false;
    }
    int64_t id = (int64_t)permute_back(c, value);
    if (id < 0)
        return false;
    *ret = id;
    return true;
}
