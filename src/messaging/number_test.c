#include "messaging/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void format_is_exact(void **state)
{
    static const char *const good[] = {"+1234567",     "+15551234567",     "+1234567890",
                                       "+99999999999", "+123456789012345", "+447700900123"};
    static const char *const bad[] = {"",
                                      "+",
                                      "+123456",
                                      "+1234567890123456",
                                      "15551234567",
                                      "+0123456",
                                      "++1234567",
                                      "+1555123456x",
                                      "+1 5551234567",
                                      " +15551234567",
                                      "+15551234567 ",
                                      "+1555-123-4567",
                                      "+15551234567\n",
                                      "+١٢٣٤٥٦٧٨",
                                      "tel:+15551234567"};

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(number_valid(str_of(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(number_valid(str_of(bad[i])));
    assert_false(number_valid(STR("+1555123\0567")));
    assert_false(number_valid((struct str){NULL, 0}));
}

static void check_place(const char *number, unsigned code, const char *country, bool possible)
{
    struct number_place p;

    number_place(str_of(number), &p);
    if (p.calling_code != code || strcmp(p.country, country) != 0 || p.possible != possible ||
        p.assigned != (code != 0))
        fail_msg("%s placed at +%u '%s' possible %d", number, p.calling_code, p.country,
                 p.possible);
}

static void shared_codes_are_told_apart(void **state)
{
    check_place("+12025550123", 1, "US", true);
    check_place("+18005551234", 1, "US", true);
    check_place("+15551234567", 1, "US", true); /* 555 is nobody's: the main country's */
    check_place("+14165550123", 1, "CA", true);
    check_place("+18765550123", 1, "JM", true);
    check_place("+16585550123", 1, "JM", true);
    check_place("+14415550123", 1, "BM", true);
    check_place("+447700900123", 44, "GB", true);
    check_place("+447781012345", 44, "GG", true);
    check_place("+447624012345", 44, "IM", true);
    check_place("+74951234567", 7, "RU", true);
    check_place("+77011234567", 7, "KZ", true);
    check_place("+390669812345", 39, "VA", true);
    check_place("+390612345678", 39, "IT", true);
    check_place("+35818123456", 358, "AX", true);
    check_place("+61891621234", 61, "CC", true);
    check_place("+61412345678", 61, "AU", true);
}

static void odd_ones(void **state)
{
    check_place("+1234567890", 1, "US", false); /* nine digits */
    check_place("+80012345678", 800, "", true); /* international freephone */
    check_place("+21012345678", 0, "", false);  /* not assigned */
    check_place("+9991234567", 0, "", false);
}

static void examples_of_every_country(void **state)
{
    char path[512], line[128];
    unsigned rows = 0;

    snprintf(path, sizeof path, "%s/tests/data/numbers.csv", getenv("SKYLARK_SOURCE"));
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f)); /* the headings */
    while (fgets(line, sizeof line, f)) {
        char number[32], country[8];
        unsigned code;
        struct number_place p;

        assert_int_equal(sscanf(line, "%31[^,],%u,%7[A-Z]", number, &code, country), 3);
        /* a few islands have numbers too short for the international format we take */
        if (!number_valid(str_of(number)))
            continue;
        number_place(str_of(number), &p);
        assert_true(p.assigned && p.possible);
        assert_int_equal(p.calling_code, code);
        rows++;
        if (strcmp(p.country, country) != 0)
            fail_msg("%s is in %s, not %s", number, country, p.country);
    }
    fclose(f);
    assert_true(rows > 200);
}

static void codes_of_countries(void **state)
{
    assert_int_equal(number_calling_code("GB"), 44);
    assert_int_equal(number_calling_code("JE"), 44);
    assert_int_equal(number_calling_code("US"), 1);
    assert_int_equal(number_calling_code("CA"), 1); /* only a part of it */
    assert_int_equal(number_calling_code("DE"), 49);
    assert_int_equal(number_calling_code("KZ"), 7);
    assert_int_equal(number_calling_code("UK"), 0);
    assert_int_equal(number_calling_code("gb"), 0);
    assert_int_equal(number_calling_code("G"), 0);
    assert_int_equal(number_calling_code(""), 0);
}

static void numbers_are_completed(void **state)
{
    static const struct {
        const char *digits;
        unsigned home;
        const char *wanted;
    } cases[] = {
        {"4155550123", 1, "+14155550123"},
        {"14155550123", 1, "+14155550123"},
        {"07700900123", 44, "+447700900123"},
        {"7700900123", 44, "+447700900123"},
        {"447700900123", 44, "+447700900123"},
        {"447700900123", 1, "+447700900123"},
        {"0041791234567", 1, "+41791234567"},
        {"07700900123", 0, NULL},
        {"07700900123", 1, NULL},
        {"4155550123", 0, NULL},
        {"72404", 1, NULL},
        {"", 44, NULL},
        {"0", 44, NULL},
        {"00", 44, NULL},
        {"ACME", 1, NULL},
        {"+14155550123", 1, NULL},
        {"99999999999999999999999", 44, NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char number[NUMBER_SIZE];
        bool done = number_complete(str_of(cases[i].digits), cases[i].home, number);
        if (done != (cases[i].wanted != NULL) || (done && strcmp(number, cases[i].wanted) != 0))
            fail_msg("%s of %u became %s", cases[i].digits, cases[i].home, done ? number : "none");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(format_is_exact),    cmocka_unit_test(shared_codes_are_told_apart),
        cmocka_unit_test(odd_ones),           cmocka_unit_test(examples_of_every_country),
        cmocka_unit_test(codes_of_countries), cmocka_unit_test(numbers_are_completed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
