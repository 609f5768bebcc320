/* Texts that peers sent. Nothing is trusted: every octet becomes some character. */
#include "base/gsm0338.h"
#include "base/utf8.h"
#include "smpp/text.h"

enum { SEPTET_BITS = 7, OCTET_BITS = 8, BYTES_PER_OCTET = 4 };

static unsigned octet_at(struct str octets, size_t i)
{
    return (unsigned char)octets.p[i];
}

/* ---- one octet or septet, one character ---- */

static unsigned septet_at(struct str octets, size_t bit)
{
    size_t i = bit / OCTET_BITS;
    unsigned shift = bit % OCTET_BITS;
    unsigned value = octet_at(octets, i) >> shift;

    if (shift > 1)
        value |= octet_at(octets, i + 1) << (OCTET_BITS - shift);
    return value & 0x7f;
}

/* Without the carriage return that fills 7 bits at the end. */
static size_t septets_in(struct str octets, unsigned fill)
{
    size_t bits = OCTET_BITS * octets.n;

    if (bits < fill + SEPTET_BITS)
        return 0;
    size_t count = (bits - fill) / SEPTET_BITS;
    bool may_be_filled = (bits - fill) % SEPTET_BITS == 0;
    return count - (may_be_filled && septet_at(octets, bits - SEPTET_BITS) == '\r');
}

static bool is_plain_ascii(unsigned octet)
{
    return (octet >= ' ' && octet <= '~') || octet == '\t';
}

/* What stands alone. */
static int32_t plain_point(enum smpp_alphabet alphabet, unsigned value)
{
    if (value > 0x7f)
        return UTF8_REPLACEMENT;
    return alphabet == SMPP_ASCII && is_plain_ascii(value) ? (int32_t)value : gsm_decode(value);
}

/* What stands after an escape. */
static int32_t escaped_point(enum smpp_alphabet alphabet, unsigned value)
{
    if (value == GSM_ESCAPE)
        return ' ';
    if (value > 0x7f || gsm_decode_extended(value) == gsm_decode(value))
        return plain_point(alphabet, value);
    return gsm_decode_extended(value);
}

static char *read_gsm(enum smpp_alphabet alphabet, struct str octets, unsigned fill, char *to)
{
    bool packed = alphabet == SMPP_GSM_PACKED, escaped = false;
    size_t count = packed ? septets_in(octets, fill) : octets.n;

    for (size_t i = 0; i < count; i++) {
        unsigned value = packed ? septet_at(octets, fill + i * SEPTET_BITS) : octet_at(octets, i);
        if (value == GSM_ESCAPE && !escaped) {
            escaped = true;
            continue;
        }
        int32_t point = escaped ? escaped_point(alphabet, value) : plain_point(alphabet, value);
        escaped = false;
        to += utf8_encode(point, to);
    }
    return escaped ? to + utf8_encode(UTF8_REPLACEMENT, to) : to;
}

static char *read_latin1(struct str octets, char *to)
{
    for (size_t i = 0; i < octets.n; i++)
        to += utf8_encode((int32_t)octet_at(octets, i), to);
    return to;
}

/* ---- UTF-16 ---- */

static int32_t unit_at(struct str octets, size_t i)
{
    return (int32_t)(octet_at(octets, i) << 8 | octet_at(octets, i + 1));
}

static bool is_between(int32_t value, int32_t least, int32_t most)
{
    return value >= least && value <= most;
}

/* The character at i, and behind it. */
static int32_t utf16_point(struct str octets, size_t i, size_t *ret_next)
{
    *ret_next = i + 2;
    if (octets.n - i < 2)
        return UTF8_REPLACEMENT;
    int32_t unit = unit_at(octets, i);
    if (!is_between(unit, 0xd800, 0xdfff))
        return unit;
    int32_t low = octets.n - i < 4 ? 0 : unit_at(octets, i + 2);
    if (unit > 0xdbff || !is_between(low, 0xdc00, 0xdfff))
        return UTF8_REPLACEMENT;
    *ret_next = i + 4;
    return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

static char *read_utf16(struct str octets, char *to)
{
    for (size_t i = 0, next; i < octets.n; i = next)
        to += utf8_encode(utf16_point(octets, i, &next), to);
    return to;
}

/* ---- any of them ---- */

static char *read_octets(enum smpp_alphabet alphabet, struct str octets, unsigned fill, char *to)
{
    switch (alphabet) {
    case SMPP_GSM:
    case SMPP_GSM_PACKED:
    case SMPP_ASCII:
        return read_gsm(alphabet, octets, fill, to);
    case SMPP_LATIN1:
        return read_latin1(octets, to);
    case SMPP_UCS2:
        return read_utf16(octets, to);
    }
    return to;
}

void smpp_text_decode(enum smpp_alphabet alphabet, struct str octets, unsigned fill,
                      struct buf *out)
{
    /* At most 3 bytes for an octet, 3 for each of 8 septets in 7 of them, 3 for an end that is
     * cut off. */
    char *start = buf_reserve(out, BYTES_PER_OCTET * octets.n + UTF8_MAX);

    if (start)
        out->n += (size_t)(read_octets(alphabet, octets, fill, start) - start);
}

/* ---- data_coding ---- */

enum { NO_TEXT = -1 };

/* SMPP's own values below 16. The rest is not known here: Japanese, Cyrillic, Hebrew, Korean. */
static int smpp_coding(uint8_t data_coding, enum smpp_alphabet alphabet)
{
    switch (data_coding) {
    case 0:
        /* Who is sent UCS-2 only still does not answer in it without saying so. */
        return alphabet == SMPP_UCS2 ? SMPP_GSM : alphabet;
    case 1:
        return SMPP_ASCII;
    case 3:
        return SMPP_LATIN1;
    case 8:
        return SMPP_UCS2;
    default:
        return NO_TEXT;
    }
}

/* 3GPP TS 23.038, section 4: by groups of 16. */
int smpp_text_alphabet(uint8_t data_coding, enum smpp_alphabet alphabet)
{
    const int gsm = alphabet == SMPP_GSM_PACKED ? SMPP_GSM_PACKED : SMPP_GSM;
    const int general[] = {gsm, NO_TEXT, SMPP_UCS2, gsm}; /* bits 2 and 3 */
    unsigned group = data_coding >> 4;

    if (group == 0)
        return smpp_coding(data_coding, alphabet);
    if (group < 0x8) /* with a class, or to be deleted after reading; bit 5: compressed */
        return group & 2 ? NO_TEXT : general[data_coding >> 2 & 3];
    if (group == 0xe) /* a message waits, told in UCS-2 */
        return SMPP_UCS2;
    if (group == 0xf) /* with a class; bit 2: data */
        return data_coding & 4 ? NO_TEXT : gsm;
    return gsm; /* a message waits; what is reserved is read like this too */
}
