/* POST /v1/send: what a body must be, the order in which faults are named, and the way to disk. */
#include "api/test_api.h"

#include <errno.h>
#include <stdio.h>

#define JSON "POST /v1/send\nContent-Type: application/json"
#define FORM "POST /v1/send\nContent-Type: application/x-www-form-urlencoded"
#define TO   "\"to\":\"+15551234567\""

static void assert_refused(const char *head, const char *body, const char *code, const char *field)
{
    test_call(TEST_KEY, head, body);
    test_assert_problem(400, code, field);
    assert_string_equal(test_member("error"), "validation_error");
}

static void a_message_is_kept_before_it_is_answered(void **state)
{
    char head[128], sent[2048];

    assert_int_equal(test_call(TEST_KEY, JSON, "{" TO ",\"text\":\"Hello\"}")->status, 201);
    assert_string_equal(test_member("status"), "queued");
    assert_string_equal(test_member("livemode"), "false");
    assert_string_equal(test_member("createdAt"), "2025-11-15T01:02:03.004Z");
    snprintf(sent, sizeof sent, "%s", test_body());
    snprintf(head, sizeof head, "GET /v1/messages/%s", test_member("messageId"));
    test_call(TEST_KEY, head, NULL);
    assert_string_equal(test_body(), sent);
    assert_int_equal(dispatch_held(test_api->options.dispatch), 0); /* it reads from the store */
    dispatch_run(test_api->options.dispatch);
    test_call(TEST_KEY, JSON, "{" TO ",\"text\":\"Hello\"}");
    assert_true(dispatch_held(test_api->options.dispatch) > 0);
}

static void content_types(void **state)
{
    static const char *const json[] = {"POST /v1/send", "POST /v1/send\nContent-Type:", JSON,
                                       (JSON "; charset=utf-8"),
                                       "POST /v1/send\nContent-Type: Application/Json ;x=y"};
    static const char *const other[] = {"text/plain", "multipart/form-data; boundary=x",
                                        "application/jsonx", "json", ";"};

    for (size_t i = 0; i < sizeof json / sizeof *json; i++)
        assert_int_equal(test_call(TEST_KEY, json[i], "{" TO ",\"text\":\"x\"}")->status, 201);
    assert_int_equal(test_call(TEST_KEY, FORM, "to=%2B15551234567&text=a+b")->status, 201);
    assert_string_equal(test_member("text"), "a b");
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        char head[128];
        snprintf(head, sizeof head, "POST /v1/send\nContent-Type: %s", other[i]);
        assert_refused(head, "{" TO ",\"text\":\"x\"}", "unsupported_content_type", NULL);
    }
}

/* curl -d '{…}' without -H. */
static void json_in_a_form_is_told_the_header(void **state)
{
    assert_refused(FORM, "{" TO ",\"text\":\"x\"}", "unsupported_content_type", NULL);
    assert_non_null(strstr(test_member("message"), "-H 'Content-Type: application/json'"));
    assert_refused(FORM "; charset=utf-8", "\n\t {\"to\"", "unsupported_content_type", NULL);
    assert_refused(FORM, "text={", "missing_required_field", "to");
    assert_refused(FORM, "", "missing_required_field", "to");
}

/* Each body has all the faults of the rows below it too. */
static void faults_are_named_in_order(void **state)
{
    assert_refused(JSON, "{\"to\":1", "invalid_json", NULL);
    assert_refused(JSON, "{\"mediaUrls\":1}", "missing_required_field", "to");
    assert_refused(JSON, "{\"to\":1,\"mediaUrls\":1}", "missing_required_field", "text");
    assert_refused(JSON, "{\"text\":1}", "missing_required_field", "to");
    assert_refused(JSON, "{\"to\":null,\"text\":\"x\"}", "missing_required_field", "to");
    assert_refused(JSON, "{\"to\":1,\"text\":2}", "invalid_parameter", "to");
    assert_refused(JSON, "{\"to\":\"x\",\"text\":2}", "invalid_parameter", "text");
    assert_refused(JSON, "{\"to\":\"x\",\"text\":\"\",\"mediaUrls\":\"x\"}", "invalid_parameter",
                   "mediaUrls");
    assert_refused(JSON, "{\"to\":\"x\",\"text\":\"x\"}", "invalid_phone_number", "to");
    assert_refused(JSON, "{" TO ",\"text\":\"\"}", "text_required", "text");
}

static void sizes_are_refused(void **state)
{
    static char large[2000];
    char text[1602] = "";

    memset(text, 'x', 1601);
    snprintf(large, sizeof large, "{" TO ",\"text\":\"%s\"}", text);
    test_call(TEST_KEY, JSON, large);
    assert_int_equal(strncmp(test_member("statusCode"), "400", 3), 0);
    text[1600] = '\0';
    snprintf(large, sizeof large, "{" TO ",\"text\":\"%s\"}", text);
    assert_int_equal(test_call(TEST_KEY, JSON, large)->status, 201);
}

/* ---- the way to disk ---- */

static struct store_engine engine;

static int no_insert(struct store *s, const struct message *m)
{
    return store_fail(s, -ENOSPC, "no room");
}

static void what_cannot_be_stored_is_not_accepted(void **state)
{
    engine = *test_store->engine;
    engine.message_insert = no_insert;
    const struct store_engine *whole = test_set_engine(&engine);
    test_call(TEST_KEY, JSON, "{" TO ",\"text\":\"x\"}");
    test_assert_problem(503, "service_unavailable", NULL);
    assert_string_equal(test_header("Retry-After"), "5");
    test_set_engine(whole);
    test_call(TEST_KEY, "GET /v1/messages", NULL);
    assert_string_equal(test_member("pagination.totalCount"), "0");
    assert_int_equal(test_call(TEST_KEY, JSON, "{" TO ",\"text\":\"x\"}")->status, 201);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_message_is_kept_before_it_is_answered),
        API_TEST(content_types),
        API_TEST(json_in_a_form_is_told_the_header),
        API_TEST(faults_are_named_in_order),
        API_TEST(sizes_are_refused),
        API_TEST(what_cannot_be_stored_is_not_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
