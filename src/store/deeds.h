/* What a transaction does to messages, for the operator's metrics: gathered while it runs, counted
 * when it is durable, forgotten when it is not. Of the writing thread. */
#pragma once

#include "base/metric.h"
#include "store/store.h"

enum { DEEDS_MODES = METRIC_WORDS_MODE, DEEDS_FAILURES = METRIC_WORDS_FAILURE };

struct deeds {
    bool any;
    struct {
        unsigned accepted, received, segments;
        unsigned moved[STATUS_SLOTS];        /* by where to */
        struct metric_tally sends, delivers; /* times */
    } modes[DEEDS_MODES];
    unsigned failures[DEEDS_FAILURES];
};

void deeds_forget(struct deeds *d);
void deeds_accepted(struct deeds *d, const struct message *m);
/* `queued_us`, `sent_us`: when it came into these states; 0 = it did not, or nobody knows. */
void deeds_moved(struct deeds *d, enum mode mode, const struct message_move *move,
                 int64_t queued_us, int64_t sent_us);
/* They are on disk. */
void deeds_count(struct deeds *d);
