/* API keys: their form and what they permit. Hashing and keeping them is the business of others. */
#pragma once

#include "store/records.h"

enum { KEY_SECRET_CHARS = 32, KEY_CHARS = 8 + KEY_SECRET_CHARS };

/* A fresh key and a NUL. */
void key_make(enum mode mode, char out[KEY_CHARS + 1]);
/* What a list may show of it. */
void key_last_four(struct str key, char out[5]);
/* Whether text has the form of a key, and of which mode. */
bool key_parse(struct str text, enum mode *ret_mode);
/* "sl_test_" or "sl_live_". */
const char *key_prefix(enum mode mode);

/* X(name, number on disk, word) */
#define PERMISSIONS(X)                                                                             \
    X(SMS_SEND, 0, "sms:send")                                                                     \
    X(SMS_READ, 1, "sms:read")                                                                     \
    X(WEBHOOKS_READ, 2, "webhooks:read")                                                           \
    X(WEBHOOKS_WRITE, 3, "webhooks:write")                                                         \
    X(ANALYTICS_READ, 4, "analytics:read")                                                         \
    X(OPTOUTS_READ, 5, "optouts:read")                                                             \
    X(OPTOUTS_WRITE, 6, "optouts:write")                                                           \
    X(KEYS_READ, 7, "keys:read")                                                                   \
    X(KEYS_WRITE, 8, "keys:write")

enum permission {
#define X(name, number, word) PERMISSION_##name = (number),
    PERMISSIONS(X)
#undef X
};

const char *permission_word(enum permission p);
/* Of a key with these bits; none listed means all but keys:*, which must be named. */
bool permission_allows(uint32_t permissions, enum permission p);
/* "sms:send, sms:read" to bits. False when a word is unknown, which is then in *ret_unknown. An
 * empty list is no permissions listed: 0. */
bool permissions_parse(struct str list, uint32_t *ret, struct str *ret_unknown);
