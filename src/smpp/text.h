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

/* The usual data_coding of what is sent in it. */
uint8_t smpp_text_coding(enum smpp_alphabet alphabet);
/* What a text takes, in units: septets of GSM, 16-bit units of UCS-2, else octets. False when a
 * character cannot be written in it, or is not UTF-8. */
bool smpp_text_measure(enum smpp_alphabet alphabet, struct str utf8, size_t *ret_units);
/* Whether decoding would take its last character for filling: packed GSM cannot tell a carriage
 * return that ends at the edge of an octet from one that fills 7 bits. */
bool smpp_text_ends_like_filling(enum smpp_alphabet alphabet, struct str utf8, unsigned fill);
/* Appends octets. False when a character does not fit (nothing is appended) or memory is short.
 * Packed GSM begins behind `fill` bits, as a header before it wants (udh_fill); 7 bits that are
 * left at the end are filled with a carriage return, or a '@' would be read there. */
bool smpp_text_encode(enum smpp_alphabet alphabet, struct str utf8, unsigned fill, struct buf *out);
/* Appends UTF-8; what cannot be read becomes U+FFFD, so nothing is dropped but the filling. Pairs
 * of UTF-16 are joined. An escape of GSM that nobody knows is passed over, two in a row are a
 * space. In ASCII, the controls that no text holds are read as GSM: some peers write GSM and call
 * it ASCII, so their '@' is a NUL. */
void smpp_text_decode(enum smpp_alphabet alphabet, struct str octets, unsigned fill,
                      struct buf *out);
/* How a peer's text is to be read: `alphabet` is the carrier's own for data_coding 0. -1: it is no
 * text (8-bit data), or in an alphabet that is not known here. Message classes (0xF0…) are
 * understood. */
int smpp_text_alphabet(uint8_t data_coding, enum smpp_alphabet alphabet);
