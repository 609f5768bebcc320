/* Numbers of messages and the public names made from them.
 *
 * A number is 63 bits and time-ordered: 41 bits of milliseconds since 2020, 10 bits of node slot,
 * 12 bits of sequence. It never goes back, even if the clock does. The public form is a prefix
 * and 11 base62 digits of the number run through a keyed permutation, so that ids tell neither
 * time nor volume, and still lead back to the row without an index of their own. */
#pragma once

#include "base/str.h"

extern const char base62_digits[63];

enum { ID_DIGITS = 11 };
/* The bits of a number below its milliseconds. */
enum { ID_TIME_SHIFT = 22 };

struct id_source {
    uint16_t slot;
    int64_t last; /* number given out last */
};

/* The next number at `now_us`; owned by one thread. */
int64_t id_next(struct id_source *s, int64_t now_us);
/* Unix time in milliseconds inside a number. */
int64_t id_time_ms(int64_t id);
/* The lowest number that holds this time. */
int64_t id_at_ms(int64_t unix_ms);

struct id_cipher {
    uint32_t round_keys[4];
};

void id_cipher_init(struct id_cipher *c, const uint8_t secret[16]);
void id_encode(const struct id_cipher *c, int64_t id, char out[ID_DIGITS]);
/* False when text is not the form of any number; a true answer says nothing about existence. */
bool id_decode(const struct id_cipher *c, struct str text, int64_t *ret);
