/* Stores of other versions: newer ones are refused, older ones are migrated with all they hold. */
#include "store/sqlite_testing.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Of the closed store's schema; returns what it was. */
static int set_version(int version)
{
    char set[64];
    sqlite3 *db;
    sqlite3_stmt *get;

    assert_int_equal(sqlite3_open(test_path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &get, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(get), SQLITE_ROW);
    int old = sqlite3_column_int(get, 0);
    sqlite3_finalize(get);
    snprintf(set, sizeof set, "PRAGMA user_version = %d", version);
    assert_int_equal(sqlite3_exec(db, set, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    return old;
}

static void test_a_newer_schema_is_refused(void **state)
{
    struct store *other = (struct store *)-1;
    char why[STORE_WHY_SIZE];

    test_close();
    int own = set_version(1000);
    assert_int_equal(store_open_sqlite(&other, test_path, &test_clock, why), -EPROTO);
    assert_null(other);
    assert_non_null(strstr(why, "1000"));
    assert_null(strchr(why, '\n'));
    /* Unharmed: with its own version it opens again. */
    set_version(own);
    test_open();
}

static void exec_file(sqlite3 *db, const char *name)
{
    char path[512], sql[8192];

    snprintf(path, sizeof path, "%s/src/store/migrations/%s", getenv("SKYLARK_SOURCE"), name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t n = fread(sql, 1, sizeof sql - 1, file);
    assert_true(n > 0 && n < sizeof sql - 1);
    fclose(file);
    sql[n] = '\0';
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

/* A store as the first version left it: a queued message, a sent one and a delivered one. */
static void make_first_schema(const char *path)
{
    static const char rows[] =
        "INSERT INTO meta VALUES ('id_secret', x'000102030405060708090a0b0c0d0e0f');"
        "INSERT INTO message SELECT value << 22, 3, 1763168523004005 + value, 1, 1, 3, 2, 3, 2, 1,"
        "  5, 60, 44, 'GB', 135000, 'USD', '+18005551234', '+447700900123', '', 'old'"
        "  FROM (SELECT 1 AS value UNION SELECT 2 UNION SELECT 3);"
        "INSERT INTO work VALUES (1 << 22, 3, 2, 1763168523004006, -4611686018427387904, 0),"
        "  (2 << 22, 3, 3, 55, 55, 0);"
        "INSERT INTO ending VALUES (3 << 22, 4, 77, 66, 0, 0);"
        "INSERT INTO tally VALUES (3, 2, 1), (3, 3, 1), (3, 4, 1);"
        "INSERT INTO api_key VALUES (1, 1, 1, 'old', 'default', zeroblob(32), 'abcd', 5, 11, 0, 0);"
        "PRAGMA user_version = 1";
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    exec_file(db, "0001.sql");
    assert_int_equal(sqlite3_exec(db, rows, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* As test_message makes it, which is what the rows above hold. */
static struct message old_message(int number)
{
    struct message m = test_message(1, MODE_LIVE, "old");

    m.id = (int64_t)number << 22;
    m.created_us = m.updated_us = 1763168523004005 + number;
    if (number == 2) {
        m.status = STATUS_SENT;
        m.sent_us = m.updated_us = 55;
    }
    if (number == 3) {
        m.status = STATUS_DELIVERED;
        m.sent_us = 66;
        m.delivered_us = m.updated_us = 77;
    }
    return m;
}

static void test_the_first_schema_is_migrated(void **state)
{
    struct message_page p;
    struct message *work, later = test_message(1, MODE_LIVE, "later");
    struct key_record key;
    uint8_t hash[KEY_HASH_SIZE] = {0};

    test_close();
    assert_int_equal(unlink(test_path), 0);
    make_first_schema(test_path);
    test_open();
    assert_int_equal(store_message_page(test_reader, 1, MODE_LIVE, NULL, 0, 9, &test_arena, &p), 0);
    assert_int_equal(p.total, 3);
    assert_int_equal(p.count, 3);
    for (int number = 1; number <= 3; number++) {
        struct message wanted = old_message(number);
        test_same(&p.messages[3 - number], &wanted);
    }
    assert_int_equal(test_open_work(0, 9, &work), 2);
    unsigned carriers[2];
    size_t count;
    assert_int_equal(store_work_carriers(test_reader, carriers, 2, &count), 0);
    assert_int_equal(count, 1);
    assert_int_equal(carriers[0], 0);
    struct queue_state q;
    assert_int_equal(store_queue_state(test_reader, 1, MODE_LIVE, &q), 0);
    assert_int_equal(q.queued, 1);
    assert_int_equal(q.oldest_queued_us, 1763168523000000);
    assert_int_equal(q.lane_count, 1);
    assert_int_equal(q.lanes[0].queued, 1);
    assert_int_equal(store_key_find(test_reader, hash, &key), 0);
    assert_string_equal(key.name, "old");
    assert_int_equal(key.per_minute, LIMIT_OF_PLAN);
    test_check_books();

    /* And it takes what the first version did not know. */
    later.status = STATUS_SCHEDULED;
    later.scheduled_us = test_now_us + 1;
    later.tags = STR("new");
    later.carrier = 2;
    test_accept_this(&later);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_requeue(test_store, 1 << 22, 2, 0), 1);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(
        test_move(1 << 22, TEST_BIT(STATUS_QUEUED), STATUS_FAILED, FAILURE_NO_ROUTE, 5), 1);
    assert_int_equal(store_message_page(test_reader, 1, MODE_LIVE, NULL, 0, 9, &test_arena, &p), 0);
    assert_int_equal(p.total, 4);
    test_check_books();
    test_same(&p.messages[0], &later);
    assert_int_equal(p.messages[3].failed_us, 5);
    assert_int_equal(p.messages[3].carrier, 2);
    assert_int_equal(p.messages[2].carrier, 0);
    assert_int_equal(store_work_carriers(test_reader, carriers, 2, &count), 0);
    assert_int_equal(count, 0);
    assert_int_equal(store_queue_state(test_reader, 1, MODE_LIVE, &q), 0);
    assert_int_equal(q.oldest_queued_us, 0);
    assert_int_equal(q.lane_count, 0);
}

static int64_t total_of(const struct message_filter *filter)
{
    struct message_page p;

    assert_int_equal(store_message_page(test_reader, 1, MODE_LIVE, filter, 0, 9, &test_arena, &p),
                     0);
    assert_int_equal(p.count, p.total);
    return p.total;
}

/* Lists with conditions find what was there before they could be asked for. */
static void test_old_messages_are_found(void **state)
{
    sqlite3 *db;

    test_close();
    assert_int_equal(unlink(test_path), 0);
    make_first_schema(test_path);
    assert_int_equal(sqlite3_open(test_path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "UPDATE ending SET status = 5;"
                                  "UPDATE tally SET status = 5 WHERE status = 4",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    test_open();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(total_of(&(struct message_filter){.statuses = TEST_BIT(STATUS_FAILED)}),
                         1);
        assert_int_equal(total_of(&(struct message_filter){.statuses = TEST_BIT(STATUS_SENT)}), 1);
        assert_int_equal(total_of(&(struct message_filter){.to = STR("+447700900123")}), 3);
        store_housekeep(test_store, true);
        store_reader_rest(test_reader);
    }
}

/* Messages that were open before they could be told of are told of. */
static void test_addresses_of_old_messages(void **state)
{
    static const char *const files[] = {"0002.sql", "0003.sql", "0004.sql", "0005.sql", "0006.sql"};
    struct delivery_record *d;
    sqlite3 *db;
    size_t count;

    test_close();
    assert_int_equal(unlink(test_path), 0);
    make_first_schema(test_path);
    assert_int_equal(sqlite3_open(test_path, &db), SQLITE_OK);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        exec_file(db, files[i]);
    assert_int_equal(sqlite3_exec(db,
                                  "UPDATE message SET webhook_url = 'https://example.com/x'"
                                  "  WHERE id > 1 << 22;"
                                  "PRAGMA user_version = 6",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    test_open();
    for (int64_t i = 1; i <= 2; i++) {
        assert_int_equal(test_move(i << 22, ~0u, STATUS_DELIVERED, 0, 90), 1);
        assert_int_equal(store_delivery_of_message(test_reader, i << 22, &test_arena, &d, &count),
                         0);
        assert_int_equal(count, i - 1);
    }
}

/* What waits in a store of schema 7 is known from then on: by when it was queued, for whom it goes,
 * and what is still to be told. */
static void test_what_waits_is_counted(void **state)
{
    static const char *const files[] = {"0002.sql", "0003.sql", "0004.sql",
                                        "0005.sql", "0006.sql", "0007.sql"};
    static const char rows[] =
        "INSERT INTO work SELECT (10 + value) << 22, 4 + value % 2, 2,"
        "    1763168500000000 + value * 7000000, -4611686018427387904, 0, 2 + value % 3, 0"
        "  FROM (WITH RECURSIVE n (value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM n LIMIT 60)"
        "    SELECT value FROM n);"
        "INSERT INTO tally VALUES (4, 2, 30), (5, 2, 30);"
        "INSERT INTO endpoint (id, account, of_messages, modes, kinds, every_kind, created_us,"
        "    updated_us, old_until_us, off, off_us, failures, failing_since_us, paused_until_us,"
        "    last_success_us, replay_from, replay_to, replay_states, replay_modes, url,"
        "    description, secret, old_secret)"
        "  SELECT id, 2, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'https://a.example',"
        "    '', '', '' FROM (SELECT 1 AS id UNION SELECT 2);"
        "INSERT INTO delivery_tally VALUES (1, 1, 2, 5), (2, 1, 2, 6), (2, 1, 3, 9), (2, 0, 2, 1);"
        "PRAGMA user_version = 7";
    struct queue_state q;
    sqlite3 *db;

    test_close();
    assert_int_equal(unlink(test_path), 0);
    make_first_schema(test_path);
    assert_int_equal(sqlite3_open(test_path, &db), SQLITE_OK);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        exec_file(db, files[i]);
    assert_int_equal(sqlite3_exec(db, rows, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    test_open();
    for (int64_t i = 0; i < 60; i += 2) {
        assert_int_equal(store_queue_state(test_reader, 2, MODE_TEST, &q), 0);
        assert_int_equal(q.queued, 30 - i / 2);
        assert_int_equal(q.oldest_queued_us, 1763168500000000 + i * 7000000);
        assert_int_equal(test_move((10 + i) << 22, ~0u, STATUS_SENT, 0, 1763168999000000), 1);
    }
    assert_int_equal(store_queue_state(test_reader, 2, MODE_TEST, &q), 0);
    assert_int_equal(q.oldest_queued_us, 0);
    assert_int_equal(q.hooks_pending, 1);
    assert_int_equal(store_queue_state(test_reader, 2, MODE_LIVE, &q), 0);
    assert_int_equal(q.hooks_pending, 11);
    assert_int_equal(q.lane_count, 3);
    assert_int_equal(q.lanes[0].carrier, 2);
    assert_int_equal(q.lanes[0].queued, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_a_newer_schema_is_refused), STORE_TEST(test_the_first_schema_is_migrated),
        STORE_TEST(test_old_messages_are_found),    STORE_TEST(test_addresses_of_old_messages),
        STORE_TEST(test_what_waits_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
