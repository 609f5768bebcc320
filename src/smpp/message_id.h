/* The ids by which a carrier's answers and receipts name a message. They seldom agree to the
 * letter, so they are kept and looked for in one form. */
#pragma once

#include "base/str.h"

/* Which side writes ids in hexadecimal; the other side writes the same number in decimal. */
#define SMPP_ID_FORMS(X)                                                                           \
    X(AUTO, "auto")               /* as written; receipts also try the other base */               \
    X(TEXT, "text")               /* as written, to the letter */                                  \
    X(HEX_ANSWER, "hex_answer")   /* answers hexadecimal, receipts decimal */                      \
    X(HEX_RECEIPT, "hex_receipt") /* answers decimal, receipts hexadecimal */

enum smpp_id_form {
#define X(name, word) SMPP_ID_##name,
    SMPP_ID_FORMS(X)
#undef X
};

enum { SMPP_ID_MAX = 65, SMPP_ID_WAYS = 4 };

/* What is kept and looked for. But for TEXT in small letters and without zeros in front of a
 * number. Bytes that are not printable are '?', what is longer is cut. */
struct smpp_id {
    char text[SMPP_ID_MAX + 1];
};

/* Of an answer. "" when the carrier gave none. */
void smpp_id_of_answer(enum smpp_id_form form, struct str id, struct smpp_id *ret);
/* Of a receipt: what it may be kept under, likeliest first; how many, at most SMPP_ID_WAYS. None of
 * an empty id. */
size_t smpp_id_of_receipt(enum smpp_id_form form, struct str id, struct smpp_id ret[SMPP_ID_WAYS]);
