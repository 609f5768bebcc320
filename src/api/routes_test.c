/* The table of routes, and what is checked before a handler runs. */
#include "api/test_api.h"

#include <stdio.h>

/* Every route answers, under its own method and path. */
static void every_route_answers(void **state)
{
    const char *method, *path;
    char head[256];

    for (size_t i = 0; route_at(i, &method, &path); i++) {
        snprintf(head, sizeof head, "%s %s", method, path);
        struct http_request *r = test_call(TEST_KEY, head, "{}");
        assert_string_not_equal(test_member("code"), "not_found");
        assert_true(r->status != 500);
        assert_true(test_body()[0] != '\0');
    }
}

static void unknown_paths_are_not_found(void **state)
{
    static const char *const heads[] = {
        "GET /",
        "GET /v1",
        "GET /v1/send/",
        "GET /v1/message",
        "GET /v1/messages/",
        "GET /v1/messages/a/b",
        "GET /v1/webhooks/a/deliveries/",
        "GET /v1/webhooks//deliveries/b",
        "GET /v1/webhooks/a/deliveries/b/c",
        "GET /v1/webhooks/a/deliverie/b",
        "GET /V1/messages",
        "GET /v1/sendx",
    };

    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        test_request(heads[i], NULL); /* and no key is asked for */
        test_assert_problem(404, "not_found", NULL);
        assert_non_null(strstr(test_member("message"), "/v1/openapi.json"));
    }
}

static void a_wrong_method_names_the_right_one(void **state)
{
    test_request("GET /v1/send", NULL);
    test_assert_problem(404, "not_found", NULL);
    assert_string_equal(test_member("message"), "There is no GET /v1/send; this path takes POST.");
    test_request("DELETE /v1/messages/msg_1", NULL);
    assert_string_equal(test_member("message"),
                        "There is no DELETE /v1/messages/msg_1; this path takes GET.");
}

static void a_path_with_two_parameters(void **state)
{
    test_request("DELETE /v1/webhooks/a/deliveries/b", NULL);
    assert_string_equal(test_member("message"),
                        "There is no DELETE /v1/webhooks/a/deliveries/b; this path takes GET.");
    test_call(TEST_KEY, "POST /v1/webhooks/whk_%41/deliveries/dlv_%42/retry", NULL);
    assert_string_equal(test_member("message"), "There is no webhook whk_A among those of this "
                                                "key's account and mode.");
}

static void a_header_given_twice(void **state)
{
    test_call(TEST_KEY, "GET /v1/messages\nAuthorization: Bearer " TEST_KEY, NULL);
    test_assert_problem(401, "invalid_authorization_header", NULL);
    test_call(TEST_KEY, "POST /v1/send\nContent-Type: application/json\nContent-type: text/plain",
              "{}");
    test_assert_problem(400, "unsupported_content_type", NULL);
}

static void the_size_of_a_body_depends_on_the_route(void **state)
{
    struct http_request *r = test_call(TEST_KEY, "POST /v1/send", NULL);
    assert_int_equal(api_body_max(r), API_BODY_MAX);
}

static void a_long_path_is_shown_cut(void **state)
{
    char head[1000] = "GET /";

    memset(head + 5, 'x', 900);
    test_request(head, NULL);
    test_assert_problem(404, "not_found", NULL);
    assert_true(strlen(test_member("message")) < 200);
}

static void head_is_get_without_a_body(void **state)
{
    assert_int_equal(test_request("HEAD /livez", NULL)->status, 200);
    test_request("HEAD /v1/send", NULL);
    test_assert_problem(404, "not_found", NULL);
}

static void public_routes_need_no_key(void **state)
{
    assert_int_equal(test_request("GET /livez", NULL)->status, 200);
    assert_string_equal(test_body(), "{\"status\":\"ok\"}");
    assert_null(test_header("X-RateLimit-Limit"));
    assert_int_equal(test_request("GET /v1/openapi.json", NULL)->status, 200);
    assert_true(strncmp(test_member("openapi"), "3.", 2) == 0);
    struct http_request *r = test_request("GET /docs/api-reference/errors", NULL);
    assert_int_equal(r->status, 200);
    assert_string_equal(r->content_type, "text/html; charset=utf-8");
    assert_non_null(test_header("Content-Security-Policy"));
}

static void readiness_follows_the_store(void **state)
{
    assert_int_equal(test_request("GET /readyz", NULL)->status, 200);
    api_set_trouble(test_api, "the disk is \"full\"");
    assert_int_equal(test_request("GET /readyz", NULL)->status, 503);
    assert_string_equal(test_body(),
                        "{\"status\":\"unavailable\",\"reason\":\"the disk is \\\"full\\\"\"}");
    assert_string_equal(test_header("Retry-After"), "5");
    assert_int_equal(test_request("GET /livez", NULL)->status, 200);
    api_set_trouble(test_api, NULL);
    assert_int_equal(test_request("GET /readyz", NULL)->status, 200);
}

static void in_maintenance_calls_are_told_to_come_back(void **state)
{
    api_set_maintenance(test_api, true);
    test_request("POST /v1/send", "not JSON, and no key"); /* nothing else is looked at */
    test_assert_problem(503, "maintenance", NULL);
    assert_string_equal(test_member("error"), "api_error");
    assert_string_equal(test_header("Retry-After"), "60");
    test_call(TEST_KEY, "GET /v1/messages", NULL);
    test_assert_problem(503, "maintenance", NULL);
    test_request("GET /v1/nothing", NULL);
    test_assert_problem(404, "not_found", NULL);
    assert_int_equal(test_request("GET /v1/openapi.json", NULL)->status, 200);
    assert_int_equal(test_request("GET /livez", NULL)->status, 200);
    assert_int_equal(test_request("GET /readyz", NULL)->status, 503);
    assert_string_equal(test_member("reason"), "maintenance");
    assert_string_equal(test_header("Retry-After"), "60");
    api_set_maintenance(test_api, false);
    assert_int_equal(test_call(TEST_KEY, "GET /v1/messages", NULL)->status, 200);
    assert_int_equal(test_request("GET /readyz", NULL)->status, 200);
}

/* ---- the order of the checks ---- */

static void permissions_are_checked_after_the_key(void **state)
{
    assert_int_equal(test_call(READ_KEY, "GET /v1/messages", NULL)->status, 200);
    test_call(READ_KEY, "POST /v1/send", "this is not even JSON");
    test_assert_problem(403, "insufficient_permissions", NULL);
    assert_string_equal(test_member("error"), "authentication_error");
    assert_non_null(strstr(test_member("message"), "sms:send"));
    assert_non_null(test_header("X-RateLimit-Remaining"));
}

static void limits_are_counted_and_shown(void **state)
{
    test_call(SMALL_KEY, "GET /v1/messages", NULL);
    assert_string_equal(test_header("X-RateLimit-Limit"), "2");
    assert_string_equal(test_header("X-RateLimit-Remaining"), "1");
    assert_non_null(test_header("X-RateLimit-Reset"));
    assert_int_equal(test_call(SMALL_KEY, "GET /v1/messages", NULL)->status, 200);
    test_call(SMALL_KEY, "POST /v1/send", "not JSON: the limit comes first");
    test_assert_problem(429, "rate_limit_exceeded", NULL);
    assert_string_equal(test_member("error"), "rate_limit_exceeded");
    assert_string_equal(test_header("X-RateLimit-Remaining"), "0");
    assert_non_null(test_header("Retry-After"));
    assert_string_equal(test_header("Retry-After"), test_member("retryAfter"));
    test_now_us += 61000000;
    assert_int_equal(test_call(SMALL_KEY, "GET /v1/messages", NULL)->status, 200);
}

static void a_plan_that_is_gone_is_the_default_plan(void **state)
{
    test_call(READ_KEY, "GET /v1/messages", NULL);
    assert_string_equal(test_header("X-RateLimit-Limit"), "100");
}

static void a_plan_without_limits_shows_large_numbers(void **state)
{
    test_call(TEST_KEY, "GET /v1/messages", NULL);
    assert_string_equal(test_header("X-RateLimit-Limit"), "2147483647");
    assert_string_equal(test_header("X-RateLimit-Remaining"), "2147483647");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(every_route_answers),
        API_TEST(unknown_paths_are_not_found),
        API_TEST(a_wrong_method_names_the_right_one),
        API_TEST(a_path_with_two_parameters),
        API_TEST(a_header_given_twice),
        API_TEST(the_size_of_a_body_depends_on_the_route),
        API_TEST(a_long_path_is_shown_cut),
        API_TEST(head_is_get_without_a_body),
        API_TEST(public_routes_need_no_key),
        API_TEST(readiness_follows_the_store),
        API_TEST(in_maintenance_calls_are_told_to_come_back),
        API_TEST(permissions_are_checked_after_the_key),
        API_TEST(limits_are_counted_and_shown),
        API_TEST(a_plan_that_is_gone_is_the_default_plan),
        API_TEST(a_plan_without_limits_shows_large_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
