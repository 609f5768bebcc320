#include "cli/when.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const int64_t now_us = INT64_C(1800000000) * 1000000; /* 2027-01-15T08:00:00Z */

static void check(const char *text, const char *want)
{
    char out[RFC3339_SIZE];

    assert_int_equal(when_parse(text, now_us, out), want != NULL);
    if (want)
        assert_string_equal(out, want);
}

static void test_times(void **state)
{
    check("2026-01-31T09:00:00Z", "2026-01-31T09:00:00.000Z");
    check("2026-01-31T10:00:00.5+01:00", "2026-01-31T09:00:00.500Z");
    check("90s", "2027-01-15T07:58:30.000Z");
    check("15m", "2027-01-15T07:45:00.000Z");
    check("1h", "2027-01-15T07:00:00.000Z");
    check("7d", "2027-01-08T08:00:00.000Z");
    check("0s", "2027-01-15T08:00:00.000Z");
    check("999999d", "1970-01-01T00:00:00.000Z");
}

static void test_what_is_no_time(void **state)
{
    static const char *const texts[] = {"",    "h",   "1",          "1w",       "-1h",      "1.5h",
                                        "1 h", "now", "2026-01-31", "1000000d", "yesterday"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check(texts[i], NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_what_is_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
