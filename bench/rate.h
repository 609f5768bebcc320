/* How often something can be done in a second. Counts the core's own time, so that others who run
 * beside it do not matter. */
#pragma once

#include "base/buf.h"

#include <stdint.h>

/* Does it many times, with a buffer to do it in. Returns what it comes to, so that none of it can
 * be left out. */
typedef uint64_t round_fn(struct buf *out);

/* `count` is how many times a round does it. */
double rate_of(round_fn *round, unsigned count, double seconds, uint64_t *sum);
