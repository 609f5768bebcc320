/* Cancelling a message: while it is scheduled, or queued and not yet with a carrier. Only the
 * engine knows whether a carrier has a message, so it is the judge: a cancel goes to it as a letter
 * and comes back when the change is durable or refused. */
#pragma once

#include "messaging/errand.h"

struct dispatch;

enum cancel_outcome {
    CANCEL_DONE,    /* the message is cancelled, on disk */
    CANCEL_REFUSED, /* a carrier has it, or it has ended */
    CANCEL_LOST     /* nothing was done: the store cannot be written, or the program is stopping */
};

/* Belongs to whoever asked, but to dispatch from cancel_ask until `done`. */
struct cancel {
    struct errand errand; /* its letter is in the box of cancels first */
    int64_t message;
    /* The message is known to be this caller's; what it cost is given back. */
    int64_t account, cost_micros;
    enum mode mode;
    void (*done)(struct cancel *c); /* on the engine's thread; c is the asker's again */
    enum cancel_outcome outcome;

    /* Dispatch's own. */
    struct dispatch *dispatch;
    struct message_move move;
    struct parcel *parcel; /* not to be handed over meanwhile, or NULL */
    struct cancel *next_asked, *next_in_slot;
    bool posted, moved;
};

/* Any thread. Calls `done` at once, on this thread, when the program is stopping. */
void cancel_ask(struct cancel *c, struct dispatch *d);
