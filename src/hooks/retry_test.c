#include "hooks/retry.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define SECOND_US INT64_C(1000000)
#define DAY_US    (24 * 3600 * SECOND_US)

static void test_table(void **state)
{
    static const int64_t minutes[] = {1, 5, 30, 120, 1440};

    for (unsigned tries = 1; tries <= 5; tries++) {
        int64_t middle = minutes[tries - 1] * 60 * SECOND_US, tenth = middle / 10;

        assert_int_equal(retry_delay_us(tries, 0), middle - tenth);
        assert_int_equal(retry_delay_us(tries, (uint64_t)tenth), middle);
        assert_int_equal(retry_delay_us(tries, (uint64_t)(2 * tenth)), middle + tenth);
        assert_int_equal(retry_delay_us(tries, (uint64_t)(2 * tenth + 1)), middle - tenth);
        assert_in_range(retry_delay_us(tries, UINT64_MAX), middle - tenth, middle + tenth);
    }
    assert_int_equal(retry_delay_us(0, 5), 0);
    assert_int_equal(retry_delay_us(6, 5), 0);
    assert_int_equal(retry_delay_us(700, 5), 0);
}

static void test_seconds(void **state)
{
    assert_int_equal(retry_after_us(STR("120"), 0), 120 * SECOND_US);
    assert_int_equal(retry_after_us(STR(" 7 "), 0), 7 * SECOND_US);
    assert_int_equal(retry_after_us(STR("0"), 0), 0);
    assert_int_equal(retry_after_us(STR("86400"), 0), DAY_US);
    assert_int_equal(retry_after_us(STR("86401"), 0), DAY_US);
    assert_int_equal(retry_after_us(STR("99999999999999999999999999"), 0), DAY_US);
}

static void test_dates(void **state)
{
    static const char *const forms[] = {"Sun, 06 Nov 1994 08:49:37 GMT",
                                        "Sunday, 06-Nov-94 08:49:37 GMT",
                                        "Sun Nov  6 08:49:37 1994"};
    const int64_t then_us = 784111777 * SECOND_US;

    assert_int_equal(retry_after_us(str_of(forms[0]), then_us - 90 * SECOND_US), 90 * SECOND_US);
    assert_int_equal(retry_after_us(str_of(forms[2]), then_us - 90 * SECOND_US), 90 * SECOND_US);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(retry_after_us(str_of(forms[i]), then_us), 0);
        assert_int_equal(retry_after_us(str_of(forms[i]), then_us + 40 * 365 * DAY_US), 0);
    }
    assert_int_equal(retry_after_us(STR("Wed, 18 Nov 2026 11:06:41 GMT"), 1795000000 * SECOND_US),
                     SECOND_US);
    assert_int_equal(
        retry_after_us(STR("Wednesday, 18-Nov-26 11:06:41 GMT"), 1795000000 * SECOND_US),
        SECOND_US);
    assert_int_equal(retry_after_us(STR("Wed Nov 18 11:06:41 2026"), 1795000000 * SECOND_US),
                     SECOND_US);
    assert_int_equal(retry_after_us(STR("Thu, 18 Nov 2027 11:06:41 GMT"), 1795000000 * SECOND_US),
                     DAY_US);
}

static void test_nonsense(void **state)
{
    static const char *const bad[] = {"",
                                      " ",
                                      "soon",
                                      "-5",
                                      "1.5",
                                      "12 s",
                                      ",",
                                      "Wed,",
                                      "Wed, ",
                                      "Wed, 18 Nov 2026 11:06:41",
                                      "Wed, 18 Nov 2026 11:06:41 CET",
                                      "Wed, 31 Feb 2027 11:06:41 GMT",
                                      "Wed, 18 Nov 2026 25:06:41 GMT",
                                      "Wed, 18-Nov-2026 11:06:41 GMT",
                                      "Wed, 18 Noe 2026 11:06:41 GMT",
                                      "Wed Nov 18 11:06:41 2026 GMT",
                                      "2026-11-18T11:06:41Z"};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(retry_after_us(str_of(bad[i]), 1794999000 * SECOND_US), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_seconds),
        cmocka_unit_test(test_dates),
        cmocka_unit_test(test_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
