#include "api/test_reports.h"

#include "messaging/words.h"
#include "store/rollup.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PIECES_MAX = 9000, GROUPS_MAX = 32 };

/* ---- which facts, in which pieces ---- */

static const struct expectation *e;
static const struct fact *chosen[HISTORY_MAX];
static size_t chosen_count, chosen_piece[HISTORY_MAX];
static int64_t starts[PIECES_MAX + 1];
static size_t piece_count;

static bool fits(const struct fact *f)
{
    unsigned tag = 0;

    for (unsigned i = 0; e->tag && i < HISTORY_TAGS; i++)
        tag |= strcmp(history_tags[i], e->tag) == 0 ? 1u << i : 0;
    return f->account == (e->key < 2 ? FIRST_ACCOUNT : OTHER_ACCOUNT) &&
           f->mode == (e->key % 2 ? MODE_LIVE : MODE_TEST) &&
           (!e->country || strcmp(f->country, e->country) == 0) &&
           (!e->type || (int)f->type == e->type) && (!e->tag || f->tags & tag) &&
           (!e->from || (f->outbound && strcmp(f->from, e->from) == 0));
}

/* When the piece begins that lies `step` pieces behind the one that holds this time. */
static int64_t piece_start(int64_t us, int step)
{
    time_t seconds = us / 1000000;
    struct tm t;

    gmtime_r(&seconds, &t);
    t.tm_min = t.tm_sec = 0;
    if (strcmp(e->interval, "hour") == 0) {
        t.tm_hour += step;
    } else {
        t.tm_hour = 0;
        if (strcmp(e->interval, "day") == 0)
            t.tm_mday += step;
        else if (strcmp(e->interval, "week") == 0)
            t.tm_mday += 7 * step - (t.tm_wday + 6) % 7;
        else
            t.tm_mday = 1, t.tm_mon += step;
    }
    return (int64_t)timegm(&t) * 1000000;
}

static size_t piece_of(int64_t us)
{
    size_t low = 0, high = piece_count;

    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (starts[middle] <= us)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void choose(const struct expectation *expectation)
{
    e = expectation;
    piece_count = chosen_count = 0;
    for (int64_t us = piece_start(e->from_us, 0); us < e->to_us; us = piece_start(us, 1)) {
        assert_true(piece_count < PIECES_MAX);
        starts[piece_count++] = us;
    }
    for (size_t i = 0; i < fact_count; i++)
        if (fits(&facts[i]) && facts[i].created_us >= e->from_us &&
            facts[i].created_us < e->to_us) {
            chosen[chosen_count] = &facts[i];
            chosen_piece[chosen_count++] = piece_of(facts[i].created_us);
        }
}

/* ---- counting ---- */

struct counts {
    int64_t messages, sms, mms, segments, cost, inbound, statuses[STATUS_SLOTS];
    int64_t times[HISTORY_MAX];
    size_t time_count;
};

static void count_fact(struct counts *c, const struct fact *f)
{
    if (!f->outbound) {
        c->inbound++;
        return;
    }
    c->messages++;
    c->sms += f->kind == KIND_SMS;
    c->mms += f->kind == KIND_MMS;
    c->segments += f->segments;
    c->cost += f->cost_micros;
    c->statuses[f->status]++;
    if (f->delivery_ms >= 0)
        c->times[c->time_count++] = f->delivery_ms;
}

static void clear(struct counts *c)
{
    memset(c, 0, offsetof(struct counts, times));
    c->time_count = 0;
}

static const struct counts *count_all(void)
{
    static struct counts c;

    clear(&c);
    for (size_t i = 0; i < chosen_count; i++)
        count_fact(&c, chosen[i]);
    return &c;
}

/* Facts are of four owners and newest first in each; those of a piece lie side by side. */
static const struct counts *count_piece(size_t piece)
{
    static struct counts c;

    clear(&c);
    for (size_t i = 0; i < chosen_count; i++)
        if (chosen_piece[i] == piece)
            count_fact(&c, chosen[i]);
    return &c;
}

/* All of the C library's calls since 1970: -1 when a filter is given. */
static int64_t count_calls(int64_t from_us, int64_t to_us)
{
    int64_t count = 0;

    if (e->country || e->type || e->tag || e->from)
        return -1;
    for (size_t i = 0; i < call_count; i++)
        if (calls[i].key == e->key && calls[i].at_us >= from_us && calls[i].at_us < to_us)
            count += calls[i].count;
    return count;
}

/* ---- numbers as text ---- */

static const char *decimal(int64_t micros)
{
    static char ring[8][32];
    static unsigned next;
    char *out = ring[next++ % 8];
    size_t n = (size_t)snprintf(out, sizeof ring[0], "%lld.%06lld", (long long)(micros / 1000000),
                                (long long)(micros % 1000000));

    while (out[n - 1] == '0')
        out[--n] = '\0';
    if (out[n - 1] == '.')
        out[--n] = '\0';
    return out;
}

static const char *null_text;

static const char *part_text(int64_t part, int64_t whole, int64_t unit)
{
    if (whole == 0)
        return null_text;
    long double exact = (long double)part / (long double)whole / (long double)unit * 1e6L;
    int64_t steps = (int64_t)(exact + 0.5L + 1e-9L);
    return decimal(steps * unit);
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The slot that the time at this rank is in, which must be near it. */
static const char *p95_text(const struct counts *c)
{
    static int64_t sorted[HISTORY_MAX];

    if (c->time_count == 0)
        return null_text;
    memcpy(sorted, c->times, c->time_count * sizeof *sorted);
    qsort(sorted, c->time_count, sizeof *sorted, compare);
    int64_t exact = sorted[(c->time_count * 95 + 99) / 100 - 1];
    int64_t shown = rollup_slot_middle_ms(rollup_time_slot(exact));
    assert_true(llabs(shown - exact) * 1000 <= 63 * exact);
    return decimal(shown * 1000);
}

static const char *average_text(const struct counts *c)
{
    int64_t all = 0;

    for (size_t i = 0; i < c->time_count; i++)
        all += c->times[i];
    return c->time_count
               ? decimal((2 * all + (int64_t)c->time_count) / (2 * (int64_t)c->time_count) * 1000)
               : null_text;
}

static const char *time_text(int64_t us)
{
    static char ring[4][32];
    static unsigned next;
    char *out = ring[next++ % 4];
    time_t seconds = us / 1000000;
    struct tm t;

    strftime(out, 32, "%Y-%m-%dT%H:%M:%S.000Z", gmtime_r(&seconds, &t));
    return out;
}

/* ---- figures: names and values, written by whoever is told ---- */

typedef void put_figure(struct buf *out, const char *name, const char *value);

static void put_member(struct buf *out, const char *name, const char *value)
{
    if (strcmp(name, "cost") == 0)
        buf_printf(out, ",\"cost\":{\"amount\":%s,\"currency\":\"USD\"}", value);
    else
        buf_printf(out, ",\"%s\":%s", name, value);
}

static void put_cell(struct buf *out, const char *name, const char *value)
{
    buf_printf(out, ",%s", value);
}

static void put_count(struct buf *out, put_figure *put, const char *name, int64_t count)
{
    char text[32];

    snprintf(text, sizeof text, "%lld", (long long)count);
    put(out, name, text);
}

static void put_short_usage(struct buf *out, put_figure *put, const struct counts *c)
{
    put_count(out, put, "messages", c->messages);
    put_count(out, put, "segments", c->segments);
    put(out, "cost", decimal(c->cost));
}

static void put_usage(struct buf *out, put_figure *put, const struct counts *c, int64_t requests)
{
    put_count(out, put, "messages", c->messages);
    put_count(out, put, "segments", c->segments);
    put_count(out, put, "sms", c->sms);
    put_count(out, put, "mms", c->mms);
    put_count(out, put, "inbound", c->inbound);
    if (requests < 0)
        put(out, "requests", null_text);
    else
        put_count(out, put, "requests", requests);
    put(out, "cost", decimal(c->cost));
}

static void put_delivered(struct buf *out, put_figure *put, const struct counts *c, bool p95)
{
    int64_t delivered = c->statuses[STATUS_DELIVERED], failed = c->statuses[STATUS_FAILED];

    put_count(out, put, "total", c->messages);
    for (int i = STATUS_SCHEDULED; i <= STATUS_CANCELLED; i++)
        put_count(out, put, status_word((enum message_status)i), c->statuses[i]);
    put(out, "deliveryRate", part_text(delivered, delivered + failed, 100));
    put(out, "failureRate", part_text(failed, delivered + failed, 100));
    put(out, "averageDeliverySeconds", average_text(c));
    put(out, "p95DeliverySeconds", p95 ? p95_text(c) : null_text);
}

static void put_delivery(struct buf *out, put_figure *put, const struct counts *c)
{
    put_delivered(out, put, c, true);
}

static const char *per(int64_t micros, int64_t count)
{
    return count ? decimal((2 * micros + count) / (2 * count)) : null_text;
}

static void put_costs(struct buf *out, put_figure *put, const struct counts *c)
{
    put(out, "amount", decimal(c->cost));
    put_count(out, put, "messages", c->messages);
    put(out, "averagePerMessage", per(c->cost, c->messages));
    put(out, "averagePerSegment", per(c->cost, c->segments));
}

/* ---- one piece, in each report ---- */

enum report_kind { REPORT_USAGE, REPORT_DELIVERY, REPORT_COSTS };

static void put_piece(struct buf *out, put_figure *put, enum report_kind kind, size_t piece)
{
    const struct counts *c = count_piece(piece);
    int64_t end = piece + 1 < piece_count ? starts[piece + 1] : e->to_us;
    int64_t start = starts[piece] < e->from_us ? e->from_us : starts[piece];
    bool filtered = e->country || e->tag || e->from || e->type;

    if (kind == REPORT_USAGE) {
        put_usage(out, put, c, count_calls(start, end < e->to_us ? end : e->to_us));
    } else if (kind == REPORT_DELIVERY) {
        put_delivered(out, put, c, !filtered || strcmp(e->interval, "hour") != 0);
    } else {
        put(out, "amount", decimal(c->cost));
        put_count(out, put, "messages", c->messages);
    }
}

static void put_data(struct buf *out, enum report_kind kind)
{
    buf_text(out, "\"data\":[");
    for (size_t i = 0; i < piece_count; i++) {
        buf_printf(out, "%s{\"date\":\"%s\"", i ? "," : "", time_text(starts[i]));
        put_piece(out, put_member, kind, i);
        buf_add_char(out, '}');
    }
    buf_text(out, "],");
}

static void put_begin(struct buf *out)
{
    null_text = "null";
    buf_printf(
        out, "{\"livemode\":%s,\"period\":{\"start\":\"%s\",\"end\":\"%s\",\"interval\":\"%s\"},",
        e->key % 2 ? "true" : "false", time_text(e->from_us), time_text(e->to_us), e->interval);
}

static void put_csv(struct buf *out, enum report_kind kind, const char *header)
{
    null_text = "";
    buf_printf(out, "%s\r\n", header);
    for (size_t i = 0; i < piece_count; i++) {
        buf_text(out, time_text(starts[i]));
        put_piece(out, put_cell, kind, i);
        buf_text(out, "\r\n");
    }
}

/* ---- lists ---- */

struct group {
    char name[64];
    int64_t weight;
    struct counts counts;
};
static struct group groups[GROUPS_MAX];
static size_t group_count;

static struct group *group_of(const char *name)
{
    for (size_t i = 0; i < group_count; i++)
        if (strcmp(groups[i].name, name) == 0)
            return &groups[i];
    assert_true(group_count < GROUPS_MAX);
    strcpy(groups[group_count].name, name);
    clear(&groups[group_count].counts);
    return &groups[group_count++];
}

static const char *country_of(const struct fact *f)
{
    return f->country;
}

static const char *type_of(const struct fact *f)
{
    return message_type_word(f->type);
}

static const char *number_type_of(const struct fact *f)
{
    return number_type_word(f->number_type);
}

static const char *kind_of(const struct fact *f)
{
    return kind_word(f->kind);
}

static int by_weight(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    return x->weight != y->weight ? (x->weight < y->weight ? 1 : -1) : strcmp(x->name, y->name);
}

/* NULL: by tag, and a message counts under each. */
static void make_groups(const char *(*name_of)(const struct fact *f), bool by_cost)
{
    group_count = 0;
    for (size_t i = 0; i < chosen_count; i++) {
        const struct fact *f = chosen[i];
        if (f->outbound && name_of)
            count_fact(&group_of(name_of(f))->counts, f);
        for (unsigned k = 0; f->outbound && !name_of && k < HISTORY_TAGS; k++)
            if (f->tags & 1u << k)
                count_fact(&group_of(history_tags[k])->counts, f);
    }
    for (size_t i = 0; i < group_count; i++)
        groups[i].weight = by_cost ? groups[i].counts.cost : groups[i].counts.messages;
    qsort(groups, group_count, sizeof *groups, by_weight);
}

static void put_groups(struct buf *out, const char *list, const char *key,
                       const char *(*name_of)(const struct fact *f),
                       void (*put)(struct buf *, put_figure *, const struct counts *))
{
    struct json_writer w;

    make_groups(name_of, put == put_costs);
    buf_printf(out, "\"%s\":[", list);
    for (size_t i = 0; i < group_count; i++) {
        buf_printf(out, "%s{\"%s\":", i ? "," : "", key);
        json_writer_init(&w, out);
        if (groups[i].name[0])
            json_put_string(&w, str_of(groups[i].name));
        else
            json_put_null(&w);
        put(out, put_member, &groups[i].counts);
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
}

static void put_failures(struct buf *out)
{
    struct group sorted[FAILURE_UNKNOWN + 1];
    size_t count = 0;

    for (int i = 1; i <= FAILURE_UNKNOWN; i++) {
        struct group *g = &sorted[count];
        g->weight = 0;
        strcpy(g->name, failure_code((enum failure)i));
        for (size_t k = 0; k < chosen_count; k++)
            g->weight += chosen[k]->status == STATUS_FAILED && (int)chosen[k]->failure == i;
        g->counts.messages = i;
        count += g->weight > 0;
    }
    qsort(sorted, count, sizeof *sorted, by_weight);
    buf_text(out, "\"failures\":[");
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "%s{\"errorCode\":\"%s\",\"errorMessage\":\"%s\",\"count\":%lld}",
                   i ? "," : "", sorted[i].name,
                   failure_text((enum failure)sorted[i].counts.messages),
                   (long long)sorted[i].weight);
    buf_text(out, "],");
}

/* ---- the reports ---- */

/* `first` is what a member begins with that stands first: no comma. */
static void put_totals(struct buf *out, const char *figures)
{
    buf_printf(out, "\"totals\":{%s},", figures + 1);
}

static void put_whole_totals(struct buf *out, enum report_kind kind)
{
    const struct counts *c = count_all();
    struct buf figures BUF_CLEANUP;

    buf_init(&figures, 1 << 16);
    if (kind == REPORT_USAGE)
        put_usage(&figures, put_member, c, count_calls(e->from_us, e->to_us));
    else if (kind == REPORT_DELIVERY)
        put_delivery(&figures, put_member, c);
    else
        put_costs(&figures, put_member, c);
    buf_add_char(&figures, '\0');
    put_totals(out, figures.p);
}

void expect_usage(struct buf *out, const struct expectation *expectation)
{
    choose(expectation);
    put_begin(out);
    put_whole_totals(out, REPORT_USAGE);
    put_data(out, REPORT_USAGE);
    buf_text(out, "\"breakdown\":{");
    put_groups(out, "byCountry", "country", country_of, put_short_usage);
    buf_add_char(out, ',');
    put_groups(out, "byMessageType", "messageType", type_of, put_short_usage);
    buf_add_char(out, ',');
    put_groups(out, "byNumberType", "numberType", number_type_of, put_short_usage);
    buf_add_char(out, ',');
    put_groups(out, "byTag", "tag", NULL, put_short_usage);
    buf_text(out, ",\"otherTags\":null}}");
}

void expect_delivery(struct buf *out, const struct expectation *expectation)
{
    choose(expectation);
    put_begin(out);
    put_whole_totals(out, REPORT_DELIVERY);
    put_data(out, REPORT_DELIVERY);
    put_failures(out);
    put_groups(out, "byCountry", "country", country_of, put_delivery);
    buf_add_char(out, ',');
    put_groups(out, "byNumberType", "numberType", number_type_of, put_delivery);
    buf_add_char(out, '}');
}

/* What the month of `now_us` comes to. */
static const char *projection_text(void)
{
    time_t seconds = e->now_us / 1000000;
    struct tm t;
    int64_t so_far = 0;

    gmtime_r(&seconds, &t);
    t.tm_mday = 1;
    t.tm_hour = t.tm_min = t.tm_sec = 0;
    int64_t start = (int64_t)timegm(&t) * 1000000;
    t.tm_mon++;
    int64_t whole = (int64_t)timegm(&t) * 1000000 - start, passed = e->now_us - start;
    for (size_t i = 0; i < fact_count; i++)
        if (fits(&facts[i]) && facts[i].outbound && facts[i].created_us >= start)
            so_far += facts[i].cost_micros;
    if (passed == 0)
        return "null";
    return decimal((int64_t)(((__int128)so_far * whole * 2 + passed) / passed / 2));
}

void expect_costs(struct buf *out, const struct expectation *expectation)
{
    choose(expectation);
    put_begin(out);
    buf_text(out, "\"currency\":\"USD\",");
    put_whole_totals(out, REPORT_COSTS);
    put_data(out, REPORT_COSTS);
    put_groups(out, "byCountry", "country", country_of, put_costs);
    buf_add_char(out, ',');
    put_groups(out, "byNumberType", "numberType", number_type_of, put_costs);
    buf_add_char(out, ',');
    put_groups(out, "byType", "type", kind_of, put_costs);
    buf_printf(out, ",\"projectedMonthTotal\":%s}", projection_text());
}

void expect_usage_csv(struct buf *out, const struct expectation *expectation)
{
    choose(expectation);
    put_csv(out, REPORT_USAGE, "date,messages,segments,sms,mms,inbound,requests,cost");
}

void expect_delivery_csv(struct buf *out, const struct expectation *expectation)
{
    choose(expectation);
    put_csv(out, REPORT_DELIVERY,
            "date,total,scheduled,queued,sent,delivered,failed,cancelled,deliveryRate,failureRate,"
            "averageDeliverySeconds,p95DeliverySeconds");
}

void expect_costs_csv(struct buf *out, const struct expectation *expectation)
{
    choose(expectation);
    put_csv(out, REPORT_COSTS, "date,amount,messages");
}
