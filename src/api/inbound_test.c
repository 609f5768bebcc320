/* What a handset writes, over HTTP. */
#include "api/test_api.h"

#include "messaging/optout.h"

#include <stdio.h>

static bool is_out(const char *number)
{
    return optouts_has(test_api->options.optouts, FIRST_ACCOUNT, MODE_TEST, str_of(number));
}

static void inbound(const char *body)
{
    test_call(TEST_KEY, "POST /v1/test/inbound", body);
}

static void a_message_is_received(void **state)
{
    inbound("{\"from\":\"+15551234567\",\"text\":\"Hello\"}");
    assert_non_null(strstr(test_body(), "\"status\":\"received\",\"from\":\"+15551234567\","
                                        "\"to\":\"+18005551234\",\"text\":\"Hello\""));
    assert_string_equal(test_member("direction"), "inbound");
    assert_string_equal(test_member("cost.amount"), "0");
    assert_string_equal(test_member("livemode"), "false");

    char head[128];
    snprintf(head, sizeof head, "GET /v1/messages/%s", test_member("messageId"));
    assert_int_equal(test_call(TEST_KEY, head, NULL)->status, 200);
    assert_string_equal(test_member("status"), "received");
}

static void a_form_will_do(void **state)
{
    test_call(TEST_KEY, "POST /v1/test/inbound\nContent-Type: application/x-www-form-urlencoded",
              "from=%2B15551234567&text=Hi&to=%2B447700900123");
    assert_string_equal(test_member("to"), "+447700900123");
}

static void stop_is_heard_by_sends_and_start_too(void **state)
{
    static const char send[] = "{\"to\":\"+15551234567\",\"text\":\"x\"}";
    char head[128];

    inbound("{\"from\":\"+15551234567\",\"text\":\"STOP\"}");
    snprintf(head, sizeof head, "GET /v1/messages/%s/events", test_member("messageId"));
    assert_true(is_out("+15551234567"));
    test_call(TEST_KEY, "POST /v1/send", send);
    test_assert_problem(400, "recipient_opted_out", "to");
    test_call(TEST_KEY, head, NULL);
    assert_string_equal(test_member("data.0.type"), "received");
    assert_string_equal(test_member("data.1.type"), "opted_out");

    inbound("{\"from\":\"+15551234567\",\"text\":\"start\"}");
    assert_false(is_out("+15551234567"));
    assert_int_equal(test_call(TEST_KEY, "POST /v1/send", send)->status, 201);
}

static void a_repetition_is_received_once(void **state)
{
    static const char body[] = "{\"from\":\"+15551234567\",\"text\":\"STOP\"}";
    char first[4096];

    test_call(TEST_KEY, "POST /v1/test/inbound\nIdempotency-Key: a", body);
    snprintf(first, sizeof first, "%s", test_body());
    inbound("{\"from\":\"+15551234567\",\"text\":\"START\"}");
    test_call(TEST_KEY, "POST /v1/test/inbound\nIdempotency-Key: a", body);
    assert_string_equal(test_header("Idempotency-Replayed"), "true");
    assert_string_equal(test_body(), first);
    assert_false(is_out("+15551234567")); /* the repetition did nothing */
}

static void wrong_requests_are_refused(void **state)
{
    inbound("{\"text\":\"Hello\"}");
    test_assert_problem(400, "missing_required_field", "from");
    inbound("{\"from\":\"+15551234567\"}");
    test_assert_problem(400, "missing_required_field", "text");
    inbound("{\"from\":\"+15551234567\",\"text\":\"\"}");
    test_assert_problem(400, "text_required", "text");
    inbound("{\"from\":\"1234\",\"text\":\"x\"}");
    test_assert_problem(400, "invalid_phone_number", "from");
    inbound("{\"from\":\"+15551234567\",\"text\":\"x\",\"to\":\"Skylark\"}");
    test_assert_problem(400, "invalid_parameter", "to");
    inbound("{\"from\":\"+15551234567\",\"text\":1}");
    test_assert_problem(400, "invalid_parameter", "text");
    test_call(LIVE_KEY, "POST /v1/test/inbound", "{}");
    test_assert_problem(403, "test_key_required", NULL);
    test_call(READ_KEY, "POST /v1/test/inbound", "{}");
    test_assert_problem(403, "insufficient_permissions", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_message_is_received),
        API_TEST(a_form_will_do),
        API_TEST(stop_is_heard_by_sends_and_start_too),
        API_TEST(a_repetition_is_received_once),
        API_TEST(wrong_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
