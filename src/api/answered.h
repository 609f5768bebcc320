/* What is noted of every request once it is answered: counts for the operator, and a line in the
 * log for those that are to have one. */
#pragma once

#include "base/str.h"

/* Which part of the API a path pattern belongs to: METRIC_HANDLER_…. */
unsigned handler_of(const char *pattern);

enum { LOGGED_PATH_SIZE = 256 };

/* A path as it may be logged: whatever in it could be a phone number is masked, however it is
 * written; of a long one the beginning. */
void path_for_log(struct str path, char out[LOGGED_PATH_SIZE]);
