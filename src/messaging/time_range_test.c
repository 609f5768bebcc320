#include "messaging/time_range.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define NOW "2026-11-16T15:04:05.678Z" /* a Monday */

/* "startDate=…", "endDate=…", "period=…", "interval=…", separated by &. */
static struct time_range_query query_of(const char *text)
{
    struct time_range_query q = {0};
    struct str rest = str_of(text);

    while (rest.n) {
        struct str value = str_cut(&rest, '&'), name = str_cut(&value, '=');
        struct str *field = str_is(name, "startDate") ? &q.start_date
                            : str_is(name, "endDate") ? &q.end_date
                            : str_is(name, "period")  ? &q.period
                                                      : &q.interval;
        *field = value;
    }
    return q;
}

static bool read_at(const char *now, const char *text, struct time_range *ret, struct problem *p)
{
    struct time_range_query q = query_of(text);
    int64_t now_us;

    assert_true(rfc3339_parse(str_of(now), &now_us));
    return time_range_read(&q, now_us, ret, p);
}

static void assert_range_at(const char *now, const char *text, const char *from, const char *to,
                            const char *interval)
{
    char start[RFC3339_SIZE], end[RFC3339_SIZE];
    struct time_range r;
    struct problem p = {0};

    if (!read_at(now, text, &r, &p))
        fail_msg("%s: %s", text, p.message);
    rfc3339_format(r.from_us, start);
    rfc3339_format(r.to_us, end);
    start[13] = end[13] = '\0';
    assert_string_equal(start, from);
    assert_string_equal(end, to);
    assert_string_equal(interval_word(r.interval), interval);
    assert_int_equal(r.from_us % HOUR_US, 0);
    assert_int_equal(r.to_us % HOUR_US, 0);
}

static void assert_range(const char *text, const char *from, const char *to, const char *interval)
{
    assert_range_at(NOW, text, from, to, interval);
}

static void periods_end_with_what_runs(void **state)
{
    assert_range("", "2026-10-18T00", "2026-11-17T00", "day");
    assert_range("period=30d", "2026-10-18T00", "2026-11-17T00", "day");
    assert_range("period=24h", "2026-11-15T16", "2026-11-16T16", "hour");
    assert_range("period=7d", "2026-11-10T00", "2026-11-17T00", "day");
    assert_range("period=90d&interval=hour", "2026-08-19T00", "2026-11-17T00", "hour");
    assert_range_at("2024-03-01T00:00:00Z", "period=24h", "2024-02-29T01", "2024-03-01T01", "hour");
    assert_range_at("2024-03-01T00:00:00Z", "period=7d", "2024-02-24T00", "2024-03-02T00", "day");
    assert_range_at("2024-02-29T23:59:59.9Z", "period=7d", "2024-02-23T00", "2024-03-01T00", "day");
}

static void days_are_whole(void **state)
{
    assert_range("startDate=2026-11-15&endDate=2026-11-15", "2026-11-15T00", "2026-11-16T00",
                 "hour");
    assert_range("startDate=2026-11-15&endDate=2026-11-16", "2026-11-15T00", "2026-11-17T00",
                 "hour");
    assert_range("startDate=2026-11-14&endDate=2026-11-16", "2026-11-14T00", "2026-11-17T00",
                 "day");
    assert_range("startDate=2024-02-29&endDate=2024-02-29", "2024-02-29T00", "2024-03-01T00",
                 "hour");
    assert_range("startDate=2099-01-01&endDate=2100-01-01", "2099-01-01T00", "2100-01-02T00",
                 "day"); /* 366 days; it may lie ahead */
}

static void times_are_rounded_to_hours(void **state)
{
    assert_range("startDate=2026-11-15T09:59:59Z&endDate=2026-11-15T10:00:01Z", "2026-11-15T09",
                 "2026-11-15T11", "hour");
    assert_range("startDate=2026-11-15T09:00:00Z&endDate=2026-11-15T10:00:00Z", "2026-11-15T09",
                 "2026-11-15T10", "hour");
    assert_range("startDate=2026-11-15T09:00:00+05:30&endDate=2026-11-16", "2026-11-15T03",
                 "2026-11-17T00", "hour");
    assert_range("startDate=2026-11-15T10:30:00Z&endDate=2026-11-15T10:30:00Z", "2026-11-15T10",
                 "2026-11-15T11", "hour");
}

static void one_of_both_is_enough(void **state)
{
    assert_range("startDate=2026-11-01", "2026-11-01T00", "2026-11-17T00", "day");
    assert_range("startDate=2026-11-16T10:20:00Z", "2026-11-16T10", "2026-11-16T16", "hour");
    assert_range("endDate=2026-03-30", "2026-03-01T00", "2026-03-31T00", "day");
    assert_range("endDate=2026-03-30T10:00:00Z&interval=month", "2026-02-28T10", "2026-03-30T10",
                 "month");
    assert_range("startDate=2025-11-16", "2025-11-16T00", "2026-11-17T00", "day"); /* 366 days */
}

static void what_cannot_be_is_named(void **state)
{
    static const struct {
        const char *text, *code, *field;
    } table[] = {
        {"startDate=2026-02-29", "invalid_date_range", "startDate"},
        {"startDate=2026-04-31", "invalid_date_range", "startDate"},
        {"startDate=", "invalid_date_range", "startDate"},
        {"startDate=yesterday", "invalid_date_range", "startDate"},
        {"startDate=2026-11-1", "invalid_date_range", "startDate"},
        {"startDate=2026-11-15 09:00:00", "invalid_date_range", "startDate"},
        {"startDate=2026-11-15T25:00:00Z", "invalid_date_range", "startDate"},
        {"startDate=2019-12-31", "invalid_date_range", "startDate"},
        {"startDate=2019-12-31T23:59:59Z", "invalid_date_range", "startDate"},
        {"endDate=2101-01-01", "invalid_date_range", "endDate"},
        {"endDate=9999-12-31", "invalid_date_range", "endDate"},
        {"endDate=2026-13-01", "invalid_date_range", "endDate"},
        {"startDate=2026-11-15&endDate=2026-11-14", "invalid_date_range", "endDate"},
        {"startDate=2026-11-15T09:00:00Z&endDate=2026-11-15T09:00:00Z", "invalid_date_range",
         "endDate"},
        {"startDate=2026-11-15T10:30:00Z&endDate=2026-11-15T10:10:00Z", "invalid_date_range",
         "endDate"},
        {"startDate=2026-11-17", "invalid_date_range", "startDate"},
        {"startDate=2026-11-16T16:00:00Z", "invalid_date_range", "startDate"},
        {"startDate=2025-11-15", "invalid_date_range", "startDate"},
        {"startDate=2025-01-01&endDate=2026-01-02", "invalid_date_range", "endDate"},
        {"startDate=2020-01-01&endDate=2100-12-31", "invalid_date_range", "endDate"},
        {"startDate=2025-01-01T00:00:00Z&endDate=2026-01-02T00:00:01Z", "invalid_date_range",
         "endDate"},
        {"period=", "invalid_parameter", "period"},
        {"period=1d", "invalid_parameter", "period"},
        {"period=30D", "invalid_parameter", "period"},
        {"period=7d&startDate=2026-11-15", "invalid_parameter", "period"},
        {"period=7d&endDate=2026-11-15", "invalid_parameter", "period"},
        {"interval=", "invalid_parameter", "interval"},
        {"interval=minute", "invalid_parameter", "interval"},
        {"interval=Day", "invalid_parameter", "interval"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct time_range r = {.from_us = -1};
        struct problem p = {0};
        if (read_at(NOW, table[i].text, &r, &p))
            fail_msg("%s is taken", table[i].text);
        if (strcmp(problem_entry(p.code)->code, table[i].code) != 0 ||
            strcmp(p.field, table[i].field) != 0)
            fail_msg("%s: %s %s", table[i].text, problem_entry(p.code)->code, p.field);
        assert_int_equal(r.from_us, -1);
    }
}

static void pieces_are_counted(void **state)
{
    static const struct {
        const char *text;
        size_t pieces;
    } table[] = {
        {"period=24h", 24},
        {"period=24h&interval=day", 2},
        {"period=24h&interval=week", 2}, /* since Sunday */
        {"period=24h&interval=month", 1},
        {"period=30d", 30},
        {"period=30d&interval=week", 6},
        {"period=30d&interval=month", 2},
        {"startDate=2024-01-01&endDate=2024-12-31&interval=hour", 8784},
        {"startDate=2024-01-01&endDate=2024-12-31", 366},
        {"startDate=2024-01-31&endDate=2024-03-01&interval=month", 3},
        {"startDate=2025-11-15&endDate=2026-11-15&interval=month", 13},
        {"startDate=2026-11-15&endDate=2026-11-15&interval=month", 1},
        {"startDate=2026-11-16&endDate=2026-11-22&interval=week", 1},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct time_range r;
        struct problem p = {0};
        assert_true(read_at(NOW, table[i].text, &r, &p));
        if (time_range_pieces(&r) != table[i].pieces)
            fail_msg("%s has %zu pieces", table[i].text, time_range_pieces(&r));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(periods_end_with_what_runs), cmocka_unit_test(days_are_whole),
        cmocka_unit_test(times_are_rounded_to_hours), cmocka_unit_test(one_of_both_is_enough),
        cmocka_unit_test(what_cannot_be_is_named),    cmocka_unit_test(pieces_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
