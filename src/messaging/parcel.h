/* A parcel: a message in the window of dispatch, on its way to a carrier. One block of memory with
 * the message and those of its texts that a carrier needs. Inside dispatch only; carriers see a
 * parcel through carrier.h. */
#pragma once

#include "messaging/carrier.h"
#include "net/mailbox.h"

struct lane;
struct parcel_queue;

/* Who has a parcel, and so whether its message can still be called back. */
enum parcel_place {
    PARCEL_WAITING,  /* the queue of its lane; before that, the box of offers */
    PARCEL_CHANGING, /* an errand, after which it waits */
    PARCEL_LEAVING,  /* a carrier, now or in a moment, or an errand that ends it */
    PARCEL_COVERED   /* a cancel */
};

struct parcel {
    struct letter letter; /* in the box of offers, then in a queue */
    struct parcel *previous;
    struct parcel_queue *queue; /* NULL: in none */
    struct parcel *next_in_slot;
    struct lane *lane;
    void *note; /* of the carrier that has it */
    enum parcel_place place;
    bool counted; /* it takes up room in its lane */
    bool unread;  /* it is here only to expire */

    unsigned given;   /* to which carrier of its lane: that one's `lane.term`; 0: to none */
    uint8_t tries;    /* how often this carrier could not take it */
    unsigned fetched; /* for which `lane.media_term` its media are there, or asked for; 0: none */
    unsigned routing_age;
    uint64_t tried;      /* carriers: bits of places in the routing of that age */
    int64_t since_us;    /* in its lane, in memory */
    int64_t due_us;      /* when it has rested */
    int64_t failover_us; /* how long it may wait; FAILOVER_UNKNOWN */
    int64_t ask_us;      /* before then there is no other way for it */

    struct message message;
};

enum { FAILOVER_UNKNOWN = -1 };

/* NULL when memory is short. */
struct parcel *parcel_new(const struct message *m);

/* Parcels in a row. */
struct parcel_queue {
    struct parcel *first, *last;
    size_t count;
};

static inline struct parcel *parcel_next(const struct parcel *p)
{
    return (struct parcel *)p->letter.next;
}

void parcel_queue_add(struct parcel_queue *q, struct parcel *p);
/* To the front. */
void parcel_queue_put_back(struct parcel_queue *q, struct parcel *p);
/* Takes it out of the queue that it is in. */
void parcel_queue_remove(struct parcel *p);
/* Takes the first one off; NULL when there is none. */
struct parcel *parcel_queue_take(struct parcel_queue *q);

/* All parcels by the number of their message: whatever of a message is in memory is found here,
 * wherever it waits and whoever has it. One parcel for each number. */
struct parcel_index {
    struct parcel **slots;
    size_t mask;
};

/* Made for so many. */
int parcel_index_init(struct parcel_index *x, size_t expected);
/* Frees the parcels too. */
void parcel_index_done(struct parcel_index *x);
void parcel_index_add(struct parcel_index *x, struct parcel *p);
void parcel_index_remove(struct parcel_index *x, struct parcel *p);
struct parcel *parcel_index_find(const struct parcel_index *x, int64_t message);
