/* Receipts that came before the carrier's answer: they wait here for it, some of them and for some
 * time. Engine's thread. */
#pragma once

#include "messaging/receipt_job.h"

struct parked_receipts;

/* Room for 2^bits; the oldest make room. */
int parked_receipts_new(struct parked_receipts **ret, unsigned bits);
void parked_receipts_free(struct parked_receipts *p); /* lets go of all */

/* Holds on to it. */
void parked_receipts_add(struct parked_receipts *p, struct receipt_job *j);
/* It waits no longer, if it did. */
void parked_receipts_drop(struct parked_receipts *p, struct receipt_job *j);
/* Lets go of those that came before. */
void parked_receipts_expire(struct parked_receipts *p, int64_t before_us);

enum { PARKED_TAKEN_MAX = 16 };

/* Those that wait for this id and are from or to this address, oldest first, which are now the
 * caller's; how many. If there are none and not `strict`: those whose likeliest id it is. */
size_t parked_receipts_take(struct parked_receipts *p, uint64_t id, uint64_t address, bool strict,
                            struct receipt_job *ret[PARKED_TAKEN_MAX]);
size_t parked_receipts_count(const struct parked_receipts *p);
