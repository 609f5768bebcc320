/* A carrier's section of the configuration, in the words of SMPP. Pure. */
#pragma once

#include "base/config.h"
#include "carriers/smpp_submit.h"

/* False: `why` names the setting and the remedy. The manner points into the section. */
bool smpp_manner_read(const struct config_carrier *config, struct smpp_manner *ret, char *why,
                      size_t why_size);
/* What is asked for when binding: 0x33, 0x34, 0x50. */
uint8_t smpp_manner_version(const struct config_carrier *config);
