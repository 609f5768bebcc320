/* The alphabets that texts travel in, both ways. */
#pragma once

#include "base/buf.h"

/* X(name, word in the configuration, usual data_coding) */
#define SMPP_ALPHABETS(X)                                                                          \
    X(GSM, "gsm", 0)                                                                               \
    X(GSM_PACKED, "gsm_packed", 0)                                                                 \
    X(LATIN1, "latin1", 3)                                                                         \
    X(ASCII, "ascii", 1)                                                                           \
    X(UCS2, "ucs2", 8)

enum smpp_alphabet {
#define X(name, word, data_coding) SMPP_##name,
    SMPP_ALPHABETS(X)
#undef X
};

/* Whether every character of a text can be written in it. */
bool smpp_text_fits(enum smpp_alphabet alphabet, struct str utf8);
/* What the text takes, in units: septets of GSM, 16-bit units of UCS-2, else octets. The text fits.
 */
size_t smpp_text_units(enum smpp_alphabet alphabet, struct str utf8);
/* Appends octets. False when a character does not fit (nothing is appended) or memory is short.
 * Packed GSM begins behind `fill` bits, as a header before it wants; 7 bits that are left at the
 * end are filled with a carriage return, or a '@' would be read there. */
bool smpp_text_encode(enum smpp_alphabet alphabet, struct str utf8, unsigned fill, struct buf *out);
/* Appends UTF-8; what cannot be read becomes U+FFFD, so nothing is dropped. Pairs of UTF-16 are
 * joined. */
void smpp_text_decode(enum smpp_alphabet alphabet, struct str octets, unsigned fill,
                      struct buf *out);
/* How a peer's text is to be read: `alphabet` is the carrier's own for data_coding 0. -1: it is no
 * text (8-bit data). Message classes (0xF0…) are understood. */
int smpp_text_alphabet(uint8_t data_coding, enum smpp_alphabet alphabet);
