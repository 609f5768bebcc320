/* The command line: reads words and options, runs one command, gives the exit code. */
#pragma once

#include "base/config.h"

enum cli_exit {
    CLI_OK = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,
    CLI_AUTH = 4,
    CLI_NOT_FOUND = 5,
    CLI_RATE_LIMITED = 6,
    CLI_UNREACHABLE = 7,
    CLI_TIMED_OUT = 8,
    CLI_BAD_CONFIG = 78,
};

/* Runs the server until it is told to stop; returns the exit code. It takes the configuration
 * over; the source is for loading it again. */
typedef int cli_serve(struct config *config, const struct config_source *source);

int cli_main(int argc, char **argv, char *const *environment, cli_serve *serve);
