/* Dispatch: takes accepted messages to their carrier and carries back what becomes of them.
 *
 * The queue is the store's open work; memory holds a window of it. While the window has room,
 * accepted messages are offered straight into it. When it is full, dispatch falls behind, lets them
 * lie in the store, and later reads on from the last number it knows. After a restart it is behind
 * by everything: recovery is the same reading. Scheduled messages join when their time has come
 * (schedule.c).
 *
 * dispatch_offer runs on the writer's thread, in the order of the numbers; all else on the
 * engine's. */
#pragma once

#include "messaging/carrier.h"
#include "messaging/optout.h"
#include "net/loop.h"
#include "store/writer.h"

struct dispatch;

struct dispatch_options {
    struct store *store;
    struct writer *writer;
    const struct clock *clock;
    struct loop *loop; /* the engine's, for the timer of the schedule; NULL: none, as in tests */
    struct optouts *optouts; /* who must not be written to; NULL: nobody */
    size_t window;
    void (*wake)(void *context); /* makes the engine call dispatch_run soon; any thread */
    void *wake_context;
};

int dispatch_new(struct dispatch **ret, const struct dispatch_options *options);
/* Who carries messages of this mode. Before the engine starts. */
void dispatch_set_carrier(struct dispatch *d, enum mode mode, struct carrier *c);
/* After the engine and the writer have stopped: whoever still waits for an answer gets it. */
void dispatch_close(struct dispatch *d);
void dispatch_free(struct dispatch *d);

/* A message that has just become durable: queued or scheduled. */
void dispatch_offer(struct dispatch *d, const struct message *m);
/* Does what waits to be done. */
void dispatch_run(struct dispatch *d);

/* From carriers: the parcel was taken (FAILURE_NONE) or refused for good. */
void dispatch_answered(struct dispatch *d, struct parcel *p, enum failure failure);
/* From carriers: the end of a message that was taken. */
void dispatch_receipt(struct dispatch *d, int64_t message, enum failure failure);
/* From carriers: there is room again after -EAGAIN. */
void dispatch_ready(struct dispatch *d);

/* Messages in memory between offer and answer. */
size_t dispatch_held(struct dispatch *d);
