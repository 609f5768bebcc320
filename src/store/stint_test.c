/* Stints end in time, whatever their rows cost. */
#include "store/stint.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Works through rows that cost so much; how many were done, and when the last was. */
static size_t work(int64_t until_us, size_t rows, int64_t row_us, int64_t *ret_end_us)
{
    struct stint t;
    size_t done = 0, piece;
    int64_t now_us = 1000;

    stint_begin(&t, now_us + until_us, rows);
    while ((piece = stint_next(&t, now_us))) {
        assert_in_range(piece, 1, STINT_PIECE_MAX);
        done += piece;
        now_us += (int64_t)piece * row_us;
    }
    *ret_end_us = now_us - 1000;
    return done;
}

static void test_ends_by_count(void **state)
{
    int64_t end_us;

    assert_int_equal(work(4000, 1000, 0, &end_us), 1000);
    assert_int_equal(work(4000, 1, 0, &end_us), 1);
    assert_int_equal(work(4000, 0, 0, &end_us), 0);
}

static void test_ends_by_clock(void **state)
{
    static const int64_t costs_us[] = {1, 3, 10, 30, 100, 300, 499};
    int64_t end_us;

    for (size_t i = 0; i < sizeof costs_us / sizeof *costs_us; i++) {
        size_t done = work(4000, 100000, costs_us[i], &end_us);
        assert_in_range(end_us, 4000, 4000 + 1000);
        assert_in_range(done * (size_t)costs_us[i], 4000, 4000 + 1000);
    }
}

/* Even when there is no time for it. */
static void test_always_gets_somewhere(void **state)
{
    int64_t end_us;

    assert_int_equal(work(0, 100, 50000, &end_us), 1);
    assert_int_equal(work(-5, 100, 1, &end_us), 1);
}

/* Cheap rows make great pieces, and dear ones small pieces again. */
static void test_pieces_follow_the_cost(void **state)
{
    struct stint t;
    size_t piece = 0;
    int64_t now_us = 0;

    stint_begin(&t, INT64_MAX, SIZE_MAX);
    for (int i = 0; i < 10; i++)
        piece = stint_next(&t, now_us += 10);
    assert_int_equal(piece, STINT_PIECE_MAX);
    for (int i = 0; i < 10; i++)
        piece = stint_next(&t, now_us += 10000);
    assert_int_equal(piece, 1);
    assert_int_equal(stint_next(&t, now_us + 300), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_by_count),
        cmocka_unit_test(test_ends_by_clock),
        cmocka_unit_test(test_always_gets_somewhere),
        cmocka_unit_test(test_pieces_follow_the_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
