/* The contract of store.h about what the rows of a message do not tell. */
#include "store/test_fixture.h"

static void add(int64_t message, enum event_kind kind, int64_t at_us, const char *detail)
{
    struct event_record e = {
        .message = message, .at_us = at_us, .kind = kind, .detail = str_of(detail)};

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_event_add(test_store, &e), 0);
    assert_int_equal(store_commit(test_store), 0);
}

static size_t list(int64_t message, struct event_record **ret)
{
    size_t count;

    assert_int_equal(store_event_list(test_reader, message, &test_arena, ret, &count), 0);
    return count;
}

static void check(const struct event_record *e, enum event_kind kind, int64_t at_us,
                  const char *detail)
{
    assert_int_equal(e->kind, kind);
    assert_int_equal(e->at_us, at_us);
    assert_true(str_is(e->detail, detail));
}

/* In the order they were added, whatever their times say. */
static void test_add_and_list(void **state)
{
    int64_t one = test_accept(1, MODE_TEST, "x").id, two = test_accept(1, MODE_TEST, "x").id;
    struct event_record *events;

    assert_int_equal(list(one, &events), 0);
    add(one, EVENT_OPTED_OUT, 50, "Opted out with STOP.");
    add(two, EVENT_OPTED_IN, 60, "");
    add(one, EVENT_LATE_RECEIPT, 40, "caf\xc3\xa9");
    assert_int_equal(list(one, &events), 2);
    assert_int_equal(events[0].message, one);
    check(&events[0], EVENT_OPTED_OUT, 50, "Opted out with STOP.");
    check(&events[1], EVENT_LATE_RECEIPT, 40, "caf\xc3\xa9");
    assert_int_equal(list(two, &events), 1);
    check(&events[0], EVENT_OPTED_IN, 60, "");
    assert_int_equal(list(two + 1, &events), 0);
}

static void test_a_hundred_are_read(void **state)
{
    struct event_record *events;

    for (int i = 0; i < 120; i++)
        add(7, EVENT_LATE_RECEIPT, i, "again");
    assert_int_equal(list(7, &events), 100);
    check(&events[99], EVENT_LATE_RECEIPT, 99, "again");
}

static void test_rollback_leaves_nothing(void **state)
{
    struct event_record e = {.message = 7, .kind = EVENT_OPTED_IN, .detail = STR("x")}, *events;

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_event_add(test_store, &e), 0);
    store_rollback(test_store);
    assert_int_equal(list(7, &events), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_add_and_list),
        STORE_TEST(test_a_hundred_are_read),
        STORE_TEST(test_rollback_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
