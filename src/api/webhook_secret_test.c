/* New secrets, of webhooks and of messages with a webhookUrl, and how long the old ones last. */
#include "api/test_webhook.h"
#include "view/signature.h"

#include <errno.h>
#include <stdio.h>

#define OWN "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"

static char id[TEST_ID_SIZE], first[SECRET_TEXT_MAX + 1];

static int set_up(void **state)
{
    test_api_set_up(state);
    test_webhook(TEST_KEY, NULL, id);
    snprintf(first, sizeof first, "%s", test_member("secret"));
    return 0;
}

static struct http_request *rotate(const char *body)
{
    return test_at(TEST_KEY, body, "POST /v1/webhooks/%s/rotate-secret", id);
}

static struct endpoint_record kept(void)
{
    struct endpoint_record e;

    arena_reset(&test_worker->scratch);
    assert_int_equal(
        store_endpoint_get(test_worker->reader, 0, test_number(id), &test_worker->scratch, &e), 0);
    return e;
}

static void a_day_unless_said_otherwise(void **state)
{
    char expected[256];

    assert_int_equal(rotate(NULL)->status, 200);
    struct endpoint_record e = kept();
    snprintf(expected, sizeof expected,
             "{\"webhookId\":\"%s\",\"secret\":\"%.*s\",\"previousSecretValidUntil\":"
             "\"2025-11-16T01:02:03.004Z\"}",
             id, STR_FMT(e.secret));
    assert_string_equal(test_body(), expected);
    assert_false(str_is(e.secret, first));
    assert_true(str_is(e.old_secret, first));
    test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s", id);
    assert_string_equal(test_member("previousSecretValidUntil"), "2025-11-16T01:02:03.004Z");
    test_now_us += INT64_C(25) * 3600000000;
    test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s", id);
    assert_string_equal(test_member("previousSecretValidUntil"), "");
}

static void at_once_without_grace(void **state)
{
    assert_int_equal(rotate("{\"gracePeriodHours\":0}")->status, 200);
    assert_string_equal(test_member("previousSecretValidUntil"), "");
    assert_int_equal(kept().old_secret.n, 0);
    assert_int_equal(kept().old_until_us, 0);
}

static void grace_has_bounds(void **state)
{
    static const char *const bad[] = {"-1", "169", "1.5", "\"x\"", "true"};
    char body[64];

    assert_int_equal(rotate("{\"gracePeriodHours\":168}")->status, 200);
    assert_string_equal(test_member("previousSecretValidUntil"), "2025-11-22T01:02:03.004Z");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(body, sizeof body, "{\"gracePeriodHours\":%s}", bad[i]);
        rotate(body);
        test_assert_problem(400, "invalid_parameter", "gracePeriodHours");
        test_call(TEST_KEY, "POST /v1/webhooks/message-secret/rotate", body);
        test_assert_problem(400, "invalid_parameter", "gracePeriodHours");
    }
}

static void a_secret_of_ones_own(void **state)
{
    assert_int_equal(rotate("{\"secret\":\"" OWN "\"}")->status, 200);
    assert_string_equal(test_member("secret"), OWN);
    assert_true(str_is(kept().secret, OWN));
    rotate("{\"secret\":\"" OWN "\"}"); /* the one in use */
    test_assert_problem(400, "invalid_parameter", "secret");
    rotate("{\"secret\":\"whsec_c2hvcnQ=\"}");
    test_assert_problem(400, "invalid_parameter", "secret");
    rotate("{\"secret\":\"whsec_no base64 at all, or is it?????\"}");
    test_assert_problem(400, "invalid_parameter", "secret");
    assert_true(str_is(kept().old_secret, first));
}

static void twice_in_a_row_forgets_the_oldest(void **state)
{
    char second[SECRET_TEXT_MAX + 1];

    rotate(NULL);
    snprintf(second, sizeof second, "%s", test_member("secret"));
    rotate(NULL);
    assert_true(str_is(kept().old_secret, second));
}

static void done_once_with_the_same_secret(void **state)
{
    char head[128], answer[512];

    snprintf(head, sizeof head, "POST /v1/webhooks/%s/rotate-secret\nIdempotency-Key: r", id);
    assert_int_equal(test_call(TEST_KEY, head, NULL)->status, 200);
    snprintf(answer, sizeof answer, "%s", test_body());
    test_now_us += 60000000;
    assert_int_equal(test_call(TEST_KEY, head, "{}")->status, 200);
    assert_string_equal(test_body(), answer);
    assert_string_equal(test_header("Idempotency-Replayed"), "true");
    assert_true(str_is(kept().old_secret, first));
}

/* ---- of messages ---- */

static int find_secret(enum mode mode, struct secret_record *ret)
{
    arena_reset(&test_worker->scratch);
    return store_secret_get(test_worker->reader, FIRST_ACCOUNT, mode, &test_worker->scratch, ret);
}

static void the_secret_of_messages_is_one_per_mode(void **state)
{
    static const char head[] = "POST /v1/webhooks/message-secret/rotate";
    struct secret_record r;
    char made[SECRET_TEXT_MAX + 1];

    assert_int_equal(test_call(TEST_KEY, head, NULL)->status, 200);
    snprintf(made, sizeof made, "%s", test_member("secret"));
    assert_null(secret_fault(str_of(made)));
    assert_non_null(strstr(test_body(), "\"previousSecretValidUntil\":null}"));
    assert_int_equal(find_secret(MODE_TEST, &r), 0);
    assert_true(str_is(r.secret, made));
    assert_int_equal(r.old_secret.n, 0);
    assert_int_equal(find_secret(MODE_LIVE, &r), -ENOENT);
    assert_int_equal(test_call(TEST_KEY, head, "{\"gracePeriodHours\":1}")->status, 200);
    assert_string_equal(test_member("previousSecretValidUntil"), "2025-11-15T02:02:03.004Z");
    assert_int_equal(find_secret(MODE_TEST, &r), 0);
    assert_true(str_is(r.old_secret, made));
    assert_false(str_is(r.secret, made));
    assert_int_equal(test_call(TEST_KEY, head, "{\"gracePeriodHours\":0}")->status, 200);
    assert_int_equal(find_secret(MODE_TEST, &r), 0);
    assert_int_equal(r.old_secret.n, 0);
    assert_int_equal(test_call(LIVE_KEY, head, NULL)->status, 200);
    assert_int_equal(find_secret(MODE_LIVE, &r), 0);
}

static void nobody_brings_the_secret_of_messages(void **state)
{
    assert_int_equal(
        test_call(TEST_KEY, "POST /v1/webhooks/message-secret/rotate", "{\"secret\":\"" OWN "\"}")
            ->status,
        200); /* an unknown field */
    assert_string_not_equal(test_member("secret"), OWN);
}

#define SECRET_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, test_api_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SECRET_TEST(a_day_unless_said_otherwise),
        SECRET_TEST(at_once_without_grace),
        SECRET_TEST(grace_has_bounds),
        SECRET_TEST(a_secret_of_ones_own),
        SECRET_TEST(twice_in_a_row_forgets_the_oldest),
        SECRET_TEST(done_once_with_the_same_secret),
        SECRET_TEST(the_secret_of_messages_is_one_per_mode),
        SECRET_TEST(nobody_brings_the_secret_of_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
