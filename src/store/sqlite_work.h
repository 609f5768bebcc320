/* What the writer remembers of open messages, so that a move need not read: the rows of `work` that
 * it wrote last. Not finding one says nothing.
 *
 * Messages of one time are moved at about one time. So their places lie side by side, in the order
 * of their numbers: a place is found from where its millisecond begins. A millisecond that was
 * forgotten may begin elsewhere the next time; its stamp tells the places it had before from those
 * it has now. */
#pragma once

#include "base/id.h"
#include "store/records.h"

enum { WORK_SLOTS = 1 << 17, WORK_TIMES = 1 << 15 };

/* A row of `work`: where an open message stands. */
struct work {
    int64_t id, owner, updated_us, sent_us;
    int64_t series; /* that it is counted in */
    uint16_t retry_count, carrier;
    enum message_status status : 8;
    bool hooked : 1; /* the message has an address of its own that is told */
};

/* Owned by the writing thread. All zero: nothing is remembered. */
struct work_memory {
    struct work_slot {
        struct work work;
        uint64_t stamp;
    } slots[WORK_SLOTS];
    struct work_time {
        int64_t ms;
        uint64_t begin; /* place of the first number that it could have */
        uint64_t stamp;
    } times[WORK_TIMES];
    uint64_t next;  /* place behind the one taken last */
    uint64_t stamp; /* given last */
};

/* NULL: not remembered. */
const struct work *work_find(const struct work_memory *m, int64_t id);
void work_remember(struct work_memory *m, const struct work *work);
void work_forget(struct work_memory *m, int64_t id);
void work_forget_all(struct work_memory *m);
