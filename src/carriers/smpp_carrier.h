/* A carrier over SMPP: several binds, a window, a rate, and what its words mean to us. Behind the
 * carrier port. Engine's thread, but for _new and _free.
 *
 * It exists as long as any routing may name it; between start and stop it runs with one set of
 * settings, and it can be started again with others. */
#pragma once

#include "carriers/smpp_settings.h"
#include "messaging/arrivals.h"
#include "messaging/dispatch.h"
#include "messaging/receipts.h"

struct smpp_carrier;

struct smpp_carrier_options {
    struct loop *loop;
    const struct clock *clock;
    struct dispatch *dispatch;
    struct receipts *receipts;
    struct arrivals *arrivals;
};

/* Its name, number, whether it is drained, and what it has counted so far are in the record. */
int smpp_carrier_new(struct smpp_carrier **ret, const struct smpp_carrier_options *options,
                     const struct carrier_record *record);
/* When it does not run, and nothing that it began will come back any more. */
void smpp_carrier_free(struct smpp_carrier *c);
struct carrier *smpp_carrier_port(struct smpp_carrier *c);

/* Binds; the settings are the carrier's from now on. -ENOMEM: nothing has happened. */
int smpp_carrier_start(struct smpp_carrier *c, struct smpp_settings *settings);
/* Gives back what it has not sent, waits a moment for answers to what it has, and unbinds. When all
 * is answered for and all binds are gone, `stopped` is called. */
void smpp_carrier_stop(struct smpp_carrier *c, void (*stopped)(void *context), void *context);
/* Dispatch has dropped it and tells it nothing more. While it does not run. */
void smpp_carrier_forget(struct smpp_carrier *c);
/* What it runs with; NULL: it does not run. */
const struct smpp_settings *smpp_carrier_settings(const struct smpp_carrier *c);

/* Drained: takes nothing new, and goes on to receive. */
void smpp_carrier_drain(struct smpp_carrier *c, bool drained);
/* Each second: the rate recovers, and a bind that moves nothing while work waits is bound anew. */
void smpp_carrier_tick(struct smpp_carrier *c);
/* Fills all but told_us. */
void smpp_carrier_state(const struct smpp_carrier *c, struct carrier_record *ret);
