/* All live carriers: made from the configuration, changed when it is read again, drained, and noted
 * in the store once a second. Who changes the set waits until the engine has done it; the carriers
 * themselves belong to the engine's thread. A carrier's port lives until the set is freed, whatever
 * becomes of its section, because any routing may still name it. */
#pragma once

#include "base/config.h"
#include "messaging/arrivals.h"
#include "messaging/dispatch.h"
#include "messaging/receipts.h"

struct carrier_set;

struct carrier_set_options {
    struct loop *loop; /* the engine's */
    const struct clock *clock;
    struct writer *writer;
    struct dispatch *dispatch;
    struct receipts *receipts;
    struct arrivals *arrivals;
    struct mm7_wire *wire; /* the way out to MMSCs; NULL: there are none */
};

enum { CARRIER_SET_WHY_SIZE = 256 };

/* Before the loop's thread starts. */
int carrier_set_new(struct carrier_set **ret, const struct carrier_set_options *options);

/* The carriers that there shall be, over SMPP and MM7: those whose section is as it was keep their
 * binds; changed ones are stopped and started anew; new ones get their number in the store and are
 * started; those that are gone are stopped, and what waits for them goes other routes. By one
 * thread that is neither the engine nor the writer. When it returns all of them have lanes, so
 * routes may lead to them; binding takes longer. -EINVAL: `why` names the section and what is wrong
 * with its files or settings, or that its name was one of the other kind before; other negative
 * errno: the store cannot be written; nothing has changed then. */
int carrier_set_update(struct carrier_set *s, const struct config *config,
                       char why[CARRIER_SET_WHY_SIZE]);
/* After the first update and before the loop's thread starts, so that dispatch has all lanes when
 * it first looks for open work. From then on, each second: dispatch_tick, receipts_tick,
 * arrivals_tick, and the carriers' own. */
void carrier_set_start(struct carrier_set *s);

/* The carrier of this name in the last update; NULL: there is none. The thread that updates. */
struct carrier *carrier_set_find(const struct carrier_set *s, const char *name);
/* Drained: gets nothing new, and goes on to receive. What the store says holds at first. Any
 * thread; a number that is not known is of no matter. */
void carrier_set_drain(struct carrier_set *s, unsigned number, bool drained);

/* A receipt of this carrier's came another way than over its links. Engine's thread. */
void carrier_set_count_receipt(struct carrier_set *s, unsigned number, bool stray);

/* Stops all: what was sent has two seconds to be answered, unbinding one; they are seldom needed.
 * Waits for it, for timeout_ms at most; false when that was too short. While the engine and the
 * writer still run. */
bool carrier_set_stop(struct carrier_set *s, uint64_t timeout_ms);
/* After the loop's thread has ended and dispatch_close. */
void carrier_set_free(struct carrier_set *s);
