/* The user data header: what joins the parts of a long text. */
#pragma once

#include "base/buf.h"

struct udh_parts {
    uint16_t reference;
    uint8_t total, number; /* number counts from 1; total 0: not one of several parts */
};

enum { UDH_SIZE = 6, UDH_WIDE_SIZE = 7 };

/* Cuts the header off the front of `octets` (esm_class has 0x40). False when its length lies; then
 * octets are untouched. Elements that are not known are passed over, national alphabets among
 * them; so are parts that cannot be (the fourth of three). */
bool udh_take(struct str *octets, struct udh_parts *ret);
/* 6 octets with an 8-bit reference, 7 with a 16-bit one. */
void udh_put(struct buf *out, const struct udh_parts *parts, bool wide);

/* Bits between a header of so many octets and packed septets, which begin on a septet's edge. */
static inline unsigned udh_fill(size_t octets)
{
    return (unsigned)(7 - octets * 8 % 7) % 7;
}
