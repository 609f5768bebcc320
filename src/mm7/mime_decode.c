/* Content-Transfer-Encodings, read as mail programs read them: what does not belong there is passed
 * over. */
#include "mm7/mime.h"

/* The value of a digit of base64 and one more, so that all others are 0. */
#define RANGE(first, value)                                                                        \
    [(first)] = (value) + 1, [(first) + 1] = (value) + 2, [(first) + 2] = (value) + 3,             \
    [(first) + 3] = (value) + 4, [(first) + 4] = (value) + 5
#define RANGE_25(first, value)                                                                     \
    RANGE(first, value), RANGE((first) + 5, (value) + 5), RANGE((first) + 10, (value) + 10),       \
        RANGE((first) + 15, (value) + 15), RANGE((first) + 20, (value) + 20)

static const uint8_t digits[256] = {
    RANGE_25('A', 0), ['Z'] = 26,     RANGE_25('a', 26), ['z'] = 52,
    RANGE('0', 52),   RANGE('5', 57), ['+'] = 63,        ['/'] = 64,
};

struct str mime_decode_base64(struct arena *a, struct str text)
{
    uint8_t *out = (uint8_t *)arena_bytes(a, text.n / 4 * 3 + 3);
    uint32_t bits = 0;
    unsigned have = 0; /* digits in bits */
    size_t n = 0;

    if (!out)
        return (struct str){NULL, 0};
    for (size_t i = 0; i < text.n && text.p[i] != '='; i++) {
        uint8_t digit = digits[(uint8_t)text.p[i]];
        if (digit == 0)
            continue;
        bits = bits << 6 | (uint32_t)(digit - 1);
        if (++have < 4)
            continue;
        out[n++] = (uint8_t)(bits >> 16);
        out[n++] = (uint8_t)(bits >> 8);
        out[n++] = (uint8_t)bits;
        have = 0;
    }
    if (have >= 2)
        out[n++] = (uint8_t)(bits >> (6 * have - 8));
    if (have == 3)
        out[n++] = (uint8_t)(bits >> 2);
    return (struct str){(const char *)out, n};
}

/* What stands at an equals sign: a byte in hex, or the end of a line that goes on (its length with
 * the line end); 0 when it is neither. */
static size_t escape_length(struct str at, int *ret_byte)
{
    size_t i = 1;

    *ret_byte = -1;
    if (at.n > 2 && hex_value(at.p[1]) >= 0 && hex_value(at.p[2]) >= 0) {
        *ret_byte = hex_value(at.p[1]) << 4 | hex_value(at.p[2]);
        return 3;
    }
    while (i < at.n && (at.p[i] == ' ' || at.p[i] == '\t' || at.p[i] == '\r'))
        i++;
    if (i < at.n && at.p[i] == '\n')
        return i + 1;
    return i == at.n ? i : 0;
}

struct str mime_decode_quoted(struct arena *a, struct str text)
{
    char *out = arena_bytes(a, text.n + 1);
    size_t n = 0;

    if (!out)
        return (struct str){NULL, 0};
    while (text.n > 0) {
        int byte = -1;
        size_t length = text.p[0] == '=' ? escape_length(text, &byte) : 0;
        if (byte >= 0)
            out[n++] = (char)byte;
        else if (length == 0)
            out[n++] = text.p[0];
        text = str_skip(text, length ? length : 1);
    }
    return (struct str){out, n};
}
