/* Counts of messages that can be put together: the counts of two hours added are those of both,
 * also the times of delivery.
 *
 * Times are counted in slots that grow with the time: one for each millisecond below 8, and 8 for
 * each doubling from there on. So the middle of a slot is off by 6.3 per cent at most. The numbers
 * of the slots are on disk. */
#pragma once

#include "base/arena.h"
#include "store/records.h"

enum {
    ROLLUP_TIME_SLOTS = 256,   /* the last takes all above half a year */
    ROLLUP_FAILURE_SLOTS = 32, /* room for every enum failure */
};

/* Nothing was paid for a message that ended so. sent_us: 0 = never. */
bool message_is_free(enum message_status status, enum failure failure, int64_t sent_us);

/* How long it took, from sent to delivered; a clock that was turned back makes no time of it. */
int64_t rollup_time_ms(int64_t sent_us, int64_t delivered_us);
unsigned rollup_time_slot(int64_t ms);
/* The lowest time of a slot, and the one in its middle. */
int64_t rollup_slot_low_ms(unsigned slot);
int64_t rollup_slot_middle_ms(unsigned slot);

/* One more in a slot. False when memory is short, which changes nothing. */
bool rollup_slot_add(struct rollup_slots *slots, unsigned slot, int64_t count, struct arena *a);
/* Adds one to the other, which may be zeroed. What the slots need is in the arena. False when
 * memory is short; then the sum is of no use. */
bool rollup_add(struct rollup *sum, const struct rollup *other, struct arena *a);

/* How many were delivered in a time that is known. */
int64_t rollup_timed(const struct rollup *r);
/* The time in which this part of them, in per cent from 1 on, was delivered: the middle of the slot
 * of the one at that rank, rounded up. -1 when there is none. */
int64_t rollup_quantile_ms(const struct rollup *r, unsigned percent);

/* A message that is counted: what is new of it. */
struct rollup_change {
    int64_t owner, series, id;     /* whose, in which series, and its number */
    int64_t accepted;              /* 1: it was not counted before */
    bool inbound, mms;             /* told when it was not */
    enum message_status from, to;  /* from 0: from none */
    int64_t segments, cost_micros; /* more than before */
    enum failure failure;          /* that it ended with; 0 = none */
    int64_t time_ms;               /* from sent to delivered; -1 = none */
};

/* Of a message as it stands, which was not counted before. */
void rollup_change_of(struct rollup_change *ret, const struct message *m, int64_t series);
/* False when memory is short. */
bool rollup_count(struct rollup *r, const struct rollup_change *c, struct arena *a);

bool rollup_same(const struct rollup *a, const struct rollup *b);
