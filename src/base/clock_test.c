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
        cmocka_unit_test(test_known_times),
        cmocka_unit_test(test_random_times),
        cmocka_unit_test(test_every_day),
        cmocka_unit_test(test_clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
