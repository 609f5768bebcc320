/* Makes the routing of live mode from the configuration. */
#pragma once

#include "base/config.h"
#include "messaging/routing.h"

enum { ROUTING_WHY_SIZE = 2048 };

/* Where what the configuration names is found. */
struct routing_source {
    const struct config *config;
    /* The carrier of this name, which is there; it must outlive the routing. */
    struct carrier *(*carrier)(void *context, const char *name);
    /* The number of an account; 0: there is none. NULL: names of accounts are not looked at, and
     * whoever has one is everybody's. */
    int64_t (*account)(void *context, const char *name);
    void *context;
};

/* Copies all that it needs. -EINVAL: `why` has a line for each fault, with file and line.
 * Without routes in the configuration, each carrier is a route to everywhere. */
int routing_make(struct routing **ret, const struct routing_source *source,
                 char why[ROUTING_WHY_SIZE]);
void routing_free(struct routing *r);
