/* A range of events once more: how many, and then for good. */
#include "api/test_webhook.h"

#include <stdio.h>

enum { MESSAGES = 3 };

static char hook[TEST_ID_SIZE];

/* Three events, a second apart from 01:02:04 on: one delivered, one failed, one that waits. */
static int set_up(void **state)
{
    static const enum delivery_state states[] = {DELIVERY_DONE, DELIVERY_FAILED, DELIVERY_WAITING};
    char message[TEST_ID_SIZE], delivery[TEST_ID_SIZE];

    test_api_set_up(state);
    test_webhook(TEST_KEY, NULL, hook);
    for (int i = 0; i < MESSAGES; i++) {
        test_message(TEST_KEY, NULL, message);
        test_move(message, STATUS_QUEUED, STATUS_SENT);
        test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s/deliveries", hook);
        test_keep_id("data.0.deliveryId", delivery);
        struct attempt_record a = {.number = 1, .at_us = test_now_us, .status = 500};
        test_tried(delivery, a, states[i], test_now_us + 1000000);
    }
    return 0;
}

static void redeliver(const char *body)
{
    if (test_at(TEST_KEY, body, "POST /v1/webhooks/%s/redeliver", hook)->status != 200)
        fail_msg("%s: %s", body, test_body());
}

static void assert_refused(const char *body, const char *code, const char *field)
{
    test_at(TEST_KEY, body, "POST /v1/webhooks/%s/redeliver", hook);
    test_assert_problem(400, code, field);
}

static struct endpoint_record kept(void)
{
    struct endpoint_record e;

    arena_reset(&test_worker->scratch);
    assert_int_equal(
        store_endpoint_get(test_worker->reader, 0, test_number(hook), &test_worker->scratch, &e),
        0);
    return e;
}

static int replay(struct store *s, void *count)
{
    struct endpoint_record e;
    struct arena a;

    arena_init(&a, 1 << 16);
    int r = store_endpoint_find(s, 0, test_number(hook), &a, &e);
    if (r == 0)
        r = store_replay_step(s, &e, 100, count);
    arena_done(&a);
    return r;
}

static const char *count_with(const char *status)
{
    test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s/deliveries?status=%s", hook, status);
    return test_member("pagination.totalCount");
}

static void how_many_they_are(void **state)
{
    char expected[512];

    redeliver("{\"since\":\"2025-11-15T01:00:00Z\",\"dryRun\":true}");
    snprintf(expected, sizeof expected,
             "{\"webhookId\":\"%s\",\"since\":\"2025-11-15T01:00:00.000Z\","
             "\"until\":\"2025-11-15T01:02:06.004Z\",\"status\":\"failed\",\"count\":1,"
             "\"dryRun\":true}",
             hook);
    assert_string_equal(test_body(), expected);
    assert_int_equal(kept().replay_to, 0); /* and nothing else */
    redeliver("{\"since\":\"2025-11-15T01:00:00Z\",\"status\":\"all\",\"dryRun\":true}");
    assert_string_equal(test_member("count"), "2"); /* what waits goes out anyway */
    redeliver("{\"since\":\"2025-11-15T01:00:00Z\",\"until\":\"2025-11-15T01:02:05Z\","
              "\"status\":\"all\",\"dryRun\":true}");
    assert_string_equal(test_member("count"), "1");
    assert_string_equal(test_member("until"), "2025-11-15T01:02:05.000Z");
    redeliver("{\"since\":\"2025-11-15T01:02:05Z\",\"status\":\"all\",\"dryRun\":true}");
    assert_string_equal(test_member("count"), "1");
    assert_string_equal(count_with("failed"), "1");
}

static void as_many_as_was_said(void **state)
{
    size_t again = 0;

    redeliver("{\"since\":\"2025-11-15T01:00:00Z\",\"status\":\"all\"}");
    assert_string_equal(test_member("count"), "2");
    assert_string_equal(test_member("dryRun"), "false");
    assert_true(kept().replay_to > 0);
    test_write(replay, &again);
    assert_int_equal(again, 2);
    assert_string_equal(count_with("pending"), "3");
    assert_int_equal(kept().replay_to, 0);
}

/* What is made while it runs is not in it. */
static void no_end_ahead(void **state)
{
    redeliver("{\"since\":\"2025-11-15T01:00:00Z\",\"until\":\"2035-01-01T00:00:00Z\"}");
    assert_string_equal(test_member("until"), "2035-01-01T00:00:00.000Z");
    assert_true(kept().replay_to < id_at_ms(test_now_us / 1000 + 1));
}

static void only_what_failed_in_the_time(void **state)
{
    size_t again = 0;

    redeliver("{\"since\":\"2025-11-15T01:02:05Z\",\"until\":\"2025-11-15T01:02:06Z\"}");
    assert_string_equal(test_member("count"), "1");
    test_write(replay, &again);
    assert_int_equal(again, 1);
    assert_string_equal(count_with("delivered"), "1");
    assert_string_equal(count_with("failed"), "0");
}

static void one_at_a_time(void **state)
{
    size_t again = 0;

    redeliver("{\"since\":\"2025-11-15T01:00:00Z\"}");
    assert_refused("{\"since\":\"2025-11-15T01:00:00Z\"}", "invalid_parameter", NULL);
    redeliver("{\"since\":\"2025-11-15T01:00:00Z\",\"dryRun\":true}"); /* asking is free */
    test_write(replay, &again);
    redeliver("{\"since\":\"2025-11-15T01:00:00Z\"}");
    assert_string_equal(test_member("count"), "0");
    redeliver("{\"since\":\"2025-11-15T01:00:00Z\"}"); /* nothing to do was nothing under way */
}

static void done_once(void **state)
{
    char head[128];
    static const char body[] = "{\"since\":\"2025-11-15T01:00:00Z\"}";

    snprintf(head, sizeof head, "POST /v1/webhooks/%s/redeliver\nIdempotency-Key: a", hook);
    assert_int_equal(test_call(TEST_KEY, head, body)->status, 200);
    assert_int_equal(test_call(TEST_KEY, head, body)->status, 200);
    assert_string_equal(test_header("Idempotency-Replayed"), "true");
    assert_string_equal(test_member("count"), "1");
}

static void times_that_make_sense(void **state)
{
    assert_refused("{}", "missing_required_field", "since");
    assert_refused("{\"since\":\"yesterday\"}", "invalid_date_range", "since");
    assert_refused("{\"since\":\"2025-11-15T01:00:00Z\",\"until\":\"soon\"}", "invalid_date_range",
                   "until");
    assert_refused("{\"since\":\"2025-11-15T01:00:00Z\",\"until\":\"2025-11-15T01:00:00Z\"}",
                   "invalid_date_range", "until");
    assert_refused("{\"since\":\"2025-11-15T01:00:00Z\",\"until\":\"2025-11-14T01:00:00Z\"}",
                   "invalid_date_range", "until");
    assert_refused("{\"since\":\"2999-01-01T00:00:00Z\"}", "invalid_date_range", "since");
    assert_refused("{\"since\":\"2025-11-15T01:00:00Z\",\"status\":\"pending\"}",
                   "invalid_parameter", "status");
    assert_refused("{\"since\":\"2025-11-15T01:00:00Z\",\"dryRun\":\"x\"}", "invalid_parameter",
                   "dryRun");
    redeliver("{\"since\":\"1970-01-01T00:00:00Z\",\"until\":\"1980-01-01T00:00:00Z\"}");
    assert_string_equal(test_member("count"), "0");
}

static void of_the_keys_mode_only(void **state)
{
    char both[TEST_ID_SIZE], message[TEST_ID_SIZE], delivery[TEST_ID_SIZE];

    test_webhook(LIVE_KEY, NULL, both);
    test_message(TEST_KEY, NULL, message);
    test_move(message, STATUS_QUEUED, STATUS_SENT);
    test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s/deliveries", both);
    test_keep_id("data.0.deliveryId", delivery);
    struct attempt_record a = {.number = 1, .at_us = test_now_us, .status = 500};
    test_tried(delivery, a, DELIVERY_FAILED, 0);
    test_at(LIVE_KEY, "{\"since\":\"2025-11-15T01:00:00Z\"}", "POST /v1/webhooks/%s/redeliver",
            both);
    assert_string_equal(test_member("count"), "0");
}

#define REDELIVER_TEST(function)                                                                   \
    cmocka_unit_test_setup_teardown(function, set_up, test_api_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        REDELIVER_TEST(how_many_they_are),     REDELIVER_TEST(as_many_as_was_said),
        REDELIVER_TEST(no_end_ahead),          REDELIVER_TEST(only_what_failed_in_the_time),
        REDELIVER_TEST(one_at_a_time),         REDELIVER_TEST(done_once),
        REDELIVER_TEST(times_that_make_sense), REDELIVER_TEST(of_the_keys_mode_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
