#include "store/wishes.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { BOTH = 1 << MODE_TEST | 1 << MODE_LIVE, LIVE = 1 << MODE_LIVE };

static int put(struct wish_table *t, int64_t account, int64_t endpoint, uint32_t modes,
               uint32_t kinds)
{
    return wishes_put(t, account, &(struct wish){endpoint, modes, kinds});
}

static void test_what_an_account_wants(void **state)
{
    struct wish_table t = {0};

    assert_null(wishes_find(&t, 1));
    wishes_clear(&t);
    assert_int_equal(put(&t, 1, 10, BOTH, 4), 0);
    assert_int_equal(put(&t, 1, 11, LIVE, 8), 0);
    const struct account_wishes *a = wishes_find(&t, 1);
    assert_int_equal(a->count, 2);
    assert_int_equal(a->kinds[MODE_TEST], 4);
    assert_int_equal(a->kinds[MODE_LIVE], 12);
    assert_null(wishes_find(&t, 2));
    assert_int_equal(put(&t, 1, 10, LIVE, 16), 0);
    assert_int_equal(a->count, 2);
    assert_int_equal(a->kinds[MODE_TEST], 0);
    assert_int_equal(a->kinds[MODE_LIVE], 24);
    wishes_remove(&t, 1, 10);
    wishes_remove(&t, 1, 10);
    wishes_remove(&t, 9, 10);
    assert_int_equal(a->count, 1);
    assert_int_equal(a->wishes[0].endpoint, 11);
    assert_int_equal(a->kinds[MODE_LIVE], 8);
    wishes_clear(&t);
    assert_null(wishes_find(&t, 1));
    wishes_done(&t);
}

static void test_ten_at_most(void **state)
{
    struct wish_table t = {0};

    for (int64_t i = 0; i < ENDPOINTS_MAX; i++)
        assert_int_equal(put(&t, 1, i, BOTH, 1), 0);
    assert_int_equal(put(&t, 1, ENDPOINTS_MAX, BOTH, 1), -EDQUOT);
    assert_int_equal(put(&t, 1, 3, BOTH, 2), 0);
    assert_int_equal(put(&t, 2, 3, BOTH, 2), 0);
    wishes_done(&t);
}

static void test_many_accounts(void **state)
{
    enum { ACCOUNTS = 5000 };
    struct wish_table t = {0};

    for (int round = 0; round < 2; round++) {
        for (int64_t i = 1; i <= ACCOUNTS; i++)
            assert_int_equal(put(&t, i * i, i, BOTH, 1), 0);
        for (int64_t i = 1; i <= ACCOUNTS; i++)
            assert_int_equal(wishes_find(&t, i * i)->wishes[0].endpoint, i);
        assert_null(wishes_find(&t, 2));
        assert_int_equal(t.count, ACCOUNTS);
        wishes_clear(&t);
    }
    wishes_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_an_account_wants),
        cmocka_unit_test(test_ten_at_most),
        cmocka_unit_test(test_many_accounts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
