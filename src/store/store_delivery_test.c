/* The contract of store.h about deliveries: who gets one, in what order, and how it goes on. */
#include "store/test_outbox.h"

static size_t due(int64_t endpoint, int64_t now_us, size_t limit, struct delivery_record **ret)
{
    size_t count;

    assert_int_equal(store_delivery_due(test_reader, endpoint, (struct delivery_place){0}, now_us,
                                        limit, &test_arena, ret, &count),
                     0);
    return count;
}

/* ---- who is told ---- */

static void test_a_move_is_told_to_those_who_want_it(void **state)
{
    struct endpoint_record e = test_endpoint_add(1, 1u << MODE_TEST, TEST_KINDS);
    struct endpoint_record every = test_endpoint(1, TEST_MODES, 0);
    struct delivery_record *d;

    every.every_kind = true;
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_endpoint_add(test_store, &every), 0);
    assert_int_equal(store_commit(test_store), 0);
    test_endpoint_add(2, TEST_MODES, TEST_KINDS);

    struct message m = test_sent(1, MODE_TEST);
    assert_int_equal(test_deliveries(m.id, &d), 3);
    assert_int_equal(d[0].endpoint, every.id);
    assert_int_equal(d[0].kind, NOTICE_QUEUED);
    assert_int_equal(d[0].notice, m.id);
    assert_int_equal(d[1].endpoint, e.id);
    assert_int_equal(d[1].account, 1);
    assert_int_equal(d[1].mode, MODE_TEST);
    assert_int_equal(d[1].kind, NOTICE_SENT);
    assert_int_equal(d[1].message, m.id);
    assert_true(d[1].notice > m.id && d[1].id > d[1].notice);
    assert_int_equal(d[1].state, DELIVERY_WAITING);
    assert_int_equal(d[1].attempts, 0);
    assert_int_equal(d[1].tries, 0);
    assert_int_equal(d[1].created_us, test_now_us);
    assert_int_equal(d[1].due_us, test_now_us);
    assert_int_equal(d[2].notice, d[1].notice);
    m = test_sent(1, MODE_LIVE);
    assert_int_equal(test_deliveries(m.id, &d), 2);
    assert_int_equal(d[1].endpoint, every.id);
    assert_int_equal(d[1].mode, MODE_LIVE);
}

/* What the writer remembers of endpoints follows what is changed, taken back and reopened. */
static void test_wishes_are_those_of_now(void **state)
{
    struct endpoint_record e = test_endpoint_add(1, TEST_MODES, TEST_KINDS);
    struct delivery_record *d;

    e.kinds = notice_bit(NOTICE_QUEUED);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_endpoint_put(test_store, &e, true), 0);
    store_rollback(test_store);
    assert_int_equal(test_deliveries(test_sent(1, MODE_TEST).id, &d), 1);
    assert_int_equal(d[0].kind, NOTICE_SENT);
    test_endpoint_put(&e, true);
    assert_int_equal(test_deliveries(test_sent(1, MODE_TEST).id, &d), 1);
    assert_int_equal(d[0].kind, NOTICE_QUEUED);
    test_close();
    test_open();
    assert_int_equal(test_deliveries(test_sent(1, MODE_TEST).id, &d), 1);
    assert_int_equal(d[0].kind, NOTICE_QUEUED);
    test_endpoint_remove(1, e.id);
    assert_int_equal(test_deliveries(test_sent(1, MODE_TEST).id, &d), 0);
}

static void test_rollback_leaves_none(void **state)
{
    struct endpoint_record e = test_endpoint_add(1, TEST_MODES, notice_bit(NOTICE_QUEUED));

    assert_int_equal(store_begin(test_store), 0);
    for (int i = 0; i < 20; i++) {
        struct message m = test_message(1, MODE_TEST, "x");
        assert_int_equal(store_accept(test_store, &m), 0);
    }
    store_rollback(test_store);
    test_accept(1, MODE_TEST, "x");
    assert_int_equal(test_count(e.id, DELIVERY_WAITING), 1);
}

/* The address that a message brings along: one endpoint per account and origin. */
static void test_addresses_of_messages(void **state)
{
    struct message m = test_message(1, MODE_LIVE, "x"), other = m, late = m;
    struct delivery_record *d, *others;
    struct endpoint_record e, *all;
    size_t count;

    m.webhook_url = STR("https://Hooks.example:443/a?b");
    other.webhook_url = STR("https://hooks.example/c");
    late = m;
    late.status = STATUS_SCHEDULED;
    late.scheduled_us = test_now_us + 5;
    test_accept_this(&m);
    test_accept_this(&other);
    test_accept_this(&late);
    assert_int_equal(test_deliveries(m.id, &d), 0);
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 7), 1);
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_SENT), STATUS_DELIVERED, 0, 8), 1);
    assert_int_equal(test_deliveries(m.id, &d), 2);
    assert_int_equal(d[0].kind, NOTICE_SENT);
    assert_int_equal(d[1].kind, NOTICE_DELIVERED);
    assert_int_equal(d[1].endpoint, d[0].endpoint);
    assert_int_equal(store_endpoint_get(test_reader, 1, d[0].endpoint, &test_arena, &e), 0);
    assert_true(e.of_messages);
    assert_true(str_is(e.url, "https://hooks.example"));
    assert_int_equal(e.modes, TEST_MODES);
    assert_int_equal(e.created_us, test_now_us);
    assert_int_equal(store_endpoint_list(test_reader, 0, &test_arena, &all, &count), 0);
    assert_int_equal(count, 0);
    e.url = STR("https://elsewhere.example");
    test_endpoint_put(&e, false);

    /* Neither after a start nor for messages that waited for their time it is forgotten. */
    test_close();
    test_open();
    assert_int_equal(
        test_move(other.id, TEST_BIT(STATUS_QUEUED), STATUS_FAILED, FAILURE_UNKNOWN, 9), 1);
    assert_int_equal(test_deliveries(other.id, &others), 1);
    assert_int_equal(others[0].endpoint, d[0].endpoint);
    assert_int_equal(test_move(late.id, TEST_BIT(STATUS_SCHEDULED), STATUS_QUEUED, 0, 9), 1);
    assert_int_equal(test_move(late.id, TEST_BIT(STATUS_QUEUED), STATUS_CANCELLED, 0, 9), 1);
    assert_int_equal(test_deliveries(late.id, &others), 0);
    late.scheduled_us++;
    test_accept_this(&late);
    assert_int_equal(test_move(late.id, TEST_BIT(STATUS_SCHEDULED), STATUS_QUEUED, 0, 9), 1);
    assert_int_equal(test_move(late.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 9), 1);
    assert_int_equal(test_deliveries(late.id, &others), 1);
    assert_int_equal(others[0].endpoint, d[0].endpoint);

    m.account = 2;
    test_accept_this(&m);
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 7), 1);
    assert_int_equal(test_deliveries(m.id, &others), 1);
    assert_int_not_equal(others[0].endpoint, d[0].endpoint);
}

static void test_a_test_is_its_own_notice(void **state)
{
    struct endpoint_record e = test_endpoint_add(1, TEST_MODES, TEST_KINDS);
    struct delivery_record d = {.endpoint = e.id,
                                .account = 1,
                                .mode = MODE_TEST,
                                .kind = NOTICE_TEST},
                           read;
    struct notice_record n, *all;
    struct message m;
    size_t count;

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_delivery_add(test_store, &d), 0);
    assert_int_equal(store_delivery_find(test_store, d.id, &read), 0);
    assert_int_equal(store_commit(test_store), 0);
    read = test_delivery(d.id);
    assert_int_equal(read.notice, d.id);
    assert_int_equal(read.message, 0);
    assert_int_equal(read.state, DELIVERY_WAITING);
    assert_int_equal(due(e.id, test_now_us, 9, &(struct delivery_record *){NULL}), 1);
    assert_int_equal(store_notice_get(test_reader, 1, MODE_TEST, d.id, &n), 0);
    assert_int_equal(n.kind, NOTICE_TEST);
    assert_int_equal(n.at_us, test_now_us);
    assert_int_equal(store_message_at(test_reader, &n, &test_arena, &m), -ENOENT);
    assert_int_equal(store_notice_get(test_reader, 1, MODE_LIVE, d.id, &n), -ENOENT);
    assert_int_equal(store_notice_list(test_reader, 1, MODE_TEST,
                                       &(struct notice_query){.limit = 9}, &test_arena, &all,
                                       &count),
                     0);
    assert_int_equal(count, 0);
    assert_int_equal(test_tried(d.id, 1, DELIVERY_DONE, 0), 1);
}

/* ---- how they go on ---- */

static void test_tries_and_their_attempts(void **state)
{
    struct endpoint_record e = test_endpoint_add(1, TEST_MODES, TEST_KINDS);
    struct message m = test_sent(1, MODE_TEST);
    struct attempt_record *all, one = {.number = 1,
                                       .failover = true,
                                       .at_us = 100,
                                       .duration_us = 50,
                                       .connect_us = 20,
                                       .status = 503,
                                       .error = STR("It says no."),
                                       .answer = {"a\0b\xff", 4},
                                       .signature = STR("x\ny"),
                                       .url = STR("https://a.example/x")};
    struct delivery_record *d;
    size_t count;

    assert_int_equal(test_deliveries(m.id, &d), 1);
    one.delivery = d[0].id;
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_delivery_tried(test_store, &one, DELIVERY_WAITING, 1, test_now_us + 99),
                     1);
    assert_int_equal(store_commit(test_store), 0);
    struct delivery_record read = test_delivery(one.delivery);
    assert_int_equal(read.state, DELIVERY_WAITING);
    assert_int_equal(read.attempts, 1);
    assert_int_equal(read.tries, 1);
    assert_int_equal(read.due_us, test_now_us + 99);
    assert_int_equal(test_tried(one.delivery, 2, DELIVERY_DONE, 0), 1);
    read = test_delivery(one.delivery);
    assert_int_equal(read.state, DELIVERY_DONE);
    assert_int_equal(read.attempts, 2);
    assert_int_equal(test_count(e.id, DELIVERY_WAITING), 0);
    assert_int_equal(test_count(e.id, DELIVERY_DONE), 1);

    assert_int_equal(store_attempt_list(test_reader, one.delivery, &test_arena, &all, &count), 0);
    assert_int_equal(count, 2);
    assert_int_equal(all[0].delivery, one.delivery);
    assert_int_equal(all[0].number, 1);
    assert_true(all[0].failover);
    assert_int_equal(all[0].at_us, 100);
    assert_int_equal(all[0].duration_us, 50);
    assert_int_equal(all[0].connect_us, 20);
    assert_int_equal(all[0].status, 503);
    assert_true(str_is(all[0].error, "It says no."));
    assert_int_equal(all[0].answer.n, 4);
    assert_memory_equal(all[0].answer.p, "a\0b\xff", 4);
    assert_true(str_is(all[0].signature, "x\ny"));
    assert_true(str_is(all[0].url, "https://a.example/x"));
    assert_int_equal(all[1].number, 2);
    assert_false(all[1].failover);
    assert_int_equal(test_tried(12345, 1, DELIVERY_DONE, 0), 0);
}

static void test_due_by_time_and_number(void **state)
{
    struct endpoint_record e = test_endpoint_add(1, TEST_MODES, notice_bit(NOTICE_QUEUED));
    int64_t ids[4], next, now_us = test_now_us;
    struct delivery_record *d;

    assert_int_equal(store_delivery_next(test_reader, e.id, 0, &next), -ENOENT);
    for (int i = 0; i < 4; i++) {
        struct delivery_record *made;
        assert_int_equal(test_deliveries(test_accept(1, MODE_TEST, "x").id, &made), 1);
        ids[i] = made[0].id;
    }
    test_tried(ids[0], 1, DELIVERY_WAITING, now_us + 100);
    test_tried(ids[1], 1, DELIVERY_FAILED, 0);
    assert_int_equal(due(e.id, now_us - 1, 9, &d), 0);
    assert_int_equal(due(e.id, now_us, 9, &d), 2);
    assert_int_equal(d[0].id, ids[2]);
    assert_int_equal(d[1].id, ids[3]);
    assert_int_equal(due(e.id, now_us + 100, 9, &d), 3);
    assert_int_equal(d[2].id, ids[0]);
    assert_int_equal(due(e.id, now_us + 100, 1, &d), 1);
    assert_int_equal(due(e.id + 1, now_us + 100, 9, &d), 0);
    assert_int_equal(store_delivery_next(test_reader, e.id, now_us, &next), 0);
    assert_int_equal(next, now_us + 100);
    assert_int_equal(store_delivery_next(test_reader, e.id, now_us + 100, &next), -ENOENT);
}

/* Later notices of a message never overtake an earlier one at the same endpoint. */
static void test_what_is_behind_waits(void **state)
{
    struct endpoint_record e = test_endpoint_add(1, TEST_MODES, TEST_KINDS);
    struct endpoint_record other = test_endpoint_add(1, TEST_MODES, TEST_KINDS);
    struct message m = test_sent(1, MODE_TEST);
    int64_t late = test_now_us + 60000000, later = late + 60000000;
    struct delivery_record *d;

    assert_int_equal(test_deliveries(m.id, &d), 2);
    int64_t sent = d[0].id, elsewhere = d[1].id;
    assert_int_equal(test_tried(sent, 1, DELIVERY_WAITING, late), 1);
    assert_int_equal(test_delivery(elsewhere).due_us, test_now_us);
    /* A new one takes over, and another try moves it on. */
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_SENT), STATUS_DELIVERED, 0, 8), 1);
    assert_int_equal(test_deliveries(m.id, &d), 4);
    assert_int_equal(d[2].endpoint, e.id);
    assert_int_equal(d[2].due_us, late);
    assert_int_equal(d[3].endpoint, other.id);
    assert_int_equal(d[3].due_us, test_now_us);
    assert_int_equal(test_tried(sent, 2, DELIVERY_WAITING, later), 1);
    assert_int_equal(test_delivery(d[2].id).due_us, later);
    assert_int_equal(test_delivery(d[3].id).due_us, test_now_us);
    /* When it is over, what is behind it is due at once. */
    test_now_us = late + 10;
    assert_int_equal(test_tried(sent, 3, DELIVERY_FAILED, 0), 1);
    assert_int_equal(test_delivery(d[2].id).due_us, test_now_us + 1000);

    /* Asked for again while the later one waits: it comes first. */
    assert_int_equal(test_tried(d[2].id, 1, DELIVERY_WAITING, later), 1);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_delivery_again(test_store, sent, test_now_us), 1);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(test_delivery(sent).due_us, test_now_us);
    assert_int_equal(test_delivery(d[2].id).due_us, test_now_us);
    /* And the later one alone waits for the earlier. */
    assert_int_equal(test_tried(sent, 4, DELIVERY_WAITING, later), 1);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_delivery_again(test_store, d[2].id, test_now_us), 1);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(test_delivery(d[2].id).due_us, later);
}

/* What is over lets nothing go that waits for an earlier one. */
static void test_the_earliest_holds_all_behind_it(void **state)
{
    struct endpoint_record e =
        test_endpoint_add(1, TEST_MODES, TEST_KINDS | notice_bit(NOTICE_QUEUED));
    struct message m = test_delivered(1, MODE_TEST);
    int64_t late = test_now_us + 60000000;
    struct delivery_record *d;

    assert_int_equal(test_deliveries(m.id, &d), 3);
    assert_int_equal(d[2].endpoint, e.id);
    assert_int_equal(test_tried(d[0].id, 1, DELIVERY_WAITING, late), 1);
    assert_int_equal(test_delivery(d[1].id).due_us, late);
    assert_int_equal(test_delivery(d[2].id).due_us, late);
    assert_int_equal(test_tried(d[1].id, 1, DELIVERY_DONE, 0), 1);
    assert_int_equal(test_delivery(d[2].id).due_us, late);
}

static void test_again(void **state)
{
    struct endpoint_record e = test_endpoint_add(1, TEST_MODES, TEST_KINDS);
    struct message m = test_sent(1, MODE_TEST);
    struct delivery_record *d;

    assert_int_equal(test_deliveries(m.id, &d), 1);
    assert_int_equal(test_tried(d[0].id, 6, DELIVERY_FAILED, 0), 1);
    assert_int_equal(test_count(e.id, DELIVERY_FAILED), 1);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_delivery_again(test_store, d[0].id, 777), 1);
    assert_int_equal(store_delivery_again(test_store, 12345, 777), 0);
    assert_int_equal(store_commit(test_store), 0);
    struct delivery_record read = test_delivery(d[0].id);
    assert_int_equal(read.state, DELIVERY_WAITING);
    assert_int_equal(read.attempts, 6);
    assert_int_equal(read.tries, 0);
    assert_int_equal(read.due_us, 777);
    assert_int_equal(test_count(e.id, DELIVERY_FAILED), 0);
    assert_int_equal(test_count(e.id, DELIVERY_WAITING), 1);
}

/* All in the transaction that made it. */
static void test_tried_in_the_transaction_that_made_it(void **state)
{
    struct endpoint_record e = test_endpoint_add(1, TEST_MODES, TEST_KINDS);
    struct delivery_record d = {
        .endpoint = e.id, .account = 1, .mode = MODE_TEST, .kind = NOTICE_TEST};
    struct attempt_record t = {.number = 1};

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_delivery_add(test_store, &d), 0);
    t.delivery = d.id;
    assert_int_equal(store_delivery_tried(test_store, &t, DELIVERY_FAILED, 1, 0), 1);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(test_count(e.id, DELIVERY_FAILED), 1);
    assert_int_equal(test_count(e.id, DELIVERY_WAITING), 0);
}

static void test_nothing_of_removed_endpoints(void **state)
{
    struct endpoint_record e = test_endpoint_add(1, TEST_MODES, TEST_KINDS);
    struct message m = test_sent(1, MODE_TEST);
    struct delivery_record *d, read;

    assert_int_equal(test_deliveries(m.id, &d), 1);
    int64_t id = d[0].id;
    assert_int_equal(test_endpoint_remove(1, e.id), 0);
    assert_int_equal(test_deliveries(m.id, &d), 0);
    assert_int_equal(store_delivery_get(test_reader, id, &read), -ENOENT);
    assert_int_equal(test_tried(id, 1, DELIVERY_DONE, 0), 0);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_delivery_again(test_store, id, 1), 0);
    assert_int_equal(store_commit(test_store), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_a_move_is_told_to_those_who_want_it),
        STORE_TEST(test_wishes_are_those_of_now),
        STORE_TEST(test_rollback_leaves_none),
        STORE_TEST(test_addresses_of_messages),
        STORE_TEST(test_a_test_is_its_own_notice),
        STORE_TEST(test_tries_and_their_attempts),
        STORE_TEST(test_due_by_time_and_number),
        STORE_TEST(test_what_is_behind_waits),
        STORE_TEST(test_the_earliest_holds_all_behind_it),
        STORE_TEST(test_again),
        STORE_TEST(test_tried_in_the_transaction_that_made_it),
        STORE_TEST(test_nothing_of_removed_endpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
