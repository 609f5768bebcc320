/* Finds the messages that a receipt may be about, by its ids and addresses: among the references of
 * late, then in the store. Engine's thread. */
#pragma once

#include "messaging/receipt_job.h"

struct receipt_finder {
    const struct reference_table *references; /* somebody else's */
    struct store_reader *reader;
    struct arena arena; /* of one look into the store */
};

int receipt_finder_init(struct receipt_finder *f, struct store *s,
                        const struct reference_table *references);
void receipt_finder_done(struct receipt_finder *f);

/* Fills in the ways, the ends and the matches of a job that was made from this receipt; no match is
 * 0 as well. Negative: the store cannot be read. */
int receipt_find(struct receipt_finder *f, const struct carrier_receipt *receipt,
                 struct receipt_job *j);
