/* What happened in a minute, second by second, in one row.
 *
 *   pack   = second…
 *   second = number, which, count…
 *
 * `number` and `which` are bytes: 0 to 59 in ascending order, and bits for the counts that follow.
 * Counts are numbers as in varint.h, and never 0: most seconds have few of them, and most minutes
 * few seconds. */
#pragma once

#include "store/records.h"

enum pulse_slot {
    PULSE_QUEUED, /* messages that were queued in this second and still are */
#define X(member) PULSE_##member,
    PULSE_COUNTS(X)
#undef X
        PULSE_SLOTS
};

enum { PULSE_SECONDS = 60, PULSE_PACK_SIZE = PULSE_SECONDS * (2 + PULSE_SLOTS * 5) };

struct pulse_counts {
    uint64_t seconds; /* bits: which may have a count */
    uint32_t at[PULSE_SECONDS][PULSE_SLOTS];
};

/* Changes a count, which goes neither below 0 nor beyond what it can hold; how much it has changed.
 */
int64_t pulse_add(struct pulse_counts *c, unsigned second, enum pulse_slot slot, int64_t delta);
/* How many bytes. */
size_t pulse_pack(const struct pulse_counts *c, uint8_t bytes[PULSE_PACK_SIZE]);
/* False, and nothing is in *ret, when the bytes make no sense. */
bool pulse_unpack(struct pulse_counts *ret, const uint8_t *bytes, size_t n);
/* Without what is queued. */
void pulse_tell(const struct pulse_counts *c, int64_t minute, struct pulse_minute *ret);
/* How many are queued. */
int64_t pulse_queued(const struct pulse_counts *c);
