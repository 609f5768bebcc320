#include "messaging/interval.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static int64_t at(const char *text)
{
    int64_t us;

    assert_true(rfc3339_parse(str_of(text), &us));
    return us;
}

static void assert_interval(enum interval i, const char *time, const char *start, const char *next)
{
    int64_t start_us = interval_start(i, at(time));

    assert_int_equal(start_us, at(start));
    assert_int_equal(interval_start(i, start_us), start_us);
    assert_int_equal(interval_next(i, start_us), at(next));
    assert_int_equal(interval_start(i, at(next) - 1), start_us);
}

static void hours_and_days_are_cut_off(void **state)
{
    assert_interval(INTERVAL_HOUR, "2024-02-29T23:59:59.999999Z", "2024-02-29T23:00:00Z",
                    "2024-03-01T00:00:00Z");
    assert_interval(INTERVAL_DAY, "2024-02-29T23:59:59.999999Z", "2024-02-29T00:00:00Z",
                    "2024-03-01T00:00:00Z");
    assert_interval(INTERVAL_DAY, "2025-02-28T00:00:00Z", "2025-02-28T00:00:00Z",
                    "2025-03-01T00:00:00Z");
}

static void weeks_begin_on_monday(void **state)
{
    assert_interval(INTERVAL_WEEK, "2026-11-16T00:00:00Z", "2026-11-16T00:00:00Z",
                    "2026-11-23T00:00:00Z");
    assert_interval(INTERVAL_WEEK, "2026-11-15T23:59:59Z", "2026-11-09T00:00:00Z",
                    "2026-11-16T00:00:00Z");
    assert_interval(INTERVAL_WEEK, "2027-01-01T12:00:00Z", "2026-12-28T00:00:00Z",
                    "2027-01-04T00:00:00Z");
    assert_interval(INTERVAL_WEEK, "2024-02-29T12:00:00Z", "2024-02-26T00:00:00Z",
                    "2024-03-04T00:00:00Z");
}

static void months_have_their_lengths(void **state)
{
    assert_interval(INTERVAL_MONTH, "2024-02-29T12:00:00Z", "2024-02-01T00:00:00Z",
                    "2024-03-01T00:00:00Z");
    assert_interval(INTERVAL_MONTH, "2025-02-28T12:00:00Z", "2025-02-01T00:00:00Z",
                    "2025-03-01T00:00:00Z");
    assert_interval(INTERVAL_MONTH, "2025-12-31T23:59:59Z", "2025-12-01T00:00:00Z",
                    "2026-01-01T00:00:00Z");
}

/* Going from one to the next and counting comes to the same. */
static void places_are_counted(void **state)
{
    for (int i = INTERVAL_HOUR; i <= INTERVAL_MONTH; i++) {
        int64_t first = interval_start((enum interval)i, at("2023-11-17T05:00:00Z")), us = first;
        for (size_t n = 0; n < 3000; n++, us = interval_next((enum interval)i, us)) {
            assert_int_equal(interval_index((enum interval)i, first, us), n);
            assert_int_equal(
                interval_index((enum interval)i, first, interval_next((enum interval)i, us) - 1),
                n);
        }
    }
}

static void words_are_understood(void **state)
{
    enum interval i;

    assert_true(interval_from_word(STR("week"), &i));
    assert_int_equal(i, INTERVAL_WEEK);
    assert_string_equal(interval_word(INTERVAL_MONTH), "month");
    assert_false(interval_from_word(STR("Week"), &i));
    assert_false(interval_from_word(STR(""), &i));
    assert_false(interval_from_word(STR("year"), &i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hours_and_days_are_cut_off), cmocka_unit_test(weeks_begin_on_monday),
        cmocka_unit_test(months_have_their_lengths),  cmocka_unit_test(places_are_counted),
        cmocka_unit_test(words_are_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
