/* Which sender a message goes out from.
 *
 * A sender belongs to a zone, that is a calling code. A table of senders is read-only once made
 * and shared by all threads; test mode has a built-in one, live mode has what carriers offer. */
#pragma once

#include "messaging/number.h"
#include "messaging/problem.h"
#include "store/records.h"

struct sender {
    struct str address; /* "+18005551234", or letters */
    enum number_type type;
    unsigned calling_code;        /* zone it is at home in; 0 for letters, at home nowhere */
    unsigned messages_per_minute; /* what networks let such a sender send */
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
