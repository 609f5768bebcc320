#include "base/clock.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static const int64_t last_us = INT64_C(253402300799999999); /* the end of 9999 */

static void check(int64_t unix_us, const char *expected)
{
    char out[RFC3339_SIZE];

    rfc3339_format(unix_us, out);
    assert_string_equal(out, expected);
}

static void test_known_times(void **state)
{
    check(0, "1970-01-01T00:00:00.000Z");
    check(999, "1970-01-01T00:00:00.000Z");
    check(1000, "1970-01-01T00:00:00.001Z");
    check(INT64_C(951782399999999), "2000-02-28T23:59:59.999Z");
    check(INT64_C(951782400000000), "2000-02-29T00:00:00.000Z");
    check(INT64_C(951868800000000), "2000-03-01T00:00:00.000Z");
    check(INT64_C(1709164800000000), "2024-02-29T00:00:00.000Z");
    check(INT64_C(1740787200000000), "2025-03-01T00:00:00.000Z");
    check(INT64_C(4107542400000000), "2100-03-01T00:00:00.000Z"); /* no leap year */
    check(INT64_C(1767225599999000), "2025-12-31T23:59:59.999Z");
    check(INT64_C(1767225600000000), "2026-01-01T00:00:00.000Z");
    check(last_us, "9999-12-31T23:59:59.999Z");
    check(-1, "1970-01-01T00:00:00.000Z");
    check(INT64_MIN, "1970-01-01T00:00:00.000Z");
}

static void check_by_library(int64_t unix_us)
{
    char expected[64];
    time_t seconds = (time_t)(unix_us / 1000000);
    struct tm utc;

    gmtime_r(&seconds, &utc);
    size_t n = strftime(expected, sizeof expected, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(expected + n, sizeof expected - n, ".%03dZ", (int)(unix_us / 1000 % 1000));
    check(unix_us, expected);
}

static void test_random_times(void **state)
{
    for (int i = 0; i < 100000; i++)
        check_by_library((int64_t)(random_fast() % (uint64_t)last_us));
}

/* Every midnight from 1970 to 2400, and the moment before it. */
static void test_every_day(void **state)
{
    const int64_t day_us = INT64_C(86400000000);

    for (int64_t day = 1; day < 430 * 365; day++) {
        check_by_library(day * day_us);
        check_by_library(day * day_us - 1000);
    }
}

static void check_parsed(const char *text, int64_t unix_us)
{
    int64_t parsed = -1;

    assert_true(rfc3339_parse(str_of(text), &parsed));
    assert_int_equal(parsed, unix_us);
}

static void test_parsed_times(void **state)
{
    check_parsed("1970-01-01T00:00:00Z", 0);
    check_parsed("2000-02-29T00:00:00Z", INT64_C(951782400000000));
    check_parsed("2026-01-01t00:00:00.25z", INT64_C(1767225600250000));
    check_parsed("2026-01-01T00:00:00.123456789012345678901234567890Z", INT64_C(1767225600123456));
    check_parsed("2026-01-01T01:30:00+01:30", INT64_C(1767225600000000));
    check_parsed("2025-12-31T19:00:00-05:00", INT64_C(1767225600000000));
    check_parsed("2026-01-01T00:00:00-00:00", INT64_C(1767225600000000));
    check_parsed("9999-12-31T23:59:59.999999Z", last_us);
}

static void test_what_is_no_time(void **state)
{
    static const char *const texts[] = {
        "",
        "2026",
        "2026-01-01",
        "2026-01-01T00:00Z",
        "2026-01-01T00:00:00",
        "2026-01-01 00:00:00Z",
        "2026-1-01T00:00:00Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00,5Z",
        "2026-01-01T00:00:00Zx",
        " 2026-01-01T00:00:00Z",
        "+026-01-01T00:00:00Z",
        "2026-01-01T00:00:00+0100",
        "2026-01-01T00:00:00+01",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+01:60",
        "2026-01-01T24:00:00Z",
        "2026-01-01T23:60:00Z",
        "2016-12-31T23:59:60Z",
        "2026-00-01T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-01-32T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "2100-02-29T00:00:00Z",
        "1969-12-31T23:59:59Z",
        "1970-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "10000-01-01T00:00:00Z",
    };
    int64_t parsed;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (rfc3339_parse(str_of(texts[i]), &parsed))
            fail_msg("'%s' was taken for a time", texts[i]);
    assert_false(rfc3339_parse((struct str){"2026-01-01T00:00:00\0", 20}, &parsed));
}

/* What is written can be read, to the millisecond. */
static void test_there_and_back(void **state)
{
    char text[RFC3339_SIZE];

    for (int i = 0; i < 100000; i++) {
        int64_t unix_us = (int64_t)(random_fast() % (uint64_t)last_us);
        rfc3339_format(unix_us, text);
        check_parsed(text, unix_us / 1000 * 1000);
    }
}

static int64_t seven(const struct clock *c)
{
    return 7;
}

static void test_clocks(void **state)
{
    const struct clock stopped = {seven};
    int64_t now_s = time(NULL), before_us = clock_monotonic_us();

    assert_int_equal(clock_now_us(&stopped), 7);
    assert_in_range(clock_now_us(&clock_real) / 1000000, now_s - 1, now_s + 5);
    for (int i = 0; i < 1000; i++) {
        int64_t after_us = clock_monotonic_us();
        assert_true(after_us >= before_us);
        before_us = after_us;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_times),     cmocka_unit_test(test_random_times),
        cmocka_unit_test(test_every_day),       cmocka_unit_test(test_parsed_times),
        cmocka_unit_test(test_what_is_no_time), cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
