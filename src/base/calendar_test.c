#include "base/calendar.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void assert_date(int64_t days, unsigned year, unsigned month, unsigned day)
{
    struct civil_date d = civil_of_days(days);

    assert_int_equal(d.year, year);
    assert_int_equal(d.month, month);
    assert_int_equal(d.day, day);
    assert_int_equal(civil_to_days(year, month, day), days);
}

static void known_days_have_their_dates(void **state)
{
    assert_date(0, 1970, 1, 1);
    assert_date(58, 1970, 2, 28);
    assert_date(59, 1970, 3, 1);
    assert_date(11016, 2000, 2, 29);
    assert_date(19782, 2024, 2, 29);
    assert_date(20512, 2026, 2, 28);
    assert_date(20513, 2026, 3, 1);
    assert_date(47540, 2100, 2, 28);
    assert_date(47541, 2100, 3, 1); /* no leap year, for all that four divides it */
    assert_date(2932896, 9999, 12, 31);
}

/* Each day follows the one before: the next of its month, or the first of the next month when the
 * day after it does not exist. */
static void every_day_of_1100_years_follows_the_one_before(void **state)
{
    struct civil_date before = civil_of_days(0);

    for (int64_t days = 1; days < 400000; days++) {
        struct civil_date d = civil_of_days(days);
        bool first = !civil_exists(before.year, before.month, before.day + 1);
        bool new_year = first && before.month == 12;
        assert_int_equal(d.day, first ? 1 : before.day + 1);
        assert_int_equal(d.month, new_year ? 1 : before.month + first);
        assert_int_equal(d.year, before.year + new_year);
        assert_int_equal(civil_to_days(d.year, d.month, d.day), days);
        before = d;
    }
}

static void dates_that_exist_are_read(void **state)
{
    static const struct {
        const char *text;
        int64_t days;
    } table[] = {{"1970-01-01", 0},
                 {"2024-02-29", 19782},
                 {"2000-02-29", 11016},
                 {"2026-12-31", 20818},
                 {"9999-12-31", 2932896}};
    int64_t days;

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_true(date_parse(str_of(table[i].text), &days));
        assert_int_equal(days, table[i].days);
    }
}

static void others_are_not(void **state)
{
    static const char *const texts[] = {
        "",           "2026",       "2026-1-01",   "2026-01-1",   "2026-04-31", "2025-02-29",
        "2100-02-29", "2026-00-10", "2026-13-01",  "2026-01-00",  "2026-01-32", "1969-12-31",
        "2026/01/01", "20260101",   "2026-01-01 ", " 2026-01-01", "-026-01-01", "2026-01-01T",
        "+026-01-01", "2026--1-01", "today"};
    int64_t days = -1;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (date_parse(str_of(texts[i]), &days))
            fail_msg("%s is no date", texts[i]);
    assert_false(date_parse((struct str){NULL, 0}, &days));
    assert_int_equal(days, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_days_have_their_dates),
        cmocka_unit_test(every_day_of_1100_years_follows_the_one_before),
        cmocka_unit_test(dates_that_exist_are_read),
        cmocka_unit_test(others_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
