/* That totals are not found by going through the messages: ten times the matches, the same work. */
#include "store/sqlite_rollup.h"
#include "store/test_fixture.h"

enum { EACH = 100, SMALL = 2, LARGE = 20 };

#define HOUR_US INT64_C(3600000000)
#define NOON_US INT64_C(1763208000000000)

static struct sqlite_store *engine(void)
{
    return (struct sqlite_store *)test_store;
}

/* Of each hundred, ten are inbound, eleven fail and one is left queued. Half have a tag. */
static struct message nth_message(int i)
{
    struct message m = test_message(1, MODE_TEST, "x");

    m.from = str_of(i % 3 ? "+18005551234" : "SKYLARK");
    m.tags = str_of(i % 4 == 0 ? "a" : i % 4 == 1 ? "b\na" : "");
    if (i % 10 == 7) {
        m.direction = DIRECTION_INBOUND;
        m.status = STATUS_RECEIVED;
        m.from = str_of(i == 7 ? "SKYLARK" : "+447700900123");
        m.to = str_of("+18005551234");
        m.tags = str_of("");
    }
    return m;
}

static void move_on(int i, int64_t id)
{
    struct message_move move = {.id = id, .from = UINT32_MAX, .at_us = test_now_us};

    if (i % 10 == 7 || i == 1)
        return;
    move.to = i % 10 == 3 || i == 51 ? STATUS_FAILED : STATUS_DELIVERED;
    move.failure = move.to == STATUS_FAILED ? FAILURE_NO_ROUTE : 0;
    assert_int_equal(store_move(test_store, &move), 1);
}

static void accept_hundred(void)
{
    assert_int_equal(store_begin(test_store), 0);
    for (int i = 0; i < EACH; i++) {
        struct message m = nth_message(i);
        test_now_us += 1000;
        assert_int_equal(store_accept(test_store, &m), 0);
        move_on(i, m.id);
    }
    assert_int_equal(store_commit(test_store), 0);
    store_housekeep(test_store, false);
}

/* So many hundreds, beginning at noon and in each of the hours after it. */
static void fill(int hundreds)
{
    static const int hours[] = {0, 1, 2, 3, 4, 40, 41};

    for (size_t i = 0; i < sizeof hours / sizeof *hours; i++) {
        int64_t at_us = NOON_US + hours[i] * HOUR_US;
        if (test_now_us < at_us)
            test_now_us = at_us;
        for (int n = 0; n < hundreds; n++)
            accept_hundred();
    }
    while (store_housekeep(test_store, true)) {
    }
    store_reader_rest(test_reader);
}

#define DELIVERED TEST_BIT(STATUS_DELIVERED)
#define FAILED    TEST_BIT(STATUS_FAILED)
#define RECEIVED  TEST_BIT(STATUS_RECEIVED)
#define SENDER    STR("+18005551234")

/* What they find in each hundred of an hour; and in how many of the hours. */
static const struct {
    struct message_filter filter;
    int in_hundred, hours;
} asked[] = {
    {{.from = SENDER, .statuses = DELIVERED}, 52, 7},
    {{.from = SENDER, .statuses = FAILED}, 6, 7},
    {{.from = SENDER, .statuses = DELIVERED | RECEIVED}, 52, 7},
    {{.from = STR("SKYLARK"), .statuses = RECEIVED}, 1, 7},
    {{.from = STR("SKYLARK"), .direction = DIRECTION_INBOUND}, 1, 7},
    {{.from = SENDER, .direction = DIRECTION_OUTBOUND}, 59, 7},
    {{.from = SENDER, .tag = STR("a")}, 29, 7},
    {{.from = SENDER, .tag = STR("a"), .statuses = DELIVERED}, 25, 7},
    {{.tag = STR("a"), .statuses = DELIVERED}, 39, 7},
    {{.tag = STR("b"), .statuses = FAILED}, 5, 7},
    {{.direction = DIRECTION_OUTBOUND, .statuses = FAILED}, 11, 7},
    {{.direction = DIRECTION_OUTBOUND, .statuses = DELIVERED}, 78, 7},
    {{.direction = DIRECTION_OUTBOUND, .tag = STR("a")}, 45, 7},
    {{.statuses = FAILED, .after_us = NOON_US + HOUR_US}, 11, 6},
    {{.statuses = DELIVERED, .before_us = NOON_US + 3 * HOUR_US}, 78, 3},
    {{.direction = DIRECTION_OUTBOUND,
      .statuses = FAILED,
      .after_us = NOON_US + HOUR_US,
      .before_us = NOON_US + 41 * HOUR_US},
     11,
     5},
    /* Before the first and after the last message is as good as on the hour. */
    {{.tag = STR("a"),
      .statuses = DELIVERED,
      .after_us = NOON_US - 5,
      .before_us = NOON_US + 41 * HOUR_US + HOUR_US / 2},
     39,
     7},
};
enum { ASKED = sizeof asked / sizeof *asked };

/* Instructions that the reader's statements have run since the last time. */
static int64_t count_work(void)
{
    struct sqlite_reader *r = (struct sqlite_reader *)test_reader;
    int64_t sum = 0;

    for (size_t i = 0; i < READ_COUNT; i++)
        sum += sqlite3_stmt_status(r->statements[i], SQLITE_STMTSTATUS_VM_STEP, 1);
    return sum;
}

static int64_t total_of(const struct message_filter *f)
{
    struct message_page p;

    arena_reset(&test_arena);
    assert_int_equal(store_message_page(test_reader, 1, MODE_TEST, f, 0, 1, &test_arena, &p), 0);
    return p.total;
}

static void measure(int hundreds, int64_t ret[ASKED])
{
    engine()->sizes = (struct sizes){.bulk = 100, .bulk_idle = 20, .fan = 4, .step = 4000};
    test_now_us = NOON_US;
    fill(hundreds);
    for (size_t i = 0; i < ASKED; i++) {
        count_work();
        assert_int_equal(total_of(&asked[i].filter),
                         hundreds * asked[i].in_hundred * asked[i].hours);
        ret[i] = count_work();
    }
}

static void test_no_total_goes_through_the_messages(void **state)
{
    int64_t small[ASKED], large[ASKED];

    measure(SMALL, small);
    test_tear_down(state);
    test_set_up(state);
    measure(LARGE, large);
    for (size_t i = 0; i < ASKED && COUNTING; i++)
        if (large[i] > 2 * small[i] + 200)
            fail_msg("filter %zu: %lld steps grew to %lld", i, (long long)small[i],
                     (long long)large[i]);
}

/* A tag that an account uses among more than are told apart is counted all the same. */
static void test_tags_that_are_not_told_apart(void **state)
{
    const struct message_filter f = {.tag = STR("b"), .statuses = FAILED};

    engine()->rollups->tag_sets_max = 1;
    test_now_us = NOON_US;
    fill(1);
    assert_int_equal(total_of(&f), 5 * 7);
}

/* Few are gone through: rollups of many series would take longer. */
static void test_few_are_walked(void **state)
{
    const struct message_filter f = {.from = SENDER, .statuses = FAILED};

    engine()->sizes.few = 7 * 11;
    test_now_us = NOON_US;
    fill(1);
    count_work();
    struct sqlite_reader *r = (struct sqlite_reader *)test_reader;
    assert_int_equal(total_of(&f), 7 * 6);
    sqlite3_stmt *series = r->statements[READ_SERIES_LIST];
    assert_int_equal(sqlite3_stmt_status(series, SQLITE_STMTSTATUS_RUN, 1), 0);
    engine()->sizes.few = 7 * 11 - 1;
    assert_int_equal(total_of(&f), 7 * 6);
    assert_int_equal(sqlite3_stmt_status(series, SQLITE_STMTSTATUS_RUN, 1), COUNTING);
}

/* ---- bounds ---- */

enum { BOUNDED = 36 };

/* Which lie between two of them, the first included. */
static void check_bounds(const struct message *all, size_t from, size_t to)
{
    const struct message_filter f = {.direction = DIRECTION_OUTBOUND,
                                     .statuses = TEST_BIT(STATUS_QUEUED),
                                     .after_us = all[from].created_us,
                                     .before_us = all[to].created_us};
    struct message_filter tagged = f;
    int64_t queued = 0, tags = 0;

    tagged.tag = STR("a");
    for (size_t i = from; i < to; i++) {
        queued += all[i].direction == DIRECTION_OUTBOUND;
        tags += all[i].tags.n > 0;
    }
    assert_int_equal(total_of(&f), queued);
    assert_int_equal(total_of(&tagged), tags);
}

static void check_all_bounds(const struct message all[BOUNDED])
{
    for (size_t from = 0; from < BOUNDED; from++)
        for (size_t to = from; to < BOUNDED; to++)
            check_bounds(all, from, to);
}

/* Some on the hour, some at its very end; in rows alone, then in volumes. */
static void test_every_bound(void **state)
{
    static const int64_t steps_us[] = {1000,        HOUR_US - 2000, 1000,
                                       HOUR_US / 2, HOUR_US / 2,    30 * HOUR_US};
    struct message all[BOUNDED];

    engine()->sizes = (struct sizes){.bulk = 8, .bulk_idle = 4, .fan = 3, .step = 1000};
    test_now_us = NOON_US;
    for (int i = 0; i < BOUNDED; i++) {
        all[i] = nth_message(i);
        test_accept_this(&all[i]);
        test_now_us += steps_us[(size_t)i % (sizeof steps_us / sizeof *steps_us)];
    }
    check_all_bounds(all);
    while (store_housekeep(test_store, true)) {
    }
    store_reader_rest(test_reader);
    assert_true(engine()->index.shelf.count > 0);
    check_all_bounds(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_no_total_goes_through_the_messages),
        STORE_TEST(test_tags_that_are_not_told_apart),
        STORE_TEST(test_few_are_walked),
        STORE_TEST(test_every_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
