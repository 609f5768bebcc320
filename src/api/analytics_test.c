/* What the reports are besides their numbers, which analytics_property_test.c has. */
#include "api/test_api.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static struct http_request *ask(const char *rest)
{
    char head[512];

    snprintf(head, sizeof head, "GET /v1/analytics/%s", rest);
    return test_call(TEST_KEY, head, NULL);
}

/* ---- messages with many tags ---- */

struct tagged {
    unsigned first, count;
};

static int accept_tagged(struct store *s, void *context)
{
    const struct tagged *t = context;
    char tags[32];
    int failed = 0;

    for (unsigned i = t->first; i < t->first + t->count && !failed; i++) {
        struct message m = {.account = FIRST_ACCOUNT,
                            .mode = MODE_TEST,
                            .direction = DIRECTION_OUTBOUND,
                            .status = STATUS_QUEUED,
                            .kind = KIND_SMS,
                            .type = TYPE_OTP,
                            .from = STR("+18005551234"),
                            .to = STR("+15551234567"),
                            .text = STR("x"),
                            .encoding = ENCODING_GSM7,
                            .segments = 1,
                            .number_type = NUMBER_TOLL_FREE,
                            .coverage = COVERAGE_HIGH,
                            .reason = REASON_SMART,
                            .country = "US",
                            .currency = "USD"};
        snprintf(tags, sizeof tags, "tag %04u\nall", i);
        m.tags = str_of(tags);
        failed = store_accept(s, &m);
    }
    return failed;
}

static void send_tagged(unsigned first, unsigned count)
{
    test_write(accept_tagged, &(struct tagged){first, count});
}

static void only_the_greatest_tags_are_shown(void **state)
{
    send_tagged(0, 150);
    send_tagged(120, 30);
    assert_int_equal(ask("usage")->status, 200);
    assert_string_equal(test_member("totals.messages"), "180");
    assert_string_equal(test_member("breakdown.byTag.0.tag"), "all");
    assert_string_equal(test_member("breakdown.byTag.0.messages"), "180");
    assert_string_equal(test_member("breakdown.byTag.1.tag"), "tag 0120");
    assert_string_equal(test_member("breakdown.byTag.1.messages"), "2");
    assert_string_equal(test_member("breakdown.byTag.31.tag"), "tag 0000");
    assert_string_equal(test_member("breakdown.byTag.99.tag"), "tag 0068");
    assert_string_equal(test_member("breakdown.byTag.100.tag"), "");
    assert_string_equal(test_member("breakdown.otherTags"), "");
}

static void tags_that_are_not_told_apart_count_as_others(void **state)
{
    send_tagged(0, SERIES_TAG_SETS_MAX + 10);
    ask("usage");
    int others = atoi(test_member("breakdown.otherTags.messages"));
    assert_in_range(others, 1, 11);
    assert_int_equal(atoi(test_member("breakdown.byTag.0.messages")),
                     SERIES_TAG_SETS_MAX + 10 - others);
    assert_int_equal(atoi(test_member("totals.messages")), SERIES_TAG_SETS_MAX + 10);
    ask("usage?tag=all");
    assert_int_equal(atoi(test_member("totals.messages")), SERIES_TAG_SETS_MAX + 10 - others);
    assert_string_equal(test_member("breakdown.otherTags"), "");
}

/* ---- forms ---- */

static void aliases_say_the_same(void **state)
{
    static const char *const pairs[][2] = {{"delivery?period=7d", "delivery-reports?period=7d"},
                                           {"costs?interval=week", "cost-analysis?interval=week"}};

    send_tagged(0, 3);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(ask(pairs[i][0])->status, 200);
        char *first = strdup(test_body());
        assert_int_equal(ask(pairs[i][1])->status, 200);
        assert_string_equal(test_body(), first);
        free(first);
    }
}

static void a_table_is_a_file_with_a_name(void **state)
{
    struct http_request *r =
        ask("costs?startDate=2025-11-01&endDate=2025-11-14\nAccept: text/csv;q=0.5");

    assert_int_equal(r->status, 200);
    assert_string_equal(r->content_type, "text/csv; charset=utf-8");
    assert_string_equal(test_header("Content-Disposition"),
                        "attachment; filename=\"costs_2025-11-01_2025-11-14.csv\"");
    assert_string_equal(test_header("Vary"), "Accept");
    assert_true(str_starts(str_of(test_body()),
                           STR("date,amount,messages\r\n2025-11-01T00:00:00.000Z,0,0\r\n")));
    r = ask("costs\nAccept: text/html, */*");
    assert_string_equal(r->content_type, "application/json");
    assert_null(test_header("Content-Disposition"));
    assert_string_equal(test_header("Vary"), "Accept");
}

static void a_refusal_is_json_whatever_is_accepted(void **state)
{
    assert_string_equal(ask("costs?interval=year\nAccept: text/csv")->content_type,
                        "application/json");
    test_assert_problem(400, "invalid_parameter", "interval");
}

/* ---- trouble ---- */

static int fail_to_tell(struct store_reader *r, const struct rollup_query *query, rollup_tell *tell,
                        void *context)
{
    return -EIO;
}

static void a_store_that_cannot_be_read_is_told(void **state)
{
    struct store_engine broken = *test_store->engine;

    broken.rollup_each = fail_to_tell;
    const struct store_engine *whole = test_set_engine(&broken);
    ask("usage\nAccept: text/csv");
    test_assert_problem(503, "service_unavailable", NULL);
    test_set_engine(whole);
    assert_int_equal(ask("usage")->status, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(only_the_greatest_tags_are_shown),
        API_TEST(tags_that_are_not_told_apart_count_as_others),
        API_TEST(aliases_say_the_same),
        API_TEST(a_table_is_a_file_with_a_name),
        API_TEST(a_refusal_is_json_whatever_is_accepted),
        API_TEST(a_store_that_cannot_be_read_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
