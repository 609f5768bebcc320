/* What messages come to: counts that can be added up, and the figures that are told of them. */
#pragma once

#include "messaging/delivery_times.h"

enum { SUM_NOT_COUNTED = -1 };

struct sum {
    int64_t messages; /* outbound, as all that follows up to `inbound` */
    int64_t sms, mms;
    int64_t segments;
    int64_t cost_micros;
    int64_t statuses[STATUS_SLOTS];
    int64_t delivery_ms; /* of all delivered ones together */
    int64_t inbound;
    int64_t requests;             /* or SUM_NOT_COUNTED */
    struct delivery_times *times; /* NULL: none, or not wanted */
};

/* All but requests and times. */
void sum_add(struct sum *s, const struct sum *more);
/* A rollup of a series. */
void sum_add_rollup(struct sum *s, const struct series_record *series, const struct rollup *r);

/* What can be told of a sum. X(name, word in the API) */
#define MEASURES(X)                                                                                \
    X(MESSAGES, "messages")                                                                        \
    X(SEGMENTS, "segments")                                                                        \
    X(SMS, "sms")                                                                                  \
    X(MMS, "mms")                                                                                  \
    X(INBOUND, "inbound")                                                                          \
    X(REQUESTS, "requests")                                                                        \
    X(COST, "cost")                                                                                \
    X(TOTAL, "total") /* the same as messages */                                                   \
    X(SCHEDULED, "scheduled")                                                                      \
    X(QUEUED, "queued")                                                                            \
    X(SENT, "sent")                                                                                \
    X(DELIVERED, "delivered")                                                                      \
    X(FAILED, "failed")                                                                            \
    X(CANCELLED, "cancelled")                                                                      \
    X(DELIVERY_RATE, "deliveryRate")                                                               \
    X(FAILURE_RATE, "failureRate")                                                                 \
    X(AVERAGE_SECONDS, "averageDeliverySeconds")                                                   \
    X(P95_SECONDS, "p95DeliverySeconds")                                                           \
    X(AMOUNT, "amount") /* the same as cost, where the currency stands elsewhere */                \
    X(PER_MESSAGE, "averagePerMessage")                                                            \
    X(PER_SEGMENT, "averagePerSegment")

enum measure {
#define X(name, word) MEASURE_##name,
    MEASURES(X)
#undef X
        MEASURE_COUNT
};

const char *measure_word(enum measure m);

enum figure_kind {
    FIGURE_NONE,    /* there is nothing to tell */
    FIGURE_COUNT,   /* a whole number */
    FIGURE_DECIMAL, /* in millionths */
    FIGURE_MONEY,   /* in millionths of the currency, which belongs to it */
};

struct figure {
    enum figure_kind kind;
    int64_t value;
};

struct figure sum_figure(const struct sum *s, enum measure m);
