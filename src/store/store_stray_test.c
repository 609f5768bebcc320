/* The contract of store.h about receipts that no message was found for. */
#include "store/test_fixture.h"

static struct stray_record add(const char *reference)
{
    struct stray_record r = {.carrier = 2,
                             .reference = str_of(reference),
                             .source = STR("15551234567"),
                             .destination = STR("18005551234"),
                             .raw = STR("id:7 stat:DELIVRD")};

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_stray_add(test_store, &r), 0);
    assert_int_equal(store_commit(test_store), 0);
    return r;
}

static int drop(int64_t id)
{
    assert_int_equal(store_begin(test_store), 0);
    int r = store_stray_remove(test_store, id);
    assert_int_equal(store_commit(test_store), 0);
    return r;
}

static size_t list(int64_t cursor, size_t limit, struct stray_record **ret)
{
    size_t count;

    assert_int_equal(store_stray_list(test_reader, cursor, limit, &test_arena, ret, &count), 0);
    return count;
}

static void test_add_and_list(void **state)
{
    struct stray_record one = add("1"), two, three, *read;

    assert_int_equal(one.at_us, test_now_us);
    test_now_us += 1000;
    two = add("2");
    three = add("3");
    assert_int_equal(list(0, 9, &read), 3);
    assert_int_equal(read[0].id, three.id);
    assert_int_equal(read[1].id, two.id);
    assert_int_equal(read[1].at_us, test_now_us);
    assert_int_equal(read[2].carrier, 2);
    assert_true(str_is(read[2].reference, "1"));
    assert_true(str_is(read[2].source, "15551234567"));
    assert_true(str_is(read[2].destination, "18005551234"));
    assert_true(str_is(read[2].raw, "id:7 stat:DELIVRD"));
    assert_int_equal(list(two.id, 1, &read), 1);
    assert_int_equal(read[0].id, two.id);
}

static void test_remove(void **state)
{
    struct stray_record *read;
    int64_t id = add("1").id;

    add("2");
    assert_int_equal(drop(id), 1);
    assert_int_equal(drop(id), 0);
    assert_int_equal(list(0, 9, &read), 1);
    assert_true(str_is(read[0].reference, "2"));
}

/* Whoever remembers the number of a stray that was never written removes no other one. */
static void test_numbers_are_not_given_twice(void **state)
{
    struct stray_record r = {.carrier = 2}, *read;

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_stray_add(test_store, &r), 0);
    store_rollback(test_store);
    assert_int_equal(list(0, 9, &read), 0);
    assert_true(add("1").id > r.id);
    int64_t last = add("2").id;
    test_now_us -= 5000000;
    test_close();
    test_open();
    assert_true(test_accept(1, MODE_TEST, "x").id > last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_add_and_list),
        STORE_TEST(test_remove),
        STORE_TEST(test_numbers_are_not_given_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
