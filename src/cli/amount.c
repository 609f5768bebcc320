#include "cli/amount.h"

#include "json/write.h"

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

const char *amount_text(int64_t micros, char out[AMOUNT_SIZE])
{
    struct buf b BUF_CLEANUP;
    struct json_writer w;

    buf_init(&b, 64);
    json_writer_init(&w, &b);
    json_put_micros(&w, micros);
    str_format(out, AMOUNT_SIZE, "%.*s", STR_FMT(buf_str(&b)));
    return out;
}
