/* GET /v1/rate-limits. */
#include "api/test_api.h"

static void get_limits(const char *key)
{
    assert_int_equal(test_call(key, "GET /v1/rate-limits", NULL)->status, 200);
}

static void both_windows_are_shown(void **state)
{
    get_limits(SMALL_KEY);
    assert_string_equal(test_member("keyType"), "test");
    assert_string_equal(test_member("plan"), "small");
    assert_string_equal(test_member("limits"),
                        "[{\"name\":\"minute\",\"windowSeconds\":60,\"limit\":2,\"used\":0,"
                        "\"remaining\":2,\"resetAt\":\"2025-11-15T01:03:00.000Z\"},"
                        "{\"name\":\"hour\",\"windowSeconds\":3600,\"limit\":1000,\"used\":0,"
                        "\"remaining\":1000,\"resetAt\":\"2025-11-15T02:00:00.000Z\"}]");
}

static void asking_is_not_counted_and_works_when_all_is_used(void **state)
{
    for (int i = 0; i < 5; i++)
        get_limits(SMALL_KEY);
    assert_string_equal(test_header("X-RateLimit-Limit"), "2");
    assert_string_equal(test_header("X-RateLimit-Remaining"), "2");
    test_call(SMALL_KEY, "GET /v1/messages", NULL);
    test_call(SMALL_KEY, "GET /v1/messages", NULL);
    test_call(SMALL_KEY, "GET /v1/messages", NULL);
    test_assert_problem(429, "rate_limit_exceeded", NULL);
    get_limits(SMALL_KEY);
    assert_string_equal(test_header("X-RateLimit-Remaining"), "0");
    assert_string_equal(test_header("X-RateLimit-Reset"), "1763168580");
    assert_non_null(strstr(test_member("limits"), "\"used\":2,\"remaining\":0"));
    assert_non_null(strstr(test_member("limits"), "\"used\":2,\"remaining\":998"));
    test_now_us += 60000000;
    get_limits(SMALL_KEY);
    assert_non_null(strstr(test_member("limits"), "\"used\":0,\"remaining\":2"));
    assert_non_null(strstr(test_member("limits"), "\"used\":2,\"remaining\":998"));
}

static void where_there_is_no_limit_there_is_no_number(void **state)
{
    test_call(TEST_KEY, "GET /v1/messages", NULL);
    get_limits(TEST_KEY);
    assert_non_null(strstr(test_member("limits"), "\"limit\":null,\"used\":1,\"remaining\":null"));
    assert_string_equal(test_header("X-RateLimit-Limit"), "2147483647");
}

static void limits_of_the_key_itself_hold(void **state)
{
    test_add_key_record("sl_test_own", &(struct key_record){.account = FIRST_ACCOUNT,
                                                            .name = "own",
                                                            .plan = "small",
                                                            .per_minute = 1,
                                                            .per_hour = 0});
    get_limits("sl_test_own");
    assert_non_null(strstr(test_member("limits"), "\"limit\":1,\"used\":0,\"remaining\":1"));
    assert_non_null(strstr(test_member("limits"), "\"limit\":null"));
    assert_int_equal(test_call("sl_test_own", "GET /v1/messages", NULL)->status, 200);
    test_call("sl_test_own", "GET /v1/messages", NULL);
    test_assert_problem(429, "rate_limit_exceeded", NULL);
}

static void senders_of_the_mode_are_listed(void **state)
{
    get_limits(TEST_KEY);
    assert_non_null(strstr(test_member("sending"), "\"numberType\":\"toll-free\",\"from\":"
                                                   "\"+18005551234\",\"messagesPerMinute\":"));
    get_limits(LIVE_KEY);
    assert_string_equal(test_member("keyType"), "live");
    assert_string_equal(test_member("sending"), "[]");
}

static void live_senders_of_the_account_are_listed(void **state)
{
    static const struct sender senders[] = {
        {.address = {"Acme", 4}, .type = NUMBER_ALPHANUMERIC, .messages_per_minute = 600},
        {.address = {"Other", 5}, .type = NUMBER_ALPHANUMERIC, .account = OTHER_ACCOUNT},
        {.address = {"Mine", 4}, .type = NUMBER_ALPHANUMERIC, .account = FIRST_ACCOUNT},
    };
    static const struct routing routing = {.senders = {senders, 3, NULL}};

    api_set_routing(test_api, &routing);
    get_limits(LIVE_KEY);
    assert_string_equal(test_member("sending.0.from"), "Acme");
    assert_string_equal(test_member("sending.0.messagesPerMinute"), "600");
    assert_string_equal(test_member("sending.1.from"), "Mine");
    assert_string_equal(test_member("sending.2"), "");
    api_set_routing(test_api, NULL);
    get_limits(LIVE_KEY);
    assert_string_equal(test_member("sending"), "[]");
}

static void a_suspended_account_is_refused_here_too(void **state)
{
    test_call(REVOKED_KEY, "GET /v1/rate-limits", NULL);
    test_assert_problem(401, "invalid_api_key", NULL);
    test_suspend_account(FIRST_ACCOUNT, test_now_us);
    test_call(TEST_KEY, "GET /v1/rate-limits", NULL);
    test_assert_problem(403, "account_suspended", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(both_windows_are_shown),
        API_TEST(asking_is_not_counted_and_works_when_all_is_used),
        API_TEST(where_there_is_no_limit_there_is_no_number),
        API_TEST(limits_of_the_key_itself_hold),
        API_TEST(senders_of_the_mode_are_listed),
        API_TEST(live_senders_of_the_account_are_listed),
        API_TEST(a_suspended_account_is_refused_here_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
