/* What clients were told goes when its time is over, and what is left of removed endpoints too. */
#include "store/test_outbox.h"

#include <sqlite3.h>
#include <stdio.h>

static int64_t rows_of(const char *table)
{
    char sql[64];
    sqlite3_stmt *get;
    sqlite3 *db;

    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
    assert_int_equal(sqlite3_open(test_path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &get, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(get), SQLITE_ROW);
    int64_t count = sqlite3_column_int64(get, 0);
    sqlite3_finalize(get);
    sqlite3_close(db);
    return count;
}

static size_t notices(void)
{
    struct notice_record *n;
    size_t count;

    assert_int_equal(store_notice_list(test_reader, 1, MODE_TEST,
                                       &(struct notice_query){.limit = 10000}, &test_arena, &n,
                                       &count),
                     0);
    return count;
}

/* So many messages, sent in one transaction; each delivery is tried once. */
static void send_many(int count, enum delivery_state state)
{
    static struct message m[700];

    assert_int_equal(store_begin(test_store), 0);
    for (int i = 0; i < count; i++) {
        m[i] = test_message(1, MODE_TEST, "x");
        assert_int_equal(store_accept(test_store, &m[i]), 0);
        struct message_move move = {.id = m[i].id, .from = ~0u, .to = STATUS_SENT, .at_us = 7};
        assert_int_equal(store_move(test_store, &move), 1);
    }
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(store_begin(test_store), 0);
    for (int i = 0; i < count; i++) {
        struct attempt_record t = {.number = 1, .at_us = 8};
        struct delivery_record *d;
        assert_int_equal(test_deliveries(m[i].id, &d), 1);
        t.delivery = d[0].id;
        assert_int_equal(store_delivery_tried(test_store, &t, state, 1, test_now_us), 1);
    }
    assert_int_equal(store_commit(test_store), 0);
}

static void test_after_thirty_days(void **state)
{
    struct endpoint_record e = test_endpoint_add(1, TEST_MODES, TEST_KINDS);

    send_many(700, DELIVERY_FAILED);
    test_now_us += TEST_DAY_US;
    send_many(3, DELIVERY_WAITING);
    test_now_us += 29 * TEST_DAY_US - 1;
    test_housekeep();
    assert_int_equal(notices(), 2 * 703);
    assert_int_equal(test_count(e.id, DELIVERY_FAILED), 700);

    test_now_us += 3600000000;
    assert_int_equal(notices(), 2 * 3); /* at once, before they are deleted */
    test_housekeep();
    assert_int_equal(notices(), 2 * 3);
    assert_int_equal(test_count(e.id, DELIVERY_FAILED), 0);
    assert_int_equal(test_count(e.id, DELIVERY_WAITING), 3);
    assert_int_equal(rows_of("delivery"), 3);
    assert_int_equal(rows_of("attempt"), 3);
    assert_int_equal(rows_of("notice"), 1);

    test_now_us += 2 * TEST_DAY_US;
    test_housekeep();
    assert_int_equal(notices(), 0);
    assert_int_equal(test_count(e.id, DELIVERY_WAITING), 0);
    assert_int_equal(rows_of("delivery"), 0);
    assert_int_equal(rows_of("attempt"), 0);
    assert_int_equal(rows_of("notice"), 0);
    assert_int_equal(rows_of("endpoint"), 1);
}

/* The origin of addresses of messages is kept as long as something was sent to it. */
static void test_origins_that_are_not_used(void **state)
{
    struct message m = test_message(1, MODE_TEST, "x");

    m.webhook_url = STR("https://hooks.example/");
    for (int i = 0; i < 2; i++) {
        test_accept_this(&m);
        assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 7), 1);
        test_now_us += 20 * TEST_DAY_US;
        test_housekeep();
        assert_int_equal(rows_of("endpoint"), 1);
    }
    test_now_us += 9 * TEST_DAY_US;
    test_housekeep();
    assert_int_equal(rows_of("delivery"), 1);
    assert_int_equal(rows_of("endpoint"), 1);
    test_now_us += 2 * TEST_DAY_US;
    test_housekeep();
    assert_int_equal(rows_of("endpoint"), 0);
    assert_int_equal(rows_of("delivery_tally"), 0);
    test_accept_this(&m);
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 7), 1);
    assert_int_equal(rows_of("endpoint"), 1);
}

/* However many are in use, a step looks at some of them only; and those between them are found. */
static void test_many_origins(void **state)
{
    enum { ORIGINS = 800 };
    static struct message m[ORIGINS];
    char url[64];
    int steps = 0;

    for (int i = 0; i < ORIGINS; i++) {
        snprintf(url, sizeof url, "https://n%d.example/", i);
        m[i] = test_message(1, MODE_TEST, "x");
        m[i].webhook_url = str_of(url);
        test_accept_this(&m[i]);
        assert_int_equal(test_move(m[i].id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 7), 1);
    }
    test_now_us += 20 * TEST_DAY_US;
    for (int i = 0; i < ORIGINS; i += 2) /* these are used once more */
        assert_int_equal(test_move(m[i].id, TEST_BIT(STATUS_SENT), STATUS_DELIVERED, 0, 7), 1);
    test_now_us += 11 * TEST_DAY_US;
    while (rows_of("delivery") > ORIGINS / 2)
        assert_true(store_housekeep(test_store, true));
    while (store_housekeep(test_store, true))
        steps++;
    assert_true(steps >= ORIGINS / 256);
    assert_int_equal(rows_of("endpoint"), ORIGINS / 2);
    assert_int_equal(rows_of("delivery"), ORIGINS / 2);
}

static void test_removed_endpoints(void **state)
{
    struct endpoint_record gone = test_endpoint_add(1, TEST_MODES, TEST_KINDS);

    send_many(600, DELIVERY_DONE);
    assert_int_equal(test_endpoint_remove(1, gone.id), 0);
    struct endpoint_record e = test_endpoint_add(1, TEST_MODES, TEST_KINDS);
    send_many(5, DELIVERY_DONE);
    do
        assert_true(store_housekeep(test_store, false));
    while (rows_of("delivery") == 605); /* other chores may come first */
    /* One step is not all of it. */
    assert_in_range(rows_of("delivery"), 6, 604);
    /* It goes on after a start. */
    test_close();
    test_open();
    test_housekeep();
    assert_int_equal(rows_of("delivery"), 5);
    assert_int_equal(rows_of("attempt"), 5);
    assert_int_equal(rows_of("endpoint_removed"), 0);
    assert_int_equal(rows_of("delivery_tally"), 2);
    assert_int_equal(test_count(e.id, DELIVERY_DONE), 5);

    /* What is past its time of one that was just removed is counted nowhere. */
    test_now_us += 31 * TEST_DAY_US;
    assert_int_equal(test_endpoint_remove(1, e.id), 0);
    test_housekeep();
    assert_int_equal(rows_of("delivery"), 0);
    assert_int_equal(rows_of("delivery_tally"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_after_thirty_days),
        STORE_TEST(test_origins_that_are_not_used),
        STORE_TEST(test_many_origins),
        STORE_TEST(test_removed_endpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
