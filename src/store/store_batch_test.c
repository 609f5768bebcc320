/* The contract of store.h about batches. */
#include "store/test_fixture.h"

/* `accepted` queued messages, and as many scheduled ones behind them. */
static struct batch_record send_batch(unsigned accepted, unsigned scheduled, unsigned rejected,
                                      struct message *messages)
{
    struct batch_record b = {.account = 3, .mode = MODE_LIVE};

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_batch_open(test_store, &b), 0);
    for (unsigned i = 0; i < accepted + scheduled; i++) {
        messages[i] = test_message(3, MODE_LIVE, "x");
        messages[i].batch = b.id;
        if (i >= accepted) {
            messages[i].status = STATUS_SCHEDULED;
            messages[i].scheduled_us = test_now_us + 60000000;
        }
        assert_int_equal(store_accept(test_store, &messages[i]), 0);
    }
    b.accepted = accepted + scheduled;
    b.total = b.accepted + rejected;
    assert_int_equal(store_batch_close(test_store, &b), 0);
    assert_int_equal(store_commit(test_store), 0);
    return b;
}

static int get(int64_t account, enum mode mode, int64_t id, struct batch_record *ret,
               unsigned counts[STATUS_SLOTS])
{
    return store_batch_get(test_reader, account, mode, id, ret, counts);
}

static void check_counts(const struct batch_record *b, const unsigned wanted[STATUS_SLOTS])
{
    unsigned counts[STATUS_SLOTS];
    struct batch_record read;

    assert_int_equal(get(3, MODE_LIVE, b->id, &read, counts), 0);
    for (size_t i = 0; i < STATUS_SLOTS; i++)
        assert_int_equal(counts[i], wanted[i]);
}

static void test_insert_and_get(void **state)
{
    struct message messages[5];
    unsigned counts[STATUS_SLOTS];
    struct batch_record b = send_batch(5, 0, 2, messages), read;

    assert_true(b.id > 0 && b.id < messages[0].id);
    assert_int_equal(b.last, messages[4].id);
    assert_int_equal(b.created_us, test_now_us);
    assert_int_equal(get(3, MODE_LIVE, b.id, &read, counts), 0);
    assert_int_equal(read.id, b.id);
    assert_int_equal(read.account, 3);
    assert_int_equal(read.mode, MODE_LIVE);
    assert_int_equal(read.created_us, b.created_us);
    assert_int_equal(read.total, 7);
    assert_int_equal(read.accepted, 5);
    assert_int_equal(read.last, b.last);
}

static void test_get_is_for_account_and_mode(void **state)
{
    struct message messages[2];
    unsigned counts[STATUS_SLOTS];
    struct batch_record b = send_batch(2, 0, 0, messages), read;

    assert_int_equal(get(4, MODE_LIVE, b.id, &read, counts), -ENOENT);
    assert_int_equal(get(3, MODE_TEST, b.id, &read, counts), -ENOENT);
    assert_int_equal(get(3, MODE_LIVE, messages[0].id, &read, counts), -ENOENT);
    assert_int_equal(get(3, MODE_LIVE, b.id - 1, &read, counts), -ENOENT);
    assert_int_equal(get(3, MODE_LIVE, b.id, &read, counts), 0);
}

static void test_counts_follow_the_messages(void **state)
{
    struct message m[8], others[4];

    send_batch(3, 1, 0, others);
    test_accept(3, MODE_LIVE, "alone, before");
    struct batch_record b = send_batch(6, 2, 1, m);
    test_accept(3, MODE_LIVE, "alone, behind");
    send_batch(3, 1, 0, others);
    check_counts(&b, (unsigned[STATUS_SLOTS]){[STATUS_QUEUED] = 6, [STATUS_SCHEDULED] = 2});

    for (int i = 0; i < 4; i++)
        test_move(m[i].id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 5);
    test_move(m[0].id, TEST_BIT(STATUS_SENT), STATUS_DELIVERED, 0, 6);
    test_move(m[1].id, TEST_BIT(STATUS_SENT), STATUS_DELIVERED, 0, 6);
    test_move(m[2].id, TEST_BIT(STATUS_SENT), STATUS_FAILED, FAILURE_UNKNOWN, 6);
    test_move(m[6].id, TEST_BIT(STATUS_SCHEDULED), STATUS_CANCELLED, 0, 6);
    check_counts(&b, (unsigned[STATUS_SLOTS]){[STATUS_QUEUED] = 2,
                                              [STATUS_SENT] = 1,
                                              [STATUS_DELIVERED] = 2,
                                              [STATUS_FAILED] = 1,
                                              [STATUS_SCHEDULED] = 1,
                                              [STATUS_CANCELLED] = 1});
}

/* Its number is not given again, though no message has a higher one and the clock went back. */
static void test_a_batch_of_nothing(void **state)
{
    struct batch_record b = send_batch(0, 0, 3, NULL);

    assert_int_equal(b.last, b.id);
    check_counts(&b, (unsigned[STATUS_SLOTS]){0});
    test_close();
    test_now_us -= 3600000000;
    test_open();
    assert_true(test_accept(3, MODE_LIVE, "x").id > b.id);
    check_counts(&b, (unsigned[STATUS_SLOTS]){0});
}

static void test_the_largest_batch(void **state)
{
    static struct message messages[1000];
    struct batch_record b = send_batch(999, 1, 0, messages);

    check_counts(&b, (unsigned[STATUS_SLOTS]){[STATUS_QUEUED] = 999, [STATUS_SCHEDULED] = 1});
}

static void test_rollback_leaves_nothing(void **state)
{
    struct batch_record b = {.account = 3, .mode = MODE_LIVE}, read;
    struct message m = test_message(3, MODE_LIVE, "x");
    unsigned counts[STATUS_SLOTS];

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_batch_open(test_store, &b), 0);
    assert_int_equal(store_accept(test_store, &m), 0);
    assert_int_equal(store_batch_close(test_store, &b), 0);
    store_rollback(test_store);
    assert_int_equal(get(3, MODE_LIVE, b.id, &read, counts), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_insert_and_get),
        STORE_TEST(test_get_is_for_account_and_mode),
        STORE_TEST(test_counts_follow_the_messages),
        STORE_TEST(test_a_batch_of_nothing),
        STORE_TEST(test_the_largest_batch),
        STORE_TEST(test_rollback_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
