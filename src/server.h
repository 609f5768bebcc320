/* The server: builds the objects in order, runs them until told to stop, takes them down in
 * reverse. */
#pragma once

#include "base/buf.h"
#include "base/config.h"

/* Runs until SIGTERM or SIGINT; SIGHUP reads the configuration again from `source`.
 * The exit code of the program. Takes the configuration over. */
int server_run(struct config *config, const struct config_source *source);

/* Whether what webhooks and media may reach and trust can be read; if not, a line for each fault is
 * added. */
bool server_reach_good(const struct config *config, struct buf *faults);
