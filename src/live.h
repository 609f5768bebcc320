/* Live mode: the carriers and what they bring, and the routing and prices in force, which change
 * when the configuration is read again and when the command line has written to the store. Main
 * thread, unless said otherwise. */
#pragma once

#include "api/api.h"
#include "base/config.h"

/* For `skylark config check`: whether a carrier could be started; if not, `why` names its section
 * and the remedy. */
bool live_carrier_good(const struct config_carrier *carrier, char *why, size_t why_size);

/* The same of an MMSC. */
bool live_mmsc_good(const struct config_mmsc *mmsc, char *why, size_t why_size);

struct live;

struct live_options {
    struct store *store;
    struct writer *writer;
    struct loop *loop; /* the engine's */
    struct dispatch *dispatch;
    struct optouts *optouts;
    const struct clock *clock;
    struct mm7_wire *wire; /* the way out to MMSCs */
};

enum { LIVE_WHY_SIZE = 2048, LIVE_POLL_MS = 100 };

/* Before the engine starts; the writer runs. Brings up the carriers of the configuration. `why` is
 * a line for the operator. */
int live_new(struct live **ret, const struct live_options *options, const struct config *config,
             char why[LIVE_WHY_SIZE]);
/* From now on the API has the routing and the prices in force. */
void live_serve(struct live *l, struct api *api);

/* Carriers and routes of a configuration that was read again; binds that did not change are kept.
 * Negative errno: `why` says what is wrong, and everything is as it was. */
int live_update(struct live *l, const struct config *config, char why[LIVE_WHY_SIZE]);
/* Sees what the command line has written: prices, and carriers that are drained or enabled. Every
 * LIVE_POLL_MS. */
void live_poll(struct live *l);

/* What the listener of MMSCs needs. The first two live as long as live mode. */
struct receipts *live_receipts(struct live *l);
struct arrivals *live_arrivals(struct live *l);
/* The number of a carrier in the configuration; 0: there is none of this name. */
unsigned live_carrier_number(const struct live *l, const char *name);
/* A receipt came in from this carrier and is on disk; `stray`: no message was found for it. On the
 * engine's thread. */
void live_count_receipt(struct live *l, unsigned carrier, bool stray);

/* Unbinds from all carriers, while the engine and the writer still run. */
void live_stop(struct live *l);
/* After the engine, the writer and the API have stopped, and dispatch_close. */
void live_free(struct live *l);
