#include "base/siphash.h"

#include <endian.h>

static uint64_t rotate(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static inline void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

static inline void take_word(struct siphash *s, uint64_t word)
{
    s->v[3] ^= word;
    sip_round(s->v);
    sip_round(s->v);
    s->v[0] ^= word;
}

static uint64_t read_word(const void *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return le64toh(word);
}

void siphash_init(struct siphash *s, const uint8_t key[SIPHASH_KEY_SIZE])
{
    uint64_t k0 = read_word(key), k1 = read_word(key + 8);

    /* The constants spell "somepseudorandomlygeneratedbytes"; 0xee asks for 128 bits. */
    *s = (struct siphash){.v = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d ^ 0xee,
                                k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573}};
}

void siphash_u64(struct siphash *s, uint64_t number)
{
    unsigned held = s->total % 8 * 8;

    s->total += 8;
    if (held == 0) {
        take_word(s, number);
        return;
    }
    take_word(s, s->tail | number << held);
    s->tail = number >> (64 - held);
}

void siphash_bytes(struct siphash *s, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;

    for (; n >= 8; p += 8, n -= 8)
        siphash_u64(s, read_word(p));
    for (; n; p++, n--) {
        s->tail |= (uint64_t)*p << (s->total % 8 * 8);
        if (++s->total % 8 == 0) {
            take_word(s, s->tail);
            s->tail = 0;
        }
    }
}

void siphash_text(struct siphash *s, struct str text)
{
    siphash_u64(s, text.n);
    siphash_bytes(s, text.p, text.n);
}

void siphash_done(struct siphash *s, uint8_t out[SIPHASH_SIZE])
{
    uint64_t half;

    take_word(s, s->tail | s->total << 56);
    s->v[2] ^= 0xee;
    for (int i = 0; i < 8; i++) {
        if (i == 4) {
            half = htole64(s->v[0] ^ s->v[1] ^ s->v[2] ^ s->v[3]);
            memcpy(out, &half, sizeof half);
            s->v[1] ^= 0xdd;
        }
        sip_round(s->v);
    }
    half = htole64(s->v[0] ^ s->v[1] ^ s->v[2] ^ s->v[3]);
    memcpy(out + 8, &half, sizeof half);
}
