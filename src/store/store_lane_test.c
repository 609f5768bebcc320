/* The contract of store.h about which carrier has a message. */
#include "store/test_fixture.h"

enum { ACME = 2, OTHER = 3, MANY = 1000 };

static struct message accept_for(unsigned carrier)
{
    struct message m = test_message(1, MODE_LIVE, "x");

    m.carrier = carrier;
    m.reason = REASON_USER;
    test_accept_this(&m);
    return m;
}

static struct message look(int64_t id)
{
    struct message m;

    assert_int_equal(store_message_find(test_reader, id, &test_arena, &m), 0);
    return m;
}

static void hand_over(const int64_t *ids, size_t count, unsigned carrier)
{
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_hand_over(test_store, ids, count, carrier), 0);
    assert_int_equal(store_commit(test_store), 0);
}

static int requeue(int64_t id, unsigned carrier, unsigned retry_count)
{
    assert_int_equal(store_begin(test_store), 0);
    int done = store_requeue(test_store, id, carrier, retry_count);
    assert_int_equal(store_commit(test_store), 0);
    return done;
}

static void test_a_message_is_found_by_number_alone(void **state)
{
    struct message m = accept_for(ACME), live = look(m.id);
    struct message test = test_accept(5, MODE_TEST, "y"), read = look(test.id);

    test_same(&live, &m);
    test_same(&read, &test);
    assert_int_equal(store_message_find(test_reader, m.id + 9, &test_arena, &read), -ENOENT);
}

static void test_handing_over_changes_nothing_else(void **state)
{
    struct message m = accept_for(ACME), read;

    test_now_us += 1000;
    hand_over(&m.id, 1, ACME);
    m.handed = true;
    read = look(m.id);
    test_same(&read, &m);
    /* A change of status has the last word. */
    test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, test_now_us);
    m.handed = false;
    m.status = STATUS_SENT;
    m.sent_us = m.updated_us = test_now_us;
    read = look(m.id);
    test_same(&read, &m);
    hand_over(&m.id, 1, OTHER);
    read = look(m.id);
    test_same(&read, &m);
}

static void test_what_was_handed_over_can_fail(void **state)
{
    struct message m = accept_for(ACME);

    hand_over(&m.id, 1, ACME);
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_FAILED,
                               FAILURE_UPSTREAM_TIMEOUT, test_now_us),
                     1);
    struct message read = look(m.id);
    assert_int_equal(read.status, STATUS_FAILED);
    assert_int_equal(read.sent_us, 0);
    assert_false(read.handed);
    assert_int_equal(read.carrier, ACME);
}

/* A thousand at once, among them some that are gone, and after the program was started anew. */
static void test_handing_over_many(void **state)
{
    int64_t ids[MANY];

    assert_int_equal(store_begin(test_store), 0);
    for (size_t i = 0; i < MANY; i++) {
        struct message m = test_message(1, MODE_LIVE, "x");
        m.carrier = ACME;
        assert_int_equal(store_accept(test_store, &m), 0);
        ids[i] = m.id;
    }
    assert_int_equal(store_commit(test_store), 0);
    test_move(ids[7], TEST_BIT(STATUS_QUEUED), STATUS_CANCELLED, 0, 5);
    test_close();
    test_open();
    hand_over(ids, MANY, ACME);
    test_close();
    test_open();
    for (size_t i = 0; i < MANY; i++) {
        struct message m = look(ids[i]);
        assert_int_equal(m.handed, i != 7);
        assert_int_equal(m.status, i == 7 ? STATUS_CANCELLED : STATUS_QUEUED);
    }
}

static void test_a_rollback_takes_the_hand_over_back(void **state)
{
    struct message m = accept_for(ACME);

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_hand_over(test_store, &m.id, 1, OTHER), 0);
    store_rollback(test_store);
    struct message read = look(m.id);
    test_same(&read, &m);
    assert_int_equal(requeue(m.id, ACME, 0), 1);
    read = look(m.id);
    test_same(&read, &m);
}

static void test_another_carrier_is_a_failover(void **state)
{
    struct message m = accept_for(ACME), read;

    hand_over(&m.id, 1, ACME);
    assert_int_equal(requeue(m.id, OTHER, 2), 1);
    m.carrier = OTHER;
    m.reason = REASON_FAILOVER;
    m.retry_count = 2;
    read = look(m.id);
    test_same(&read, &m);
    test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 7);
    assert_int_equal(requeue(m.id, ACME, 0), 0);
    test_move(m.id, TEST_BIT(STATUS_SENT), STATUS_DELIVERED, 0, 8);
    read = look(m.id);
    assert_int_equal(read.carrier, OTHER);
    assert_int_equal(read.reason, REASON_FAILOVER);
    assert_int_equal(read.retry_count, 2);
    assert_int_equal(requeue(m.id, ACME, 0), 0);
    assert_int_equal(requeue(12345, ACME, 0), 0);
}

/* Back with its first carrier, the first reason holds again. */
static void test_back_to_the_first_choice(void **state)
{
    struct message m = accept_for(ACME), read;

    requeue(m.id, OTHER, 0);
    requeue(m.id, ACME, 0);
    read = look(m.id);
    test_same(&read, &m);
}

static void test_a_scheduled_message_keeps_its_carrier(void **state)
{
    struct message m = test_message(1, MODE_LIVE, "x");

    m.carrier = OTHER;
    m.reason = REASON_LOCAL;
    m.status = STATUS_SCHEDULED;
    m.scheduled_us = test_now_us + 5;
    test_accept_this(&m);
    struct message read = look(m.id);
    test_same(&read, &m);
    test_move(m.id, TEST_BIT(STATUS_SCHEDULED), STATUS_QUEUED, 0, test_now_us + 5);
    read = look(m.id);
    assert_int_equal(read.carrier, OTHER);
    assert_int_equal(read.reason, REASON_LOCAL);
}

static struct work_query query_for(unsigned carrier)
{
    return (struct work_query){.carrier = carrier, .limit = 10};
}

static size_t list(const struct work_query *q, struct message **ret, int64_t *ret_looked,
                   bool *ret_end)
{
    size_t count;

    assert_int_equal(store_work_list(test_reader, q, &test_arena, ret, &count, ret_looked, ret_end),
                     0);
    return count;
}

static void test_work_by_carrier(void **state)
{
    struct message m[6], *work;
    int64_t looked;
    bool end;

    for (size_t i = 0; i < 6; i++)
        m[i] = accept_for(i % 2 ? ACME : OTHER);
    struct work_query q = query_for(ACME);
    assert_int_equal(list(&q, &work, &looked, &end), 3);
    test_same(&work[0], &m[1]);
    test_same(&work[2], &m[5]);
    assert_int_equal(looked, m[5].id);
    assert_true(end);

    test_move(m[3].id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 5);
    assert_int_equal(list(&q, &work, &looked, &end), 2);
    q.sent = true;
    assert_int_equal(list(&q, &work, &looked, &end), 3);
    assert_int_equal(work[1].status, STATUS_SENT);

    /* Where it goes now counts, not where it went first. */
    requeue(m[0].id, ACME, 0);
    assert_int_equal(list(&q, &work, &looked, &end), 4);
    assert_int_equal(work[0].reason, REASON_FAILOVER);

    q = query_for(9);
    assert_int_equal(list(&q, &work, &looked, &end), 0);
    assert_int_equal(looked, m[5].id);
    assert_true(end);
}

/* A reader goes on from where the last look ended, however little each look takes. */
static void test_looks_are_bounded(void **state)
{
    struct message m[6], *work;
    int64_t looked;
    bool end;

    for (size_t i = 0; i < 6; i++)
        m[i] = accept_for(i == 0 || i == 5 ? ACME : OTHER);
    struct work_query q = query_for(ACME);
    q.look_max = 3;
    assert_int_equal(list(&q, &work, &looked, &end), 1);
    assert_int_equal(looked, m[2].id);
    assert_false(end);
    q.after = looked;
    assert_int_equal(list(&q, &work, &looked, &end), 1);
    assert_int_equal(work[0].id, m[5].id);
    q.after = looked;
    assert_int_equal(list(&q, &work, &looked, &end), 0);
    assert_int_equal(looked, m[5].id);
    assert_true(end);

    q = query_for(OTHER);
    q.limit = 2;
    assert_int_equal(list(&q, &work, &looked, &end), 2);
    assert_int_equal(looked, m[2].id);
    assert_false(end);
}

static void test_carriers_of_open_work(void **state)
{
    unsigned found[4];
    size_t count;

    assert_int_equal(store_work_carriers(test_reader, found, 4, &count), 0);
    assert_int_equal(count, 0);
    int64_t first = accept_for(ACME).id;
    int64_t others[] = {accept_for(OTHER).id, accept_for(OTHER).id};
    int64_t none = accept_for(0).id;
    assert_int_equal(store_work_carriers(test_reader, found, 4, &count), 0);
    assert_int_equal(count, 3);
    assert_int_equal(found[0] + found[1] + found[2], ACME + OTHER + 0);
    assert_int_equal(store_work_carriers(test_reader, found, 1, &count), 0);
    assert_int_equal(count, 1);
    test_move(none, TEST_BIT(STATUS_QUEUED), STATUS_CANCELLED, 0, 5);
    /* What a carrier has needs none any more. */
    test_move(first, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 5);
    assert_int_equal(store_work_carriers(test_reader, found, 4, &count), 0);
    assert_int_equal(count, 1);
    assert_int_equal(found[0], OTHER);
    /* Nor does what was given to another. */
    requeue(others[0], ACME, 0);
    hand_over(&others[1], 1, ACME);
    assert_int_equal(store_work_carriers(test_reader, found, 4, &count), 0);
    assert_int_equal(count, 1);
    assert_int_equal(found[0], ACME);
    test_move(others[0], TEST_BIT(STATUS_QUEUED), STATUS_CANCELLED, 0, 5);
    test_move(others[1], TEST_BIT(STATUS_QUEUED), STATUS_FAILED, FAILURE_NO_ROUTE, 5);
    assert_int_equal(store_work_carriers(test_reader, found, 4, &count), 0);
    assert_int_equal(count, 0);
}

static void test_scheduled_work_has_no_carrier_yet(void **state)
{
    struct message m = test_message(1, MODE_LIVE, "x");
    unsigned found[4];
    size_t count;

    m.carrier = ACME;
    m.status = STATUS_SCHEDULED;
    m.scheduled_us = test_now_us + 5;
    test_accept_this(&m);
    assert_int_equal(store_work_carriers(test_reader, found, 4, &count), 0);
    assert_int_equal(count, 0);
    test_move(m.id, TEST_BIT(STATUS_SCHEDULED), STATUS_QUEUED, 0, test_now_us + 5);
    assert_int_equal(store_work_carriers(test_reader, found, 4, &count), 0);
    assert_int_equal(count, 1);
}

/* Nobody can call it back from the carrier; without the mark it can be. */
static void test_what_was_handed_over_is_not_cancelled(void **state)
{
    struct message m = test_accept(1, MODE_LIVE, "x");

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_hand_over(test_store, &m.id, 1, 2), 0);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_CANCELLED, 0, 9), 0);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_requeue(test_store, m.id, 2, 0), 1);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_CANCELLED, 0, 9), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_a_message_is_found_by_number_alone),
        STORE_TEST(test_handing_over_changes_nothing_else),
        STORE_TEST(test_what_was_handed_over_can_fail),
        STORE_TEST(test_handing_over_many),
        STORE_TEST(test_a_rollback_takes_the_hand_over_back),
        STORE_TEST(test_another_carrier_is_a_failover),
        STORE_TEST(test_back_to_the_first_choice),
        STORE_TEST(test_a_scheduled_message_keeps_its_carrier),
        STORE_TEST(test_work_by_carrier),
        STORE_TEST(test_looks_are_bounded),
        STORE_TEST(test_carriers_of_open_work),
        STORE_TEST(test_scheduled_work_has_no_carrier_yet),
        STORE_TEST(test_what_was_handed_over_is_not_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
