/* GET /v1/analytics/…: what messages come to, from the rollups that the store keeps. No message is
 * looked at, so an answer costs the same however many there are. */
#include "api/analytics.h"

#include "api/accept.h"
#include "messaging/projection.h"

#include <errno.h>

/* A year by the hour, with the times of each: far more than any answer has come to. */
enum { ANALYTICS_ARENA_MAX = 64 << 20 };

/* ---- reading ---- */

static void add_cost(void *total, const struct series_record *series, int64_t start_us,
                     const struct rollup *counts)
{
    if (series->direction == DIRECTION_OUTBOUND)
        *(int64_t *)total += counts->cost_micros;
}

/* The running month, whatever time was asked about. */
static int project(struct call *c, const struct analytics_query *q, struct analysis *a)
{
    struct time_range month = month_so_far(c->now_us);
    struct rollup_query rollups = q->rollups;
    int64_t so_far = 0;

    rollups.from_us = month.from_us;
    rollups.to_us = month.to_us;
    rollups.hours = NULL;
    int failed = store_rollup_each(c->worker->reader, &rollups, add_cost, &so_far);
    a->has_projection = month_projection(so_far, c->now_us, &a->projected_micros);
    return failed;
}

static int read_numbers(struct call *c, const struct analytics_query *q, struct analysis *a)
{
    struct store_reader *reader = c->worker->reader;
    bool requests = a->report->with_requests && !q->filtered;
    int failed;

    if (!analytics_init(&a->sums, requests))
        return -ENOMEM;
    failed = store_rollup_each(reader, &q->rollups, analytics_take_rollup, &a->sums);
    if (!failed && requests)
        failed = store_request_each(reader, q->rollups.account, q->rollups.mode, q->range.from_us,
                                    q->range.to_us, analytics_take_requests, &a->sums);
    if (!failed && a->report->with_projection)
        failed = project(c, q, a);
    return failed ? failed : analytics_end(&a->sums) ? 0 : -ENOMEM;
}

/* ---- answering ---- */

static void answer_csv(struct call *c, const struct analysis *a)
{
    char first[RFC3339_SIZE], last[RFC3339_SIZE];

    rfc3339_format(a->sums.range.from_us, first);
    rfc3339_format(a->sums.range.to_us - 1, last);
    c->http->status = 200;
    c->http->content_type = "text/csv; charset=utf-8";
    http_request_add_header(c->http, "Content-Disposition",
                            arena_printf(&c->http->arena,
                                         "attachment; filename=\"%s_%.10s_%.10s.csv\"",
                                         a->report->name, first, last));
    analysis_put_csv(&c->http->out, a);
}

static void answer(struct call *c, const struct analysis *a)
{
    http_request_add_header(c->http, "Vary", "Accept");
    if (accepts_rather(&c->http->head, "text/csv")) {
        answer_csv(c, a);
        return;
    }
    struct json_writer w = answer_json(c, 200);
    analysis_put_json(&w, a);
}

static void sort_groups(const struct report *r, struct analytics *sums)
{
    struct sum_groups *const all[] = {&sums->countries, &sums->types, &sums->number_types,
                                      &sums->kinds, &sums->tags};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sum_groups_sort(all[i], r->order);
}

static void report(struct call *c, const struct report *r)
{
    struct analytics_query q;
    struct problem p = {0};
    struct arena arena;

    if (!analytics_query_read(c, &q, &p)) {
        answer_problem(c, &p);
        return;
    }
    bool by_hour = q.range.interval == INTERVAL_HOUR;
    q.rollups.without_times = !r->with_times;
    q.rollups.hours = by_hour ? analytics_take_hour : NULL;
    arena_init(&arena, ANALYTICS_ARENA_MAX);
    struct analysis a = {.report = r,
                         .mode = c->key->mode,
                         .sums = {.range = q.range,
                                  .arena = &arena,
                                  .with_times = r->with_times,
                                  .hours_apart = by_hour,
                                  .pieces_untimed = by_hour && q.filtered}};
    int failed = read_numbers(c, &q, &a);
    if (failed) {
        answer_store_trouble(c, failed);
    } else {
        sort_groups(r, &a.sums);
        answer(c, &a);
    }
    arena_done(&arena);
}

void analytics_usage(struct call *c)
{
    report(c, &usage_report);
}

void analytics_delivery(struct call *c)
{
    report(c, &delivery_report);
}

void analytics_costs(struct call *c)
{
    report(c, &costs_report);
}
