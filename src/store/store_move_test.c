/* The contract of store.h about the states of a message and about open work. */
#include "store/sqlite_work.h"
#include "store/test_fixture.h"

enum { FINAL_COUNT = 3 };

static int get(int64_t id, struct message *ret)
{
    return store_message_get(test_reader, 1, MODE_TEST, id, &test_arena, ret);
}

static void test_moves_and_their_times(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x"), read;

    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_SENT), STATUS_DELIVERED, 0, 9), 0);
    assert_int_equal(get(m.id, &read), 0);
    test_same(&read, &m);

    m.status = STATUS_SENT;
    m.sent_us = m.updated_us = m.created_us + 1000;
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, m.sent_us), 1);
    assert_int_equal(get(m.id, &read), 0);
    test_same(&read, &m);

    m.status = STATUS_DELIVERED;
    m.delivered_us = m.updated_us = m.created_us + 2000;
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED) | TEST_BIT(STATUS_SENT),
                               STATUS_DELIVERED, 0, m.delivered_us),
                     1);
    assert_int_equal(get(m.id, &read), 0);
    test_same(&read, &m);
}

static void test_failure_is_kept(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x"), read;

    m.status = STATUS_FAILED;
    m.failure = FAILURE_NO_ROUTE;
    m.failed_us = m.updated_us = m.created_us + 3000;
    assert_int_equal(
        test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_FAILED, FAILURE_NO_ROUTE, m.failed_us), 1);
    assert_int_equal(get(m.id, &read), 0);
    test_same(&read, &m);
}

static void test_cancelled_has_its_time(void **state)
{
    struct message m = test_accept(1, MODE_TEST, "x"), read;

    m.status = STATUS_CANCELLED;
    m.cancelled_us = m.updated_us = m.created_us + 3000;
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_CANCELLED, 0, m.cancelled_us),
                     1);
    assert_int_equal(get(m.id, &read), 0);
    test_same(&read, &m);
}

static void test_final_is_final(void **state)
{
    static const enum message_status final[FINAL_COUNT] = {STATUS_DELIVERED, STATUS_FAILED,
                                                           STATUS_CANCELLED};

    for (size_t i = 0; i < FINAL_COUNT; i++) {
        struct message m = test_accept(1, MODE_TEST, "x"), read, after;
        enum failure failure = final[i] == STATUS_FAILED ? FAILURE_UNKNOWN : FAILURE_NONE;
        assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED), final[i], failure, 7), 1);
        assert_int_equal(get(m.id, &read), 0);
        for (enum message_status to = STATUS_QUEUED; to <= STATUS_RECEIVED; to++)
            assert_int_equal(test_move(m.id, ~0u, to, FAILURE_NO_ROUTE, 99), 0);
        assert_int_equal(get(m.id, &after), 0);
        test_same(&after, &read);
    }
}

static void test_move_of_nothing(void **state)
{
    assert_int_equal(test_move(12345, ~0u, STATUS_SENT, 0, 7), 0);
    assert_int_equal(test_move(test_accept(1, MODE_TEST, "x").id, 0, STATUS_SENT, 0, 7), 0);
}

static void test_accept_and_moves_in_one_transaction(void **state)
{
    struct message m = test_message(1, MODE_TEST, "x"), read, *work;

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_accept(test_store, &m), 0);
    struct message_move sent = {m.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 20};
    struct message_move done = {m.id, TEST_BIT(STATUS_SENT), STATUS_DELIVERED, 0, 30};
    assert_int_equal(store_move(test_store, &sent), 1);
    assert_int_equal(store_move(test_store, &sent), 0);
    assert_int_equal(store_move(test_store, &done), 1);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(get(m.id, &read), 0);
    assert_int_equal(read.status, STATUS_DELIVERED);
    assert_int_equal(read.sent_us, 20);
    assert_int_equal(read.delivered_us, 30);
    assert_int_equal(test_open_work(0, 10, &work), 0);
}

/* The second message takes the first one's place in the writer's memory, before either is written.
 */
static void test_what_is_neither_remembered_nor_written(void **state)
{
    struct message first = test_message(1, MODE_TEST, "x"), second = first, read;

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_accept(test_store, &first), 0);
    test_now_us += WORK_TIMES * INT64_C(1000);
    assert_int_equal(store_accept(test_store, &second), 0);
    struct message_move sent = {first.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 20};
    struct message_move done = {first.id, TEST_BIT(STATUS_SENT), STATUS_DELIVERED, 0, 30};
    assert_int_equal(store_move(test_store, &sent), 1);
    assert_int_equal(store_move(test_store, &done), 1);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(get(first.id, &read), 0);
    assert_int_equal(read.status, STATUS_DELIVERED);
    assert_int_equal(read.sent_us, 20);
}

static void test_what_is_open(void **state)
{
    struct message sent[6], *work;

    for (int i = 0; i < 6; i++)
        sent[i] = test_accept(1 + i % 2, i % 3 ? MODE_TEST : MODE_LIVE, "x");
    assert_int_equal(test_open_work(0, 100, &work), 6);
    for (int i = 0; i < 6; i++)
        test_same(&work[i], &sent[i]);
    assert_int_equal(test_open_work(0, 2, &work), 2);
    assert_int_equal(work[1].id, sent[1].id);
    assert_int_equal(test_open_work(sent[1].id, 2, &work), 2);
    assert_int_equal(work[0].id, sent[2].id);
    assert_int_equal(test_open_work(sent[5].id, 2, &work), 0);

    /* Sent is still open, delivered and failed are not. */
    test_move(sent[0].id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 5);
    test_move(sent[1].id, TEST_BIT(STATUS_QUEUED), STATUS_FAILED, FAILURE_NO_ROUTE, 5);
    test_move(sent[2].id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 5);
    test_move(sent[2].id, TEST_BIT(STATUS_SENT), STATUS_DELIVERED, 0, 6);
    assert_int_equal(test_open_work(0, 100, &work), 4);
    assert_int_equal(work[0].id, sent[0].id);
    assert_int_equal(work[0].status, STATUS_SENT);
    assert_int_equal(work[1].id, sent[3].id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_moves_and_their_times),
        STORE_TEST(test_failure_is_kept),
        STORE_TEST(test_cancelled_has_its_time),
        STORE_TEST(test_final_is_final),
        STORE_TEST(test_move_of_nothing),
        STORE_TEST(test_accept_and_moves_in_one_transaction),
        STORE_TEST(test_what_is_neither_remembered_nor_written),
        STORE_TEST(test_what_is_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
