/* What tests of carriers share: a carrier's section with what the configuration says by default. */
#pragma once

#include "base/config.h"

struct config_carrier test_carrier_config(void);
