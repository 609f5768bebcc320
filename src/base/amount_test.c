#include "base/amount.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void check(const char *text, int64_t micros, const char *shown)
{
    char out[AMOUNT_SIZE];
    int64_t parsed;

    assert_true(amount_parse(str_of(text), &parsed));
    assert_int_equal(parsed, micros);
    assert_string_equal(amount_text(parsed, out), shown);
}

static void test_amounts_are_exact(void **state)
{
    check("0", 0, "0");
    check("25", 25000000, "25");
    check("25.50", 25500000, "25.5");
    check("0.000001", 1, "0.000001");
    check("0.1", 100000, "0.1");
    check("007.25", 7250000, "7.25");
    check("-3.5", -3500000, "-3.5");
    check("1000000000.999999", INT64_C(1000000000999999), "1000000000.999999");
}

static void test_what_is_no_amount(void **state)
{
    static const char *const texts[] = {"",
                                        ".",
                                        "-",
                                        "--1",
                                        "+1",
                                        "1.",
                                        ".5",
                                        "1.0000001",
                                        "1e3",
                                        "1,5",
                                        "$5",
                                        "5 ",
                                        " 5",
                                        "0x10",
                                        "1000000001",
                                        "1.-5",
                                        "1.5.5",
                                        "five",
                                        "99999999999999999999999999"};
    int64_t micros;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (amount_parse(str_of(texts[i]), &micros))
            fail_msg("'%s' was taken for an amount", texts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amounts_are_exact),
        cmocka_unit_test(test_what_is_no_amount),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
