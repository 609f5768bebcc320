/* A secret that a command is given: from the file that --secret-file names, from standard input for
 * -, or from a variable of the environment; never as a word of the command line, which everybody on
 * the machine can see. */
#pragma once

#include "cli/command.h"

enum { SECRET_INPUT_MAX = 64 << 10 };

/* Adds it as it stands there, a line end behind it included. `variable` may be NULL. Without any
 * source nothing is added. An exit code; other than CLI_OK the user has been told. */
int secret_input(const struct invocation *in, const char *variable, struct buf *out);
