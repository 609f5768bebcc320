#include "messaging/key.h"

#include "base/random.h"
#include "base/utf8.h"

const char *key_prefix(enum mode mode)
{
    return mode == MODE_LIVE ? "sl_live_" : "sl_test_";
}

void key_make(enum mode mode, char out[KEY_CHARS + 1])
{
    memcpy(out, key_prefix(mode), KEY_CHARS - KEY_SECRET_CHARS);
    random_base62(out + KEY_CHARS - KEY_SECRET_CHARS, KEY_SECRET_CHARS);
}

void key_last_four(struct str key, char out[5])
{
    size_t n = key.n < 4 ? key.n : 4;

    if (n > 0)
        memcpy(out, key.p + key.n - n, n);
    out[n] = '\0';
}

static bool is_base62(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool key_parse(struct str text, enum mode *ret_mode)
{
    if (text.n != KEY_CHARS)
        return false;
    if (str_starts(text, str_of(key_prefix(MODE_TEST))))
        *ret_mode = MODE_TEST;
    else if (str_starts(text, str_of(key_prefix(MODE_LIVE))))
        *ret_mode = MODE_LIVE;
    else
        return false;
    for (size_t i = KEY_CHARS - KEY_SECRET_CHARS; i < KEY_CHARS; i++)
        if (!is_base62(text.p[i]))
            return false;
    return true;
}

bool key_name_valid(struct str name)
{
    return name.n > 0 && utf8_valid(name) && utf8_shown(name, name.n).n == name.n &&
           utf8_length(name) <= KEY_NAME_CHARS;
}

enum key_state key_state(const struct key_record *k, int64_t now_us)
{
    if (k->revoked_us && k->revoked_us <= now_us)
        return KEY_REVOKED;
    if (k->expires_us && k->expires_us <= now_us)
        return KEY_EXPIRED;
    return k->revoked_us ? KEY_RETIRING : KEY_ACTIVE;
}

const char *key_state_word(enum key_state state)
{
    switch (state) {
    case KEY_ACTIVE:
        return "active";
    case KEY_RETIRING:
        return "retiring";
    case KEY_EXPIRED:
        return "expired";
    case KEY_REVOKED:
        return "revoked";
    }
    return "unknown";
}

const char *permission_word(enum permission p)
{
    switch (p) {
#define X(name, number, word)                                                                      \
    case PERMISSION_##name:                                                                        \
        return word;
        PERMISSIONS(X)
#undef X
    }
    return "unknown";
}

bool permission_allows(uint32_t permissions, enum permission p)
{
    if (permissions == 0)
        return p != PERMISSION_KEYS_READ && p != PERMISSION_KEYS_WRITE;
    return permissions >> p & 1;
}

uint32_t permission_bit(struct str word)
{
#define X(name, number, text)                                                                      \
    if (str_is(word, text))                                                                        \
        return UINT32_C(1) << PERMISSION_##name;
    PERMISSIONS(X)
#undef X
    return 0;
}

bool permissions_parse(struct str list, uint32_t *ret, struct str *ret_unknown)
{
    uint32_t bits = 0;

    list = str_trim(list);
    while (list.n > 0) {
        struct str word = str_trim(str_cut(&list, ','));
        uint32_t bit = permission_bit(word);
        if (!bit) {
            *ret_unknown = word;
            return false;
        }
        bits |= bit;
    }
    *ret = bits;
    return true;
}

void permissions_format(uint32_t permissions, char out[PERMISSIONS_SIZE])
{
    char *at = out;

    *at = '\0';
    for (int p = 0; p < PERMISSION_COUNT; p++)
        if (permissions >> p & 1) {
            if (at > out)
                *at++ = ',';
            at = stpcpy(at, permission_word((enum permission)p));
        }
}
