/* Receipts of live carriers: finds the message that a receipt is about, also when the receipt comes
 * before the carrier's answer, and has the store note what it says. Receipts of several parts are
 * folded: delivered when all are, failed when one is. Nothing is dropped: what finds no message is
 * kept as a stray. Engine's thread. */
#pragma once

#include "messaging/carrier.h"
#include "store/writer.h"

struct receipts;
struct dispatch;

struct receipts_options {
    struct store *store;
    struct writer *writer;
    const struct clock *clock;
    struct mailbox *home; /* where errands come back to; the engine empties it */
};

int receipts_new(struct receipts **ret, const struct receipts_options *options);
/* After the writer has stopped and all errands have come back (dispatch_close). */
void receipts_free(struct receipts *r);

/* The carrier has taken a message under these ids: as told by dispatch, before it is on disk. What
 * waited for one of them is applied, behind what the engine is just posting to the writer. */
void receipts_expect(struct receipts *r, unsigned carrier, const struct message *m,
                     const struct str *ids, unsigned parts);
/* In the transaction that notes the carrier's answer: keeps the ids for receipts to come. */
int receipts_keep(struct store *s, unsigned carrier, const struct message *m, const struct str *ids,
                  unsigned parts);

enum receipt_word {
    RECEIPT_DELIVERED,
    RECEIPT_FAILED,
    RECEIPT_ON_ITS_WAY /* goes to the history and changes nothing */
};

struct carrier_receipt {
    unsigned carrier;
    const struct str *ids; /* what the message may be kept under, likeliest first */
    size_t id_count;
    enum receipt_word word;
    enum failure failure; /* of RECEIPT_FAILED */
    struct str source,
        destination;   /* addresses in the receipt, digits; either may be the handset */
    struct str detail; /* for the history: a sentence */
    struct str raw;    /* the receipt as text, for strays */
};

/* `done` is called once, on the engine's thread, maybe at once. 0: what it says is on disk; 1: so
 * it is, but no message was found for it; negative: it is not, and the carrier should send it
 * again. */
void receipts_take(struct receipts *r, const struct carrier_receipt *receipt,
                   void (*done)(void *context, int result), void *context);

/* Forgets what waited too long for an answer in memory (it is on disk as a stray). Each second. */
void receipts_tick(struct receipts *r);

struct receipts_counts {
    uint64_t matched;  /* said something new of a message */
    uint64_t early;    /* among them those that came before the carrier's answer */
    uint64_t repeated; /* said nothing new, or too late */
    uint64_t strays;   /* no message was found for them when they came */
};
struct receipts_counts receipts_counts(const struct receipts *r);
