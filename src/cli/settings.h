/* What only the other parts of the program can tell of a configuration. */
#pragma once

#include "cli/command.h"

/* CLI_OK, or CLI_BAD_CONFIG and the user has been told of all faults. Of a configuration with
 * faults that are told already, those sections that have them are left out. */
int settings_check(const struct invocation *in, const struct config *c);
