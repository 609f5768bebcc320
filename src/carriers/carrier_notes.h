/* What the store is told of carriers: those whose state has changed, and all of them now and then,
 * so that one can tell a server that runs from one that died. One errand at a time. Engine's
 * thread. */
#pragma once

#include "carriers/carrier_seat.h"
#include "messaging/errand.h"

struct carrier_notes {
    struct writer *writer;
    struct mailbox *home;
    const struct clock *clock;
    bool busy;                               /* an errand is under way */
    void (*done)(void *context, int result); /* when one has come back */
    void *context;
};

/* True when an errand has been sent. Nothing has changed, or one is under way, or memory is short:
 * false. */
bool carrier_notes_write(struct carrier_notes *n, struct carrier_seat *seats);
