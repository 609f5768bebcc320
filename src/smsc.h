/* `skylark smsc`: a carrier for one's own machine, to try live mode with and to measure against. It
 * takes any bind, prints what it is sent, answers, and delivers receipts and what is typed. */
#pragma once

#include "cli/cli.h"

/* Runs until SIGTERM or SIGINT; the exit code of the program. */
int smsc_run(const struct smsc_options *options);
