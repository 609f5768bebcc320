#include "hooks/hook_alarm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MANY = 200 };

/* The same numbers in every run. */
static uint64_t chance(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static int64_t earliest(const struct hook_alarm *alarms)
{
    int64_t least = INT64_MAX;

    for (size_t i = 0; i < MANY; i++)
        if (alarms[i].place && alarms[i].at_us < least)
            least = alarms[i].at_us;
    return least;
}

/* Set, moved and cleared at random: the first is always the earliest. */
static void test_first_is_earliest(void **state)
{
    struct hook_alarms all = {0};
    struct hook_alarm alarms[MANY] = {0};
    uint64_t seed = 5;

    assert_true(hook_alarms_reserve(&all, MANY));
    for (int i = 0; i < 20000; i++) {
        struct hook_alarm *a = &alarms[chance(&seed) % MANY];

        if (chance(&seed) % 3)
            hook_alarm_set(&all, a, (int64_t)(chance(&seed) % 1000));
        else
            hook_alarm_clear(&all, a);
        const struct hook_alarm *first = hook_alarms_first(&all);
        assert_int_equal(first ? first->at_us : INT64_MAX, earliest(alarms));
    }
    hook_alarms_done(&all);
}

static void test_in_order(void **state)
{
    struct hook_alarms all = {0};
    struct hook_alarm alarms[MANY] = {0};
    uint64_t seed = 7;
    int64_t last = -1;

    for (size_t i = 0; i < MANY; i++) {
        assert_true(hook_alarms_reserve(&all, i + 1));
        hook_alarm_set(&all, &alarms[i], (int64_t)(chance(&seed) % 1000));
    }
    for (size_t i = 0; i < MANY; i++) {
        struct hook_alarm *first = hook_alarms_first(&all);

        assert_true(first->at_us >= last);
        last = first->at_us;
        hook_alarm_clear(&all, first);
    }
    assert_null(hook_alarms_first(&all));
    hook_alarms_done(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_is_earliest),
        cmocka_unit_test(test_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
