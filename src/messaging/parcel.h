/* A parcel: a message in the window of dispatch, on its way to a carrier. One block of memory with
 * the message and those of its texts that a carrier needs. Inside dispatch only; carriers see a
 * parcel through carrier.h. */
#pragma once

#include "messaging/carrier.h"
#include "net/mailbox.h"

struct parcel {
    struct letter letter; /* in the box of offers, then in a queue */
    void *note;           /* of the carrier that has it */
    struct message message;
};

/* NULL when memory is short. */
struct parcel *parcel_new(const struct message *m);

/* Parcels in a row, linked through their letters. */
struct parcel_queue {
    struct letter *first, **last;
};

void parcel_queue_init(struct parcel_queue *q);
void parcel_queue_add(struct parcel_queue *q, struct parcel *p);
/* Takes the first one off; NULL when there is none. */
struct parcel *parcel_queue_take(struct parcel_queue *q);
/* To the front. */
void parcel_queue_put_back(struct parcel_queue *q, struct parcel *p);
/* Takes out each parcel that `wanted` says true of; it belongs to whoever `wanted` is then. */
void parcel_queue_pick(struct parcel_queue *q, bool (*wanted)(void *context, struct parcel *p),
                       void *context);
void parcel_queue_free(struct parcel_queue *q);
