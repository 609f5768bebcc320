/* The history of a message as clients see it. */
#include "api/test_webhook.h"

#include <stdio.h>

static const char *send_and_read(const char *body)
{
    char head[128];

    assert_int_equal(test_call(TEST_KEY, "POST /v1/send", body)->status, 201);
    snprintf(head, sizeof head, "GET /v1/messages/%s/events", test_member("messageId"));
    assert_int_equal(test_call(TEST_KEY, head, NULL)->status, 200);
    return test_body();
}

static void a_queued_message_has_three_entries(void **state)
{
    const char *body = send_and_read("{\"to\":\"+15551234567\",\"text\":\"x\"}");

    assert_non_null(strstr(
        body, "\"data\":[{\"type\":\"accepted\",\"timestamp\":\"2025-11-15T01:02:03.004Z\","
              "\"description\":\"The message was accepted and stored.\"},{\"type\":\"routed\","));
    assert_string_equal(test_member("data.1.from"), "+18005551234");
    assert_string_equal(test_member("data.1.numberType"), "toll-free");
    assert_string_equal(test_member("data.1.reason"), "smart-routing");
    assert_string_equal(test_member("data.1.refused.0.from"), "+447700900123");
    assert_true(strlen(test_member("data.1.refused.0.reason")) > 10);
    assert_string_equal(test_member("data.1.refused.1.from"), "Skylark");
    assert_string_equal(test_member("data.2.type"), "queued");
    assert_string_equal(test_member("data.3"), "");
}

static void a_scheduled_message_waits(void **state)
{
    send_and_read("{\"to\":\"+15551234567\",\"text\":\"x\",\"from\":\"+447700900123\","
                  "\"scheduledAt\":\"2025-11-15T02:00:00Z\"}");
    assert_string_equal(test_member("data.1.reason"), "user-specified");
    assert_string_equal(test_member("data.2.type"), "scheduled");
    assert_string_equal(test_member("data.3"), "");
}

static int fail_one(struct store *s, void *id)
{
    struct message_move move = {.id = *(int64_t *)id,
                                .from = status_bit(STATUS_QUEUED),
                                .to = STATUS_FAILED,
                                .failure = FAILURE_NO_ROUTE,
                                .at_us = test_now_us};
    struct event_record late = {.message = move.id,
                                .at_us = test_now_us + 1,
                                .kind = EVENT_LATE_RECEIPT,
                                .detail = STR("Too late.")};
    return store_move(s, &move) == 1 ? store_event_add(s, &late) : -1;
}

static void failures_and_events_are_told(void **state)
{
    char head[128], id_text[64];
    int64_t id;

    send_and_read("{\"to\":\"+15551234567\",\"text\":\"x\"}");
    snprintf(id_text, sizeof id_text, "%s", test_member("messageId"));
    assert_true(public_id_parse(api_ids(test_api), MESSAGE_ID_PREFIX, str_of(id_text), &id));
    test_now_us += 5000000;
    test_write(fail_one, &id);
    snprintf(head, sizeof head, "GET /v1/messages/%s/events", id_text);
    assert_int_equal(test_call(TEST_KEY, head, NULL)->status, 200);
    assert_string_equal(test_member("data.3.type"), "failed");
    assert_string_equal(test_member("data.3.errorCode"), "no_route");
    assert_string_equal(test_member("data.3.timestamp"), "2025-11-15T01:02:08.004Z");
    assert_string_equal(test_member("data.4.type"), "late_receipt");
    assert_string_equal(test_member("data.4.description"), "Too late.");
    assert_string_equal(test_member("data.4.errorCode"), "");
}

static void tries_to_tell_you_of_it(void **state)
{
    char hook[TEST_ID_SIZE], message[TEST_ID_SIZE], delivery[TEST_ID_SIZE];

    test_webhook(TEST_KEY, NULL, hook);
    test_message(TEST_KEY, NULL, message);
    test_move(message, STATUS_QUEUED, STATUS_SENT);
    test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s/deliveries", hook);
    test_keep_id("data.0.deliveryId", delivery);
    struct attempt_record lost = {
        .number = 1, .at_us = test_now_us + 1, .error = STR("Nobody is there.")};
    test_tried(delivery, lost, DELIVERY_WAITING, test_now_us);
    struct attempt_record taken = {.number = 2, .at_us = test_now_us + 60000000, .status = 204};
    test_tried(delivery, taken, DELIVERY_DONE, 0);
    assert_int_equal(test_at(TEST_KEY, NULL, "GET /v1/messages/%s/events", message)->status, 200);
    assert_string_equal(test_member("data.3.type"), "sent");
    assert_string_equal(test_member("data.4.type"), "webhook_failed");
    assert_string_equal(test_member("data.4.webhookId"), hook);
    assert_string_equal(test_member("data.4.deliveryId"), delivery);
    assert_string_equal(test_member("data.4.attempt"), "1");
    assert_string_equal(test_member("data.4.responseStatus"), "");
    assert_string_equal(test_member("data.4.description"),
                        "message.sent was not delivered. Nobody is there.");
    assert_string_equal(test_member("data.5.type"), "webhook_delivered");
    assert_string_equal(test_member("data.5.attempt"), "2");
    assert_string_equal(test_member("data.5.responseStatus"), "204");
    assert_string_equal(test_member("data.6"), "");
}

static void what_is_not_yours_is_not_found(void **state)
{
    char head[128];

    send_and_read("{\"to\":\"+15551234567\",\"text\":\"x\"}");
    snprintf(head, sizeof head, "GET /v1/messages/%s/events", test_member("messageId"));
    test_call(LIVE_KEY, head, NULL);
    test_assert_problem(404, "message_not_found", NULL);
    test_call(TEST_KEY, "GET /v1/messages/x/events", NULL);
    test_assert_problem(404, "message_not_found", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_queued_message_has_three_entries), API_TEST(a_scheduled_message_waits),
        API_TEST(failures_and_events_are_told),       API_TEST(tries_to_tell_you_of_it),
        API_TEST(what_is_not_yours_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
