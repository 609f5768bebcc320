/* What the files of analytics share: the question, and the reports that answer it. */
#pragma once

#include "api/call.h"
#include "messaging/analytics.h"

struct analytics_query {
    struct time_range_query range_text;
    struct time_range range;
    struct rollup_query rollups; /* whose, when, which */
    bool filtered;               /* not all messages count */
};

/* analytics_query.c: false with the problem. */
bool analytics_query_read(struct call *c, struct analytics_query *q, struct problem *p);

struct measure_list {
    const enum measure *items;
    size_t count;
};
#define MEASURE_LIST(list)                                                                         \
    {                                                                                              \
        (list), sizeof(list) / sizeof *(list)                                                      \
    }

struct analysis;

/* A report: which figures of which sums it shows. */
struct report {
    const char *name;
    struct measure_list totals, data, groups;
    enum measure order;                              /* lists of groups are sorted by */
    bool with_currency;                              /* it stands once, for all amounts */
    bool with_times, with_requests, with_projection; /* what has to be read */
    /* The members behind `data`. */
    void (*put_rest)(struct json_writer *w, const struct analysis *a);
};
extern const struct report usage_report, delivery_report, costs_report;

/* A report's answer, before it is written. */
struct analysis {
    const struct report *report;
    enum mode mode;
    struct analytics sums;
    bool has_projection;
    int64_t projected_micros;
};

#define ANALYTICS_CURRENCY "USD" /* of all prices (messaging/price.h) */

/* analytics_json.c, analytics_csv.c: the body. */
void analysis_put_json(struct json_writer *w, const struct analysis *a);
void analysis_put_csv(struct buf *out, const struct analysis *a);
