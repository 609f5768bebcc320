/* What an MMSC brings (DeliveryReportReq, ReadReplyReq, DeliverReq), in the words of the domain: a
 * receipt, or a message from a handset. Pure.
 *
 * A read reply is a receipt that changes nothing: it goes to the message's history. */
#pragma once

#include "messaging/arrivals.h"
#include "messaging/receipts.h"
#include "mm7/mm7.h"

enum mm7_bringing {
    MM7_BRINGS_RECEIPT,
    MM7_BRINGS_MESSAGE,
    MM7_BRINGS_NOTHING,   /* it is no request that an MMSC makes */
    MM7_BRINGS_TOO_LITTLE /* a report without a MessageID, a message without a sender */
};

struct mm7_delivered {
    struct carrier_receipt receipt; /* one of the two, by what it brings */
    struct arrival arrival;         /* without its media: */
    const struct mm7_part *files[MEDIA_MAX];
    size_t file_count;
    struct mm7_part long_text; /* one of the files, when the text is too long to be shown */

    /* What these point into, besides the arena and what was heard. */
    struct str id;
    char reference[REFERENCE_MAX];
};

/* Views live as long as the arena and what was heard. -ENOMEM: the arena is full. */
int mm7_deliver_read(struct mm7_delivered *ret, enum mm7_bringing *ret_brings, struct arena *a,
                     unsigned carrier, const struct mm7_heard *heard, const struct mm7_part *parts,
                     size_t count);
/* The type of a part as it is kept: "image/jpeg"; application/octet-stream for what is none. */
void mm7_deliver_type(const struct mm7_part *part, char out[MEDIA_TYPE_MAX + 1]);
