#include "messaging/projection.h"

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

static void assert_projection(int64_t so_far, const char *now, int64_t expected)
{
    int64_t micros;

    assert_true(month_projection(so_far, at(now), &micros));
    assert_int_equal(micros, expected);
}

static void a_month_goes_on_as_it_began(void **state)
{
    assert_projection(1000000, "2026-11-16T00:00:00Z", 2000000);  /* 15 of 30 days */
    assert_projection(1000000, "2026-11-02T00:00:00Z", 30000000); /* 1 of 30 */
    assert_projection(1000000, "2024-02-02T00:00:00Z", 29000000); /* a leap year */
    assert_projection(1000000, "2025-02-02T00:00:00Z", 28000000); /* none */
    assert_projection(1000000, "2026-12-02T00:00:00Z", 31000000); /* over the year's end */
    assert_projection(0, "2026-11-16T00:00:00Z", 0);
}

static void it_is_rounded_to_the_nearest(void **state)
{
    assert_projection(1, "2026-11-21T00:00:00Z", 2); /* 20 of 30 days: 1.5 */
    assert_projection(7, "2026-11-22T00:00:00Z", 10);
    assert_projection(1, "2026-11-30T23:59:59Z", 1);
    assert_projection(INT64_MAX / 2, "2026-11-01T00:00:00.000001Z", INT64_MAX);
}

static void nothing_has_passed_at_its_first_instant(void **state)
{
    int64_t micros;

    assert_false(month_projection(5, at("2026-11-01T00:00:00Z"), &micros));
    assert_true(month_projection(5, at("2026-11-01T00:00:00.000001Z"), &micros));
}

static void what_has_passed_is_this_months(void **state)
{
    struct time_range r = month_so_far(at("2024-02-29T23:00:00Z"));

    assert_int_equal(r.from_us, at("2024-02-01T00:00:00Z"));
    assert_int_equal(r.to_us, at("2024-03-01T00:00:00Z"));
    assert_int_equal(month_so_far(at("2026-01-01T00:00:00Z")).to_us, at("2026-01-01T01:00:00Z"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_month_goes_on_as_it_began),
        cmocka_unit_test(it_is_rounded_to_the_nearest),
        cmocka_unit_test(nothing_has_passed_at_its_first_instant),
        cmocka_unit_test(what_has_passed_is_this_months),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
