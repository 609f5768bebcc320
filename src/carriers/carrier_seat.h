/* One carrier's place in the set: from one set of settings to the next, with what stands between
 * them, because stopping takes time. Engine's thread. */
#pragma once

#include "carriers/live_carrier.h"

struct carrier_seat {
    struct carrier_seat *next;
    struct live_carrier *carrier;
    struct dispatch *dispatch;
    struct live_settings *wanted; /* to be started with; NULL: what runs is right */
    bool configured;              /* it is in the configuration */
    bool in_lane;                 /* dispatch has it */
    bool stopping;
    bool leaving;                /* the program ends */
    struct carrier_record noted; /* as the store knows it */
    void (*left)(void *context); /* the program ends, and it has stopped */
    void *context;
};

/* Its lane is there; it does not run. */
int carrier_seat_new(struct carrier_seat **ret, const struct live_kind *kind,
                     const struct live_carrier_options *options,
                     const struct carrier_record *record);
void carrier_seat_free(struct carrier_seat *s);

bool carrier_seat_is(const struct carrier_seat *s, const char *name);
/* What it shall run with: the settings are the seat's. When it runs with the same, or is about to,
 * nothing happens. NULL: it is not in the configuration any more. */
void carrier_seat_want(struct carrier_seat *s, struct live_settings *settings);
/* The program ends. */
void carrier_seat_leave(struct carrier_seat *s, void (*left)(void *context), void *context);
void carrier_seat_tick(struct carrier_seat *s);
