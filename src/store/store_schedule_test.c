/* The contract of store.h about messages that wait for their time. */
#include "store/test_fixture.h"

static const int64_t minute_us = 60000000;

static struct message accept_for(int64_t due_us)
{
    struct message m = test_message(1, MODE_TEST, "later");

    m.status = STATUS_SCHEDULED;
    m.scheduled_us = due_us;
    test_accept_this(&m);
    return m;
}

static void check_stored(const struct message *wanted)
{
    struct message read;

    assert_int_equal(store_message_get(test_reader, 1, MODE_TEST, wanted->id, &test_arena, &read),
                     0);
    test_same(&read, wanted);
}

static size_t open_count(void)
{
    struct message *work;

    return test_open_work(0, 100, &work);
}

static size_t due(int64_t at_us, size_t limit, struct message **ret)
{
    size_t count;

    assert_int_equal(store_due(test_reader, at_us, limit, &test_arena, ret, &count), 0);
    return count;
}

static int64_t total(void)
{
    struct message_page p;

    assert_int_equal(store_message_page(test_reader, 1, MODE_TEST, NULL, 0, 1, &test_arena, &p), 0);
    return p.total;
}

static void test_scheduled_is_no_open_work(void **state)
{
    struct message m = accept_for(test_now_us + minute_us);

    check_stored(&m);
    assert_int_equal(m.updated_us, m.created_us);
    assert_int_equal(open_count(), 0);
    assert_int_equal(total(), 1);
}

static void test_due_comes_in_order_of_time(void **state)
{
    int64_t now = test_now_us, next = 0;
    struct message *list;

    assert_int_equal(store_next_due(test_reader, &next), -ENOENT);
    assert_int_equal(due(INT64_MAX, 10, &list), 0);
    struct message third = accept_for(now + 3 * minute_us), first = accept_for(now + minute_us);
    struct message second = accept_for(now + 2 * minute_us), also = accept_for(now + minute_us);

    assert_int_equal(store_next_due(test_reader, &next), 0);
    assert_int_equal(next, now + minute_us);
    assert_int_equal(due(now + minute_us - 1, 10, &list), 0);
    assert_int_equal(due(now + minute_us, 10, &list), 2);
    assert_int_equal(due(now + 3 * minute_us, 10, &list), 4);
    test_same(&list[0], &first);
    test_same(&list[1], &also);
    test_same(&list[2], &second);
    test_same(&list[3], &third);
    assert_int_equal(due(INT64_MAX, 3, &list), 3);
    test_same(&list[0], &first);
}

static void test_queued_when_its_time_comes(void **state)
{
    struct message m = accept_for(test_now_us + minute_us), *list;
    int64_t next;

    m.status = STATUS_QUEUED;
    m.updated_us = m.created_us + minute_us;
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_SCHEDULED), STATUS_QUEUED, 0, m.updated_us),
                     1);
    check_stored(&m);
    assert_int_equal(due(INT64_MAX, 10, &list), 0);
    assert_int_equal(store_next_due(test_reader, &next), -ENOENT);
    assert_int_equal(open_count(), 1);
    assert_int_equal(total(), 1);

    /* Once only, and from here on like any other. */
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_SCHEDULED), STATUS_QUEUED, 0, 9), 0);
    m.status = STATUS_SENT;
    m.sent_us = m.updated_us += 10;
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, m.sent_us), 1);
    check_stored(&m);
}

static void test_cancelled_before_its_time(void **state)
{
    struct message m = accept_for(test_now_us + minute_us), *list;

    m.status = STATUS_CANCELLED;
    m.cancelled_us = m.updated_us = m.created_us + 5;
    uint32_t from = TEST_BIT(STATUS_SCHEDULED) | TEST_BIT(STATUS_QUEUED);
    assert_int_equal(test_move(m.id, from, STATUS_CANCELLED, 0, m.cancelled_us), 1);
    check_stored(&m);
    assert_int_equal(due(INT64_MAX, 10, &list), 0);
    assert_int_equal(open_count(), 0);
    assert_int_equal(total(), 1);
    assert_int_equal(test_move(m.id, ~0u, STATUS_QUEUED, 0, 99), 0);
    assert_int_equal(test_move(m.id, ~0u, STATUS_CANCELLED, 0, 99), 0);
    check_stored(&m);
}

static void test_a_move_that_is_not_for_scheduled_ones(void **state)
{
    struct message m = accept_for(test_now_us + minute_us), *list;

    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_CANCELLED, 0, 5), 0);
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_SENT), STATUS_DELIVERED, 0, 5), 0);
    check_stored(&m);
    assert_int_equal(due(INT64_MAX, 10, &list), 1);
}

static void test_rollback_puts_it_back(void **state)
{
    struct message m = accept_for(test_now_us + minute_us), *list;
    struct message_move move = {m.id, TEST_BIT(STATUS_SCHEDULED), STATUS_QUEUED, 0, 5};

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_move(test_store, &move), 1);
    store_rollback(test_store);
    check_stored(&m);
    assert_int_equal(due(INT64_MAX, 10, &list), 1);
    assert_int_equal(open_count(), 0);
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_SCHEDULED), STATUS_QUEUED, 0, 5), 1);
}

static void test_reopened_it_still_waits(void **state)
{
    struct message m = accept_for(test_now_us + minute_us), *list;

    test_close();
    test_open();
    check_stored(&m);
    assert_int_equal(due(INT64_MAX, 10, &list), 1);
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_SCHEDULED), STATUS_QUEUED, 0, 5), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_scheduled_is_no_open_work),
        STORE_TEST(test_due_comes_in_order_of_time),
        STORE_TEST(test_queued_when_its_time_comes),
        STORE_TEST(test_cancelled_before_its_time),
        STORE_TEST(test_a_move_that_is_not_for_scheduled_ones),
        STORE_TEST(test_rollback_puts_it_back),
        STORE_TEST(test_reopened_it_still_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
