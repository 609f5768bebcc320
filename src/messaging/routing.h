/* What messages go out with: senders, carriers, and the routes that lead to them. Read-only once
 * made (routing_config.c) and shared by all threads; swapped whole when the configuration is read
 * again. Test mode has a built-in one.
 *
 * A route is a way to the destinations that begin with its prefix. Of the routes that a message can
 * take, the one with the longest prefix comes first, then the one with the least priority. Among
 * equals chance decides, in proportion to weight and to the health of the carriers. Routes of
 * weight 0 come after all others, the cheapest of equal ones first. A route whose carrier is down
 * is passed over; when all are down the message takes the one it would have taken, and waits. */
#pragma once

#include "base/arena.h"
#include "messaging/carrier.h"

enum { ROUTING_CARRIERS_MAX = 64 };

struct sender {
    struct str address; /* "+18005551234", or letters */
    enum number_type type;
    unsigned calling_code;        /* zone it is at home in; 0 for letters, at home nowhere */
    unsigned messages_per_minute; /* what networks let such a sender send */
    bool no_sms, no_media;        /* what it cannot do */
    bool links;                   /* where no MMS goes, media go as links in an SMS */
    uint64_t carriers;            /* bits of places in routing.carriers; 0: all of them */
    int64_t account; /* who may use it and gets what is sent to it; 0: all, the first */
};

struct sender_table {
    const struct sender *senders; /* among equals the first is taken */
    size_t count;
    const uint16_t *by_address; /* places in order of addresses; NULL: looked for one by one */
};

const struct sender *sender_find(const struct sender_table *table, struct str address);

/* A way to some destinations. */
struct carrier_route {
    struct str name;
    char prefix[PREFIX_MAX + 1]; /* digits without +; "" is everywhere */
    uint32_t types;              /* bits of enum message_type; 0: all */
    uint32_t kinds;              /* bits of enum message_kind; 0: all */
    unsigned carrier;            /* place in routing.carriers */
    unsigned priority;           /* among equal prefixes the least comes first */
    unsigned weight;             /* share among equals; 0: only when no other is left */
    int64_t cost_micros;         /* what the carrier takes per segment */
    int64_t failover_us;         /* a message that waits longer goes another route; 0: never */
};

struct routing {
    struct sender_table senders;
    const struct carrier_route *routes; /* sorted by routing_sort */
    size_t route_count;
    uint32_t lengths;                               /* bits of lengths that prefixes have */
    struct carrier *carriers[ROUTING_CARRIERS_MAX]; /* outlive every routing that names them */
    size_t carrier_count; /* 0: the sender alone decides, as in test mode */
};

extern const struct routing routing_test;
extern const struct routing routing_none; /* a live installation without carriers */

/* Puts the routes into the order in which they are found, and notes the lengths. */
void routing_sort(struct routing *r, struct carrier_route *routes, size_t count);

/* Carriers (bits of places) that a route leads to for such messages, whatever the sender. */
uint64_t routing_carriers(const struct routing *r, struct str to, enum message_kind kind,
                          enum message_type type);
/* Those of them that take this sender; NULL takes any. */
static inline uint64_t sender_carriers(const struct sender *s)
{
    return s && s->carriers ? s->carriers : UINT64_MAX;
}

/* The route of a message with this sender; health and weight decide among equals, `dice` is random.
 * NULL when there is none. *ret_failover: the best one was passed over because its carrier is down.
 */
const struct carrier_route *routing_choose(const struct routing *r, const struct sender *sender,
                                           struct str to, enum message_kind kind,
                                           enum message_type type, uint32_t dice,
                                           bool *ret_failover);
/* The next one for a message that these carriers (bits of places) could not take; NULL: none. */
const struct carrier_route *routing_next(const struct routing *r, const struct message *m,
                                         uint64_t tried, uint32_t dice);
/* The place of the carrier with this number, or -1. */
int routing_place(const struct routing *r, unsigned carrier);

/* A route to the destination, and why a message cannot take it: a sentence; NULL when it can. */
struct routing_step {
    const struct carrier_route *route;
    const char *why;
};

/* All routes to the destination in the order in which they come, with those that cannot be taken
 * among them; how many. `ret` has room for all routes. */
size_t routing_steps(const struct routing *r, const struct sender *sender, struct str to,
                     enum message_kind kind, enum message_type type, struct arena *a,
                     struct routing_step *ret);
/* Whether a comes before b; false also when chance decides between them. */
bool route_before(const struct carrier_route *a, const struct carrier_route *b);
