/* /v1/opt-outs. */
#include "api/test_api.h"

#include <stdio.h>

#define BEN "+15551234567"

static struct http_request *add(const char *key, const char *number)
{
    char body[128];

    snprintf(body, sizeof body, "{\"number\":\"%s\"}", number);
    return test_call(key, "POST /v1/opt-outs", body);
}

static bool in_memory(enum mode mode, const char *number)
{
    return optouts_has(test_api->options.optouts, FIRST_ACCOUNT, mode, str_of(number));
}

static void a_number_is_added_once(void **state)
{
    assert_int_equal(add(TEST_KEY, BEN)->status, 201);
    assert_string_equal(test_body(), "{\"number\":\"" BEN "\",\"source\":\"api\",\"keyword\":null,"
                                     "\"createdAt\":\"2025-11-15T01:02:03.004Z\"}");
    assert_true(in_memory(MODE_TEST, BEN));
    assert_false(in_memory(MODE_LIVE, BEN));
    test_now_us += 1000000;
    assert_int_equal(add(TEST_KEY, BEN)->status, 200);
    assert_string_equal(test_member("createdAt"), "2025-11-15T01:02:03.004Z");
    test_call(TEST_KEY, "GET /v1/opt-outs", NULL);
    assert_string_equal(test_member("pagination.totalCount"), "1");
}

static void forms_are_understood(void **state)
{
    assert_int_equal(test_call(TEST_KEY,
                               "POST /v1/opt-outs\nContent-Type: application/x-www-form-urlencoded",
                               "number=%2B15551234567")
                         ->status,
                     201);
    assert_true(in_memory(MODE_TEST, BEN));
}

static void accounts_and_modes_are_apart(void **state)
{
    add(TEST_KEY, BEN);
    for (int i = 0; i < 2; i++) {
        const char *other = i ? LIVE_KEY : SMALL_KEY;
        test_call(other, "GET /v1/opt-outs/" BEN, NULL);
        test_assert_problem(404, "opt_out_not_found", NULL);
        test_now_us += 60000000; /* the small plan has two a minute */
        test_call(other, "DELETE /v1/opt-outs/" BEN, NULL);
        test_assert_problem(404, "opt_out_not_found", NULL);
    }
    assert_true(in_memory(MODE_TEST, BEN));
}

static void one_can_be_looked_at_and_removed(void **state)
{
    add(TEST_KEY, BEN);
    assert_int_equal(test_call(TEST_KEY, "GET /v1/opt-outs/%2B15551234567", NULL)->status, 200);
    assert_string_equal(test_member("number"), BEN);
    assert_int_equal(test_call(TEST_KEY, "GET /v1/opt-outs/" BEN, NULL)->status, 200);
    assert_int_equal(test_call(TEST_KEY, "DELETE /v1/opt-outs/%2B15551234567", NULL)->status, 200);
    assert_string_equal(test_member("number"), BEN);
    assert_string_equal(test_member("source"), "api");
    assert_false(in_memory(MODE_TEST, BEN));
    test_call(TEST_KEY, "GET /v1/opt-outs/" BEN, NULL);
    test_assert_problem(404, "opt_out_not_found", NULL);
    assert_non_null(strstr(test_member("message"), BEN));
    test_call(TEST_KEY, "DELETE /v1/opt-outs/" BEN, NULL);
    test_assert_problem(404, "opt_out_not_found", NULL);
}

static void what_is_no_number_is_refused(void **state)
{
    static const char *const numbers[] = {
        "", "15551234567", "+1", "+1555123456x", "+0555123456", "+1555123456712345"};
    char head[128];

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        add(TEST_KEY, numbers[i]);
        test_assert_problem(400, "invalid_phone_number", "number");
        if (!numbers[i][0])
            continue;
        snprintf(head, sizeof head, "GET /v1/opt-outs/%s", numbers[i]);
        test_call(TEST_KEY, head, NULL);
        test_assert_problem(400, "invalid_phone_number", "number");
        snprintf(head, sizeof head, "DELETE /v1/opt-outs/%s", numbers[i]);
        test_call(TEST_KEY, head, NULL);
        test_assert_problem(400, "invalid_phone_number", "number");
    }
    test_call(TEST_KEY, "POST /v1/opt-outs", "{}");
    test_assert_problem(400, "missing_required_field", "number");
    test_call(TEST_KEY, "POST /v1/opt-outs", "{\"number\":15551234567}");
    test_assert_problem(400, "invalid_parameter", "number");
    test_call(TEST_KEY, "POST /v1/opt-outs", "[");
    test_assert_problem(400, "invalid_json", NULL);
}

static void the_list_is_read_page_by_page(void **state)
{
    char number[32], head[128], first[64];

    for (int i = 0; i < 7; i++) {
        snprintf(number, sizeof number, "+1555000000%d", i);
        assert_int_equal(add(TEST_KEY, number)->status, 201);
    }
    test_call(TEST_KEY, "GET /v1/opt-outs?limit=3", NULL);
    assert_string_equal(test_member("pagination.totalCount"), "7");
    assert_string_equal(test_member("pagination.hasMore"), "true");
    assert_string_equal(test_member("pagination.previousCursor"), "");
    assert_non_null(strstr(test_member("data"), "+15550000006")); /* the newest */
    assert_null(strstr(test_member("data"), "+15550000003"));
    snprintf(first, sizeof first, "%s", test_member("pagination.nextCursor"));
    assert_int_equal(strncmp(first, "opt_", 4), 0);
    test_call(TEST_KEY, "DELETE /v1/opt-outs/+15550000003", NULL); /* the cursor's own row */
    snprintf(head, sizeof head, "GET /v1/opt-outs?limit=3&cursor=%s", first);
    test_call(TEST_KEY, head, NULL);
    assert_string_equal(test_member("pagination.totalCount"), "6");
    assert_non_null(strstr(test_member("data"), "+15550000002"));
    assert_non_null(strstr(test_member("data"), "+15550000000"));
    assert_string_equal(test_member("pagination.hasMore"), "false");
}

static void queries_are_checked(void **state)
{
    test_call(TEST_KEY, "GET /v1/opt-outs?limit=101", NULL);
    test_assert_problem(400, "invalid_limit", "limit");
    test_call(TEST_KEY, "GET /v1/opt-outs?cursor=opt_x", NULL);
    test_assert_problem(400, "invalid_cursor", "cursor");
    test_call(TEST_KEY, "GET /v1/opt-outs?cursor=msg_00000000000", NULL);
    test_assert_problem(400, "invalid_cursor", "cursor");
    test_call(TEST_KEY, "GET /v1/opt-outs?number=x", NULL);
    test_assert_problem(400, "invalid_parameter", "number");
}

static void repeated_with_its_key_it_is_answered_as_before(void **state)
{
    const char *head = "POST /v1/opt-outs\nIdempotency-Key: once";

    assert_int_equal(test_call(TEST_KEY, head, "{\"number\":\"" BEN "\"}")->status, 201);
    test_call(TEST_KEY, "DELETE /v1/opt-outs/" BEN, NULL);
    assert_int_equal(test_call(TEST_KEY, head, "{\"number\":\"" BEN "\"}")->status, 201);
    assert_string_equal(test_header("Idempotency-Replayed"), "true");
    assert_false(in_memory(MODE_TEST, BEN)); /* the repetition did nothing */
    test_call(TEST_KEY, head, "{\"number\":\"+15557654321\"}");
    test_assert_problem(400, "idempotency_key_mismatch", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_number_is_added_once),
        API_TEST(forms_are_understood),
        API_TEST(accounts_and_modes_are_apart),
        API_TEST(one_can_be_looked_at_and_removed),
        API_TEST(what_is_no_number_is_refused),
        API_TEST(the_list_is_read_page_by_page),
        API_TEST(queries_are_checked),
        API_TEST(repeated_with_its_key_it_is_answered_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
