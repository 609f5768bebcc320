/* The rows of rollups: more than memory holds, written by others, damaged. */
#include "store/sqlite_rollup.h"

#include "store/sqlite_testing.h"

#define SECOND_US INT64_C(1000000)
#define HOUR_US   (3600 * SECOND_US)

static void ignore(void *context, const struct series_record *series, int64_t start_us,
                   const struct rollup *r)
{
}

/* ---- more than memory holds ---- */

static int64_t told_accepted;
static size_t told_series;

static void add_accepted(void *context, const struct series_record *series, int64_t start_us,
                         const struct rollup *r)
{
    told_accepted += r->accepted;
    told_series++;
}

/* More hours in one transaction than the writer remembers rows of. */
static void accept_for_hours(int hours)
{
    struct message m = test_message(1, MODE_LIVE, "x");

    assert_int_equal(store_begin(test_store), 0);
    for (int i = 0; i < hours; i++) {
        assert_int_equal(store_accept(test_store, &m), 0);
        test_now_us += HOUR_US;
    }
}

/* What was written before the end of a transaction goes back with it. */
static void test_many_rows(void **state)
{
    enum { MANY = 3 * ROLLUP_PAGES_MAX };

    accept_for_hours(MANY + 7);
    store_rollback(test_store);
    test_check_books();
    accept_for_hours(MANY);
    assert_int_equal(store_commit(test_store), 0);
    struct rollup_query q = {.account = 1,
                             .mode = MODE_LIVE,
                             .to_us = test_now_us / HOUR_US * HOUR_US + HOUR_US,
                             .hours = add_accepted};
    told_accepted = 0;
    told_series = 0;
    assert_int_equal(store_rollup_each(test_reader, &q, ignore, NULL), 0);
    assert_int_equal(told_accepted, MANY);
    assert_int_equal(told_series, MANY);
    q.hours = NULL;
    told_accepted = 0;
    assert_int_equal(store_rollup_each(test_reader, &q, add_accepted, NULL), 0);
    assert_int_equal(told_accepted, MANY);
    test_check_books();
}

/* ---- another process ---- */

/* What was written by another connection is not overwritten by what the writer remembers. */
static void test_another_writer(void **state)
{
    struct store *other;
    struct message m = test_message(1, MODE_LIVE, "x"), n = m;
    char why[STORE_WHY_SIZE];

    test_accept_this(&m);
    assert_int_equal(store_open_sqlite(&other, test_path, &test_clock, why), 0);
    test_now_us += SECOND_US;
    assert_int_equal(store_begin(other), 0);
    assert_int_equal(store_accept(other, &n), 0);
    n.tags = STR("new");
    assert_int_equal(store_accept(other, &n), 0);
    assert_int_equal(store_commit(other), 0);
    store_close(other);
    test_now_us += SECOND_US;
    test_accept_this(&m);
    n.tags = STR("newer");
    test_accept_this(&n);
    store_reader_rest(test_reader);
    test_check_books();
}

/* ---- damage ---- */

/* What cannot be read is an error; messages go on, and the books tell what is missing. */
static void test_damaged_rows(void **state)
{
    struct message m = test_accept(1, MODE_LIVE, "x");
    struct rollup_query q = {
        .account = 1, .mode = MODE_LIVE, .to_us = 2 * test_now_us / HOUR_US * HOUR_US};
    struct books b;

    test_sql("UPDATE rollup SET counts = x'0209'");
    test_close();
    test_open();
    assert_int_equal(store_rollup_each(test_reader, &q, add_accepted, NULL), -EBADMSG);
    test_accept_this(&m);
    assert_int_equal(test_move(m.id, ~0u, STATUS_SENT, 0, test_now_us), 1);
    told_accepted = 0;
    assert_int_equal(store_rollup_each(test_reader, &q, add_accepted, NULL), 0);
    assert_int_equal(told_accepted, 1);
    for (int scan = 0; scan < 2; scan++) {
        assert_int_equal(store_books(test_reader, scan, &b), 0);
        assert_string_equal(b.first,
                            "account 1, live, all days: 0 queued are counted, 1 are there");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_many_rows),
        STORE_TEST(test_another_writer),
        STORE_TEST(test_damaged_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
