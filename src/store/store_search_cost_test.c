/* Lists of messages with conditions cost the same in a small store and in a large one. */
#include "store/sqlite_internal.h"
#include "store/test_fixture.h"

static struct sqlite_store *engine(void)
{
    return (struct sqlite_store *)test_store;
}

static struct message_page page_of(const struct message_filter *f, int64_t cursor, size_t limit)
{
    struct message_page p;

    assert_int_equal(
        store_message_page(test_reader, 1, MODE_TEST, f, cursor, limit, &test_arena, &p), 0);
    return p;
}

static struct message accept_to(const char *to)
{
    struct message m = test_message(1, MODE_TEST, "x");

    m.to = str_of(to);
    test_accept_this(&m);
    return m;
}

/* Instructions that the reader's statements have run since the last time. */
static int64_t count_work(void)
{
    struct sqlite_reader *r = (struct sqlite_reader *)test_reader;
    int64_t sum = 0;

    for (size_t i = 0; i < READ_COUNT; i++)
        sum += sqlite3_stmt_status(r->statements[i], SQLITE_STMTSTATUS_VM_STEP, 1);
    return sum;
}

/* Every tenth to one number, every thousandth to another; each hundredth fails, and so on; the rest
 * is delivered. */
static void accept_many(int count)
{
    for (int i = 0; i < count; i += 100) {
        int64_t ids[100];
        assert_int_equal(store_begin(test_store), 0);
        for (int k = 0; k < 100; k++) {
            struct message m = test_message(1, MODE_TEST, "x");
            m.to = str_of(k ? k % 10 ? "+12025550100" : "+12025550101" : "+12025550102");
            m.tags = str_of(k % 7 ? "" : "seventh");
            test_now_us += 500;
            assert_int_equal(store_accept(test_store, &m), 0);
            ids[k] = m.id;
        }
        assert_int_equal(store_commit(test_store), 0);
        assert_int_equal(store_begin(test_store), 0);
        for (int k = 0; k < 100; k++) {
            struct message_move move = {ids[k], UINT32_MAX, STATUS_DELIVERED, 0, 5};
            assert_int_equal(store_move(test_store, &move), 1);
        }
        assert_int_equal(store_commit(test_store), 0);
        store_housekeep(test_store, false);
    }
    while (store_housekeep(test_store, true)) {
    }
    store_reader_rest(test_reader);
}

/* Some that end otherwise; as many in a small store as in a large one. */
static void accept_odd_ones(void)
{
    for (int i = 0; i < 60; i++) {
        struct message m = test_message(1, MODE_TEST, "x");
        if (i % 3 == 0) {
            m.direction = DIRECTION_INBOUND;
            m.status = STATUS_RECEIVED;
        }
        test_accept_this(&m);
        if (i % 3 == 1)
            test_move(m.id, UINT32_MAX, STATUS_FAILED, FAILURE_NO_ROUTE, 5);
    }
}

static const struct message_filter flat_filters[] = {
    {.to = STR("+12025550100")},
    {.to = STR("+12025550101")},
    {.to = STR("+12025550102")},
    {.to = STR("+12025550103")},
    {.from = STR("+18005551234")},
    {.from = STR("nobody")},
    {.tag = STR("seventh")},
    {.direction = DIRECTION_INBOUND},
    {.direction = DIRECTION_OUTBOUND},
    {.statuses = TEST_BIT(STATUS_DELIVERED)},
    {.statuses = TEST_BIT(STATUS_QUEUED)},
    {.statuses = TEST_BIT(STATUS_FAILED) | TEST_BIT(STATUS_CANCELLED)},
    {.statuses = TEST_BIT(STATUS_DELIVERED) | TEST_BIT(STATUS_FAILED)},
    {.after_us = 1763168524000000},
    {.before_us = 1763168524000000},
    {.to = STR("+12025550100"), .after_us = 1763168524000000},
    {.to = STR("+12025550101"), .statuses = TEST_BIT(STATUS_DELIVERED)},
    {.from = STR("+18005551234"), .statuses = TEST_BIT(STATUS_DELIVERED)},
    {.from = STR("+18005551234"), .statuses = TEST_BIT(STATUS_FAILED)},
    {.statuses = TEST_BIT(STATUS_DELIVERED), .after_us = 1763168524000000},
    {.to = STR("+12025550103"), .statuses = TEST_BIT(STATUS_SENT)},
};
enum { FLAT = sizeof flat_filters / sizeof *flat_filters };

static void measure(int64_t cursor, int64_t ret[FLAT])
{
    for (size_t i = 0; i < FLAT; i++) {
        count_work();
        page_of(&flat_filters[i], cursor, 10);
        ret[i] = count_work();
    }
}

/* Ten times the messages: hardly more work, neither for the first page nor for one in the middle.
 * (A few volumes more are looked into.) */
static void test_cost_is_flat(void **state)
{
    int64_t small[2][FLAT], large[2][FLAT], middle;

    engine()->sizes =
        (struct sizes){.bulk = 100, .bulk_idle = 20, .fan = 4, .generation = 1000, .step = 4000};
    accept_odd_ones();
    accept_many(1500);
    middle = test_accept(1, MODE_TEST, "x").id;
    accept_many(1500);
    measure(0, small[0]);
    measure(middle, small[1]);
    accept_many(27000);
    measure(0, large[0]);
    measure(middle, large[1]);
    for (size_t i = 0; i < FLAT; i++)
        for (int k = 0; k < 2; k++)
            if (large[k][i] > 2 * small[k][i] + 200)
                fail_msg("filter %zu, page %d: %lld steps grew to %lld", i, k,
                         (long long)small[k][i], (long long)large[k][i]);
}

/* A number to which everything fails: how much was sent to it makes no difference. */
static void test_only_the_newest_are_looked_at(void **state)
{
    struct message_filter f = {.to = STR("+12025550100"),
                               .direction = DIRECTION_OUTBOUND,
                               .statuses = TEST_BIT(STATUS_DELIVERED)};
    int64_t delivered = accept_to("+12025550100").id;

    engine()->sizes =
        (struct sizes){.bulk = 50, .bulk_idle = 10, .fan = 3, .generation = 100, .step = 200};
    test_move(delivered, UINT32_MAX, STATUS_DELIVERED, 0, 5);
    for (int i = 0; i < 200; i++) {
        test_move(accept_to("+12025550100").id, UINT32_MAX, STATUS_FAILED, FAILURE_NO_ROUTE, 5);
        store_housekeep(test_store, true);
    }
    f.look_max = 201;
    struct message_page p = page_of(&f, 0, 5);
    assert_int_equal(p.count, 1);
    assert_int_equal(p.messages[0].id, delivered);
    assert_int_equal(p.total, 0);
    f.look_max = 200;
    assert_int_equal(page_of(&f, 0, 5).count, 0);
    f.look_max = 20;
    count_work();
    page_of(&f, 0, 5);
    int64_t bounded = count_work();
    f.look_max = 0;
    assert_int_equal(page_of(&f, 0, 5).total, 1);
    assert_true(bounded * 5 < count_work());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_cost_is_flat),
        STORE_TEST(test_only_the_newest_are_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
