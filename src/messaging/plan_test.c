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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_plans),
        cmocka_unit_test(other_plans_take_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
