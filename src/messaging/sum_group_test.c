#include "messaging/sum_group.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct arena arena;

static int set_up(void **state)
{
    arena_init(&arena, 8 << 20);
    return 0;
}

static int tear_down(void **state)
{
    arena_done(&arena);
    return 0;
}

static void a_name_has_one_group(void **state)
{
    struct sum_groups g = {0};
    struct sum_group *first[5000];
    char name[16];

    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 5000; i++) {
            snprintf(name, sizeof name, "tag %d", i);
            struct sum_group *got = sum_groups_get(&g, &arena, str_of(name));
            assert_true(str_is(got->name, name));
            if (round == 0)
                first[i] = got;
            assert_ptr_equal(got, first[i]);
        }
    assert_int_equal(g.count, 5000);
    assert_int_equal(sum_groups_get(&g, &arena, STR(""))->name.n, 0);
    assert_int_equal(g.count, 5001);
}

static void the_greatest_stands_first(void **state)
{
    static const struct {
        const char *name;
        int64_t messages, cost;
    } table[] = {{"b", 5, 1}, {"", 5, 9}, {"ab", 5, 1}, {"a", 5, 1}, {"z", 9, 0}, {"x", 1, 50}};
    static const char *const by_messages[] = {"z", "", "a", "ab", "b", "x"};
    static const char *const by_amount[] = {"x", "", "a", "ab", "b", "z"};
    struct sum_groups g = {0};

    sum_groups_sort(&g, MEASURE_MESSAGES);
    for (size_t i = 0; i < 6; i++) {
        struct sum_group *one = sum_groups_get(&g, &arena, str_of(table[i].name));
        one->sum.messages = table[i].messages;
        one->sum.cost_micros = table[i].cost;
    }
    sum_groups_sort(&g, MEASURE_MESSAGES);
    for (size_t i = 0; i < 6; i++)
        assert_true(str_is(g.items[i]->name, by_messages[i]));
    sum_groups_sort(&g, MEASURE_AMOUNT);
    for (size_t i = 0; i < 6; i++)
        assert_true(str_is(g.items[i]->name, by_amount[i]));
}

static void short_memory_is_told(void **state)
{
    struct sum_groups g = {0};
    struct arena small;
    char name[16];
    int made = 0;

    arena_init(&small, 16384);
    for (; made < 1000; made++) {
        snprintf(name, sizeof name, "%d", made);
        if (!sum_groups_get(&g, &small, str_of(name)))
            break;
    }
    assert_in_range(made, 1, 999);
    assert_true(small.failed);
    arena_done(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_name_has_one_group, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_greatest_stands_first, set_up, tear_down),
        cmocka_unit_test(short_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
