/* A receipt on its way into the store: a copy of what a carrier said. Engine's thread, but for what
 * is marked. */
#pragma once

#include "messaging/errand.h"
#include "messaging/receipts.h"
#include "messaging/reference_table.h"

enum { RECEIPT_WAYS = 8 }; /* ids that a message is looked for by; more are left out */

struct receipt_job {
    struct errand errand; /* has it written: what it says, or that it is a stray */
    struct errand again;  /* has written what it says, when the answer came behind it */
    struct receipts *receipts;
    unsigned holders; /* when the last lets go it is freed */

    unsigned carrier;
    enum receipt_word word;
    enum failure failure;
    int64_t at_us;
    struct str reference; /* the likeliest id */
    struct str source, destination, detail, raw;
    uint64_t ways[RECEIPT_WAYS]; /* hashes of the ids */
    size_t way_count;
    struct reference_ends ends;
    uint64_t turn; /* parked_receipts.c: under which it waits; 0: it does not */

    struct reference_match matches[REFERENCE_MATCHES];
    size_t match_count;
    bool repeated; /* set on the writer's thread, read when the errand is back */
    int64_t stray; /* its number there; writer's thread */

    void (*done)(void *context, int result);
    void *context;
};

/* Held once. NULL when memory is short. */
struct receipt_job *receipt_job_new(const struct carrier_receipt *r, int64_t at_us);
void receipt_job_release(struct receipt_job *j);
