/* skylark route explain: what is found (route.c) and how it looks (route_print.c). */
#pragma once

#include "cli/stand_in.h"
#include "messaging/price.h"
#include "messaging/route.h"

struct explanation {
    struct stand_in stand_in;
    struct route_query query;
    struct route_choice choice; /* sender NULL: there is none, and: */
    struct problem problem;     /* of query.links: why it is not an MMS */
    struct price price;
    struct routing_step *steps; /* routes to the destination in their order */
    size_t step_count;
    struct route_refusal *refusals; /* senders that are not taken */
    size_t refusal_count;
};

void explanation_print(const struct explanation *e, enum output_format format);
