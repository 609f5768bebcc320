/* Tries an MMSC: connects as the server would, judges whom it speaks with, and asks for its page
 * with our credentials. No message is sent. */
#pragma once

#include "carriers/mm7_settings.h"
#include "cli/trial.h"

/* Whether all steps went well. */
bool mmsc_trial_run(const struct mm7_settings *settings, trial_tell *tell, void *context);
/* What a status of HTTP means for whoever has set this up, with a remedy where there is one; false
 * when messages cannot be sent like this. */
bool mmsc_trial_judge(unsigned status, char *result, size_t size);
