/* Reports as they should be, counted from the facts of a history one by one: by other code than the
 * program's, with the C library's calendar. */
#pragma once

#include "api/test_history.h"

struct expectation {
    size_t key;             /* of history_keys */
    int64_t from_us, to_us; /* of the period */
    const char *interval;
    const char *country, *tag, *from; /* NULL: any */
    int type;                         /* an enum message_type; 0 = any */
    int64_t now_us;
};

void expect_usage(struct buf *out, const struct expectation *e);
void expect_delivery(struct buf *out, const struct expectation *e);
void expect_costs(struct buf *out, const struct expectation *e);
/* The tables. */
void expect_usage_csv(struct buf *out, const struct expectation *e);
void expect_delivery_csv(struct buf *out, const struct expectation *e);
void expect_costs_csv(struct buf *out, const struct expectation *e);
