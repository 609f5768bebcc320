/* Parcels of a lane whose media are to be fetched, in many short queues: one for each account and
 * host, as far as the slots can tell them apart. Each queue has its turn, and one whose first
 * parcel cannot be fetched now keeps no other waiting. Engine's thread. */
#pragma once

#include "messaging/parcel.h"

enum { FETCH_ACCOUNTS = 64, FETCH_HOSTS = 16, FETCH_QUEUES = FETCH_ACCOUNTS * FETCH_HOSTS };

struct fetch_queue {
    struct parcel_queue queues[FETCH_QUEUES]; /* neighbours are of different accounts */
    uint64_t filled[FETCH_QUEUES / 64];       /* a bit for each: whether it has any */
    size_t filled_count;                      /* of queues that have any */
    size_t count;                             /* of parcels, in all of them */
    unsigned turn;                            /* whose it is */
};

/* To the end of its queue. */
void fetch_queue_add(struct fetch_queue *f, struct parcel *p);
/* The first one of the next queue that has any; the turn goes on. NULL: all are empty. */
struct parcel *fetch_queue_take(struct fetch_queue *f);
/* To the front of its queue. */
void fetch_queue_put_back(struct fetch_queue *f, struct parcel *p);
bool fetch_queue_has(const struct fetch_queue *f, const struct parcel *p);
void fetch_queue_remove(struct fetch_queue *f, struct parcel *p);
