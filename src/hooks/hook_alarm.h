/* Alarms: who wants to be woken when, the next one first. A heap, because there may be one for each
 * of many thousand endpoints. Pure: the caller looks at the clock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A member of what is to be woken; zeroed when it is not set. */
struct hook_alarm {
    int64_t at_us;
    size_t place; /* in the heap, from 1; 0 = not set */
};

struct hook_alarms {
    struct hook_alarm **heap;
    size_t count, size;
};

void hook_alarms_done(struct hook_alarms *all);
/* Room for so many in all; false when memory is short. Setting one never fails then. */
bool hook_alarms_reserve(struct hook_alarms *all, size_t count);
/* Earlier or later than before, too. */
void hook_alarm_set(struct hook_alarms *all, struct hook_alarm *a, int64_t at_us);
void hook_alarm_clear(struct hook_alarms *all, struct hook_alarm *a);
/* The earliest, or NULL. */
struct hook_alarm *hook_alarms_first(const struct hook_alarms *all);
