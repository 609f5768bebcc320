#include "hooks/hook_lane.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PER_ENDPOINT = 32 };

static struct hook_lane *lane;

static int set_up(void **state)
{
    lane = hook_lane_new(7, PER_ENDPOINT);
    assert_non_null(lane);
    return 0;
}

static int tear_down(void **state)
{
    hook_lane_free(lane);
    return 0;
}

static struct hook_job *take(int64_t id, int64_t message)
{
    struct delivery_record d = {.id = id, .message = message};
    bool known;
    struct hook_job *j = hook_lane_take(lane, &d, &known);

    assert_true(j || known);
    return j;
}

static int64_t next(void)
{
    struct hook_job *j = hook_lane_next(lane, CIRCUIT_FLOWS);
    return j ? j->delivery.id : 0;
}

static struct hook_job *fly(void)
{
    struct hook_job *j = hook_lane_next(lane, CIRCUIT_FLOWS);

    assert_non_null(j);
    hook_lane_fly(lane, j);
    return j;
}

static void land(struct hook_job *j, bool well)
{
    hook_lane_land(lane, j, well, 1000, PER_ENDPOINT);
}

static void test_order_of_a_message(void **state)
{
    take(1, 100);
    take(2, 200);
    take(3, 100);
    take(4, 0);
    take(5, 0);
    struct hook_job *first = fly();
    assert_int_equal(first->delivery.id, 1);
    assert_int_equal(fly()->delivery.id, 2);
    assert_int_equal(fly()->delivery.id, 4); /* 3 is behind 1, and tests are behind nothing */
    assert_int_equal(fly()->delivery.id, 5);
    land(first, true);
    assert_int_equal(next(), 0); /* it is not on disk yet */
    hook_lane_drop(lane, first);
    assert_int_equal(next(), 3);
}

static void test_known_ones(void **state)
{
    assert_non_null(take(1, 100));
    assert_null(take(1, 100));
    assert_int_equal(lane->held, 1);
}

static void test_what_is_behind_a_failure(void **state)
{
    struct hook_job *first = take(1, 100);

    take(2, 200);
    take(3, 100);
    take(4, 100);
    hook_lane_drop_behind(lane, first);
    assert_int_equal(lane->held, 2);
    hook_lane_drop(lane, first);
    assert_int_equal(next(), 2);
}

/* Deliveries without a message have nothing behind them. */
static void test_nothing_behind_a_test(void **state)
{
    struct hook_job *first = take(1, 0);

    take(2, 0);
    hook_lane_drop_behind(lane, first);
    assert_int_equal(lane->held, 2);
}

static void test_allowance(void **state)
{
    struct hook_job *jobs[6];

    for (int i = 0; i < 8; i++)
        take(i + 1, 0);
    for (int i = 0; i < 4; i++)
        jobs[i] = fly();
    assert_null(hook_lane_next(lane, CIRCUIT_FLOWS));
    land(jobs[0], true);
    jobs[4] = fly();
    jobs[5] = fly();
    assert_null(hook_lane_next(lane, CIRCUIT_FLOWS));
    assert_int_equal(lane->allowance, 5);
    land(jobs[1], false);
    assert_int_equal(lane->allowance, 1);
    land(jobs[2], true);
    assert_null(hook_lane_next(lane, CIRCUIT_FLOWS)); /* three are under way, two may be */
    land(jobs[3], true);
    assert_non_null(hook_lane_next(lane, CIRCUIT_FLOWS));
    lane->allowance = PER_ENDPOINT;
    land(jobs[4], true);
    assert_int_equal(lane->allowance, PER_ENDPOINT);
}

static void test_probe(void **state)
{
    take(1, 0);
    take(2, 0);
    struct hook_job *j = hook_lane_next(lane, CIRCUIT_PROBES);
    assert_int_equal(j->delivery.id, 1);
    hook_lane_fly(lane, j);
    assert_null(hook_lane_next(lane, CIRCUIT_PROBES));
    assert_non_null(hook_lane_next(lane, CIRCUIT_FLOWS));
    assert_null(hook_lane_next(lane, CIRCUIT_OFF));
}

/* Eight for each that may go, at most 256, read when half of them are gone. */
static void test_window(void **state)
{
    assert_int_equal(hook_lane_wants(lane), 4 * 8);
    for (int i = 0; i < 16; i++)
        take(i + 1, 0);
    assert_int_equal(hook_lane_wants(lane), 4 * 8);
    take(17, 0);
    assert_int_equal(hook_lane_wants(lane), 0);
    lane->allowance = 32;
    assert_int_equal(hook_lane_wants(lane), 256);
    lane->allowance = 1000;
    assert_int_equal(hook_lane_wants(lane), 256);
    lane->allowance = 1;
    assert_int_equal(hook_lane_wants(lane), 0);
    lane->more = false;
    lane->allowance = 32;
    assert_int_equal(hook_lane_wants(lane), 0);
}

static void test_put_down(void **state)
{
    struct hook_job *j = take(1, 0);

    take(2, 0);
    hook_lane_fly(lane, j);
    hook_lane_drop_waiting(lane);
    assert_int_equal(lane->held, 1);
    assert_ptr_equal(lane->jobs, j);
}

/* What is being written is newer than the row, unless the client has changed it. */
static void test_learning(void **state)
{
    struct endpoint_record row = {.updated_us = 5, .failures = 3};

    hook_lane_learn(lane, &row);
    assert_int_equal(lane->circuit.failures, 3);
    lane->circuit.failures = 4;
    lane->owing = 1;
    hook_lane_learn(lane, &row);
    assert_int_equal(lane->circuit.failures, 4);
    row.updated_us = 6;
    row.failures = 0;
    hook_lane_learn(lane, &row);
    assert_int_equal(lane->circuit.failures, 0);
    lane->owing = 0;
    row.failures = 2;
    hook_lane_learn(lane, &row);
    assert_int_equal(lane->circuit.failures, 2);
}

static void test_doubt(void **state)
{
    struct endpoint_record row = {.updated_us = 5};

    assert_false(hook_lane_is_doubtful(lane));
    hook_lane_learn(lane, &row);
    assert_true(hook_lane_is_doubtful(lane));
    lane->circuit.last_success_us = 5;
    assert_false(hook_lane_is_doubtful(lane));
    lane->circuit.failures = 1;
    assert_true(hook_lane_is_doubtful(lane));
    lane->circuit.failures = 0;
    for (int i = 0; i < 2; i++) {
        struct hook_job *j = take(i + 1, 0);
        hook_lane_fly(lane, j);
        hook_lane_land(lane, j, true, HOOK_SLOW_US + !i, PER_ENDPOINT);
        assert_int_equal(hook_lane_is_doubtful(lane), !i);
    }
}

#define LANE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LANE_TEST(test_order_of_a_message),
        LANE_TEST(test_known_ones),
        LANE_TEST(test_what_is_behind_a_failure),
        LANE_TEST(test_nothing_behind_a_test),
        LANE_TEST(test_allowance),
        LANE_TEST(test_probe),
        LANE_TEST(test_window),
        LANE_TEST(test_put_down),
        LANE_TEST(test_learning),
        LANE_TEST(test_doubt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
