/* A carrier over SMPP: several binds, a window, a rate, and what its words mean to us. */
#pragma once

#include "carriers/live_carrier.h"
#include "carriers/smpp_settings.h"

/* Its settings are struct smpp_settings. */
extern const struct live_kind smpp_carrier_kind;
