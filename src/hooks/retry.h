/* When a delivery that failed is tried again: 1 minute, 5 minutes, 30 minutes, 2 hours and 24 hours
 * after the failure before, each a tenth more or less. Pure: the caller brings time and chance. */
#pragma once

#include "base/str.h"

enum { RETRY_TRIES = 6 }; /* of a round; after the last one the delivery has failed */

#define RETRY_AFTER_MAX_US (24 * INT64_C(3600000000))

/* How long to wait after so many failed tries; `random` is any number. 0: that was the last. */
int64_t retry_delay_us(unsigned tries, uint64_t random);
/* How long the header Retry-After asks to wait, as seconds or as a date of HTTP, a day at most;
 * 0 when it asks for nothing or cannot be read. */
int64_t retry_after_us(struct str header, int64_t now_us);
