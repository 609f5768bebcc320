/* The history of a message, put together from what its rows tell: the message itself, the events
 * beside it, and how clients were told. */
#pragma once

#include "base/arena.h"
#include "store/records.h"

/* X(name, word in the API). In the order of causes: what leads to another stands before it. */
#define TIMELINE_TYPES(X)                                                                          \
    X(ACCEPTED, "accepted")                                                                        \
    X(ROUTED, "routed")                                                                            \
    X(SCHEDULED, "scheduled")                                                                      \
    X(QUEUED, "queued")                                                                            \
    X(MEDIA, "media")                                                                              \
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
    X(LATE_RECEIPT, "late_receipt")                                                                \
    X(WEBHOOK_DELIVERED, "webhook_delivered")                                                      \
    X(WEBHOOK_FAILED, "webhook_failed")

enum timeline_type {
#define X(name, word) TIMELINE_##name,
    TIMELINE_TYPES(X)
#undef X
};

const char *timeline_word(enum timeline_type type);

/* A try to tell a client of it. */
struct timeline_try {
    int64_t endpoint, delivery;
    enum notice_kind kind;
    struct attempt_record attempt;
};

struct timeline_entry {
    enum timeline_type type;
    int64_t at_us;
    struct str description;           /* a sentence for people */
    enum failure failure;             /* of TIMELINE_FAILED */
    const struct timeline_try *tried; /* of TIMELINE_WEBHOOK_… */
};

/* What it is put together from. */
struct timeline_sources {
    const struct message *message;
    const struct event_record *events;
    size_t event_count;
    const struct timeline_try *tries;
    size_t try_count;
};

/* Oldest first; views point into the sources and the arena. 0, or -ENOMEM. */
int timeline_make(const struct timeline_sources *from, struct arena *a, struct timeline_entry **ret,
                  size_t *ret_count);
