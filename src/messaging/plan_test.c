#include "messaging/plan.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void check_plan(const char *name, uint32_t per_minute, uint32_t per_hour)
{
    const struct plan *p = plan_find(str_of(name));

    assert_non_null(p);
    assert_int_equal(p->limits.per_minute, per_minute);
    assert_int_equal(p->limits.per_hour, per_hour);
}

static void shipped_plans(void **state)
{
    check_plan(PLAN_DEFAULT, 100, 1000);
    check_plan("growth", 600, 36000);
    check_plan("enterprise", 3000, 180000);
    check_plan("unlimited", 0, 0);
    assert_null(plan_find(STR("Default")));
    assert_null(plan_find(STR("")));
}

static void other_plans_take_their_place(void **state)
{
    static const struct plan mine[] = {{"default", {5, 6}}, {"small", {1, 2}}, {"", {0, 0}}};

    plans_set(mine);
    check_plan("default", 5, 6);
    check_plan("small", 1, 2);
    assert_null(plan_find(STR("growth")));
    plans_set(NULL);
    shipped_plans(state);
}

static struct limit_plan limits(const char *plan, int64_t per_minute, int64_t per_hour)
{
    struct key_record k = {.per_minute = per_minute, .per_hour = per_hour};

    str_format(k.plan, sizeof k.plan, "%s", plan);
    return plan_limits(&k);
}

static void limits_of_a_key(void **state)
{
    struct limit_plan l = limits("growth", LIMIT_OF_PLAN, LIMIT_OF_PLAN);

    assert_int_equal(l.per_minute, 600);
    assert_int_equal(l.per_hour, 36000);
    l = limits("growth", 7, LIMIT_OF_PLAN);
    assert_int_equal(l.per_minute, 7);
    assert_int_equal(l.per_hour, 36000);
    l = limits("growth", LIMIT_OF_PLAN, 0);
    assert_int_equal(l.per_minute, 600);
    assert_int_equal(l.per_hour, 0);
    l = limits("unlimited", 3, INT64_MAX);
    assert_int_equal(l.per_minute, 3);
    assert_int_equal(l.per_hour, UINT32_MAX);
    l = limits("taken out", LIMIT_OF_PLAN, 5);
    assert_int_equal(l.per_minute, 100);
    assert_int_equal(l.per_hour, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_plans),
        cmocka_unit_test(other_plans_take_their_place),
        cmocka_unit_test(limits_of_a_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
