/* What goes beside messages, each in its own time, and what stays of messages that are gone. */
#include "store/sqlite_testing.h"
#include "store/test_outbox.h"

enum { KEPT_DAYS = 40 };

static int set_up(void **state)
{
    int failed = test_set_up(state);
    struct store_retention kept = *store_retention(test_store);

    kept.messages_us = KEPT_DAYS * TEST_DAY_US;
    store_set_retention(test_store, &kept);
    return failed;
}

static void pass_days(int64_t days)
{
    test_now_us += days * TEST_DAY_US;
    test_housekeep();
}

/* ---- what goes ---- */

static void test_strays_have_an_age(void **state)
{
    struct stray_record stray = {.carrier = 2,
                                 .reference = STR("A1"),
                                 .source = STR("1"),
                                 .destination = STR("2"),
                                 .raw = STR("id:A1")};

    for (int i = 0; i < 2; i++) {
        assert_int_equal(store_begin(test_store), 0);
        for (int k = 0; k < 200; k++)
            assert_int_equal(store_stray_add(test_store, &stray), 0);
        assert_int_equal(store_commit(test_store), 0);
        pass_days(20);
    }
    assert_int_equal(test_rows_of("stray"), 200);
    pass_days(11);
    assert_int_equal(test_rows_of("stray"), 0);
}

/* Each has a time of its own. */
static void test_deliveries_go_before_notices(void **state)
{
    struct store_retention kept = {.notices_us = 20 * TEST_DAY_US,
                                   .deliveries_us = 10 * TEST_DAY_US,
                                   .once_us = 3 * TEST_DAY_US};

    store_set_retention(test_store, &kept);
    test_endpoint_add(1, TEST_MODES, TEST_KINDS);
    test_delivered(1, MODE_TEST);
    pass_days(9);
    assert_int_equal(test_rows_of("delivery"), 2);
    pass_days(2);
    assert_int_equal(test_rows_of("delivery"), 0);
    assert_int_equal(test_rows_of("notice"), 2);
    pass_days(8);
    assert_int_equal(test_rows_of("notice"), 2);
    pass_days(2);
    assert_int_equal(test_rows_of("notice"), 0);
}

static int find_once(uint8_t key)
{
    struct once_record o = {.account = 1, .mode = MODE_TEST, .key = {key}}, found;

    assert_int_equal(store_begin(test_store), 0);
    int r = store_once_find(test_store, 1, MODE_TEST, o.key, &test_arena, &found);
    assert_int_equal(store_commit(test_store), 0);
    return r;
}

static void test_keys_are_remembered_for_their_time(void **state)
{
    struct once_record o = {.account = 1, .mode = MODE_TEST, .key = {7}, .answer = STR("{}")};
    struct store_retention kept = *store_retention(test_store);

    kept.once_us = 3 * TEST_DAY_US;
    store_set_retention(test_store, &kept);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_once_keep(test_store, &o), 0);
    assert_int_equal(store_commit(test_store), 0);
    pass_days(3);
    assert_int_equal(find_once(7), 0);
    test_now_us += 1;
    assert_int_equal(find_once(7), -ENOENT);
    test_housekeep();
    assert_int_equal(test_rows_of("once"), 0);
}

/* ---- what stays ---- */

enum { MANY = 6000 }; /* more than go in one step */

/* Of two accounts, in several hours, all statuses that a message can go with. */
static void accept_many(void)
{
    static const enum message_status ends[] = {STATUS_DELIVERED, STATUS_FAILED, STATUS_CANCELLED,
                                               STATUS_SENT};

    assert_int_equal(store_begin(test_store), 0);
    for (int i = 0; i < MANY; i++) {
        struct message m = test_message(1 + i % 2, i % 3 ? MODE_TEST : MODE_LIVE, "x");
        assert_int_equal(store_accept(test_store, &m), 0);
        enum message_status to = ends[i % 4];
        struct message_move move = {m.id, UINT32_MAX, STATUS_SENT, 0, m.created_us + 1};
        if (to == STATUS_DELIVERED)
            assert_int_equal(store_move(test_store, &move), 1);
        move.to = to;
        move.at_us += 1000 * i;
        move.failure = to == STATUS_FAILED ? FAILURE_NO_ROUTE : 0;
        assert_int_equal(store_move(test_store, &move), 1);
        test_now_us += 3 * INT64_C(1000000);
    }
    assert_int_equal(store_commit(test_store), 0);
}

struct counted {
    int64_t by_day, by_hour;
};

static void add_day(void *context, const struct series_record *series, int64_t start_us,
                    const struct rollup *r)
{
    ((struct counted *)context)->by_day += r->accepted;
}

static void add_hour(void *context, const struct series_record *series, int64_t start_us,
                     const struct rollup *r)
{
    ((struct counted *)context)->by_hour += r->accepted;
}

/* However many of them are gone, by hours and by days. */
static void expect_all_counted(void)
{
    struct counted sums = {0};
    struct books b;

    for (int owner = 2; owner < 6; owner++) {
        struct rollup_query q = {.account = owner / 2,
                                 .mode = (enum mode)(owner % 2),
                                 .to_us = test_now_us / TEST_DAY_US * TEST_DAY_US,
                                 .hours = add_hour};
        assert_int_equal(store_rollup_each(test_reader, &q, add_day, &sums), 0);
    }
    assert_int_equal(sums.by_day, MANY);
    assert_int_equal(sums.by_hour, MANY);
    for (int scan = 0; scan < 2; scan++) {
        assert_int_equal(store_books(test_reader, scan, &b), 0);
        assert_string_equal(b.first, "");
        assert_int_equal(b.accepted, MANY);
        assert_int_equal(b.messages, test_rows_of("message"));
        assert_int_equal(b.delivered + b.failed + b.cancelled + b.in_flight, MANY);
    }
}

/* What is gone stays counted, at every instant of its going. */
static void test_books_while_they_go(void **state)
{
    int between = 0, rounds = 0;
    bool more = true;

    accept_many();
    test_now_us += (KEPT_DAYS + 1) * TEST_DAY_US;
    while (more) {
        more = store_housekeep(test_store, true);
        store_reader_rest(test_reader);
        int64_t left = test_rows_of("message");
        bool looked = left > 0 && left < MANY && between < 20;
        if (looked)
            expect_all_counted();
        between += looked;
        assert_true(++rounds < 10000);
    }
    assert_true(between > 0);
    assert_int_equal(test_rows_of("message"), 0);
    expect_all_counted();
}

int main(void)
{
#define RETENTION_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, test_tear_down)
    const struct CMUnitTest tests[] = {
        RETENTION_TEST(test_strays_have_an_age),
        RETENTION_TEST(test_deliveries_go_before_notices),
        RETENTION_TEST(test_keys_are_remembered_for_their_time),
        RETENTION_TEST(test_books_while_they_go),
    };
#undef RETENTION_TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
