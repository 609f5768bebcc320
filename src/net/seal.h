/* Bytes kept so that only who knows a word can read them: AES-256-GCM over GnuTLS. */
#pragma once

#include "base/arena.h"

enum { SEAL_KEY_SIZE = 32, SEAL_EXTRA = 12 + 16 }; /* a sealed text is so much longer */

/* The key that a word makes together with a secret. */
void seal_key(struct str secret, struct str word, uint8_t out[SEAL_KEY_SIZE]);
/* 0, or -ENOMEM. Sealing the same bytes twice gives two different texts. */
int seal_close(const uint8_t key[SEAL_KEY_SIZE], struct str plain, struct arena *a,
               struct str *ret);
/* -EBADMSG when it was not sealed with this key, or was changed since. */
int seal_open(const uint8_t key[SEAL_KEY_SIZE], struct str sealed, struct arena *a,
              struct str *ret);
