#include "smpp/text.h"

#include "base/gsm0338.h"
#include "base/utf8.h"

enum { CARRIAGE_RETURN = '\r', SEPTET_BITS = 7, OCTET_BITS = 8, OCTETS_PER_BYTE = 2 };

uint8_t smpp_text_coding(enum smpp_alphabet alphabet)
{
    static const uint8_t codings[] = {
#define X(name, word, data_coding) data_coding,
        SMPP_ALPHABETS(X)
#undef X
    };
    return codings[alphabet];
}

/* What ASCII texts are made of. Other controls are what GSM has in their place. */
static bool is_ascii(int32_t point)
{
    return (point >= ' ' && point <= '~') || point == '\n' || point == '\r' || point == '\t';
}

/* 0: the alphabet lacks it. */
static unsigned units_of(enum smpp_alphabet alphabet, int32_t point)
{
    switch (alphabet) {
    case SMPP_GSM:
    case SMPP_GSM_PACKED:
        return gsm_septets(point);
    case SMPP_LATIN1:
        return point <= 0xff;
    case SMPP_ASCII:
        return is_ascii(point);
    case SMPP_UCS2:
        return point > 0xffff ? 2 : 1;
    }
    return 0;
}

bool smpp_text_measure(enum smpp_alphabet alphabet, struct str utf8, size_t *ret_units)
{
    size_t all = 0;

    for (unsigned bytes; utf8.n > 0; utf8 = str_skip(utf8, bytes)) {
        int32_t point = utf8_decode(utf8, &bytes);
        unsigned units = point < 0 ? 0 : units_of(alphabet, point);
        if (!units)
            return false;
        all += units;
    }
    *ret_units = all;
    return true;
}

bool smpp_text_ends_like_filling(enum smpp_alphabet alphabet, struct str utf8, unsigned fill)
{
    size_t septets;

    if (alphabet != SMPP_GSM_PACKED || utf8.n == 0 || utf8.p[utf8.n - 1] != CARRIAGE_RETURN)
        return false;
    return smpp_text_measure(alphabet, utf8, &septets) &&
           (fill + SEPTET_BITS * septets) % OCTET_BITS == 0;
}

/* ---- writing ---- */

struct sink {
    unsigned char *at;
    bool packed;
    unsigned held, bits; /* packed: what does not make an octet yet */
};

static void put_septet(struct sink *s, unsigned septet)
{
    if (!s->packed) {
        *s->at++ = (unsigned char)septet;
        return;
    }
    s->held |= septet << s->bits;
    s->bits += SEPTET_BITS;
    if (s->bits < OCTET_BITS)
        return;
    *s->at++ = (unsigned char)s->held;
    s->held >>= OCTET_BITS;
    s->bits -= OCTET_BITS;
}

static void put_last(struct sink *s)
{
    if (s->bits == 0)
        return;
    if (OCTET_BITS - s->bits == SEPTET_BITS)
        s->held |= (unsigned)CARRIAGE_RETURN << s->bits;
    *s->at++ = (unsigned char)s->held;
}

static void put_gsm(struct sink *s, int32_t point)
{
    int septet = gsm_encode(point);

    if (septet & GSM_EXTENDED)
        put_septet(s, GSM_ESCAPE);
    put_septet(s, (unsigned)septet & ~GSM_EXTENDED);
}

static void put_unit(struct sink *s, unsigned unit)
{
    *s->at++ = (unsigned char)(unit >> 8);
    *s->at++ = (unsigned char)unit;
}

static void put_utf16(struct sink *s, int32_t point)
{
    if (point <= 0xffff) {
        put_unit(s, (unsigned)point);
        return;
    }
    put_unit(s, 0xd800 + ((unsigned)(point - 0x10000) >> 10));
    put_unit(s, 0xdc00 + ((unsigned)point & 0x3ff));
}

static void put_point(struct sink *s, enum smpp_alphabet alphabet, int32_t point)
{
    switch (alphabet) {
    case SMPP_GSM:
    case SMPP_GSM_PACKED:
        put_gsm(s, point);
        return;
    case SMPP_LATIN1:
    case SMPP_ASCII:
        *s->at++ = (unsigned char)point;
        return;
    case SMPP_UCS2:
        put_utf16(s, point);
        return;
    }
}

bool smpp_text_encode(enum smpp_alphabet alphabet, struct str utf8, unsigned fill, struct buf *out)
{
    unsigned char *start = (unsigned char *)buf_reserve(out, OCTETS_PER_BYTE * utf8.n + 1);
    struct sink s = {.at = start, .packed = alphabet == SMPP_GSM_PACKED};

    if (!start)
        return false;
    if (s.packed && utf8.n > 0)
        s.bits = fill;
    for (unsigned bytes; utf8.n > 0; utf8 = str_skip(utf8, bytes)) {
        int32_t point = utf8_decode(utf8, &bytes);
        if (point < 0 || !units_of(alphabet, point))
            return false;
        put_point(&s, alphabet, point);
    }
    put_last(&s);
    out->n += (size_t)(s.at - start);
    return true;
}
