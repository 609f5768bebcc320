/* What tests of carriers share: the section of a carrier, and of an MMSC, with what the
 * configuration says by default. */
#pragma once

#include "base/config.h"

struct config_carrier test_carrier_config(void);
struct config_mmsc test_mmsc_config(void);
