#include "messaging/bottleneck.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define NOW_US INT64_C(1800000037500000)

static struct carrier carriers[4] = {
    {.name = "acme", .number = 2},
    {.name = "beta", .number = 3},
    {.name = "gamma", .number = 4},
    {.name = "delta", .number = 5},
};
static struct routing routing;
static struct bottleneck found[QUEUE_LANES_MAX];

static int set_up(void **state)
{
    routing = (struct routing){.carrier_count = 4};
    for (size_t i = 0; i < 4; i++) {
        routing.carriers[i] = &carriers[i];
        carrier_limit_set(&carriers[i], CARRIER_LIMIT_NONE, 0);
    }
    return 0;
}

static size_t find(const struct queue_state *queue)
{
    return bottlenecks_of_queue(queue, &routing, NULL, 0, found);
}

static struct queue_state queue_of(unsigned carrier, int64_t queued)
{
    return (struct queue_state){.lane_count = 1, .lanes = {{.carrier = carrier, .queued = queued}}};
}

static void assert_says(enum carrier_limit limit, uint32_t figure, int64_t queued, const char *word,
                        const char *message)
{
    struct queue_state queue = queue_of(2, queued);

    carrier_limit_set(&carriers[0], limit, figure);
    assert_int_equal(find(&queue), 1);
    assert_string_equal(bottleneck_word(found[0].kind), word);
    assert_string_equal(found[0].carrier, "acme");
    assert_int_equal(found[0].waiting, queued);
    assert_string_equal(found[0].message, message);
}

static void each_limit_is_a_sentence(void **state)
{
    assert_says(CARRIER_LIMIT_LINK_DOWN, 0, 1, "link_down",
                "No bind of carrier acme is up; 1 message waits for it.");
    assert_says(CARRIER_LIMIT_DRAINED, 0, 999, "drained",
                "Carrier acme is drained by the operator; 999 messages wait for it.");
    assert_says(CARRIER_LIMIT_THROTTLED, 0, 1000, "throttled",
                "Carrier acme asked for a pause, and gets nothing for the moment; 1,000 messages "
                "wait for it.");
    assert_says(CARRIER_LIMIT_THROTTLED, 12, 2, "throttled",
                "Carrier acme asked to be sent less, and gets 12 segments a second for now; 2 "
                "messages wait for it.");
    assert_says(CARRIER_LIMIT_RATE, 50, 1204, "carrier_rate",
                "Carrier acme is limited to 50 segments a second ([carrier acme] rate); 1,204 "
                "messages wait for it.");
    assert_says(CARRIER_LIMIT_RATE, 1, 12345678, "carrier_rate",
                "Carrier acme is limited to 1 segment a second ([carrier acme] rate); 12,345,678 "
                "messages wait for it.");
    assert_says(CARRIER_LIMIT_WINDOW, 1000, 3, "window",
                "Carrier acme has 1,000 segments unanswered, as many as it may ([carrier acme] "
                "window); 3 messages wait for it.");
}

/* Which has no binds, and sends no segments. */
static void an_mmsc_is_spoken_of_as_one(void **state)
{
    carriers[0].is_mmsc = true;
    assert_says(CARRIER_LIMIT_LINK_DOWN, 0, 1, "link_down",
                "No connection to MMSC acme can be used; 1 message waits for it.");
    assert_says(CARRIER_LIMIT_DRAINED, 0, 2, "drained",
                "MMSC acme is drained by the operator; 2 messages wait for it.");
    assert_says(CARRIER_LIMIT_THROTTLED, 0, 1, "throttled",
                "MMSC acme asked for a pause, and gets nothing for the moment; 1 message waits for "
                "it.");
    assert_says(CARRIER_LIMIT_THROTTLED, 1, 1, "throttled",
                "MMSC acme asked to be sent less, and gets 1 message a second for now; 1 message "
                "waits for it.");
    assert_says(CARRIER_LIMIT_RATE, 50, 3, "carrier_rate",
                "MMSC acme is limited to 50 messages a second ([mmsc acme] rate); 3 messages wait "
                "for it.");
    assert_says(CARRIER_LIMIT_WINDOW, 32, 3, "window",
                "MMSC acme has 32 messages unanswered, as many as it may ([mmsc acme] window); 3 "
                "messages wait for it.");
    carriers[0].is_mmsc = false;
}

static void what_does_not_matter_is_not_named(void **state)
{
    struct queue_state queue = {.queued = 5};

    carrier_limit_set(&carriers[0], CARRIER_LIMIT_LINK_DOWN, 0);
    assert_int_equal(find(&queue), 0); /* nothing is queued for it */
    queue = queue_of(2, 0);
    assert_int_equal(find(&queue), 0);
    queue = queue_of(3, 7); /* it takes what it gets */
    assert_int_equal(find(&queue), 0);
    queue = queue_of(0, 7); /* the simulator */
    assert_int_equal(find(&queue), 0);
    assert_false(bottlenecks_want_names(&queue, &routing));
    assert_int_equal(bottlenecks_of_queue(&queue, &routing_test, NULL, 0, found), 0);
}

static void the_worst_comes_first(void **state)
{
    struct queue_state queue = {.lane_count = 5,
                                .lanes = {{2, 10}, {9, 1}, {3, 20}, {4, 30}, {5, 1}}};

    carrier_limit_set(&carriers[0], CARRIER_LIMIT_WINDOW, 10);
    carrier_limit_set(&carriers[1], CARRIER_LIMIT_WINDOW, 10);
    carrier_limit_set(&carriers[2], CARRIER_LIMIT_RATE, 10);
    carrier_limit_set(&carriers[3], CARRIER_LIMIT_LINK_DOWN, 0);
    assert_int_equal(find(&queue), 5);
    assert_string_equal(found[0].carrier, "delta");
    assert_string_equal(found[1].carrier, "gamma");
    assert_string_equal(found[2].carrier, "beta"); /* more wait for it */
    assert_string_equal(found[3].carrier, "acme");
    assert_int_equal(found[4].kind, BOTTLENECK_NO_CARRIER);
}

static void who_is_gone_has_a_name_if_it_is_known(void **state)
{
    struct carrier_record known[2] = {{.id = 8, .name = "other"}, {.id = 9, .name = "old"}};
    struct queue_state queue = queue_of(9, 3);

    assert_true(bottlenecks_want_names(&queue, &routing));
    assert_int_equal(find(&queue), 1);
    assert_string_equal(found[0].carrier, "");
    assert_string_equal(found[0].message, "3 messages wait for a carrier that is not configured.");
    assert_int_equal(bottlenecks_of_queue(&queue, &routing, known, 2, found), 1);
    assert_string_equal(bottleneck_word(found[0].kind), "no_carrier");
    assert_string_equal(found[0].carrier, "old");
    assert_string_equal(found[0].message, "Carrier old is not configured any more; 3 messages wait "
                                          "for another route.");
}

static void a_key_with_room_is_no_limit(void **state)
{
    struct limit_window windows[LIMIT_WINDOWS] = {
        {.name = "minute", .limit = 100, .remaining = 1, .reset_s = NOW_US / 1000000 + 5},
        {.name = "hour"}, /* without a limit nothing remains */
    };
    struct bottleneck b;

    assert_false(bottleneck_of_key(windows, NOW_US, &b));
}

static void a_key_that_is_used_up(void **state)
{
    struct limit_window windows[LIMIT_WINDOWS] = {
        {.name = "minute", .limit = 100, .reset_s = 1800000060},
        {.name = "hour", .limit = 1000, .remaining = 1, .reset_s = 1800003600},
    };
    struct bottleneck b;

    assert_true(bottleneck_of_key(windows, NOW_US, &b));
    assert_string_equal(bottleneck_word(b.kind), "key_limit");
    assert_string_equal(b.carrier, "");
    assert_int_equal(b.waiting, BOTTLENECK_NOBODY);
    assert_string_equal(b.message, "This key has used up its limit of 100 requests per minute; it "
                                   "may go on in 23 seconds, at 2027-01-15T08:01:00.000Z.");
    windows[1].remaining = 0; /* the later end counts */
    assert_true(bottleneck_of_key(windows, INT64_C(1800003599000001), &b));
    assert_string_equal(b.message, "This key has used up its limit of 1,000 requests per hour; it "
                                   "may go on in 1 second, at 2027-01-15T09:00:00.000Z.");
}

#define TEST(function) cmocka_unit_test_setup(function, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_limit_is_a_sentence),
        TEST(an_mmsc_is_spoken_of_as_one),
        TEST(what_does_not_matter_is_not_named),
        TEST(the_worst_comes_first),
        TEST(who_is_gone_has_a_name_if_it_is_known),
        TEST(a_key_with_room_is_no_limit),
        TEST(a_key_that_is_used_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
