/* Messages are counted when what became of them is durable, and once. */
#include "store/deeds.h"

#include "store/test_fixture.h"

struct counts {
    int64_t accepted, sent, delivered, failed, cancelled, received, segments;
};

static struct counts look(unsigned mode)
{
    return (struct counts){.accepted = metric_read(METRIC_ACCEPTED, mode),
                           .sent = metric_read(METRIC_SENT, mode),
                           .delivered = metric_read(METRIC_DELIVERED, mode),
                           .failed = metric_read(METRIC_FAILED, mode),
                           .cancelled = metric_read(METRIC_CANCELLED, mode),
                           .received = metric_read(METRIC_RECEIVED, mode),
                           .segments = metric_read(METRIC_SEGMENTS, mode)};
}

/* What was counted since. */
static void assert_since(struct counts was, unsigned mode, struct counts wanted)
{
    struct counts now = look(mode);

    assert_int_equal(now.accepted - was.accepted, wanted.accepted);
    assert_int_equal(now.sent - was.sent, wanted.sent);
    assert_int_equal(now.delivered - was.delivered, wanted.delivered);
    assert_int_equal(now.failed - was.failed, wanted.failed);
    assert_int_equal(now.cancelled - was.cancelled, wanted.cancelled);
    assert_int_equal(now.received - was.received, wanted.received);
    assert_int_equal(now.segments - was.segments, wanted.segments);
}

static int64_t observed(enum metric m, unsigned mode, int64_t *ret_sum)
{
    int64_t buckets[METRIC_BUCKETS_MAX], count = 0;
    unsigned n = metric_read_histogram(m, mode, buckets, ret_sum);

    for (unsigned i = 0; i < n; i++)
        count += buckets[i];
    return count;
}

static void test_a_life(void **state)
{
    struct counts live = look(MODE_LIVE), test = look(MODE_TEST);
    struct message m = test_accept(1, MODE_LIVE, "hello");
    int64_t queued_us = m.updated_us, sum_before, sum, count;

    assert_since(live, MODE_LIVE, (struct counts){.accepted = 1, .segments = m.segments});
    count = observed(METRIC_SEND_SECONDS, MODE_LIVE, &sum_before);
    assert_int_equal(test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, queued_us + 700000),
                     1);
    assert_int_equal(observed(METRIC_SEND_SECONDS, MODE_LIVE, &sum), count + 1);
    assert_int_equal(sum - sum_before, 700000);
    count = observed(METRIC_DELIVERY_SECONDS, MODE_LIVE, &sum_before);
    assert_int_equal(
        test_move(m.id, TEST_BIT(STATUS_SENT), STATUS_DELIVERED, 0, queued_us + 3700000), 1);
    assert_int_equal(observed(METRIC_DELIVERY_SECONDS, MODE_LIVE, &sum), count + 1);
    assert_int_equal(sum - sum_before, 3000000);
    /* A second word on it changes nothing. */
    assert_int_equal(
        test_move(m.id, TEST_BIT(STATUS_SENT), STATUS_FAILED, FAILURE_UNKNOWN, queued_us), 0);
    assert_since(live, MODE_LIVE,
                 (struct counts){.accepted = 1, .segments = m.segments, .sent = 1, .delivered = 1});
    assert_since(test, MODE_TEST, (struct counts){0});
}

static void test_ends(void **state)
{
    struct counts was = look(MODE_TEST);
    int64_t reason = metric_read(METRIC_FAILURES, FAILURE_NO_ROUTE);
    struct message one = test_accept(1, MODE_TEST, "1"), two = test_accept(2, MODE_TEST, "2");
    struct message in = test_message(1, MODE_TEST, "in");

    in.direction = DIRECTION_INBOUND;
    in.status = STATUS_RECEIVED;
    test_accept_this(&in);
    test_move(one.id, TEST_BIT(STATUS_QUEUED), STATUS_FAILED, FAILURE_NO_ROUTE, test_now_us);
    test_move(two.id, TEST_BIT(STATUS_QUEUED), STATUS_CANCELLED, 0, test_now_us);
    assert_since(was, MODE_TEST,
                 (struct counts){.accepted = 2,
                                 .segments = one.segments + two.segments,
                                 .failed = 1,
                                 .cancelled = 1,
                                 .received = 1});
    assert_int_equal(metric_read(METRIC_FAILURES, FAILURE_NO_ROUTE), reason + 1);
}

/* What is rolled back has not happened, and does not happen with the next transaction either. */
static void test_rolled_back(void **state)
{
    struct counts was = look(MODE_LIVE);
    struct message m = test_message(1, MODE_LIVE, "never");

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_accept(test_store, &m), 0);
    assert_since(was, MODE_LIVE, (struct counts){0});
    store_rollback(test_store);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_commit(test_store), 0);
    assert_since(was, MODE_LIVE, (struct counts){0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_a_life),
        STORE_TEST(test_ends),
        STORE_TEST(test_rolled_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
