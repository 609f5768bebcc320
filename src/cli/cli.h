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

/* What `skylark smsc` is asked for. */
struct smsc_options {
    const char *listen;
    const char *tls_dir; /* folder of its certificate; NULL: no TLS */
    const char *log;     /* file for a line about each submit_sm, or NULL */
    unsigned fail_percent, throttle;
    bool silent, quiet;
};

/* What the folders above know. */
struct cli_programs {
    /* These run until they are told to stop, and return the exit code. Takes the configuration
     * over; the source is for loading it again. */
    int (*serve)(struct config *config, const struct config_source *source);
    int (*smsc)(const struct smsc_options *options);
    /* Whether a carrier, or an MMSC, could be started; if not, `why` names its section and the
     * remedy. */
    bool (*carrier_good)(const struct config_carrier *carrier, char *why, size_t why_size);
    bool (*mmsc_good)(const struct config_mmsc *mmsc, char *why, size_t why_size);
    /* Whether what webhooks and media may reach and trust can be read; if not, a line for each
     * fault. */
    bool (*reach_good)(const struct config *config, struct buf *faults);
};

int cli_main(int argc, char **argv, char *const *environment, const struct cli_programs *programs);
