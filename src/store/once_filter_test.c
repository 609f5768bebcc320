#include "store/once_filter.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { ROWS = 100 };

static uint64_t term_of(int64_t id)
{
    return (uint64_t)id * 6364136223846793005u;
}

static void add(struct once_filters *f, int64_t first, int64_t last)
{
    for (int64_t id = first; id <= last; id++)
        once_filters_add(f, id, term_of(id));
}

static unsigned ruled_out(const struct once_filters *f, int64_t generation)
{
    unsigned count = 0;

    for (int64_t id = 1000000; id < 1000100; id++)
        count += !once_filters_may_have(f, generation, term_of(id));
    return count;
}

/* From the first row on every generation has a filter that is complete. */
static void test_filters_follow_the_rows(void **state)
{
    struct once_filters f = {.rows = ROWS};

    add(&f, 1, 350);
    assert_int_equal(f.count, 4);
    assert_null(once_filters_incomplete(&f));
    for (int64_t id = 1; id <= 350; id++)
        assert_true(once_filters_may_have(&f, once_generation(&f, id), term_of(id)));
    for (int64_t g = 0; g < 4; g++)
        assert_true(ruled_out(&f, g) > 90);
    assert_int_equal(ruled_out(&f, 4), 0); /* there is none yet */
    once_filters_forget(&f, 201);
    assert_int_equal(f.count, 2);
    assert_int_equal(ruled_out(&f, 1), 0);
    assert_true(ruled_out(&f, 2) > 90);
    once_filters_done(&f);
}

/* After a start nothing is ruled out until the rows have been read. */
static void test_filters_are_completed(void **state)
{
    struct once_filters f = {.rows = ROWS};
    struct once_filter *filter;

    once_filters_expect(&f, 150, 350);
    assert_int_equal(f.count, 3);
    add(&f, 351, 420);
    assert_int_equal(f.count, 4);
    assert_true(ruled_out(&f, 4) > 90);
    for (int64_t g = 3; g >= 1; g--) {
        assert_int_equal(ruled_out(&f, g), 0);
        filter = once_filters_incomplete(&f);
        assert_non_null(filter);
        assert_int_equal(filter->generation, g);
        assert_int_equal(filter->read, g * ROWS);
        once_filter_note_read(&f, filter, g * ROWS + 50, 420);
        assert_ptr_equal(once_filters_incomplete(&f), filter);
        once_filter_note_read(&f, filter, g * ROWS + 100, 420);
        assert_true(ruled_out(&f, g) > 90);
    }
    assert_null(once_filters_incomplete(&f));
    once_filters_done(&f);
}

static void test_there_is_a_ceiling(void **state)
{
    struct once_filters f = {.rows = ROWS};

    once_filters_expect(&f, 1, 100 * ROWS);
    assert_int_equal(f.count, ONCE_FILTERS_MAX);
    add(&f, 100 * ROWS + 1, 102 * ROWS);
    assert_int_equal(f.count, ONCE_FILTERS_MAX);
    assert_int_equal(f.filters[f.count - 1].generation, 101);
    assert_true(ruled_out(&f, 101) > 90);
    once_filters_done(&f);
}

/* The same numbers again, after a rollback. */
static void test_stepping_back(void **state)
{
    struct once_filters f = {.rows = ROWS};

    add(&f, 1, 101);
    once_filters_expect(&f, 1, 90);
    add(&f, 91, 110);
    assert_int_equal(f.count, 2);
    for (int64_t id = 1; id <= 110; id++)
        assert_true(once_filters_may_have(&f, once_generation(&f, id), term_of(id)));
    once_filters_done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filters_follow_the_rows),
        cmocka_unit_test(test_filters_are_completed),
        cmocka_unit_test(test_there_is_a_ceiling),
        cmocka_unit_test(test_stepping_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
