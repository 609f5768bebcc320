/* Which sender a message goes out from.
 *
 * A sender belongs to a zone, that is a calling code. A table of senders is read-only once made
 * and shared by all threads; test mode has a built-in one, live mode has what carriers offer. */
#pragma once

#include "messaging/carrier.h"
#include "messaging/number.h"
#include "messaging/problem.h"
#include "store/records.h"

struct sender {
    struct str address; /* "+18005551234", or letters */
    enum number_type type;
    unsigned calling_code;        /* zone it is at home in; 0 for letters, at home nowhere */
    unsigned messages_per_minute; /* what networks let such a sender send */
    bool no_sms, no_media;        /* what it cannot do */
    uint64_t carriers;            /* bits of places in routing.carriers; 0: all of them */
    int64_t account; /* who may use it and gets what is sent to it; 0: all, the first */
};

struct sender_table {
    const struct sender *senders; /* among equals the first is taken */
    size_t count;
};

extern const struct sender_table senders_test;
extern const struct sender_table senders_none; /* a live installation without carriers */

/* What networks carry, whoever the sender is. */
bool sender_reaches(const struct sender *s, const struct number_place *to);

/* What is asked of a route. */
struct route_query {
    const struct sender_table *table;
    struct number_place to;
    enum message_kind kind;
    struct str from; /* the sender that the client wants; p == NULL: the best one */
};

struct route_choice {
    const struct sender *sender;
    enum coverage coverage;
    enum route_reason reason;
};

/* False, with a problem, when no sender reaches the destination, or not the one that is wanted. */
bool route_choose(const struct route_query *q, struct route_choice *ret, struct arena *a,
                  struct problem *problem);

/* A sender that was passed over, and why: a sentence. */
struct route_refusal {
    const struct sender *sender;
    const char *why;
};

/* Of all senders but `chosen` (an address), in the order of the table; how many. `ret` has room for
 * the whole table. */
size_t route_explain(const struct route_query *q, struct str chosen, struct arena *a,
                     struct route_refusal *ret);

/* ---- routes: which carrier takes a message (routing.c) ---- */

enum { ROUTING_CARRIERS_MAX = 64 };

/* A way to some destinations. */
struct carrier_route {
    struct str name;
    char prefix[16];     /* digits without +; "" is everywhere */
    uint32_t types;      /* bits of enum message_type; 0: all */
    uint32_t kinds;      /* bits of enum message_kind; 0: all */
    unsigned carrier;    /* place in routing.carriers */
    unsigned priority;   /* among equal prefixes the least comes first */
    unsigned weight;     /* share among equals; 0: only when no other is left */
    int64_t cost_micros; /* what the carrier takes per segment; breaks ties */
    int64_t failover_us; /* a message that waits longer goes another route; 0: never */
};

/* Read-only once made; shared by all threads, swapped whole when the configuration is read again.
 * Made by routing_make (routing_config.c). */
struct routing {
    struct sender_table senders;
    const struct carrier_route *routes;
    size_t route_count;
    struct carrier *carriers[ROUTING_CARRIERS_MAX]; /* outlive every routing that names them */
    size_t carrier_count;
};

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
