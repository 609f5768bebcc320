/* What a webhook can be told. */
#include "api/test_api.h"

static void each_with_its_meaning(void **state)
{
    assert_int_equal(test_call(TEST_KEY, "GET /v1/webhooks/event-types", NULL)->status, 200);
    assert_string_equal(test_member("data.0.type"), "message.scheduled");
    assert_string_equal(test_member("data.0.default"), "false");
    assert_string_equal(test_member("data.2.type"), "message.sent");
    assert_string_equal(test_member("data.2.description"), "A carrier took the message.");
    assert_string_equal(test_member("data.2.default"), "true");
    assert_string_equal(test_member("data.8.type"), "message.opt_in");
    assert_string_equal(test_member("data.9"), ""); /* webhook.test cannot be chosen */
}

static void its_word_is_no_id(void **state)
{
    test_call(TEST_KEY, "POST /v1/webhooks/event-types", NULL);
    test_assert_problem(404, "not_found", NULL);
    assert_string_equal(
        test_member("message"),
        "There is no POST /v1/webhooks/event-types; this path takes GET, PATCH, DELETE.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(each_with_its_meaning),
        API_TEST(its_word_is_no_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
