/* A lane: the open messages that go to one carrier, and the share of memory that they may take.
 *
 * The queue itself is the store's open work. While a lane has room, accepted messages are offered
 * straight into it. When it is full it falls behind: its messages lie in the store, and are read on
 * from `known` once there is room. One lane never takes from another, so a carrier that stands
 * still keeps nobody waiting but its own messages.
 *
 * The writer's thread offers, all else happens on the engine's. */
#pragma once

#include "messaging/dispatch.h"
#include "messaging/fetch_queue.h"

#include <pthread.h>

enum { LANE_SHARE_LEAST = 64, LANE_SLOTS = 64 };

struct lane {
    unsigned number; /* of the carrier, in the store */
    struct lane *next_in_slot;

    /* Engine's thread only. */
    struct lane *next;
    struct carrier *carrier;     /* NULL: nobody (any more) has this number; an orphan */
    unsigned term;               /* grows with every change of the carrier */
    unsigned media_term;         /* and with every change of what it takes of media */
    struct parcel_queue waiting; /* parcels that no carrier has taken yet */
    struct parcel_queue resting[DISPATCH_RETRIES]; /* and those that it takes later */
    struct fetch_queue unfetched;                  /* those whose media are to be fetched first */
    struct parcel_queue fetching;                  /* and whose media are being fetched */
    size_t marking;                                /* parcels about to go to the carrier */
    size_t coming;                                 /* parcels about to come from other lanes */
    int64_t dead_us;          /* since when the carrier is down or gone; 0: it is up */
    int64_t scanned, scan_us; /* how far what lies in the store was looked through, and when */
    struct dispatch_counts counts;
    bool followed_all; /* everything that an earlier run sent has been read */
    int64_t followed;  /* or all of it up to this number */

    /* Under the lock of the lanes. */
    size_t share;  /* how many parcels it may hold */
    size_t held;   /* how many it does */
    bool behind;   /* messages lie in the store that have not been read */
    bool missed;   /* and one more since reading began */
    int64_t known; /* all up to this number are in memory or done; not behind: all there are */
};

struct lanes {
    struct lane *first, **last; /* engine's thread; lanes stay until the end */
    size_t window, carriers;    /* engine's thread: parcels of all lanes; lanes with a carrier */

    pthread_mutex_t lock; /* of the rest, and of the lanes' own windows */
    struct lane *slots[LANE_SLOTS];
};

void lanes_init(struct lanes *lanes, size_t window);
/* Parcels are not the lanes' to free. */
void lanes_done(struct lanes *lanes);

/* NULL when there is none. On the engine's thread, or under the lock. */
struct lane *lane_find(const struct lanes *lanes, unsigned number);
/* The same, but makes it, behind by everything; without a carrier. NULL when memory is short. */
struct lane *lane_make(struct lanes *lanes, unsigned number);
/* NULL makes an orphan of it. The shares of all lanes change with the number of carriers. */
void lane_set_carrier(struct lanes *lanes, struct lane *l, struct carrier *c);

/* The first one becomes the last: who comes first changes. */
void lanes_rotate(struct lanes *lanes);

/* Not counted yet; NULL when memory is short. */
struct parcel *lane_parcel(struct lane *l, const struct message *m, int64_t since_us);

/* A message of this lane has become durable: the parcel to be put into it, or NULL when it is there
 * already or the store must bring it later. Under the lock. */
struct parcel *lane_offer(struct lane *l, const struct message *m);
/* An older message has become this lane's. True: it has its place, and the caller puts it into a
 * queue. False: reading will bring it, from memory it can go. */
bool lane_admit(struct lanes *lanes, struct lane *l, int64_t message);
/* Gives a place back; takes one, though there be none. */
void lane_give(struct lanes *lanes, struct lane *l);
void lane_take(struct lanes *lanes, struct lane *l);
/* Parcels that rest; on the engine's thread. */
size_t lane_resting(const struct lane *l);
size_t lane_held(struct lanes *lanes, struct lane *l);
/* Also for those that are on their way to it. */
bool lane_has_room(struct lanes *lanes, struct lane *l);
bool lane_is_behind(struct lanes *lanes, struct lane *l, int64_t *ret_known);

/* How many messages to read, after number *ret_after: none unless the lane is behind and half of
 * its share is free. */
size_t lane_wants(struct lanes *lanes, struct lane *l, int64_t *ret_after);
/* Everything up to `looked` has been read, and so many of it have come into the lane; `end`: there
 * was no more. True when the lane is worth another look, after what has come has had its turn. */
bool lane_has_read(struct lanes *lanes, struct lane *l, size_t count, int64_t looked, bool end);
