#include "store/pending.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Row n has n % 3 + 1 entries. */
static void add_row(struct pending *p, int64_t id)
{
    struct entry e[3] = {{1, 10, id}, {1, 20, id}, {1, 30, id}};

    assert_int_equal(pending_add(p, e, (size_t)(id % 3) + 1), 0);
}

static void test_rows_leave_at_the_front(void **state)
{
    struct pending p = {0};

    for (int64_t id = 0; id < 3000; id++)
        add_row(&p, id);
    assert_int_equal(p.rows, 3000);
    assert_int_equal(p.count, 6000);
    assert_int_equal(pending_front(&p, 0), 0);
    assert_int_equal(pending_front(&p, 1), 1);
    assert_int_equal(pending_front(&p, 2), 3);
    assert_int_equal(pending_front(&p, 3000), 6000);
    assert_int_equal(pending_front(&p, 9999), 6000);
    pending_remove(&p, 1001, pending_front(&p, 1001));
    assert_int_equal(p.rows, 1999);
    assert_int_equal(p.entries[0].id, 1001);
    assert_int_equal(pending_front(&p, 1), 1001 % 3 + 1);
    pending_clear(&p);
    assert_int_equal(p.rows + p.count, 0);
    add_row(&p, 2);
    assert_int_equal(p.count, 3);
    pending_done(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows_leave_at_the_front)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
