/* A carrier over SMPP: several binds, a window, a rate, and what its words mean to us. Behind the
 * carrier port. Engine's thread. */
#pragma once

#include "base/config.h"
#include "messaging/arrivals.h"
#include "messaging/dispatch.h"
#include "messaging/receipts.h"

struct smpp_carrier;

struct smpp_carrier_options {
    const struct config_carrier *config; /* copied */
    unsigned number;                     /* in the store */
    struct loop *loop;
    const struct clock *clock;
    struct dispatch *dispatch;
    struct receipts *receipts;
    struct arrivals *arrivals;
};

/* `why`: what is wrong with its files or settings. */
int smpp_carrier_new(struct smpp_carrier **ret, const struct smpp_carrier_options *options,
                     char *why, size_t why_size);
struct carrier *smpp_carrier_port(struct smpp_carrier *c);
void smpp_carrier_start(struct smpp_carrier *c);
/* Drained: takes nothing new, and goes on to receive. */
void smpp_carrier_drain(struct smpp_carrier *c, bool drained);
/* Whether the settings are those it runs with. */
bool smpp_carrier_same(const struct smpp_carrier *c, const struct config_carrier *config);
/* Gives back what it has, unbinds; `stopped` is called when all binds are gone. */
void smpp_carrier_stop(struct smpp_carrier *c, void (*stopped)(void *context), void *context);
void smpp_carrier_free(struct smpp_carrier *c);
/* Fills all but id, name and drained. */
void smpp_carrier_state(const struct smpp_carrier *c, struct carrier_record *ret);
