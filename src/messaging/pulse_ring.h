/* What happened to the messages of one owner lately: rings of seconds and minutes, made from what
 * the store keeps and read on from there. So they survive a restart, and cost the same however much
 * happened.
 *
 * A window of n seconds is the running second, as far as it has come, and the n - 1 before it, by
 * the clock that the events were written with. It slides from second to second and is exact: of the
 * minute in which it begins only the seconds inside are counted. What lies in the future, because
 * the clock was put back, is counted when its time has come.
 *
 * Owned by one thread. */
#pragma once

#include "store/store.h"

struct pulse_ring;

/* NULL when memory is short. */
struct pulse_ring *pulse_ring_new(int64_t account, enum mode mode);
void pulse_ring_free(struct pulse_ring *r);

/* Reads what is new; 0, or the reader's negative errno, after which it is read from the start. */
int pulse_ring_read(struct pulse_ring *r, struct store_reader *reader, int64_t now_us);

enum { PULSE_RATE_SECONDS = 10 };

struct pulse_view {
    struct pulse minute, hour, day; /* the last 60, 3,600 and 86,400 seconds */
    struct pulse rate;              /* the last PULSE_RATE_SECONDS that are over */
};

/* As it was read last. */
void pulse_ring_view(const struct pulse_ring *r, int64_t now_us, struct pulse_view *ret);
