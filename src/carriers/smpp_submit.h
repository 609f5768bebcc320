/* From a message to the PDUs that carry it: alphabet, parts, addresses, times. Pure. */
#pragma once

#include "messaging/carrier.h"
#include "smpp/pdu.h"
#include "smpp/text.h"

#define SMPP_LONG_TEXTS(X)                                                                         \
    X(UDH8, "udh8")                                                                                \
    X(UDH16, "udh16")                                                                              \
    X(SAR, "sar")                                                                                  \
    X(PAYLOAD, "payload")

enum smpp_long_text {
#define X(name, word) SMPP_LONG_##name,
    SMPP_LONG_TEXTS(X)
#undef X
};

/* How a carrier wants its messages. */
struct smpp_manner {
    enum smpp_alphabet alphabet; /* of what GSM can write; all else goes as UCS-2 */
    int data_coding;             /* with that alphabet; -1: the usual one */
    enum smpp_long_text long_text;
    uint8_t number_ton, number_npi; /* senders that are numbers */
    uint8_t name_ton, name_npi;
    uint8_t short_ton, short_npi;
    uint8_t recipient_ton, recipient_npi;
    uint8_t esm_class;           /* 0 or 3 */
    uint8_t registered_delivery; /* 0, 1, 2, 0x11 */
    const char *service_type;
};

enum { SMPP_PARTS_MAX = CARRIER_PARTS_MAX };

/* The parts of a message. Zeroed, then smpp_submit_make; views in the PDUs live as long as it and
 * the message. */
struct smpp_submission {
    struct smpp_pdu pdus[SMPP_PARTS_MAX];
    unsigned count;
    char validity[17];
    struct buf bytes; /* texts and optional parameters of all parts */
};

/* `reference` joins the parts. 0; -EINVAL: the carrier's way cannot carry the message (FAILURE is
 * carrier_rejected then); -ENOMEM. */
int smpp_submit_make(struct smpp_submission *ret, const struct smpp_manner *manner,
                     const struct message *m, uint16_t reference);
void smpp_submission_done(struct smpp_submission *s);
