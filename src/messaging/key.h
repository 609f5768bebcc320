/* API keys: their form, their life and what they permit. Hashing and keeping them is the business
 * of others. */
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

/* A line of 1 to KEY_NAME_CHARS characters of UTF-8. */
bool key_name_valid(struct str name);

enum key_state {
    KEY_ACTIVE,
    KEY_RETIRING, /* works until its grace is over */
    KEY_EXPIRED,
    KEY_REVOKED,
};
enum key_state key_state(const struct key_record *k, int64_t now_us);
const char *key_state_word(enum key_state state);
static inline bool key_is_on(const struct key_record *k, int64_t now_us)
{
    return key_state(k, now_us) <= KEY_RETIRING;
}

/* When it goes off, or went; 0 = never. */
static inline int64_t key_off_us(const struct key_record *k)
{
    if (!k->revoked_us || (k->expires_us && k->expires_us < k->revoked_us))
        return k->expires_us;
    return k->revoked_us;
}

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

enum { PERMISSION_COUNT = PERMISSION_KEYS_WRITE + 1, PERMISSIONS_SIZE = 192 };

const char *permission_word(enum permission p);
/* Of a key with these bits; none listed means all but keys:*, which must be named. */
bool permission_allows(uint32_t permissions, enum permission p);
/* "sms:send, sms:read" to bits. False when a word is unknown, which is then in *ret_unknown. An
 * empty list is no permissions listed: 0. */
bool permissions_parse(struct str list, uint32_t *ret, struct str *ret_unknown);
/* One word to its bit; 0 when it is unknown. */
uint32_t permission_bit(struct str word);
/* Bits to "sms:send,sms:read"; "" when none are listed. */
void permissions_format(uint32_t permissions, char out[PERMISSIONS_SIZE]);
