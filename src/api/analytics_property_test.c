/* Whatever happened, and whatever is asked: every number of every report is what a count over the
 * messages themselves comes to. SKYLARK_SEED begins with another seed. */
#include "api/test_reports.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 10, MESSAGES = 60, QUERIES = 10 }; /* of a history */

static uint64_t seed;
static int64_t made[HISTORY_KEYS]; /* calls since they were last written */

static uint32_t pick(uint32_t below)
{
    return test_random(&seed) % below;
}

/* ---- a question, and what is expected ---- */

struct question {
    struct expectation expected;
    char text[512], country[3];
    size_t n;
};

static void say(struct question *q, const char *name, const char *value)
{
    q->n += (size_t)snprintf(q->text + q->n, sizeof q->text - q->n, "%s%s=", q->n ? "&" : "", name);
    for (; *value; value++)
        q->n += (size_t)snprintf(q->text + q->n, sizeof q->text - q->n,
                                 isalnum((unsigned char)*value) ? "%c" : "%%%02X",
                                 (unsigned char)*value);
}

static int64_t floor_to(int64_t us, int64_t unit)
{
    return us / unit * unit;
}

#define HOUR INT64_C(3600000000)
#define DAY  (24 * HOUR)

static void say_day(struct question *q, const char *name, int64_t us)
{
    time_t seconds = us / 1000000;
    char text[32];
    struct tm t;

    strftime(text, sizeof text, "%Y-%m-%d", gmtime_r(&seconds, &t));
    say(q, name, text);
}

/* A time to the second, in some zone. */
static void say_time(struct question *q, const char *name, int64_t us)
{
    static const struct {
        const char *text;
        int minutes;
    } zones[] = {{"Z", 0}, {"+05:30", 330}, {"-08:00", -480}, {"+00:00", 0}};
    size_t zone = pick(4);
    time_t seconds = us / 1000000 + zones[zone].minutes * 60;
    char text[64], whole[80];
    struct tm t;

    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &t));
    snprintf(whole, sizeof whole, "%s%s", text, zones[zone].text);
    say(q, name, whole);
}

/* Somewhere in the history, or a little outside, to the second. */
static int64_t random_time(int64_t begin_us)
{
    int64_t span = test_now_us - begin_us + 4 * DAY;
    return begin_us - 2 * DAY + (int64_t)(pick(1000000) * (double)span / 1e6) / 1000000 * 1000000;
}

static void ask_bounds(struct question *q, int64_t begin_us)
{
    int64_t a = floor_to(random_time(begin_us), 1000000),
            b = floor_to(random_time(begin_us), 1000000);
    bool start_is_day = pick(2), end_is_day = pick(2);

    if (a > b) {
        int64_t c = a;
        a = b;
        b = c;
    }
    if (b - a < HOUR)
        b = a + HOUR; /* never empty */
    q->expected.from_us = floor_to(a, start_is_day ? DAY : HOUR);
    q->expected.to_us = end_is_day ? floor_to(b, DAY) + DAY : floor_to(b + HOUR - 1, HOUR);
    (start_is_day ? say_day : say_time)(q, "startDate", a);
    (end_is_day ? say_day : say_time)(q, "endDate", b);
}

static void ask_one_bound(struct question *q, int64_t begin_us)
{
    int64_t a = floor_to(random_time(begin_us), 1000000);
    bool day = pick(2);

    if (pick(2)) {
        q->expected.to_us = day ? floor_to(a, DAY) + DAY : floor_to(a + HOUR - 1, HOUR);
        q->expected.from_us = q->expected.to_us - 30 * DAY;
        (day ? say_day : say_time)(q, "endDate", a);
        return;
    }
    if (a > test_now_us)
        a = floor_to(test_now_us, 1000000);
    q->expected.from_us = floor_to(a, day ? DAY : HOUR);
    q->expected.to_us = floor_to(test_now_us, day ? DAY : HOUR) + (day ? DAY : HOUR);
    (day ? say_day : say_time)(q, "startDate", a);
}

static void ask_period(struct question *q)
{
    static const struct {
        const char *word;
        int64_t unit, count;
    } periods[] = {
        {"24h", HOUR, 24}, {"7d", DAY, 7}, {"30d", DAY, 30}, {"90d", DAY, 90}, {NULL, DAY, 30}};
    size_t i = pick(5);

    if (periods[i].word)
        say(q, "period", periods[i].word);
    q->expected.to_us = floor_to(test_now_us, periods[i].unit) + periods[i].unit;
    q->expected.from_us = q->expected.to_us - periods[i].count * periods[i].unit;
}

static void ask_interval(struct question *q)
{
    static const char *const words[] = {"hour", "day", "week", "month", NULL};

    q->expected.interval = words[pick(5)];
    if (q->expected.interval)
        say(q, "interval", q->expected.interval);
    else
        q->expected.interval = q->expected.to_us - q->expected.from_us <= 2 * DAY ? "hour" : "day";
}

static void ask_filters(struct question *q)
{
    static const char *const types[] = {"",    "transactional", "marketing",
                                        "otp", "alert",         "promotional"};
    static const char *const countries[] = {"US", "GB", "DE", "FR"};

    if (pick(3) == 0) {
        q->expected.country = countries[pick(4)];
        snprintf(q->country, sizeof q->country, "%s", q->expected.country);
        if (pick(2))
            q->country[pick(2)] |= 0x20;
        say(q, "country", q->country);
    }
    if (pick(4) == 0)
        say(q, "messageType", types[q->expected.type = (int)(1 + pick(5))]);
    if (pick(4) == 0)
        say(q, "tag", q->expected.tag = history_tags[pick(HISTORY_TAGS)]);
    if (pick(4) == 0)
        say(q, "from", q->expected.from = history_senders[pick(4)]);
}

static struct question random_question(int64_t begin_us)
{
    struct question q = {.expected = {.key = pick(HISTORY_KEYS), .now_us = test_now_us}};

    switch (pick(3)) {
    case 0:
        ask_bounds(&q, begin_us);
        break;
    case 1:
        ask_one_bound(&q, begin_us);
        break;
    default:
        ask_period(&q);
    }
    ask_interval(&q);
    ask_filters(&q);
    return q;
}

/* ---- asking ---- */

static const struct {
    const char *path;
    bool csv;
    void (*expect)(struct buf *out, const struct expectation *e);
} reports[] = {
    {"/v1/analytics/usage", false, expect_usage},
    {"/v1/analytics/delivery", false, expect_delivery},
    {"/v1/analytics/costs", false, expect_costs},
    {"/v1/analytics/usage", true, expect_usage_csv},
    {"/v1/analytics/delivery-reports", true, expect_delivery_csv},
    {"/v1/analytics/cost-analysis", true, expect_costs_csv},
};
enum { REPORTS = sizeof reports / sizeof *reports };

static void fail_with(const char *head, uint64_t first_seed, const char *is, const char *wanted)
{
    size_t at = 0;

    while (is[at] && is[at] == wanted[at])
        at++;
    size_t from = at < 200 ? 0 : at - 200;
    fail_msg("SKYLARK_SEED=%llu %s\n  is     …%.300s\n  wanted …%.300s",
             (unsigned long long)first_seed, head, is + from, wanted + from);
}

static void ask(const struct question *q, size_t report, uint64_t first_seed)
{
    struct buf wanted BUF_CLEANUP;
    char head[1024];

    snprintf(head, sizeof head, "GET %s?%s%s", reports[report].path, q->text,
             reports[report].csv ? "\nAccept: text/csv" : "");
    buf_init(&wanted, 16 << 20);
    reports[report].expect(&wanted, &q->expected);
    buf_add_char(&wanted, '\0');
    struct http_request *r = test_call(history_keys[q->expected.key], head, NULL);
    made[q->expected.key]++;
    if (r->status != 200 || strcmp(test_body(), wanted.p) != 0)
        fail_with(head, first_seed, test_body(), wanted.p);
    if (reports[report].csv)
        return;
    assert_string_equal(test_member("period.interval"), q->expected.interval); /* it is JSON */
}

static void replay(const char *begin)
{
    uint64_t first_seed = seed;
    int64_t begin_us;

    assert_true(rfc3339_parse(str_of(begin), &begin_us));
    history_begin(&seed, begin);
    memset(made, 0, sizeof made);
    for (int round = 0; round < ROUNDS; round++) {
        history_go_on(&seed, MESSAGES);
        for (int i = 0; i < QUERIES; i++) {
            struct question q = random_question(begin_us);
            for (size_t report = 0; report < 3; report++)
                ask(&q, report, first_seed);
            ask(&q, 3 + pick(3), first_seed);
        }
        history_write_calls(made);
        memset(made, 0, sizeof made);
    }
}

static void over_a_leap_day(void **state)
{
    replay("2028-02-24T07:08:09Z");
}

static void over_the_end_of_a_year(void **state)
{
    replay("2026-12-27T22:00:00Z");
}

static void over_the_end_of_february(void **state)
{
    replay("2027-02-20T23:59:59Z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(over_a_leap_day),
        API_TEST(over_the_end_of_a_year),
        API_TEST(over_the_end_of_february),
    };
    const char *given = getenv("SKYLARK_SEED");

    seed = given ? strtoull(given, NULL, 10) : 20261116;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
