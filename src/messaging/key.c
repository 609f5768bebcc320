#include "messaging/key.h"

#include "base/random.h"

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

static uint32_t permission_bit(struct str word)
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
