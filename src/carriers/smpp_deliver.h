/* What a carrier delivers (deliver_sm, data_sm), in the words of the domain: a receipt, or a
 * message from a handset. Pure.
 *
 * An intermediate notification and an acknowledgement by the handset are receipts that change
 * nothing: they go to the message's history. An acknowledgement that names no message is a message
 * itself, because only its text says anything. */
#pragma once

#include "carriers/smpp_settings.h"
#include "messaging/arrivals.h"
#include "messaging/receipts.h"

enum { SMPP_ADDRESS_SIZE = 72 };

/* Zeroed, then smpp_delivered_init; used again and again. */
struct smpp_delivered {
    bool is_receipt;
    struct carrier_receipt receipt; /* one of the two, by is_receipt */
    struct arrival arrival;

    /* What these point into, besides the PDU. */
    struct smpp_id ids[SMPP_ID_WAYS];
    struct str id_views[SMPP_ID_WAYS];
    char source[SMPP_ADDRESS_SIZE], destination[SMPP_ADDRESS_SIZE];
    struct buf text, detail;
};

void smpp_delivered_init(struct smpp_delivered *d);
void smpp_delivered_done(struct smpp_delivered *d);
/* False when memory is short. The views live as long as the PDU, or until the next reading. */
bool smpp_deliver_read(struct smpp_delivered *d, const struct smpp_settings *s, unsigned carrier,
                       const struct smpp_pdu *pdu);
