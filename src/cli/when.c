#include "cli/when.h"

enum { DIGITS_MAX = 6 };

static int64_t seconds_of(char unit)
{
    switch (unit) {
    case 's':
        return 1;
    case 'm':
        return 60;
    case 'h':
        return 3600;
    case 'd':
        return 86400;
    default:
        return 0;
    }
}

bool when_parse(const char *text, int64_t now_us, char out[RFC3339_SIZE])
{
    struct str given = str_of(text), digits = {text, given.n ? given.n - 1 : 0};
    int64_t at_us;
    uint64_t n;

    if (!rfc3339_parse(given, &at_us)) {
        int64_t unit_s = given.n ? seconds_of(text[given.n - 1]) : 0;
        if (!unit_s || digits.n > DIGITS_MAX || !str_to_u64(digits, &n))
            return false;
        at_us = now_us - (int64_t)n * unit_s * 1000000;
    }
    rfc3339_format(at_us < 0 ? 0 : at_us, out);
    return true;
}
