/* Webhooks: the list, one, and none any more. */
#include "api/test_webhook.h"

#include <stdio.h>

static void none_at_first(void **state)
{
    assert_int_equal(test_call(TEST_KEY, "GET /v1/webhooks", NULL)->status, 200);
    assert_string_equal(test_body(), "{\"data\":[],\"pagination\":{\"hasMore\":false,"
                                     "\"nextCursor\":null,\"previousCursor\":null,"
                                     "\"totalCount\":0}}");
}

static void one_as_it_was_made(void **state)
{
    char id[TEST_ID_SIZE];

    test_webhook(TEST_KEY, "{\"url\":\"" HOOK_URL "\",\"description\":\"Orders\"}", id);
    assert_int_equal(test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s", id)->status, 200);
    assert_string_equal(test_member("webhookId"), id);
    assert_non_null(strstr(
        test_body(),
        "\"url\":\"https://hooks.example.com/a\",\"events\":[\"message.sent\","
        "\"message.delivered\",\"message.failed\"],\"mode\":\"test\",\"description\":\"Orders\","
        "\"enabled\":true,\"status\":\"enabled\",\"disabledReason\":null,\"disabledAt\":null,"
        "\"pausedUntil\":null,\"failingSince\":null,\"consecutiveFailures\":0,"
        "\"lastSuccessAt\":null,\"pendingDeliveries\":0,\"previousSecretValidUntil\":null,"
        "\"createdAt\":\"2025-11-15T01:02:03.004Z\",\"updatedAt\":\"2025-11-15T01:02:03.004Z\"}"));
    assert_null(strstr(test_body(), "secret\""));
}

static void newest_first_and_by_pages(void **state)
{
    char ids[3][TEST_ID_SIZE], last[TEST_ID_SIZE];

    for (size_t i = 0; i < 3; i++)
        test_webhook(TEST_KEY, NULL, ids[i]);
    assert_int_equal(test_call(TEST_KEY, "GET /v1/webhooks?limit=2", NULL)->status, 200);
    assert_string_equal(test_member("data.0.webhookId"), ids[2]);
    assert_string_equal(test_member("data.1.webhookId"), ids[1]);
    assert_string_equal(test_member("data.2"), "");
    assert_string_equal(test_member("pagination.hasMore"), "true");
    assert_string_equal(test_member("pagination.nextCursor"), ids[0]);
    assert_string_equal(test_member("pagination.totalCount"), "3");
    test_keep_id("pagination.nextCursor", last);
    test_at(TEST_KEY, NULL, "GET /v1/webhooks?limit=2&cursor=%s", last);
    assert_string_equal(test_member("data.0.webhookId"), ids[0]);
    assert_string_equal(test_member("data.1"), "");
    assert_string_equal(test_member("pagination.hasMore"), "false");
    assert_string_equal(test_member("pagination.previousCursor"), ids[2]);
    test_call(TEST_KEY, "GET /v1/webhooks?cursor=msg_0", NULL);
    test_assert_problem(400, "invalid_cursor", "cursor");
    test_call(TEST_KEY, "GET /v1/webhooks?mode=test", NULL);
    test_assert_problem(400, "invalid_parameter", "mode");
}

static void assert_unseen(const char *key, const char *id)
{
    test_at(key, NULL, "GET /v1/webhooks/%s", id);
    test_assert_problem(404, "webhook_not_found", NULL);
    assert_non_null(strstr(test_member("message"), id));
    test_at(key, "{\"enabled\":true}", "PATCH /v1/webhooks/%s", id);
    test_assert_problem(404, "webhook_not_found", NULL);
    test_at(key, NULL, "DELETE /v1/webhooks/%s", id);
    test_assert_problem(404, "webhook_not_found", NULL);
    test_at(key, NULL, "POST /v1/webhooks/%s/rotate-secret", id);
    test_assert_problem(404, "webhook_not_found", NULL);
    test_at(key, NULL, "POST /v1/webhooks/%s/test", id);
    test_assert_problem(404, "webhook_not_found", NULL);
    test_at(key, "{\"since\":\"2025-01-01T00:00:00Z\"}", "POST /v1/webhooks/%s/redeliver", id);
    test_assert_problem(404, "webhook_not_found", NULL);
    test_at(key, NULL, "GET /v1/webhooks/%s/deliveries", id);
    test_assert_problem(404, "webhook_not_found", NULL);
    test_at(key, NULL, "GET /v1/webhooks/%s/deliveries/dlv_0", id);
    test_assert_problem(404, "webhook_not_found", NULL);
    test_at(key, NULL, "POST /v1/webhooks/%s/deliveries/dlv_0/retry", id);
    test_assert_problem(404, "webhook_not_found", NULL);
}

static void those_of_others_do_not_exist(void **state)
{
    char id[TEST_ID_SIZE];

    test_add_key(OTHER_KEY, MODE_TEST, true, 0, "unlimited", 0);
    test_webhook(OTHER_KEY, NULL, id);
    assert_unseen(TEST_KEY, id);
    test_call(TEST_KEY, "GET /v1/webhooks", NULL);
    assert_string_equal(test_member("data.0"), "");
    assert_unseen(TEST_KEY, "whk_");
    assert_unseen(TEST_KEY, "whk_00000000000");
    assert_unseen(TEST_KEY, "msg_00000000000");
}

static void a_key_sees_those_that_cover_its_mode(void **state)
{
    char test[TEST_ID_SIZE], live[TEST_ID_SIZE], both[TEST_ID_SIZE];

    test_webhook(TEST_KEY, NULL, test);
    test_webhook(LIVE_KEY, "{\"url\":\"" HOOK_URL "\",\"mode\":\"live\"}", live);
    test_webhook(LIVE_KEY, NULL, both);
    assert_unseen(TEST_KEY, live);
    assert_unseen(LIVE_KEY, test);
    test_call(TEST_KEY, "GET /v1/webhooks", NULL);
    assert_string_equal(test_member("pagination.totalCount"), "2");
    assert_string_equal(test_member("data.0.webhookId"), both);
    assert_string_equal(test_member("data.0.mode"), "all");
    assert_string_equal(test_member("data.1.webhookId"), test);
    test_call(LIVE_KEY, "GET /v1/webhooks", NULL);
    assert_string_equal(test_member("data.0.webhookId"), both);
    assert_string_equal(test_member("data.1.webhookId"), live);
    assert_string_equal(test_member("data.2"), "");
}

static void a_test_key_does_not_touch_what_live_messages_go_to(void **state)
{
    char id[TEST_ID_SIZE];

    test_webhook(LIVE_KEY, NULL, id);
    assert_int_equal(test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s", id)->status, 200);
    test_at(TEST_KEY, "{\"enabled\":false}", "PATCH /v1/webhooks/%s", id);
    test_assert_problem(403, "live_key_required", NULL);
    test_at(TEST_KEY, NULL, "DELETE /v1/webhooks/%s", id);
    test_assert_problem(403, "live_key_required", NULL);
    test_at(TEST_KEY, NULL, "POST /v1/webhooks/%s/rotate-secret", id);
    test_assert_problem(403, "live_key_required", NULL);
    test_at(TEST_KEY, NULL, "POST /v1/webhooks/%s/test", id);
    test_assert_problem(403, "live_key_required", NULL);
    test_at(TEST_KEY, "{\"since\":\"2025-01-01T00:00:00Z\"}", "POST /v1/webhooks/%s/redeliver", id);
    test_assert_problem(403, "live_key_required", NULL);
    assert_int_equal(test_at(LIVE_KEY, NULL, "DELETE /v1/webhooks/%s", id)->status, 200);
}

static void removed_for_good(void **state)
{
    char id[TEST_ID_SIZE], expected[128];

    test_webhook(TEST_KEY, NULL, id);
    assert_int_equal(test_at(TEST_KEY, NULL, "DELETE /v1/webhooks/%s", id)->status, 200);
    snprintf(expected, sizeof expected, "{\"webhookId\":\"%s\",\"deleted\":true}", id);
    assert_string_equal(test_body(), expected);
    assert_unseen(TEST_KEY, id);
}

static void pending_ones_are_those_of_the_keys_mode(void **state)
{
    char all[TEST_ID_SIZE], message[TEST_ID_SIZE];

    test_webhook(LIVE_KEY, "{\"url\":\"" HOOK_URL "\",\"events\":[\"*\"]}", all);
    test_message(TEST_KEY, NULL, message);
    test_move(message, STATUS_QUEUED, STATUS_SENT);
    test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s", all);
    assert_string_equal(test_member("pendingDeliveries"), "2");
    assert_string_equal(test_member("events.0"), "*");
    assert_string_equal(test_member("events.1"), "");
    test_at(LIVE_KEY, NULL, "GET /v1/webhooks/%s", all);
    assert_string_equal(test_member("pendingDeliveries"), "0");
    test_call(TEST_KEY, "GET /v1/webhooks", NULL);
    assert_string_equal(test_member("data.0.pendingDeliveries"), "2");
}

/* ---- how it stands ---- */

static void fail_ten_times(struct endpoint_record *e)
{
    e->failures = 10;
    e->failing_since_us = test_now_us - 60000000;
    e->paused_until_us = test_now_us + 300000000;
    e->last_success_us = test_now_us - 120000000;
}

static void be_gone(struct endpoint_record *e)
{
    e->off = ENDPOINT_OFF_GONE;
    e->off_us = test_now_us;
}

static void it_says_how_it_stands(void **state)
{
    char id[TEST_ID_SIZE];

    test_webhook(TEST_KEY, NULL, id);
    test_endpoint(id, fail_ten_times);
    test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s", id);
    assert_non_null(strstr(
        test_body(), "\"enabled\":true,\"status\":\"paused\",\"disabledReason\":null,"
                     "\"disabledAt\":null,\"pausedUntil\":\"2025-11-15T01:07:03.004Z\","
                     "\"failingSince\":\"2025-11-15T01:01:03.004Z\",\"consecutiveFailures\":10,"
                     "\"lastSuccessAt\":\"2025-11-15T01:00:03.004Z\""));
    test_now_us += 300000000; /* its time is over */
    test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s", id);
    assert_string_equal(test_member("status"), "enabled");
    assert_string_equal(test_member("pausedUntil"), "");
    test_endpoint(id, be_gone);
    test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s", id);
    assert_non_null(strstr(test_body(), "\"enabled\":false,\"status\":\"disabled\","
                                        "\"disabledReason\":\"gone\","
                                        "\"disabledAt\":\"2025-11-15T01:07:03.004Z\","
                                        "\"pausedUntil\":null"));
}

/* ---- those of messages ---- */

static void what_messages_bring_along_is_seen_but_not_touched(void **state)
{
    char message[TEST_ID_SIZE], id[TEST_ID_SIZE];
    struct delivery_record *d;
    size_t count;

    test_message(TEST_KEY, ",\"webhookUrl\":\"https://a.example:8443/x?y\"", message);
    test_move(message, STATUS_QUEUED, STATUS_SENT);
    arena_reset(&test_worker->scratch);
    assert_int_equal(store_delivery_of_message(test_worker->reader, test_number(message),
                                               &test_worker->scratch, &d, &count),
                     0);
    assert_int_equal(count, 1);
    public_id_format(api_ids(test_api), ENDPOINT_ID_PREFIX, d->endpoint, id);
    id[PUBLIC_ID_SIZE] = '\0';
    test_call(TEST_KEY, "GET /v1/webhooks", NULL);
    assert_string_equal(test_member("pagination.totalCount"), "0");
    assert_int_equal(test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s", id)->status, 200);
    assert_string_equal(test_member("url"), "https://a.example:8443");
    assert_string_equal(test_member("events.2"), "message.failed");
    test_at(TEST_KEY, NULL, "DELETE /v1/webhooks/%s", id);
    test_assert_problem(404, "webhook_not_found", NULL);
    assert_non_null(strstr(test_member("message"), "webhookUrl"));
    test_at(LIVE_KEY, "{}", "PATCH /v1/webhooks/%s", id);
    test_assert_problem(404, "webhook_not_found", NULL);
    test_at(LIVE_KEY, NULL, "POST /v1/webhooks/%s/rotate-secret", id);
    test_assert_problem(404, "webhook_not_found", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(none_at_first),
        API_TEST(one_as_it_was_made),
        API_TEST(newest_first_and_by_pages),
        API_TEST(those_of_others_do_not_exist),
        API_TEST(a_key_sees_those_that_cover_its_mode),
        API_TEST(a_test_key_does_not_touch_what_live_messages_go_to),
        API_TEST(removed_for_good),
        API_TEST(pending_ones_are_those_of_the_keys_mode),
        API_TEST(it_says_how_it_stands),
        API_TEST(what_messages_bring_along_is_seen_but_not_touched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
