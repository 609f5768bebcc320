/* The carrier port: what dispatch asks of a carrier and what it wants to hear back. carriers/
 * implements it (the simulator today). Everything happens on the engine's thread. */
#pragma once

#include "store/records.h"

struct carrier;
struct parcel; /* a message on its way to a carrier; dispatch owns it */

/* The message inside; it lives until the carrier has answered. */
const struct message *parcel_message(const struct parcel *p);

struct carrier_ops {
    /* Takes the parcel and answers for it later, exactly once, with dispatch_answered.
     * -EAGAIN: no room at the moment; the carrier calls dispatch_ready when there is. */
    int (*submit)(struct carrier *c, struct parcel *p);
    /* The message was handed over before the program restarted: expect its receipt again. */
    int (*follow)(struct carrier *c, const struct message *m);
};

struct carrier {
    const char *name;
    const struct carrier_ops *ops;
};
