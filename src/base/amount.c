#include "base/amount.h"

#define WHOLE_MAX INT64_C(1000000000)

bool amount_parse(struct str text, int64_t *ret_micros)
{
    bool minus = text.n && text.p[0] == '-';
    struct str decimals = minus ? str_skip(text, 1) : text, whole = str_cut(&decimals, '.');
    uint64_t ones, part = 0, unit = 1000000;

    if (!str_to_u64(whole, &ones) || ones > WHOLE_MAX)
        return false;
    if (decimals.p) {
        if (decimals.n > 6 || !str_to_u64(decimals, &part))
            return false;
        for (size_t i = 0; i < decimals.n; i++)
            unit /= 10;
    }
    int64_t micros = (int64_t)(ones * 1000000 + part * unit);
    *ret_micros = minus ? -micros : micros;
    return true;
}

/* From the last digit to the first; zeros at the end of the decimals are not begun with. */
const char *amount_text(int64_t micros, char out[AMOUNT_SIZE])
{
    uint64_t left = micros < 0 ? 0 - (uint64_t)micros : (uint64_t)micros;
    char digits[AMOUNT_SIZE], *at = digits + sizeof digits;
    bool begun = false;

    for (int i = 0; i < 6; i++, left /= 10) {
        begun |= left % 10 != 0;
        if (begun)
            *--at = (char)('0' + left % 10);
    }
    if (begun)
        *--at = '.';
    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (micros < 0)
        *--at = '-';
    size_t n = (size_t)(digits + sizeof digits - at);
    memcpy(out, at, n);
    out[n] = '\0';
    return out;
}
