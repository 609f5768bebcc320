/* What a receipt changes: one word of a carrier on a message that was found for it. */
#pragma once

#include "messaging/receipts.h"
#include "messaging/reference_table.h"

struct receipt_word_on {
    const struct reference_match *matches; /* newest first; the first that it changes is meant */
    size_t count;
    enum receipt_word word;
    enum failure failure; /* of RECEIPT_FAILED */
    struct str detail;    /* for the history */
    int64_t at_us;
};

/* In a transaction. *ret_repeated: it came after the end, or was said before, and is only noted. */
int receipt_apply(struct store *s, const struct receipt_word_on *w, bool *ret_repeated);
