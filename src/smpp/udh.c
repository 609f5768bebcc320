#include "smpp/udh.h"

/* Information elements of 3GPP TS 23.040, 9.2.3.24, that we read. */
enum { PARTS = 0x00, PARTS_SIZE = 3, PARTS_WIDE = 0x08, PARTS_WIDE_SIZE = 4, ELEMENT_HEAD = 2 };

static void read_element(unsigned id, struct str value, struct udh_parts *ret)
{
    const uint8_t *p = (const uint8_t *)value.p;
    struct udh_parts parts;

    if (id == PARTS && value.n == PARTS_SIZE)
        parts = (struct udh_parts){p[0], p[1], p[2]};
    else if (id == PARTS_WIDE && value.n == PARTS_WIDE_SIZE)
        parts = (struct udh_parts){(uint16_t)(p[0] << 8 | p[1]), p[2], p[3]};
    else
        return;
    if (parts.number > 0 && parts.number <= parts.total)
        *ret = parts;
}

bool udh_take(struct str *octets, struct udh_parts *ret)
{
    size_t length = octets->n > 0 ? (uint8_t)octets->p[0] : 0;

    if (octets->n < 1 + length)
        return false;
    *ret = (struct udh_parts){0};
    struct str rest = {octets->p + 1, length};
    while (rest.n >= ELEMENT_HEAD) {
        size_t size = (uint8_t)rest.p[1];
        if (size > rest.n - ELEMENT_HEAD)
            break; /* it lies, and so does all behind it; the text is where the header ends */
        read_element((uint8_t)rest.p[0], (struct str){rest.p + ELEMENT_HEAD, size}, ret);
        rest = str_skip(rest, ELEMENT_HEAD + size);
    }
    *octets = str_skip(*octets, 1 + length);
    return true;
}

void udh_put(struct buf *out, const struct udh_parts *parts, bool wide)
{
    buf_add_char(out, (char)(wide ? ELEMENT_HEAD + PARTS_WIDE_SIZE : ELEMENT_HEAD + PARTS_SIZE));
    buf_add_char(out, (char)(wide ? PARTS_WIDE : PARTS));
    buf_add_char(out, (char)(wide ? PARTS_WIDE_SIZE : PARTS_SIZE));
    if (wide)
        buf_add_char(out, (char)(parts->reference >> 8));
    buf_add_char(out, (char)parts->reference);
    buf_add_char(out, (char)parts->total);
    buf_add_char(out, (char)parts->number);
}
