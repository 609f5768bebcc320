/* Times on the command line: "2026-01-31T09:00:00Z", or how long ago: "90s", "15m", "1h", "7d". */
#pragma once

#include "base/clock.h"

/* False: it is neither. */
bool when_parse(const char *text, int64_t now_us, char out[RFC3339_SIZE]);
