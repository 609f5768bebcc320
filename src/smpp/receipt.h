/* Delivery receipts as carriers write them: optional parameters first, then the text in all its
 * dialects. And the ids by which they name a message. */
#pragma once

#include "smpp/pdu.h"

/* What a deliver_sm or data_sm is. */
enum smpp_delivery { SMPP_MESSAGE, SMPP_RECEIPT, SMPP_NOTIFICATION, SMPP_USER_ACK };

/* By the type bits of esm_class; `by_content`: also what only looks like a receipt (id and stat).
 */
enum smpp_delivery smpp_delivery_kind(const struct smpp_pdu *pdu, bool by_content);

enum smpp_state {
    SMPP_STATE_NONE, /* the receipt does not tell */
    SMPP_STATE_ON_ITS_WAY,
    SMPP_STATE_DELIVERED,
    SMPP_STATE_EXPIRED,
    SMPP_STATE_DELETED,
    SMPP_STATE_UNDELIVERABLE,
    SMPP_STATE_UNKNOWN, /* the carrier's own UNKNOWN */
    SMPP_STATE_REJECTED,
    SMPP_STATE_STRANGE, /* a word nobody knows; see `stat` */
};

struct smpp_receipt {
    struct str id; /* as it was written; "" when there is none */
    enum smpp_state state;
    struct str stat;                 /* the word as it was written, or "" */
    struct str error;                /* err: as it was written, or "" */
    int network_type, network_error; /* network_error_code, -1 = none */
    struct str text;                 /* all of it, as UTF-8, for people */
};

/* `text` is the receipt's text as UTF-8, decoded by the caller from short_message or
 * message_payload; views point into it and into the PDU. */
void smpp_receipt_read(const struct smpp_pdu *pdu, struct str text, struct smpp_receipt *ret);

/* ---- ids ---- */

/* Which side writes ids in hexadecimal; the other side writes the same number in decimal. */
#define SMPP_ID_FORMS(X)                                                                           \
    X(AUTO, "auto")               /* as written; receipts also try the other base */               \
    X(TEXT, "text")               /* as written, only */                                           \
    X(HEX_ANSWER, "hex_answer")   /* answers hexadecimal, receipts decimal */                      \
    X(HEX_RECEIPT, "hex_receipt") /* answers decimal, receipts hexadecimal */

enum smpp_id_form {
#define X(name, word) SMPP_ID_##name,
    SMPP_ID_FORMS(X)
#undef X
};

enum { SMPP_ID_MAX = 65, SMPP_ID_WAYS = 4 };

/* An id in the one form in which it is kept and looked for: small letters, no zeros in front. */
struct smpp_id {
    char text[SMPP_ID_MAX + 1];
};

/* Of an answer. "" when the carrier gave none. */
void smpp_id_of_answer(enum smpp_id_form form, struct str id, struct smpp_id *ret);
/* Of a receipt: what it may be kept under, likeliest first; how many, at most SMPP_ID_WAYS. */
size_t smpp_id_of_receipt(enum smpp_id_form form, struct str id, struct smpp_id ret[SMPP_ID_WAYS]);
