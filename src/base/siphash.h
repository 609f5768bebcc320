/* SipHash-2-4 with 128 bits of output: a keyed hash of short input. Who does not know the key can
 * find no two inputs that meet. */
#pragma once

#include "base/str.h"

enum { SIPHASH_KEY_SIZE = 16, SIPHASH_SIZE = 16 };

struct siphash {
    uint64_t v[4];
    uint64_t tail;  /* bytes that do not fill a word yet, the first one lowest */
    uint64_t total; /* bytes so far */
};

void siphash_init(struct siphash *s, const uint8_t key[SIPHASH_KEY_SIZE]);
/* Bytes as they are: "ab" and "c" come to the same as "a" and "bc". */
void siphash_bytes(struct siphash *s, const void *bytes, size_t n);
/* A number, as eight bytes. */
void siphash_u64(struct siphash *s, uint64_t number);
/* A text behind its length, so that texts that follow each other stay apart. */
void siphash_text(struct siphash *s, struct str text);
void siphash_done(struct siphash *s, uint8_t out[SIPHASH_SIZE]);
