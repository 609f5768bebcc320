/* GET /v1/stats/live as JSON. */
#include "api/test_stats.h"

#include <errno.h>

static struct carrier acme = {.name = "acme", .number = 2};
static const struct routing routing = {.carriers = {&acme}, .carrier_count = 1};

static void get(const char *key)
{
    test_call(key, "GET /v1/stats/live", NULL);
}

static void tells_the_callers_own(void **state)
{
    test_stats_sent(test_now_us - 3000000, 7);
    test_stats.queue = (struct queue_state){.queued = 3, .oldest_queued_us = test_now_us - 4000000};
    get(TEST_KEY);
    assert_string_equal(test_member("livemode"), "false");
    assert_string_equal(test_member("lastMinute.sent"), "7");
    assert_string_equal(test_member("queue.queued"), "3");
    assert_string_equal(test_member("queue.oldestQueuedSeconds"), "4");
    assert_string_equal(test_member("throughput.perSecond"), "0.7");
    assert_non_null(test_header("X-RateLimit-Remaining"));
    assert_string_equal(test_header("Vary"), "Accept");
    get(LIVE_KEY);
    assert_string_equal(test_member("livemode"), "true");
    assert_string_equal(test_member("lastMinute.sent"), "0");
    assert_string_equal(test_member("queue.queued"), "0");
}

static void is_new_each_time(void **state)
{
    get(TEST_KEY);
    assert_string_equal(test_member("lastMinute.sent"), "0");
    test_stats_sent(test_now_us, 1);
    test_revoke_key(test_add_key("sl_test_x", MODE_TEST, false, 0, "unlimited", 0)); /* a commit */
    get(TEST_KEY);
    assert_string_equal(test_member("lastMinute.sent"), "1");
}

/* The call that takes the last of the window is told so. */
static void names_the_limit_of_the_key(void **state)
{
    get(SMALL_KEY);
    assert_string_equal(test_member("limitedBy"), "[]");
    get(SMALL_KEY);
    assert_string_equal(test_member("limitedBy.0.limit"), "key_limit");
    assert_string_equal(test_member("limitedBy.0.carrier"), ""); /* null */
    assert_string_equal(test_member("limitedBy.0.waiting"), "");
    assert_non_null(strstr(test_member("limitedBy.0.message"), "2 requests per minute"));
    get(TEST_KEY);
    assert_string_equal(test_member("limitedBy"), "[]");
}

static void names_the_limit_of_a_carrier(void **state)
{
    test_stats.mode = MODE_LIVE;
    test_stats.queue = (struct queue_state){.queued = 1204, .lane_count = 1, .lanes = {{2, 1204}}};
    carrier_limit_set(&acme, CARRIER_LIMIT_RATE, 50);
    get(LIVE_KEY);
    assert_string_equal(test_member("limitedBy.0.limit"), "no_carrier");
    api_set_routing(test_api, &routing);
    get(LIVE_KEY);
    assert_string_equal(test_member("limitedBy.0.limit"), "carrier_rate");
    assert_string_equal(test_member("limitedBy.0.carrier"), "acme");
    assert_string_equal(test_member("limitedBy.0.waiting"), "1204");
    assert_string_equal(test_member("limitedBy.0.message"),
                        "Carrier acme is limited to 50 segments a second ([carrier acme] rate); "
                        "1,204 messages wait for it.");
    carrier_limit_set(&acme, CARRIER_LIMIT_NONE, 0);
    get(LIVE_KEY);
    assert_string_equal(test_member("limitedBy"), "[]");
    carrier_limit_set(&acme, CARRIER_LIMIT_LINK_DOWN, 0);
    get(TEST_KEY); /* nothing of its own waits */
    assert_string_equal(test_member("limitedBy"), "[]");
}

static void takes_no_parameters(void **state)
{
    test_call(TEST_KEY, "GET /v1/stats/live?period=1h", NULL);
    test_assert_problem(400, "invalid_parameter", "period");
    test_call(TEST_KEY, "GET /v1/stats/live?%", NULL);
    test_assert_problem(400, "invalid_parameter", NULL);
    test_call(TEST_KEY, "GET /v1/stats/live?x=1\nAccept: text/event-stream", NULL);
    test_assert_problem(400, "invalid_parameter", "x");
}

static void trouble_of_the_store_is_said(void **state)
{
    test_stats.fault = -EIO;
    get(TEST_KEY);
    test_assert_problem(503, "service_unavailable", NULL);
    test_call(TEST_KEY, "GET /v1/stats/live\nAccept: text/event-stream", NULL);
    test_assert_problem(503, "service_unavailable", NULL);
    test_stats.fault = 0;
    get(TEST_KEY);
    assert_string_equal(test_member("queue.queued"), "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STATS_TEST(tells_the_callers_own),      STATS_TEST(is_new_each_time),
        STATS_TEST(names_the_limit_of_the_key), STATS_TEST(names_the_limit_of_a_carrier),
        STATS_TEST(takes_no_parameters),        STATS_TEST(trouble_of_the_store_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
