/* The history of a message, put together from what its rows tell: the message itself and the events
 * beside it. */
#pragma once

#include "base/arena.h"
#include "store/records.h"

/* X(name, word in the API). In the order of causes: what leads to another stands before it. */
#define TIMELINE_TYPES(X)                                                                          \
    X(ACCEPTED, "accepted")                                                                        \
    X(ROUTED, "routed")                                                                            \
    X(SCHEDULED, "scheduled")                                                                      \
    X(QUEUED, "queued")                                                                            \
    X(POSSIBLE_DUPLICATE, "possible_duplicate")                                                    \
    X(RETRY, "retry")                                                                              \
    X(FAILOVER, "failover")                                                                        \
    X(CARRIER_ANSWER, "carrier_answer")                                                            \
    X(SENT, "sent")                                                                                \
    X(RECEIPT, "receipt")                                                                          \
    X(DELIVERED, "delivered")                                                                      \
    X(FAILED, "failed")                                                                            \
    X(CANCELLED, "cancelled")                                                                      \
    X(RECEIVED, "received")                                                                        \
    X(OPTED_OUT, "opted_out")                                                                      \
    X(OPTED_IN, "opted_in")                                                                        \
    X(LATE_RECEIPT, "late_receipt")

enum timeline_type {
#define X(name, word) TIMELINE_##name,
    TIMELINE_TYPES(X)
#undef X
};

const char *timeline_word(enum timeline_type type);

struct timeline_entry {
    enum timeline_type type;
    int64_t at_us;
    struct str description; /* a sentence for people */
    enum failure failure;   /* of TIMELINE_FAILED */
};

/* Oldest first; views point into the message, the events and the arena. 0, or -ENOMEM. */
int timeline_make(const struct message *m, const struct event_record *events, size_t event_count,
                  struct arena *a, struct timeline_entry **ret, size_t *ret_count);
