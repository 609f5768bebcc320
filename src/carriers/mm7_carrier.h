/* A carrier over MM7: an MMSC that takes messages by HTTP, with a window, a rate, and what its
 * words mean to us. */
#pragma once

#include "carriers/live_carrier.h"

/* Its settings are struct mm7_settings. */
extern const struct live_kind mm7_carrier_kind;
