/* The three reports, and how they look as JSON. */
#include "api/analytics.h"

#include "messaging/words.h"

#include <stdlib.h>

/* ---- figures ---- */

static void put_money(struct json_writer *w, int64_t micros)
{
    json_begin_object(w);
    json_key(w, "amount");
    json_put_micros(w, micros);
    json_member_word(w, "currency", ANALYTICS_CURRENCY);
    json_end(w);
}

static void put_figure(struct json_writer *w, struct figure f)
{
    switch (f.kind) {
    case FIGURE_NONE:
        json_put_null(w);
        break;
    case FIGURE_COUNT:
        json_put_i64(w, f.value);
        break;
    case FIGURE_DECIMAL:
        json_put_micros(w, f.value);
        break;
    case FIGURE_MONEY:
        put_money(w, f.value);
        break;
    }
}

/* Inside an object that the caller begins and ends. */
static void put_figures(struct json_writer *w, const struct measure_list *list, const struct sum *s)
{
    for (size_t i = 0; i < list->count; i++) {
        json_key(w, measure_word(list->items[i]));
        put_figure(w, sum_figure(s, list->items[i]));
    }
}

/* ---- lists of groups ---- */

static void put_groups(struct json_writer *w, const struct analysis *a, const char *name,
                       const char *key, const struct sum_groups *groups, size_t most)
{
    json_key(w, name);
    json_begin_array(w);
    for (size_t i = 0; i < groups->count && i < most; i++) {
        const struct sum_group *g = groups->items[i];
        json_begin_object(w);
        json_key(w, key);
        if (g->name.n)
            json_put_string(w, g->name);
        else
            json_put_null(w);
        put_figures(w, &a->report->groups, &g->sum);
        json_end(w);
    }
    json_end(w);
}

/* ---- usage ---- */

static void put_other_tags(struct json_writer *w, const struct analysis *a)
{
    json_key(w, "otherTags");
    if (a->sums.other_tags.messages == 0) {
        json_put_null(w);
        return;
    }
    json_begin_object(w);
    put_figures(w, &a->report->groups, &a->sums.other_tags);
    json_end(w);
}

static void put_breakdown(struct json_writer *w, const struct analysis *a)
{
    const struct analytics *s = &a->sums;

    json_key(w, "breakdown");
    json_begin_object(w);
    put_groups(w, a, "byCountry", "country", &s->countries, SIZE_MAX);
    put_groups(w, a, "byMessageType", "messageType", &s->types, SIZE_MAX);
    put_groups(w, a, "byNumberType", "numberType", &s->number_types, SIZE_MAX);
    put_groups(w, a, "byTag", "tag", &s->tags, ANALYTICS_TAGS_SHOWN);
    put_other_tags(w, a);
    json_end(w);
}

static const enum measure usage_figures[] = {MEASURE_MESSAGES, MEASURE_SEGMENTS, MEASURE_SMS,
                                             MEASURE_MMS,      MEASURE_INBOUND,  MEASURE_REQUESTS,
                                             MEASURE_COST};
static const enum measure usage_of_group[] = {MEASURE_MESSAGES, MEASURE_SEGMENTS, MEASURE_COST};

const struct report usage_report = {.name = "usage",
                                    .totals = MEASURE_LIST(usage_figures),
                                    .data = MEASURE_LIST(usage_figures),
                                    .groups = MEASURE_LIST(usage_of_group),
                                    .order = MEASURE_MESSAGES,
                                    .with_requests = true,
                                    .put_rest = put_breakdown};

/* ---- delivery ---- */

struct failure_count {
    enum failure failure;
    int64_t count;
};

static int by_count(const void *a, const void *b)
{
    const struct failure_count *x = a, *y = b;

    return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                                : strcmp(failure_code(x->failure), failure_code(y->failure));
}

static void put_failures(struct json_writer *w, const struct analysis *a)
{
    struct failure_count list[FAILURE_SLOTS];
    size_t count = 0;

    for (int i = FAILURE_NONE + 1; i < FAILURE_SLOTS; i++)
        if (a->sums.failures[i])
            list[count++] = (struct failure_count){(enum failure)i, a->sums.failures[i]};
    qsort(list, count, sizeof *list, by_count);
    json_key(w, "failures");
    json_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        json_begin_object(w);
        json_member_word(w, "errorCode", failure_code(list[i].failure));
        json_member_word(w, "errorMessage", failure_text(list[i].failure));
        json_member_i64(w, "count", list[i].count);
        json_end(w);
    }
    json_end(w);
}

static void put_delivery_rest(struct json_writer *w, const struct analysis *a)
{
    put_failures(w, a);
    put_groups(w, a, "byCountry", "country", &a->sums.countries, SIZE_MAX);
    put_groups(w, a, "byNumberType", "numberType", &a->sums.number_types, SIZE_MAX);
}

static const enum measure delivery_figures[] = {
    MEASURE_TOTAL,        MEASURE_SCHEDULED,       MEASURE_QUEUED,     MEASURE_SENT,
    MEASURE_DELIVERED,    MEASURE_FAILED,          MEASURE_CANCELLED,  MEASURE_DELIVERY_RATE,
    MEASURE_FAILURE_RATE, MEASURE_AVERAGE_SECONDS, MEASURE_P95_SECONDS};

const struct report delivery_report = {.name = "delivery",
                                       .totals = MEASURE_LIST(delivery_figures),
                                       .data = MEASURE_LIST(delivery_figures),
                                       .groups = MEASURE_LIST(delivery_figures),
                                       .order = MEASURE_TOTAL,
                                       .with_times = true,
                                       .put_rest = put_delivery_rest};

/* ---- costs ---- */

static void put_costs_rest(struct json_writer *w, const struct analysis *a)
{
    put_groups(w, a, "byCountry", "country", &a->sums.countries, SIZE_MAX);
    put_groups(w, a, "byNumberType", "numberType", &a->sums.number_types, SIZE_MAX);
    put_groups(w, a, "byType", "type", &a->sums.kinds, SIZE_MAX);
    json_key(w, "projectedMonthTotal");
    put_figure(
        w, (struct figure){a->has_projection ? FIGURE_DECIMAL : FIGURE_NONE, a->projected_micros});
}

static const enum measure cost_figures[] = {MEASURE_AMOUNT, MEASURE_MESSAGES, MEASURE_PER_MESSAGE,
                                            MEASURE_PER_SEGMENT};
static const enum measure cost_data[] = {MEASURE_AMOUNT, MEASURE_MESSAGES};

const struct report costs_report = {.name = "costs",
                                    .totals = MEASURE_LIST(cost_figures),
                                    .data = MEASURE_LIST(cost_data),
                                    .groups = MEASURE_LIST(cost_figures),
                                    .order = MEASURE_AMOUNT,
                                    .with_currency = true,
                                    .with_projection = true,
                                    .put_rest = put_costs_rest};

/* ---- what all have ---- */

static void put_period(struct json_writer *w, const struct time_range *r)
{
    json_key(w, "period");
    json_begin_object(w);
    json_member_time(w, "start", r->from_us);
    json_member_time(w, "end", r->to_us);
    json_member_word(w, "interval", interval_word(r->interval));
    json_end(w);
}

static void put_data(struct json_writer *w, const struct analysis *a)
{
    int64_t start_us = a->sums.first_us;

    json_key(w, "data");
    json_begin_array(w);
    for (size_t i = 0; i < a->sums.piece_count; i++) {
        json_begin_object(w);
        json_member_time(w, "date", start_us);
        put_figures(w, &a->report->data, &a->sums.pieces[i]);
        json_end(w);
        start_us = analytics_next(&a->sums, start_us);
    }
    json_end(w);
}

void analysis_put_json(struct json_writer *w, const struct analysis *a)
{
    json_begin_object(w);
    json_member_bool(w, "livemode", a->mode == MODE_LIVE);
    put_period(w, &a->sums.range);
    if (a->report->with_currency)
        json_member_word(w, "currency", ANALYTICS_CURRENCY);
    json_key(w, "totals");
    json_begin_object(w);
    put_figures(w, &a->report->totals, &a->sums.total);
    json_end(w);
    put_data(w, a);
    a->report->put_rest(w, a);
    json_end(w);
}
