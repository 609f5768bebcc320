#include "store/recent.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MANY = 5000 };

/* Says of each number whether it was told, and stops at one. */
struct told {
    int64_t ids[8], stop;
    size_t count;
};

static int tell(void *context, int64_t id)
{
    struct told *t = context;

    assert_true(t->count < 8);
    t->ids[t->count++] = id;
    return id == t->stop ? 7 : -ENOENT;
}

static struct told look(const struct recent *r, uint64_t term, int64_t stop, int wanted)
{
    struct told t = {.stop = stop};

    assert_int_equal(recent_find(r, term, tell, &t), wanted);
    return t;
}

static void test_an_empty_one_knows_nothing(void **state)
{
    struct recent r = {0};

    assert_int_equal(look(&r, 5, 0, -ENOENT).count, 0);
    recent_forget(&r, 10);
    recent_done(&r);
}

static void test_all_under_one_term_are_told(void **state)
{
    struct recent r = {0};

    for (int64_t id = 1; id <= 3; id++)
        assert_int_equal(recent_add(&r, 42, id), 0);
    assert_int_equal(recent_add(&r, 43, 4), 0);
    struct told t = look(&r, 42, 0, -ENOENT);
    assert_int_equal(t.count, 3);
    assert_int_equal(t.ids[0] + t.ids[1] + t.ids[2], 6);
    t = look(&r, 43, 4, 7);
    assert_int_equal(t.count, 1);
    recent_done(&r);
}

static uint64_t term_of(int64_t id)
{
    return (uint64_t)id * 977;
}

static void test_it_grows_and_forgets(void **state)
{
    struct recent r = {0};

    for (int64_t id = 1; id <= MANY; id++)
        assert_int_equal(recent_add(&r, term_of(id), id), 0);
    for (int64_t id = 1; id <= MANY; id++)
        look(&r, term_of(id), id, 7);
    recent_forget(&r, MANY / 2);
    assert_int_equal(r.count, MANY / 2);
    for (int64_t id = 1; id <= MANY; id++)
        assert_int_equal(look(&r, term_of(id), id, id > MANY / 2 ? 7 : -ENOENT).count,
                         id > MANY / 2);
    recent_forget(&r, MANY);
    assert_int_equal(r.count, 0);
    assert_int_equal(look(&r, term_of(MANY), MANY, -ENOENT).count, 0);
    recent_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_empty_one_knows_nothing),
        cmocka_unit_test(test_all_under_one_term_are_told),
        cmocka_unit_test(test_it_grows_and_forgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
