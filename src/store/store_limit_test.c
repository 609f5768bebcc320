/* The contract of store.h about used windows. */
#include "store/test_fixture.h"

#define MINUTE_US INT64_C(60000000)
#define HOUR_US   (60 * MINUTE_US)

static void save(struct limit_count c)
{
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_limit_save(test_store, &c), 0);
    assert_int_equal(store_commit(test_store), 0);
}

static size_t list(int64_t now_us, struct limit_count **ret)
{
    size_t count;

    assert_int_equal(store_limit_list(test_reader, now_us, &test_arena, ret, &count), 0);
    return count;
}

static void what_was_saved_is_listed(void **state)
{
    struct limit_count *read;
    int64_t now_us = 500000 * HOUR_US + 17 * MINUTE_US;

    assert_int_equal(list(now_us, &read), 0);
    save((struct limit_count){7, now_us / MINUTE_US, now_us / HOUR_US, 3, 40});
    save((struct limit_count){5, now_us / MINUTE_US, now_us / HOUR_US, UINT32_MAX, UINT32_MAX - 1});
    assert_int_equal(list(now_us, &read), 2);
    assert_int_equal(read[0].key, 5);
    assert_int_equal(read[0].minute, now_us / MINUTE_US);
    assert_int_equal(read[0].hour, now_us / HOUR_US);
    assert_int_equal(read[0].minute_used, UINT32_MAX);
    assert_int_equal(read[0].hour_used, UINT32_MAX - 1);
    assert_int_equal(read[1].key, 7);
    assert_int_equal(read[1].minute_used, 3);
    assert_int_equal(read[1].hour_used, 40);
}

static void a_key_has_one_count(void **state)
{
    struct limit_count *read;

    save((struct limit_count){7, 60, 1, 3, 40});
    save((struct limit_count){7, 61, 1, 1, 41});
    assert_int_equal(list(HOUR_US, &read), 1);
    assert_int_equal(read[0].minute, 61);
    assert_int_equal(read[0].minute_used, 1);
    assert_int_equal(read[0].hour_used, 41);
}

static void windows_that_ended_are_left_out(void **state)
{
    struct limit_count *read;

    save((struct limit_count){1, 60, 1, 1, 1});  /* the hour from 1:00 to 2:00 */
    save((struct limit_count){2, 300, 5, 1, 1}); /* 5:00, ahead of the clock */
    save((struct limit_count){3, 0, 0, 1, 1});   /* long past */
    assert_int_equal(list(2 * HOUR_US - 1, &read), 2);
    assert_int_equal(read[0].key, 1);
    assert_int_equal(read[1].key, 2);
    assert_int_equal(list(2 * HOUR_US, &read), 1);
    assert_int_equal(read[0].key, 2);
}

static void a_list_may_be_long(void **state)
{
    struct limit_count *read;

    assert_int_equal(store_begin(test_store), 0);
    for (int64_t key = 1; key <= 1000; key++)
        assert_int_equal(
            store_limit_save(test_store, &(struct limit_count){key, 60, 1, 1, (uint32_t)key}), 0);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(list(HOUR_US, &read), 1000);
    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(read[i].key, i + 1);
        assert_int_equal(read[i].hour_used, i + 1);
    }
}

static void a_rollback_and_a_restart(void **state)
{
    struct limit_count *read;

    save((struct limit_count){7, 60, 1, 3, 40});
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_limit_save(test_store, &(struct limit_count){7, 60, 1, 9, 90}), 0);
    store_rollback(test_store);
    test_close();
    test_open();
    assert_int_equal(list(HOUR_US, &read), 1);
    assert_int_equal(read[0].hour_used, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(what_was_saved_is_listed),        STORE_TEST(a_key_has_one_count),
        STORE_TEST(windows_that_ended_are_left_out), STORE_TEST(a_list_may_be_long),
        STORE_TEST(a_rollback_and_a_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
