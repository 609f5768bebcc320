/* Changing webhooks: what is given changes, all else stays. */
#include "api/test_webhook.h"

static char id[TEST_ID_SIZE];

static int set_up(void **state)
{
    test_api_set_up(state);
    test_webhook(TEST_KEY,
                 "{\"url\":\"" HOOK_URL "\",\"description\":\"Orders\",\"events\":[\"*\"]}", id);
    return 0;
}

static void change(const char *body)
{
    if (test_at(TEST_KEY, body, "PATCH /v1/webhooks/%s", id)->status != 200)
        fail_msg("%s: %s", body, test_body());
}

static void assert_refused(const char *body, unsigned status, const char *code, const char *field)
{
    test_at(TEST_KEY, body, "PATCH /v1/webhooks/%s", id);
    test_assert_problem(status, code, field);
}

static void nothing_given_nothing_changed(void **state)
{
    static const char *const bodies[] = {"{}", "", "{\"unknown\":1,\"url\":null,\"enabled\":null}"};

    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        change(bodies[i]);
        assert_string_equal(test_member("url"), HOOK_URL);
        assert_string_equal(test_member("events.0"), "*");
        assert_string_equal(test_member("mode"), "test");
        assert_string_equal(test_member("description"), "Orders");
        assert_string_equal(test_member("enabled"), "true");
    }
}

static void each_for_itself(void **state)
{
    test_now_us += 5000000;
    change("{\"url\":\"https://b.example/\"}");
    assert_string_equal(test_member("url"), "https://b.example/");
    assert_string_equal(test_member("events.0"), "*");
    assert_string_equal(test_member("description"), "Orders");
    assert_string_equal(test_member("createdAt"), "2025-11-15T01:02:03.004Z");
    assert_string_equal(test_member("updatedAt"), "2025-11-15T01:02:08.004Z");
    change("{\"events\":[\"message.failed\"]}");
    assert_string_equal(test_member("url"), "https://b.example/");
    assert_string_equal(test_member("events.0"), "message.failed");
    assert_string_equal(test_member("events.1"), "");
    change("{\"description\":\"Other\"}");
    assert_string_equal(test_member("description"), "Other");
    change("{\"enabled\":false}");
    assert_string_equal(test_member("status"), "disabled");
    assert_string_equal(test_member("events.0"), "message.failed");
    test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s", id); /* and so it is kept */
    assert_string_equal(test_member("url"), "https://b.example/");
    assert_string_equal(test_member("description"), "Other");
    assert_string_equal(test_member("enabled"), "false");
    assert_null(strstr(test_body(), "whsec_"));
}

static void a_description_is_cleared(void **state)
{
    change("{\"description\":null}");
    assert_non_null(strstr(test_body(), "\"description\":null"));
    change("{\"description\":\"x\"}");
    assert_string_equal(test_member("description"), "x");
    change("{\"description\":\"\"}");
    assert_non_null(strstr(test_body(), "\"description\":null"));
}

static void the_same_faults_as_when_it_is_made(void **state)
{
    assert_refused("{\"url\":\"http://a.example/\"}", 400, "invalid_webhook_url", "url");
    assert_refused("{\"url\":\"https://192.168.0.1/\"}", 400, "invalid_webhook_url", "url");
    assert_refused("{\"url\":\"\"}", 400, "invalid_webhook_url", "url");
    assert_refused("{\"events\":[]}", 400, "invalid_events", "events");
    assert_refused("{\"events\":[\"webhook.test\"]}", 400, "invalid_events", "events");
    assert_refused("{\"mode\":\"x\"}", 400, "invalid_parameter", "mode");
    assert_refused("{\"mode\":\"live\"}", 403, "live_key_required", "mode");
    assert_refused("{\"description\":\"a\\tb\"}", 400, "invalid_parameter", "description");
    assert_refused("{\"description\":5}", 400, "invalid_parameter", "description");
    assert_refused("{\"enabled\":\"yes\"}", 400, "invalid_parameter", "enabled");
    assert_refused("[]", 400, "invalid_json", NULL);
    test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s", id);
    assert_string_equal(test_member("url"), HOOK_URL);
}

static void another_mode(void **state)
{
    char live[TEST_ID_SIZE];

    test_webhook(LIVE_KEY, NULL, live);
    assert_int_equal(
        test_at(LIVE_KEY, "{\"mode\":\"live\"}", "PATCH /v1/webhooks/%s", live)->status, 200);
    assert_string_equal(test_member("mode"), "live");
    test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s", live);
    test_assert_problem(404, "webhook_not_found", NULL);
}

/* ---- on and off ---- */

static void fail_for_days(struct endpoint_record *e)
{
    e->off = ENDPOINT_OFF_FAILING;
    e->off_us = test_now_us - 1000000;
    e->failures = 40;
    e->failing_since_us = test_now_us - 2000000;
    e->paused_until_us = test_now_us + 9000000;
}

static void on_again_as_if_nothing_had_been(void **state)
{
    test_endpoint(id, fail_for_days);
    test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s", id);
    assert_string_equal(test_member("disabledReason"), "failing");
    change("{\"enabled\":true}");
    assert_non_null(strstr(test_body(),
                           "\"enabled\":true,\"status\":\"enabled\",\"disabledReason\":null,"
                           "\"disabledAt\":null,\"pausedUntil\":null,\"failingSince\":null,"
                           "\"consecutiveFailures\":0"));
}

static void off_by_the_client(void **state)
{
    test_now_us += 1000000;
    change("{\"enabled\":false}");
    assert_non_null(strstr(test_body(), "\"enabled\":false,\"status\":\"disabled\","
                                        "\"disabledReason\":\"disabled\","
                                        "\"disabledAt\":\"2025-11-15T01:02:04.004Z\""));
    test_now_us += 1000000;
    change("{\"enabled\":false}"); /* it was */
    assert_string_equal(test_member("disabledAt"), "2025-11-15T01:02:04.004Z");
    test_endpoint(id, fail_for_days);
    change("{\"enabled\":false}");
    assert_string_equal(test_member("disabledReason"), "failing");
}

static void fail_a_while(struct endpoint_record *e)
{
    e->failures = 10;
    e->failing_since_us = test_now_us;
    e->paused_until_us = test_now_us + 9000000;
}

static void another_place_begins_anew(void **state)
{
    test_endpoint(id, fail_a_while);
    change("{\"url\":\"" HOOK_URL "\"}"); /* the same one */
    assert_string_equal(test_member("status"), "paused");
    change("{\"url\":\"https://b.example/\"}");
    assert_string_equal(test_member("status"), "enabled");
    assert_string_equal(test_member("consecutiveFailures"), "0");
}

#define CHANGE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, test_api_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHANGE_TEST(nothing_given_nothing_changed),
        CHANGE_TEST(each_for_itself),
        CHANGE_TEST(a_description_is_cleared),
        CHANGE_TEST(the_same_faults_as_when_it_is_made),
        CHANGE_TEST(another_mode),
        CHANGE_TEST(on_again_as_if_nothing_had_been),
        CHANGE_TEST(off_by_the_client),
        CHANGE_TEST(another_place_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
