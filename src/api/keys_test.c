/* /v1/keys: whose keys are seen, and how they end. Making them: keys_create_test.c. */
#include "api/test_api.h"

#include <stdio.h>

#define ADMIN_KEY      "sl_test_adminadminadminadminadminadminad"
#define LIVE_ADMIN_KEY "sl_live_adminadminadminadminadminadminad"

static const uint32_t all = (1u << PERMISSION_COUNT) - 1;

static int set_up(void **state)
{
    test_api_set_up(state);
    test_add_key(ADMIN_KEY, MODE_TEST, false, all, "unlimited", 0);
    test_add_key(LIVE_ADMIN_KEY, MODE_LIVE, false, all, "unlimited", 0);
    return 0;
}

#define KEY_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, test_api_tear_down)

/* "METHOD /v1/keys/ID" and a tail. */
static struct http_request *call_key(const char *method, int64_t id, const char *tail)
{
    char public_id[PUBLIC_ID_SIZE], head[128];

    public_id_format(api_ids(test_api), KEY_ID_PREFIX, id, public_id);
    snprintf(head, sizeof head, "%s /v1/keys/%.*s%s", method, PUBLIC_ID_SIZE, public_id, tail);
    return test_call(ADMIN_KEY, head, NULL);
}

static void a_key_is_shown_without_its_secret(void **state)
{
    int64_t id = test_add_key_record(
        "sl_test_shown",
        &(struct key_record){.account = FIRST_ACCOUNT,
                             .name = "web shop",
                             .plan = "small",
                             .last_four = "hown",
                             .permissions = 1u << PERMISSION_SMS_SEND | 1u << PERMISSION_KEYS_READ,
                             .per_minute = 5,
                             .per_hour = LIMIT_OF_PLAN,
                             .created_us = test_now_us,
                             .expires_us = test_now_us + 3600000000});
    assert_int_equal(call_key("GET", id, "")->status, 200);
    assert_int_equal(strncmp(test_member("keyId"), "key_", 4), 0);
    assert_string_equal(strstr(test_body(), ",\"name\""),
                        ",\"name\":\"web shop\",\"keyType\":\"test\",\"prefix\":\"sl_test_\","
                        "\"lastFour\":\"hown\",\"permissions\":[\"sms:send\",\"keys:read\"],"
                        "\"plan\":\"small\",\"perMinute\":5,\"perHour\":null,"
                        "\"createdAt\":\"2025-11-15T01:02:03.004Z\","
                        "\"expiresAt\":\"2025-11-15T02:02:03.004Z\",\"revokedAt\":null,"
                        "\"lastUsedAt\":null,\"lastUsedFrom\":null,\"requestCount\":0,"
                        "\"status\":\"active\"}");
    test_now_us += 3600000000;
    call_key("GET", id, "");
    assert_string_equal(test_member("status"), "expired");
}

static int use_key(struct store *s, void *usage)
{
    return store_key_used(s, usage);
}

static void its_use_is_shown(void **state)
{
    int64_t id = test_add_key("sl_test_used", MODE_TEST, false, 0, "small", 0);
    struct key_usage usage = {
        .key = id, .last_us = test_now_us, .address = "2001:db8::1", .requests = 7};

    test_write(use_key, &usage);
    call_key("GET", id, "");
    assert_string_equal(test_member("lastUsedAt"), "2025-11-15T01:02:03.004Z");
    assert_string_equal(test_member("lastUsedFrom"), "2001:db8::1");
    assert_string_equal(test_member("requestCount"), "7");
    test_call(ADMIN_KEY, "GET /v1/keys?limit=1", NULL);
    assert_non_null(strstr(test_member("data"), "\"requestCount\":7"));
}

static void others_keys_are_not_there(void **state)
{
    const int64_t ids[] = {test_add_key("sl_test_other", MODE_TEST, true, 0, "small", 0),
                           test_add_key("sl_live_other", MODE_LIVE, false, 0, "small", 0), 9999};

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        call_key("GET", ids[i], "");
        test_assert_problem(404, "key_not_found", NULL);
        call_key("DELETE", ids[i], "");
        test_assert_problem(404, "key_not_found", NULL);
        call_key("POST", ids[i], "/rotate");
        test_assert_problem(404, "key_not_found", NULL);
    }
    test_call(ADMIN_KEY, "GET /v1/keys/key_x", NULL);
    test_assert_problem(404, "key_not_found", NULL);
    test_call(ADMIN_KEY, "GET /v1/keys/msg_00000000000", NULL);
    test_assert_problem(404, "key_not_found", NULL);
    assert_int_equal(test_call("sl_test_other", "GET /v1/messages", NULL)->status, 200);
    assert_int_equal(test_call("sl_live_other", "GET /v1/messages", NULL)->status, 200);
}

/* The fixture has four test keys of this account besides ours. */
static void the_list_has_the_keys_of_account_and_mode(void **state)
{
    char head[128];

    test_add_key("sl_test_newest", MODE_TEST, false, 0, "small", 0);
    test_call(ADMIN_KEY, "GET /v1/keys", NULL);
    assert_string_equal(test_member("pagination.totalCount"), "6");
    assert_string_equal(test_member("pagination.hasMore"), "false");
    assert_null(strstr(test_member("data"), "sl_live_"));
    test_call(LIVE_ADMIN_KEY, "GET /v1/keys", NULL);
    assert_string_equal(test_member("pagination.totalCount"), "2");

    test_call(ADMIN_KEY, "GET /v1/keys?limit=4", NULL);
    assert_string_equal(test_member("pagination.hasMore"), "true");
    snprintf(head, sizeof head, "GET /v1/keys?limit=4&cursor=%s",
             test_member("pagination.nextCursor"));
    test_call(ADMIN_KEY, head, NULL);
    assert_string_equal(test_member("pagination.hasMore"), "false");
    assert_int_equal(strncmp(test_member("pagination.previousCursor"), "key_", 4), 0);

    test_call(ADMIN_KEY, "GET /v1/keys?cursor=key_x", NULL);
    test_assert_problem(400, "invalid_cursor", "cursor");
    test_call(ADMIN_KEY, "GET /v1/keys?limit=0", NULL);
    test_assert_problem(400, "invalid_limit", "limit");
    test_call(ADMIN_KEY, "GET /v1/keys?mode=live", NULL);
    test_assert_problem(400, "invalid_parameter", "mode");
}

static void a_revoked_key_is_off_at_once_and_stays_so(void **state)
{
    int64_t id = test_add_key("sl_test_doomed", MODE_TEST, false, 0, "unlimited", 0);

    assert_int_equal(test_call("sl_test_doomed", "GET /v1/messages", NULL)->status, 200);
    assert_int_equal(call_key("DELETE", id, "")->status, 200);
    assert_string_equal(test_member("status"), "revoked");
    assert_string_equal(test_member("revokedAt"), "2025-11-15T01:02:03.004Z");
    test_call("sl_test_doomed", "GET /v1/messages", NULL);
    test_assert_problem(401, "invalid_api_key", NULL);
    test_now_us += 1000000;
    assert_int_equal(call_key("DELETE", id, "")->status, 200);
    assert_string_equal(test_member("revokedAt"), "2025-11-15T01:02:03.004Z");
    call_key("GET", id, "");
    assert_string_equal(test_member("revokedAt"), "2025-11-15T01:02:03.004Z");
}

static void a_key_may_switch_itself_off(void **state)
{
    int64_t id = test_add_key("sl_test_self", MODE_TEST, false, all, "unlimited", 0);
    char public_id[PUBLIC_ID_SIZE], head[128];

    public_id_format(api_ids(test_api), KEY_ID_PREFIX, id, public_id);
    snprintf(head, sizeof head, "DELETE /v1/keys/%.*s", PUBLIC_ID_SIZE, public_id);
    assert_int_equal(test_call("sl_test_self", head, NULL)->status, 200);
    test_call("sl_test_self", head, NULL);
    test_assert_problem(401, "invalid_api_key", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KEY_TEST(a_key_is_shown_without_its_secret),
        KEY_TEST(its_use_is_shown),
        KEY_TEST(others_keys_are_not_there),
        KEY_TEST(the_list_has_the_keys_of_account_and_mode),
        KEY_TEST(a_revoked_key_is_off_at_once_and_stays_so),
        KEY_TEST(a_key_may_switch_itself_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
