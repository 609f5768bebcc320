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
    enum smpp_alphabet alphabet; /* of what it can write; all else goes as UCS-2 */
    int data_coding;             /* with that alphabet; -1: the usual one */
    enum smpp_long_text long_text;
    bool no_parameters; /* SMPP 3.3 has no optional ones: long texts go with a header then */
    uint8_t number_ton, number_npi; /* senders that are numbers */
    uint8_t name_ton, name_npi;
    uint8_t short_ton, short_npi;
    uint8_t recipient_ton, recipient_npi;
    uint8_t esm_class;           /* 0 or 3 */
    uint8_t registered_delivery; /* 0, 1, 2, 0x11; asked for every part */
    const char *service_type;
};

enum { SMPP_PARTS_MAX = CARRIER_PARTS_MAX };

/* The parts of a message. Zeroed, then made, and made again for the next message: it keeps its
 * memory. Views in the PDUs live until then, and as long as message and manner. */
struct smpp_submission {
    struct smpp_pdu pdus[SMPP_PARTS_MAX];
    unsigned count;
    char validity[17];
    struct buf bytes; /* sender, texts and optional parameters of all parts */
};

/* `reference` joins the parts; of a narrow one the low octet is used. 0; -EINVAL: SMPP, or this
 * carrier's way, cannot carry the message (FAILURE is carrier_rejected then); -ENOMEM. */
int smpp_submit_make(struct smpp_submission *ret, const struct smpp_manner *manner,
                     const struct message *m, uint16_t reference);
void smpp_submission_done(struct smpp_submission *s);
