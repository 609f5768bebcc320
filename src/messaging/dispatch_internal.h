/* What the files of dispatch share: dispatch.c (the window and the way to carriers),
 * dispatch_move.c (changes of status), dispatch_refill.c (reading open work), schedule.c and
 * cancel.c. */
#pragma once

#include "messaging/cancel.h"
#include "messaging/dispatch.h"
#include "messaging/errand.h"
#include "messaging/parcel.h"

enum { CANCEL_SLOT_BITS = 8 };

/* Cancels that are under way. Engine's thread, but for the box. */
struct cancels {
    struct mailbox box;                          /* from the threads of the API */
    struct cancel *asked;                        /* not judged yet */
    struct cancel *slots[1 << CANCEL_SLOT_BITS]; /* all, by number of the message */
    size_t count;
};

struct dispatch {
    struct dispatch_options options;
    struct carrier *carriers[2]; /* by mode */
    struct mailbox offered;      /* parcels, from the writer's thread */
    struct mailbox written;      /* errands that came back, from the writer's thread */

    /* Engine's thread only. */
    struct store_reader *reader;
    struct arena arena;
    struct parcel_queue waiting; /* parcels that no carrier has taken yet */
    struct schedule *schedule;
    struct cancels cancels;

    pthread_mutex_t lock; /* of the rest, shared with dispatch_offer */
    size_t held;
    bool behind;
    int64_t known;  /* every open message up to this number is in memory or done */
    int64_t newest; /* number offered last */
};

/* ---- dispatch.c ---- */

/* Puts what was offered into `waiting`. */
void dispatch_collect(struct dispatch *d);
/* Gives a parcel's place in the window back. */
void dispatch_release(struct dispatch *d, struct parcel *p);
/* Places in the window for messages that are not offered but come from the schedule: as many as are
 * free, or fewer when open work waits in the store. */
size_t dispatch_take_room(struct dispatch *d, size_t wanted);
void dispatch_give_room(struct dispatch *d, size_t count);
/* A message of the schedule has been queued. False: it lies ahead of what dispatch has read, so
 * reading on will bring it; else it is the caller's to put into `waiting`. */
bool dispatch_claim(struct dispatch *d, int64_t id);
int64_t dispatch_known(struct dispatch *d);

/* ---- dispatch_move.c ---- */

/* The message fails before any carrier saw it: it costs nothing. */
void dispatch_fail(struct dispatch *d, struct parcel *p, enum failure failure);
/* Gives back what the message cost; in a transaction. */
int dispatch_refund(struct store *s, int64_t account, enum mode mode, int64_t micros);

/* ---- dispatch_refill.c ---- */

/* Reads the next open messages from the store; true when there may be more to read at once. */
bool dispatch_refill(struct dispatch *d);

/* ---- schedule.c ---- */

struct schedule;

int schedule_new(struct schedule **ret, struct dispatch *d, struct loop *loop);
void schedule_free(struct schedule *s);
/* A message that waits for its time has become durable. Writer's thread, under dispatch's lock. */
void schedule_offer(struct schedule *s, const struct message *m);
/* Queues what is due. */
void schedule_run(struct schedule *s);
/* Whether this message is on its way from scheduled to queued. */
bool schedule_fires(const struct schedule *s, int64_t id);

/* ---- cancel.c ---- */

void cancels_init(struct cancels *c, struct dispatch *d);
void cancels_done(struct cancels *c);
/* Judges the cancels that have been asked for. */
void cancels_run(struct dispatch *d);
/* Refuses those that nobody will judge any more; later ones are refused at once. */
void cancels_close(struct dispatch *d);
/* True when the message is being cancelled: nobody may hand the parcel over, it is the cancel's. */
bool cancels_cover(struct dispatch *d, struct parcel *p);
