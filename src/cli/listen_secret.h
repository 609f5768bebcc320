/* The secret that `skylark webhooks listen` signs with: made once, then always the same, so that a
 * receiver in development keeps its settings. It lies in the data folder, or where that is not to
 * be had, in the user's folder of settings. */
#pragma once

#include "cli/command.h"
#include "view/signature.h"

/* An exit code; other than CLI_OK the user has been told. */
int listen_secret(const struct invocation *in, char out[SECRET_SIZE + 1]);
