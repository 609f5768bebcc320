/* What a month will come to, if it goes on as it began. */
#pragma once

#include "messaging/time_range.h"

/* The running month, in UTC, up to the end of the running hour. */
struct time_range month_so_far(int64_t now_us);
/* The whole month's amount, to the nearest, from what there is so far; false when nothing of it has
 * passed. Past all bounds it is INT64_MAX. */
bool month_projection(int64_t so_far_micros, int64_t now_us, int64_t *ret_micros);
