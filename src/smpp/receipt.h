/* Delivery receipts as carriers write them: optional parameters first, then the text in all its
 * dialects. */
#pragma once

#include "smpp/message_id.h"
#include "smpp/pdu.h"

/* What a deliver_sm or data_sm is. */
enum smpp_delivery { SMPP_MESSAGE, SMPP_RECEIPT, SMPP_NOTIFICATION, SMPP_USER_ACK };

/* By the type bits of esm_class, because ordinary messages come with a receipted_message_id too.
 * `by_content`: a message that has one, or whose text begins to tell id and stat, is a receipt. */
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
    SMPP_STATE_STRANGE, /* a word nobody knows, see `stat`; or a number nobody knows */
};

struct smpp_receipt {
    struct str id; /* as it was written; "" when there is none */
    enum smpp_state state;
    struct str stat;   /* the word as it was written, or "" */
    struct str error;  /* err: as it was written, or "" */
    int network_type;  /* of network_error_code: the network; -1 when it does not tell */
    int network_error; /* of network_error_code; -1 = none */
    struct str text;   /* all of it, as UTF-8, for people */
};

/* `text` is the receipt's text as UTF-8, decoded by the caller from short_message or
 * message_payload; views point into it and into the PDU. */
void smpp_receipt_read(const struct smpp_pdu *pdu, struct str text, struct smpp_receipt *ret);
