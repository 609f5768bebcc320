/* Which sender a message goes out from, and which way.
 *
 * A sender belongs to a zone, that is a calling code. One that has no route to the destination is
 * passed over. */
#pragma once

#include "messaging/number.h"
#include "messaging/problem.h"
#include "messaging/routing.h"

/* What networks carry, whoever the sender is. */
bool sender_reaches(const struct sender *s, const struct number_place *to);
/* Whether an account may send from it. */
bool sender_open_to(const struct sender *s, int64_t account);

/* What is asked of a route. */
struct route_query {
    const struct routing *routing;
    int64_t account;
    struct str number; /* the destination, and where that is */
    struct number_place to;
    enum message_kind kind;
    enum message_type type;
    struct str from; /* the sender that the client wants; p == NULL: the best one */
    uint32_t dice;   /* random: decides among equal routes */
    bool links;      /* media go as links: only from a sender that is meant to */
};

struct route_choice {
    const struct sender *sender;
    const struct carrier_route *route; /* NULL in test mode */
    enum coverage coverage;
    enum route_reason reason;
};

/* False, with a problem, when no sender reaches the destination, or not the one that is wanted. */
bool route_choose(const struct route_query *q, struct route_choice *ret, struct arena *a,
                  struct problem *problem);

/* A sender or a route that was passed over, and why: a sentence. */
struct route_refusal {
    const struct sender *sender; /* or NULL, and: */
    const struct carrier_route *route;
    const char *why;
};

/* Of all senders of the account but `chosen` (an address), in the order of the table; then of all
 * routes to the destination but the one to the carrier of this number. How many; `ret` has room for
 * all senders and routes. */
size_t route_explain(const struct route_query *q, struct str chosen, unsigned carrier,
                     struct arena *a, struct route_refusal *ret);
