/* What carriers of all kinds have in common, with a kind that only counts. */
#include "carriers/live_carrier.h"

#include "net/test_peer.h"

#include <stdlib.h>

struct counter {
    struct live_carrier live;
    int inits, feeds, drains;
    int64_t next_us; /* what feeding says */
    bool wakes;      /* feeding wants to be fed again */
};

static int dones;

static void init(struct live_carrier *c)
{
    ((struct counter *)c)->inits++;
}

static void done(struct live_carrier *c)
{
    dones++;
}

static int64_t feed(struct live_carrier *c)
{
    struct counter *fed = (struct counter *)c;

    fed->feeds++;
    if (fed->wakes)
        live_carrier_wake(c);
    fed->wakes = false;
    return fed->next_us;
}

static void drained(struct live_carrier *c)
{
    ((struct counter *)c)->drains++;
}

static const struct carrier_ops ops = {.room = NULL};
static const struct live_kind kind = {.word = "counter",
                                      .size = sizeof(struct counter),
                                      .ops = &ops,
                                      .init = init,
                                      .done = done,
                                      .feed = feed,
                                      .drained = drained};

static struct live_carrier *carrier;

static void make(void *unused)
{
    struct live_carrier_options options = {.loop = test_loop, .clock = &clock_real};
    struct carrier_record record = {.id = 7,
                                    .name = "acme",
                                    .taken = 100,
                                    .state = CARRIER_BOUND,
                                    .binds = 2,
                                    .binds_up = 1,
                                    .waiting = 3,
                                    .in_flight = 4,
                                    .note = "Trouble"};

    assert_int_equal(live_carrier_new(&carrier, &kind, &options, &record), 0);
    ((struct counter *)carrier)->next_us = -1;
}

static int set_up(void **state)
{
    test_loop_set_up(state);
    test_loop_do(make, NULL);
    dones = 0;
    return 0;
}

static int tear_down(void **state)
{
    loop_stop(test_loop);
    live_carrier_free(carrier);
    assert_int_equal(dones, 1);
    return test_loop_tear_down(state);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

static struct counter *counter(void)
{
    return (struct counter *)carrier;
}

static void it_keeps_its_counts_and_forgets_the_moment(void **state)
{
    uint32_t figure;

    assert_int_equal(counter()->inits, 1);
    assert_string_equal(carrier->port.name, "acme");
    assert_int_equal(carrier->port.number, 7);
    assert_ptr_equal(carrier->port.ops, &ops);
    assert_true(carrier->port.resend);
    assert_int_equal(carrier->port.health, 0);
    assert_int_equal(carrier_limit_get(&carrier->port, &figure), CARRIER_LIMIT_LINK_DOWN);
    assert_int_equal(carrier->record.taken, 100);
    assert_int_equal(carrier->record.state, CARRIER_UNUSED);
    assert_int_equal(carrier->record.binds + carrier->record.binds_up, 0);
    assert_int_equal(carrier->record.waiting + carrier->record.in_flight, 0);
    assert_string_equal(carrier->record.note, "");
}

static void wake_twice(void *unused)
{
    live_carrier_wake(carrier);
    live_carrier_wake(carrier);
}

static bool was_fed(void *times)
{
    return counter()->feeds >= *(int *)times;
}

static void waking_feeds_it_once(void **state)
{
    test_loop_do(wake_twice, NULL);
    test_loop_settle();
    assert_int_equal(counter()->feeds, 1);
    test_loop_settle();
    assert_int_equal(counter()->feeds, 1); /* there is nothing to look at again */
}

static void it_looks_again_when_it_said_so(void **state)
{
    int twice = 2;

    counter()->next_us = 1; /* a moment */
    test_loop_do(wake_twice, NULL);
    test_loop_until(was_fed, &twice);
}

/* Or the wait that it said would stand before what it woke for. */
static void waking_while_it_is_fed_counts(void **state)
{
    counter()->next_us = INT64_C(3600) * 1000000;
    counter()->wakes = true;
    test_loop_do(wake_twice, NULL);
    test_loop_settle();
    assert_int_equal(counter()->feeds, 2);
}

static void drain(void *on)
{
    live_carrier_drain(carrier, on);
}

static void draining_is_told_once(void **state)
{
    test_loop_do(drain, carrier);
    test_loop_do(drain, carrier);
    test_loop_settle();
    assert_true(carrier->record.drained);
    assert_true(carrier->record.since_us > 0);
    assert_int_equal(counter()->drains, 1);
    assert_int_equal(counter()->feeds, 1);
    test_loop_do(drain, NULL);
    test_loop_settle();
    assert_false(carrier->record.drained);
    assert_int_equal(counter()->drains, 2);
}

static void receipts_are_counted(void **state)
{
    live_carrier_count_receipt(carrier, false);
    live_carrier_count_receipt(carrier, true);
    assert_int_equal(carrier->record.receipts, 2);
    assert_int_equal(carrier->record.strays, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(it_keeps_its_counts_and_forgets_the_moment),
        CASE(waking_feeds_it_once),
        CASE(it_looks_again_when_it_said_so),
        CASE(waking_while_it_is_fed_counts),
        CASE(draining_is_told_once),
        CASE(receipts_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
