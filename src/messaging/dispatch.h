/* Dispatch: takes accepted messages to their carrier and carries back what becomes of them.
 *
 * The queue is the store's open work; memory holds a window of it, of which each carrier has a
 * share, its lane (lane.h). While a lane has room, accepted messages are offered straight into it.
 * When it is full it falls behind, lets them lie in the store, and later reads on from the last
 * number it knows. After a restart all are behind by everything: recovery is the same reading.
 * Scheduled messages join when their time has come (schedule.c).
 *
 * dispatch_offer runs on the writer's thread, in the order of the numbers; all else on the
 * engine's. */
#pragma once

#include "messaging/carrier.h"
#include "messaging/media_port.h"
#include "messaging/optout.h"
#include "messaging/receipts.h"
#include "messaging/route.h"
#include "net/loop.h"
#include "store/writer.h"

struct dispatch;

enum { DISPATCH_RETRIES = 3 };

struct dispatch_options {
    struct store *store;
    struct writer *writer;
    const struct clock *clock;
    struct loop *loop; /* the engine's, for the timer of the schedule; NULL: none, as in tests */
    struct optouts *optouts; /* who must not be written to; NULL: nobody */
    size_t window;           /* messages in memory, of all carriers together */
    /* Rests before a carrier that was to take a message later is asked again; 0: 30 seconds, 2
     * minutes, 8 minutes. */
    int64_t retry_us[DISPATCH_RETRIES];
    void (*wake)(void *context); /* makes the engine call dispatch_run soon; any thread */
    void *wake_context;
};

int dispatch_new(struct dispatch **ret, const struct dispatch_options *options);
/* From now on messages with the carrier's number go to it; each carrier has a lane of its own. On
 * the engine's thread, or before it starts. */
void dispatch_add_carrier(struct dispatch *d, struct carrier *c);
/* It gets nothing more, and is told nothing more; it has answered for all it had. After a moment,
 * in which another may take its place or other routes may be set, what waits for it goes other
 * routes, or fails for want of one. */
void dispatch_drop_carrier(struct dispatch *d, struct carrier *c);
/* Who is told of the ids under which carriers take messages. Before the engine starts. */
void dispatch_set_receipts(struct dispatch *d, struct receipts *receipts);
/* Where the routes are that messages can change to; NULL: nowhere. */
void dispatch_set_routing(struct dispatch *d, const struct routing *routing);
/* Who fetches media; NULL: nobody, and messages with media go out without waiting for any. Before
 * the engine starts; it lives as long as dispatch. */
void dispatch_set_media(struct dispatch *d, const struct media_port *media);
/* What the carrier takes of media from now on: what was fetched for it before is looked at again.
 * Engine's thread. */
void dispatch_set_profile(struct dispatch *d, struct carrier *c, const struct media_profile *media);
/* After the engine and the writer have stopped: whoever still waits for an answer gets it. */
void dispatch_close(struct dispatch *d);
void dispatch_free(struct dispatch *d);

/* A message that has just become durable: queued or scheduled. */
void dispatch_offer(struct dispatch *d, const struct message *m);
/* Does what waits to be done. */
void dispatch_run(struct dispatch *d);

/* From carriers: what the carrier says to a parcel. The answer's views need not outlive the call.
 */
void dispatch_answered(struct dispatch *d, struct parcel *p, const struct carrier_answer *answer);
/* From the simulator: the end of a message that was taken. */
void dispatch_receipt(struct dispatch *d, int64_t message, enum failure failure);
/* From the media port: all files of the message are in the store, or why not. Any message, known or
 * not; the answer's views need not outlive the call. */
void dispatch_media_done(struct dispatch *d, int64_t message, const struct media_answer *answer);
/* From carriers, and from the media port: there is room again after -EAGAIN. */
void dispatch_ready(struct dispatch *d);

/* Messages in memory between offer and answer. */
size_t dispatch_held(struct dispatch *d);

/* How a carrier's lane stands. */
struct dispatch_counts {
    size_t waiting;       /* in memory */
    size_t coming;        /* the same without what rests, and with what is about to go there */
    bool behind;          /* more lies in the store */
    uint64_t maybe_twice; /* messages that went out again without an answer to the first time */
    uint64_t retried, failed_over, expired;
};
struct dispatch_counts dispatch_counts(struct dispatch *d, const struct carrier *c);
/* Messages that could go to the carrier now if it let them, as far as they are in memory. */
size_t dispatch_waiting(struct dispatch *d, const struct carrier *c);
/* Each second: what is overdue expires, what waits too long behind a carrier goes another route. */
void dispatch_tick(struct dispatch *d);
/* Where errands of the engine come back to: dispatch_run empties it. */
struct mailbox *dispatch_box(struct dispatch *d);
