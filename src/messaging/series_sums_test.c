#include "messaging/series_sums.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void a_series_has_one_sum(void **state)
{
    struct series_sums s = {0};
    struct series_sum *first[1000];
    struct arena arena;

    arena_init(&arena, 8 << 20);
    for (int round = 0; round < 2; round++)
        for (int64_t i = 0; i < 1000; i++) {
            struct series_sum *got = series_sums_get(&s, &arena, 2 + i * i);
            assert_int_equal(got->series, 2 + i * i);
            assert_ptr_equal(series_sums_get(&s, &arena, 2 + i * i), got);
            if (round == 0)
                first[i] = got;
            assert_ptr_equal(got, first[i]);
        }
    assert_int_equal(s.count, 1000);
    arena_done(&arena);
}

static void short_memory_is_told(void **state)
{
    struct series_sums s = {0};
    struct arena small;
    int64_t made = 0;

    arena_init(&small, 32768);
    while (made < 1000 && series_sums_get(&s, &small, made + 2))
        made++;
    assert_in_range(made, 1, 999);
    assert_true(small.failed);
    arena_done(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_series_has_one_sum),
        cmocka_unit_test(short_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
