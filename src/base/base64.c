#include "base/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* One or two bytes that are left. */
static void encode_rest(const uint8_t *in, size_t n, char *out)
{
    uint32_t three = (uint32_t)in[0] << 16 | (n > 1 ? (uint32_t)in[1] << 8 : 0);

    out[0] = digits[three >> 18];
    out[1] = digits[three >> 12 & 63];
    out[2] = n > 1 ? digits[three >> 6 & 63] : '=';
    out[3] = '=';
}

/* Media files go through here on their way out, so the loop has no branches. */
void base64_encode(const void *bytes, size_t n, char *out)
{
    const uint8_t *in = bytes;

    for (; n >= 3; n -= 3, in += 3, out += 4) {
        uint32_t three = (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2];

        out[0] = digits[three >> 18];
        out[1] = digits[three >> 12 & 63];
        out[2] = digits[three >> 6 & 63];
        out[3] = digits[three & 63];
    }
    if (n > 0)
        encode_rest(in, n, out);
}

static int value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Four characters, of which the last `padding` stand for nothing. */
static bool decode_four(const char *four, size_t padding, uint32_t *ret)
{
    uint32_t bits = 0;

    for (size_t i = 0; i < 4; i++) {
        int value = i < 4 - padding ? value_of(four[i]) : 0;

        if (value < 0)
            return false;
        bits = bits << 6 | (uint32_t)value;
    }
    *ret = bits;
    return (bits & ((UINT32_C(1) << 8 * padding) - 1)) == 0;
}

bool base64_decode(struct str text, void *out, size_t max, size_t *ret_n)
{
    size_t padding = 0;
    uint8_t *at = out;

    if (text.n % 4)
        return false;
    while (padding < 2 && padding < text.n && text.p[text.n - 1 - padding] == '=')
        padding++;
    size_t n = text.n / 4 * 3 - padding;
    if (n > max)
        return false;
    for (size_t i = 0; i < text.n; i += 4) {
        bool last = i + 4 == text.n;
        uint32_t bits;

        if (!decode_four(text.p + i, last ? padding : 0, &bits))
            return false;
        for (int shift = 16; shift >= 0 && at < (uint8_t *)out + n; shift -= 8)
            *at++ = (uint8_t)(bits >> shift);
    }
    *ret_n = n;
    return true;
}
