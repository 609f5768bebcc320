/* Making webhooks: what is taken, what is refused, and the secret that is shown once. */
#include "api/test_webhook.h"
#include "view/signature.h"

#include <stdio.h>

static void create(const char *key, const char *more)
{
    char body[2048];

    snprintf(body, sizeof body, "{\"url\":\"" HOOK_URL "\"%s}", more);
    test_call(key, "POST /v1/webhooks", body);
}

static void assert_made(const char *key, const char *more)
{
    create(key, more);
    if (strcmp(test_member("code"), "") != 0)
        fail_msg("%s: %s", more, test_body());
    assert_non_null(strstr(test_body(), "\"secret\":\"whsec_"));
}

static void what_is_not_said_is_usual(void **state)
{
    assert_made(TEST_KEY, "");
    assert_non_null(strstr(test_body(), "\"events\":[\"message.sent\",\"message.delivered\","
                                        "\"message.failed\"],\"mode\":\"test\","
                                        "\"description\":null,\"enabled\":true"));
    assert_int_equal(strlen(test_member("secret")), SECRET_SIZE);
    assert_null(secret_fault(str_of(test_member("secret"))));
    assert_made(LIVE_KEY, "");
    assert_string_equal(test_member("mode"), "all");
    assert_made(TEST_KEY, ",\"events\":null,\"mode\":null,\"description\":null,\"secret\":null");
    assert_string_equal(test_member("events.0"), "message.sent");
    assert_string_equal(test_member("mode"), "test");
}

static void a_form_says_the_same(void **state)
{
    assert_int_equal(test_call(TEST_KEY,
                               "POST /v1/webhooks\n"
                               "Content-Type: application/x-www-form-urlencoded",
                               "url=https%3A%2F%2Fa.example%2F&events=message.sent&"
                               "events=message.received&description=a+b")
                         ->status,
                     201);
    assert_string_equal(test_member("events.1"), "message.received");
    assert_string_equal(test_member("events.2"), "");
    assert_string_equal(test_member("description"), "a b");
}

static void the_address_is_needed_and_judged(void **state)
{
    static const char *const bad[] = {
        "http://example.com/",      "https://localhost/x", "https://127.0.0.1/",
        "https://10.0.0.1/",        "https://[::1]/",      "https://0x7f000001/",
        "https://169.254.169.254/", "example.com",         "",
    };
    char body[256];

    test_call(TEST_KEY, "POST /v1/webhooks", "{}");
    test_assert_problem(400, "missing_required_field", "url");
    test_call(TEST_KEY, "POST /v1/webhooks", "{\"url\":5}");
    test_assert_problem(400, "invalid_parameter", "url");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(body, sizeof body, "{\"url\":\"%s\"}", bad[i]);
        test_call(TEST_KEY, "POST /v1/webhooks", body);
        test_assert_problem(400, "invalid_webhook_url", "url");
        assert_true(strncmp(test_member("message"), "url must ", 9) == 0);
    }
}

static void assert_bad_events(const char *events, const char *words)
{
    char more[256];

    snprintf(more, sizeof more, ",\"events\":%s", events);
    create(TEST_KEY, more);
    test_assert_problem(400, "invalid_events", "events");
    if (!strstr(test_member("message"), words))
        fail_msg("%s: %s", events, test_member("message"));
}

static void events_that_exist_each_once(void **state)
{
    assert_made(TEST_KEY, ",\"events\":[\"message.opt_in\",\"message.scheduled\"]");
    assert_string_equal(test_member("events.0"), "message.scheduled");
    assert_string_equal(test_member("events.1"), "message.opt_in");
    assert_made(TEST_KEY, ",\"events\":[\"*\"]");
    assert_string_equal(test_member("events.0"), "*");
    assert_bad_events("[]", "events is empty");
    assert_bad_events("[\"message.send\"]", "did you mean 'message.sent'?");
    assert_bad_events("[\"nonsense of all kinds\"]", "/v1/webhooks/event-types");
    assert_bad_events("[\"message.sent\",\"message.sent\"]", "given twice");
    assert_bad_events("[\"*\",\"message.sent\"]", "alone");
    assert_bad_events("[\"message.sent\",\"*\"]", "alone");
    assert_bad_events("[\"*\",\"*\"]", "alone");
    assert_bad_events("[\"webhook.test\"]", "/test");
    assert_bad_events("[\"\"]", "There is no event ''");
    create(TEST_KEY, ",\"events\":\"*\"");
    test_assert_problem(400, "invalid_parameter", "events");
}

static void modes_that_the_key_may_give(void **state)
{
    assert_made(TEST_KEY, ",\"mode\":\"test\"");
    assert_made(LIVE_KEY, ",\"mode\":\"test\"");
    assert_string_equal(test_member("mode"), "test");
    assert_made(LIVE_KEY, ",\"mode\":\"live\"");
    assert_string_equal(test_member("mode"), "live");
    assert_made(LIVE_KEY, ",\"mode\":\"all\"");
    create(TEST_KEY, ",\"mode\":\"live\"");
    test_assert_problem(403, "live_key_required", "mode");
    create(TEST_KEY, ",\"mode\":\"all\"");
    test_assert_problem(403, "live_key_required", "mode");
    create(LIVE_KEY, ",\"mode\":\"both\"");
    test_assert_problem(400, "invalid_parameter", "mode");
}

static void a_description_is_a_short_line(void **state)
{
    char more[1024], words[ENDPOINT_DESCRIPTION_CHARS + 2];

    memset(words, 'd', sizeof words);
    words[ENDPOINT_DESCRIPTION_CHARS] = '\0';
    snprintf(more, sizeof more, ",\"description\":\"%s\"", words);
    assert_made(TEST_KEY, more);
    assert_string_equal(test_member("description"), words);
    snprintf(more, sizeof more, ",\"description\":\"%sx\"", words);
    create(TEST_KEY, more);
    test_assert_problem(400, "invalid_parameter", "description");
    create(TEST_KEY, ",\"description\":\"a\\nb\"");
    test_assert_problem(400, "invalid_parameter", "description");
}

static void a_secret_of_ones_own(void **state)
{
    static const char *const bad[] = {
        "",
        "whsec_",
        "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0",       /* no prefix */
        "whsec_c2VjcmV0c2VjcmV0",                 /* 12 bytes */
        "whsec_!!VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0", /* no base64 */
        "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2Vj=",
    };
    char more[256];

    assert_made(TEST_KEY, ",\"secret\":\"whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0\"");
    assert_string_equal(test_member("secret"), "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(more, sizeof more, ",\"secret\":\"%s\"", bad[i]);
        create(TEST_KEY, more);
        test_assert_problem(400, "invalid_parameter", "secret");
        assert_true(strncmp(test_member("message"), "secret ", 7) == 0);
    }
}

static void ten_and_no_more(void **state)
{
    char id[TEST_ID_SIZE];

    for (int i = 0; i < ENDPOINTS_MAX; i++)
        test_webhook(TEST_KEY, NULL, id);
    create(LIVE_KEY, "");
    test_assert_problem(400, "webhook_limit_exceeded", NULL);
    assert_int_equal(test_at(TEST_KEY, NULL, "DELETE /v1/webhooks/%s", id)->status, 200);
    assert_made(LIVE_KEY, "");
    test_add_key(OTHER_KEY, MODE_TEST, true, 0, "unlimited", 0);
    assert_made(OTHER_KEY, "");
}

static void done_once_with_the_same_secret(void **state)
{
    static const char head[] = "POST /v1/webhooks\nIdempotency-Key: one";
    char first[2048];

    assert_int_equal(test_call(TEST_KEY, head, "{\"url\":\"" HOOK_URL "\"}")->status, 201);
    snprintf(first, sizeof first, "%s", test_body());
    assert_null(test_header("Idempotency-Replayed"));
    assert_int_equal(test_call(TEST_KEY, head, "{\"url\":\"" HOOK_URL "\"}")->status, 201);
    assert_string_equal(test_header("Idempotency-Replayed"), "true");
    assert_string_equal(test_body(), first);
    test_call(TEST_KEY, head, "{\"url\":\"" HOOK_URL "\",\"description\":\"x\"}");
    test_assert_problem(400, "idempotency_key_mismatch", NULL);
    test_call(TEST_KEY, "GET /v1/webhooks", NULL);
    assert_string_equal(test_member("pagination.totalCount"), "1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(what_is_not_said_is_usual),
        API_TEST(a_form_says_the_same),
        API_TEST(the_address_is_needed_and_judged),
        API_TEST(events_that_exist_each_once),
        API_TEST(modes_that_the_key_may_give),
        API_TEST(a_description_is_a_short_line),
        API_TEST(a_secret_of_ones_own),
        API_TEST(ten_and_no_more),
        API_TEST(done_once_with_the_same_secret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
