/* Crowds: accounts of which so many messages wait for media in a lane that the others must stay in
 * the store, so that whoever comes behind them finds room. Pure; of a lane, on the engine's thread.
 *
 * An account gets no more when it has as many as are left of the room for all, so one alone has
 * half of it, two have a third each, and there is always some for the next. It comes in again, in
 * the order of the numbers, when it has gone down well below that.
 *
 * Accounts are counted in slots; those that share one share its limit. */
#pragma once

#include "store/records.h"

enum { CROWD_SLOTS = 1024 };

struct crowds {
    uint32_t here[CROWD_SLOTS];    /* messages that wait for media, in memory */
    int64_t kept_out[CROWD_SLOTS]; /* the first one that was left in the store; 0: none */
    size_t all;                    /* of `here` */
    size_t some_out;               /* slots of which some were left */
    unsigned turn;                 /* which slot is asked first */
};

unsigned crowd_of(const struct message *m);
void crowd_came(struct crowds *c, const struct message *m);
void crowd_went(struct crowds *c, const struct message *m);

/* True: the message stays in the store, and that is remembered. `room` is for all. */
bool crowd_keeps_out(struct crowds *c, const struct message *m, size_t room);
/* A slot of which some can come in; another one the next time. False: there is none. */
bool crowd_next(struct crowds *c, size_t room, unsigned *ret_slot);
/* All below this number have come in; 0: all have. */
void crowd_read(struct crowds *c, unsigned slot, int64_t first);
/* The first number that was left in the store, of any; 0: none was. */
int64_t crowds_first(const struct crowds *c);
