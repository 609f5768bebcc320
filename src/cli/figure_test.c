#include "cli/figure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static char out[FIGURE_SIZE];

static void test_grouped(void **state)
{
    assert_string_equal(figure_grouped(STR("0"), out), "0");
    assert_string_equal(figure_grouped(STR("999"), out), "999");
    assert_string_equal(figure_grouped(STR("1000"), out), "1,000");
    assert_string_equal(figure_grouped(STR("1234567"), out), "1,234,567");
    assert_string_equal(figure_grouped(STR("123456.123456"), out), "123,456.123456");
    assert_string_equal(figure_grouped(STR("-1234"), out), "-1,234");
    assert_string_equal(figure_grouped(STR("-123"), out), "-123");
    assert_string_equal(figure_grouped(STR(""), out), "");
    assert_string_equal(figure_grouped(STR("none"), out), "none");
    assert_string_equal(figure_grouped(STR("9223372036854775807"), out),
                        "9,223,372,036,854,775,807");
}

static void test_longer_than_any_number(void **state)
{
    char digits[200];

    memset(digits, '1', sizeof digits);
    figure_grouped((struct str){digits, sizeof digits}, out);
    assert_in_range(strlen(out), 1, FIGURE_SIZE - 1);
    figure_percent((struct str){digits, sizeof digits}, out);
    figure_duration((struct str){digits, sizeof digits}, out);
    assert_in_range(strlen(out), 1, FIGURE_SIZE - 1);
}

static void test_short(void **state)
{
    assert_string_equal(figure_short(0, out), "0");
    assert_string_equal(figure_short(1, out), "1");
    assert_string_equal(figure_short(250, out), "250");
    assert_string_equal(figure_short(0.0075, out), "0.0075");
    assert_string_equal(figure_short(0.0000005, out), "0.0000005");
    assert_string_equal(figure_short(1500, out), "1.5k");
    assert_string_equal(figure_short(20e6, out), "20M");
    assert_string_equal(figure_short(3e9, out), "3B");
    assert_string_equal(figure_short(4e12, out), "4T");
    assert_string_equal(figure_short(5e15, out), "5000T");
}

static void test_percent(void **state)
{
    assert_string_equal(figure_percent(STR("0.9876"), out), "98.76 %");
    assert_string_equal(figure_percent(STR("1"), out), "100 %");
    assert_string_equal(figure_percent(STR("1.0"), out), "100 %");
    assert_string_equal(figure_percent(STR("0"), out), "0 %");
    assert_string_equal(figure_percent(STR("0.9999"), out), "99.99 %");
}

static void test_duration(void **state)
{
    assert_string_equal(figure_duration(STR("0"), out), "0 s");
    assert_string_equal(figure_duration(STR("0.25"), out), "0.25 s");
    assert_string_equal(figure_duration(STR("59"), out), "59 s");
    assert_string_equal(figure_duration(STR("60"), out), "1 min");
    assert_string_equal(figure_duration(STR("200.4"), out), "3 min 20 s");
    assert_string_equal(figure_duration(STR("3600"), out), "1 h");
    assert_string_equal(figure_duration(STR("7500"), out), "2 h 5 min");
    assert_string_equal(figure_duration(STR("190800"), out), "2 d 5 h");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grouped),  cmocka_unit_test(test_longer_than_any_number),
        cmocka_unit_test(test_short),    cmocka_unit_test(test_percent),
        cmocka_unit_test(test_duration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
