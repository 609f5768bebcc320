/* Tries a carrier: connects and binds as the server would, asks for a sign of life, and unbinds. No
 * message is sent, and what the carrier delivers meanwhile is told to come again. */
#pragma once

#include "carriers/smpp_settings.h"

/* A step is over; a sentence about it. From another thread. */
typedef void trial_tell(void *context, const char *step, bool good, const char *result, int64_t ms);

/* Whether all steps went well; separate binds are tried one after the other. */
bool trial_run(const struct smpp_settings *settings, trial_tell *tell, void *context);
