/* Who calls: the header, the key behind it, and what workers remember. */
#include "api/test_api.h"

#include <errno.h>
#include <stdio.h>

static void assert_answer_401(const char *code)
{
    test_assert_problem(401, code, NULL);
    assert_string_equal(test_member("error"), "authentication_error");
    assert_string_equal(test_header("WWW-Authenticate"), "Bearer");
    assert_null(test_header("X-RateLimit-Limit"));
}

static void without_a_header_a_key_is_missing(void **state)
{
    test_request("GET /v1/messages", NULL);
    assert_answer_401("missing_api_key");
    test_request("POST /v1/send", "not JSON: the key comes first");
    assert_answer_401("missing_api_key");
}

static void other_headers_are_not_understood(void **state)
{
    static const char *const values[] = {
        "",
        "Bearer",
        "Bearer ",
        "Basic dXNlcjpwYXNz",
        TEST_KEY,
        "Bearer" TEST_KEY,
        "Bearer a b",
        "Bearer " TEST_KEY " x",
        "Token " TEST_KEY,
    };

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char head[256];
        snprintf(head, sizeof head, "GET /v1/messages\nAuthorization: %s", values[i]);
        test_request(head, NULL);
        assert_answer_401("invalid_authorization_header");
    }
}

static void a_key_opens(void **state)
{
    assert_int_equal(test_call(TEST_KEY, "GET /v1/messages", NULL)->status, 200);
    assert_int_equal(test_call(LIVE_KEY, "GET /v1/messages", NULL)->status, 200);
    test_request("GET /v1/messages\naUTHORIZATION: bEARER   " TEST_KEY "  ", NULL);
    assert_string_equal(test_member("pagination.totalCount"), "0");
}

/* One answer for all: who guesses learns nothing. */
static void bad_keys_look_alike(void **state)
{
    static const char *const keys[] = {REVOKED_KEY, "sl_test_", "x",
                                       "sl_test_0123456789abcdefghijklmnopqrstuV",
                                       "sl_test_0123456789abcdefghijklmnopqrstu"};
    char first[1024] = "";

    test_now_us += 3600000000;
    test_call(EXPIRING_KEY, "GET /v1/messages", NULL);
    assert_answer_401("invalid_api_key");
    snprintf(first, sizeof first, "%s", test_body());
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        test_call(keys[i], "GET /v1/messages", NULL);
        assert_answer_401("invalid_api_key");
        assert_string_equal(test_body(), first);
    }
}

static void a_key_expires_on_time_though_remembered(void **state)
{
    test_now_us += 3599999999;
    assert_int_equal(test_call(EXPIRING_KEY, "GET /v1/messages", NULL)->status, 200);
    test_now_us += 1;
    test_call(EXPIRING_KEY, "GET /v1/messages", NULL);
    assert_answer_401("invalid_api_key");
}

static void a_revoked_key_is_forgotten_at_once(void **state)
{
    int64_t id = test_add_key("sl_test_new", MODE_TEST, false, 0, "unlimited", 0);

    for (int i = 0; i < 3; i++)
        assert_int_equal(test_call("sl_test_new", "GET /v1/messages", NULL)->status, 200);
    test_revoke_key(id);
    test_call("sl_test_new", "GET /v1/messages", NULL);
    assert_answer_401("invalid_api_key");
    assert_int_equal(test_call(TEST_KEY, "GET /v1/messages", NULL)->status, 200);
}

static void a_new_key_works_at_once(void **state)
{
    test_call("sl_test_new", "GET /v1/messages", NULL);
    assert_answer_401("invalid_api_key");
    test_add_key("sl_test_new", MODE_TEST, false, 0, "unlimited", 0);
    assert_int_equal(test_call("sl_test_new", "GET /v1/messages", NULL)->status, 200);
}

/* ---- those who guess ---- */

static void assert_told_to_wait(const char *seconds)
{
    test_assert_problem(429, "too_many_failed_key_attempts", NULL);
    assert_string_equal(test_member("error"), "rate_limit_exceeded");
    assert_string_equal(test_member("retryAfter"), seconds);
    assert_string_equal(test_header("Retry-After"), seconds);
    assert_null(test_header("X-RateLimit-Limit"));
    assert_null(test_header("WWW-Authenticate"));
}

static void guess_keys(unsigned times)
{
    static const char *const keys[] = {REVOKED_KEY, "x", "sl_test_unknown"};

    for (unsigned i = 0; i < times; i++) {
        test_call(keys[i % 3], "GET /v1/messages", NULL);
        assert_answer_401("invalid_api_key");
    }
}

static void many_wrong_keys_shut_an_address_out(void **state)
{
    char first[1024];

    guess_keys(20);
    test_call("x", "GET /v1/messages", NULL);
    assert_told_to_wait("60");
    snprintf(first, sizeof first, "%s", test_body());
    test_call(TEST_KEY, "GET /v1/messages", NULL); /* a right one gets the same answer */
    assert_told_to_wait("60");
    assert_string_equal(test_body(), first);
    test_call(LIVE_KEY, "POST /v1/send", "{}");
    assert_told_to_wait("60");
    assert_int_equal(api_body_max(test_call(TEST_KEY, "POST /v1/messages/batch", "{}")),
                     API_BODY_MAX); /* nor by the room that it gets */
    test_now_us += 59500000;
    test_call(TEST_KEY, "GET /v1/messages", NULL);
    assert_told_to_wait("1");
    test_now_us += 500000;
    assert_int_equal(test_call(TEST_KEY, "GET /v1/messages", NULL)->status, 200);
    guess_keys(20);
}

static void others_go_on_while_one_waits(void **state)
{
    guess_keys(20);
    test_set_peer("2001:db8::1", "2001:db8::1");
    assert_int_equal(test_call(TEST_KEY, "GET /v1/messages", NULL)->status, 200);
    guess_keys(10);
    test_set_peer("2001:db8::2", "2001:db8::2"); /* of the same network */
    guess_keys(10);
    test_call("x", "GET /v1/messages", NULL);
    assert_told_to_wait("60");
}

static void only_wrong_keys_count(void **state)
{
    guess_keys(19);
    for (int i = 0; i < 30; i++) {
        test_request("GET /v1/messages", NULL);
        assert_answer_401("missing_api_key");
        test_request("GET /v1/messages\nAuthorization: Basic x", NULL);
        assert_answer_401("invalid_authorization_header");
        assert_int_equal(test_call(TEST_KEY, "GET /v1/messages", NULL)->status, 200);
        assert_int_equal(test_call("x", "GET /livez", NULL)->status, 200);
    }
    guess_keys(1);
    test_call("x", "GET /v1/messages", NULL);
    assert_told_to_wait("60");
    test_request("GET /v1/messages", NULL);
    assert_answer_401("missing_api_key");
    assert_int_equal(test_call("x", "GET /livez", NULL)->status, 200);
}

/* ---- accounts ---- */

static void a_suspended_account_is_refused_at_once(void **state)
{
    assert_int_equal(test_call(READ_KEY, "GET /v1/messages", NULL)->status, 200);
    test_suspend_account(FIRST_ACCOUNT, test_now_us);
    test_call(TEST_KEY, "GET /v1/messages", NULL);
    test_assert_problem(403, "account_suspended", NULL);
    assert_string_equal(test_member("error"), "authentication_error");
    assert_non_null(test_header("X-RateLimit-Limit"));
    test_call(READ_KEY, "POST /v1/send", "{}"); /* before the permission that it lacks */
    test_assert_problem(403, "account_suspended", NULL);
    assert_int_equal(test_call(SMALL_KEY, "GET /v1/messages", NULL)->status, 200);
    test_suspend_account(FIRST_ACCOUNT, 0);
    assert_int_equal(test_call(TEST_KEY, "GET /v1/messages", NULL)->status, 200);
}

/* ---- what is read from the store ---- */

static struct store_engine engine;
static const struct store_engine *beneath;
static int lookups, lookup_error;

static int counted_find(struct store_reader *r, const uint8_t hash[KEY_HASH_SIZE],
                        struct key_record *ret)
{
    lookups++;
    return lookup_error ? lookup_error : beneath->key_find(r, hash, ret);
}

static void watch_lookups(void)
{
    beneath = test_store->engine;
    engine = *beneath;
    engine.key_find = counted_find;
    test_set_engine(&engine);
    lookups = lookup_error = 0;
}

static void known_keys_are_not_looked_up_again(void **state)
{
    watch_lookups();
    for (int i = 0; i < 5; i++)
        test_call(TEST_KEY, "GET /v1/messages", NULL);
    assert_int_equal(lookups, 1);
    for (int i = 0; i < 5; i++)
        test_call("sl_test_unknown", "GET /v1/messages", NULL);
    assert_int_equal(lookups, 6); /* strangers are not remembered */
    test_call(TEST_KEY, "GET /v1/messages", NULL);
    assert_int_equal(lookups, 6);
}

/* More keys than the cache has places: those that meet in one take turns and stay themselves. */
static void keys_that_meet_in_the_cache_stay_apart(void **state)
{
    char key[64];

    for (int i = 0; i < 1500; i++) {
        snprintf(key, sizeof key, "sl_test_number_%d", i);
        test_add_key(key, MODE_TEST, i % 2 == 1, i % 3 ? 0 : 1u << PERMISSION_SMS_SEND, "unlimited",
                     0);
    }
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 1500; i++) {
            snprintf(key, sizeof key, "sl_test_number_%d", i);
            assert_int_equal(test_call(key, "GET /v1/messages", NULL)->status, i % 3 ? 200 : 403);
        }
}

static void a_store_that_cannot_be_read_is_no_refusal(void **state)
{
    watch_lookups();
    lookup_error = -EIO;
    test_call(TEST_KEY, "GET /v1/messages", NULL);
    test_assert_problem(503, "service_unavailable", NULL);
    assert_string_equal(test_header("Retry-After"), "5");
    assert_null(test_header("WWW-Authenticate"));
    lookup_error = 0;
    assert_int_equal(test_call(TEST_KEY, "GET /v1/messages", NULL)->status, 200);
}

/* Refused ones count as well: it is the key that is used. */
static void each_call_with_a_key_is_noted(void **state)
{
    int64_t id =
        test_add_key("sl_test_noted", MODE_TEST, false, 1u << PERMISSION_SMS_READ, "unlimited", 0);
    struct key_usage u;

    assert_int_equal(test_call("sl_test_noted", "GET /v1/messages", NULL)->status, 200);
    test_now_us += 7000000;
    test_set_peer("2001:db8::1", "2001:db8::1");
    test_call("sl_test_noted", "POST /v1/send", "{}");
    test_assert_problem(403, "insufficient_permissions", NULL);
    test_call("sl_test_noteD", "GET /v1/messages", NULL);
    test_call(TEST_KEY, "GET /v1/messages", NULL);
    test_write_usage();
    assert_int_equal(store_key_usage(test_worker->reader, id, &u), 0);
    assert_int_equal(u.requests, 2);
    assert_int_equal(u.last_us, test_now_us);
    assert_string_equal(u.address, "2001:db8::1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(without_a_header_a_key_is_missing),
        API_TEST(other_headers_are_not_understood),
        API_TEST(a_key_opens),
        API_TEST(bad_keys_look_alike),
        API_TEST(a_key_expires_on_time_though_remembered),
        API_TEST(a_revoked_key_is_forgotten_at_once),
        API_TEST(a_new_key_works_at_once),
        API_TEST(many_wrong_keys_shut_an_address_out),
        API_TEST(others_go_on_while_one_waits),
        API_TEST(only_wrong_keys_count),
        API_TEST(a_suspended_account_is_refused_at_once),
        API_TEST(known_keys_are_not_looked_up_again),
        API_TEST(keys_that_meet_in_the_cache_stay_apart),
        API_TEST(a_store_that_cannot_be_read_is_no_refusal),
        API_TEST(each_call_with_a_key_is_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
