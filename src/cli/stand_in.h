/* The routing that the configuration makes, without a server: carriers that carry nothing stand in
 * for the real ones, and are as well as the server last noted. */
#pragma once

#include "cli/local.h"
#include "messaging/routing_config.h"

struct stand_in {
    struct routing *routing;
    struct carrier carriers[CONFIG_CARRIERS_MAX]; /* then MMSCs; as in the configuration */
    /* How each stands; NULL where no server has noted it lately. */
    const char *states[CONFIG_CARRIERS_MAX];
};

/* With the accounts and the states of the store, or (NULL) without both. CLI_OK; CLI_BAD_CONFIG or
 * CLI_FAILED, and the user has been told. */
int stand_in_make(struct stand_in *s, const struct config *config, struct local *l);
void stand_in_done(struct stand_in *s);
#define STAND_IN_CLEANUP __attribute__((cleanup(stand_in_done)))
