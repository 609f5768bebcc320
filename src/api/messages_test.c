/* Messages as JSON, and how they are read one by one and page by page. */
#include "api/test_events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char *id_text(int64_t id, char out[PUBLIC_ID_SIZE + 1])
{
    public_id_format(api_ids(test_api), MESSAGE_ID_PREFIX, id, out);
    out[PUBLIC_ID_SIZE] = '\0';
    return out;
}

/* ---- JSON ---- */

static void assert_json(const struct message *m, const char *wanted)
{
    struct buf out BUF_CLEANUP;
    struct json_writer w;

    buf_init(&out, 1 << 16);
    json_writer_init(&w, &out);
    message_put(&w, api_ids(test_api), m);
    buf_add_char(&out, '\0');
    assert_string_equal(out.p, wanted);
}

static void a_message_with_every_field(void **state)
{
    char id[PUBLIC_ID_SIZE + 1], batch[PUBLIC_ID_SIZE + 1] = "", wanted[2048];
    struct message m = {
        .id = 123456789,
        .account = FIRST_ACCOUNT,
        .mode = MODE_LIVE,
        .direction = DIRECTION_OUTBOUND,
        .status = STATUS_FAILED,
        .kind = KIND_MMS,
        .type = TYPE_OTP,
        .from = STR("Skylark"),
        .to = STR("+447700900123"),
        .text = STR("Gr\xc3\xbc\xc3\x9f"
                    "e \"x\"\n"),
        .media = STR("https://media.example.com/a.jpg\nhttps://media.example.com/b.jpg"),
        .encoding = ENCODING_UCS2,
        .segments = 2,
        .number_type = NUMBER_ALPHANUMERIC,
        .coverage = COVERAGE_MEDIUM,
        .reason = REASON_INTERNATIONAL,
        .rate_limit = 600,
        .calling_code = 44,
        .country = "GB",
        .cost_micros = 82500,
        .currency = "USD",
        .retry_count = 3,
        .failure = FAILURE_UNREACHABLE,
        .created_us = 1763168523004005,
        .updated_us = 1763168525004005,
        .sent_us = 1763168524000999,
        .delivered_us = 0,
        .failed_us = 1763168525004005,
        .cancelled_us = 1763168526004005,
        .subject = STR("A \"subject\""),
        .tags = STR("one\ntwo words"),
        .metadata = STR("{\"b\" : [1.50]}"),
        .webhook_url = STR("https://a.example/"),
        .webhook_failover_url = STR("https://b.example/"),
        .validity_s = 60,
        .scheduled_us = 1763168524000000,
        .batch = 987654321,
    };

    public_id_format(api_ids(test_api), BATCH_ID_PREFIX, m.batch, batch);
    snprintf(wanted, sizeof wanted,
             "{\"messageId\":\"%s\",\"status\":\"failed\",\"from\":\"Skylark\","
             "\"to\":\"+447700900123\",\"text\":\"Gr\xc3\xbc\xc3\x9f"
             "e \\\"x\\\"\\n\","
             "\"mediaUrls\":[\"https://media.example.com/a.jpg\","
             "\"https://media.example.com/b.jpg\"],\"subject\":\"A \\\"subject\\\"\","
             "\"tags\":[\"one\",\"two words\"],\"metadata\":{\"b\" : [1.50]},"
             "\"validityPeriod\":60,\"scheduledAt\":\"2025-11-15T01:02:04.000Z\","
             "\"batchId\":\"%s\",\"webhookUrl\":\"https://a.example/\","
             "\"webhookFailoverUrl\":\"https://b.example/\","
             "\"type\":\"mms\",\"messageType\":\"otp\",\"direction\":\"outbound\","
             "\"livemode\":true,\"encoding\":\"UCS-2\",\"segments\":2,"
             "\"routing\":{\"numberType\":\"alphanumeric\",\"coverage\":\"medium\","
             "\"reason\":\"international-routing\",\"rateLimit\":600,\"countryCode\":\"44\"},"
             "\"cost\":{\"amount\":0.0825,\"currency\":\"USD\"},\"retryCount\":3,"
             "\"createdAt\":\"2025-11-15T01:02:03.004Z\","
             "\"updatedAt\":\"2025-11-15T01:02:05.004Z\","
             "\"sentAt\":\"2025-11-15T01:02:04.000Z\",\"deliveredAt\":null,"
             "\"failedAt\":\"2025-11-15T01:02:05.004Z\","
             "\"cancelledAt\":\"2025-11-15T01:02:06.004Z\",\"errorCode\":\"unreachable\","
             "\"errorMessage\":\"The handset could not be reached.\"}",
             id_text(m.id, id), batch);
    assert_json(&m, wanted);
}

static void what_is_not_there_is_null(void **state)
{
    int64_t id = test_accept(FIRST_ACCOUNT, MODE_TEST, "", NULL);
    char text[PUBLIC_ID_SIZE + 1], head[128];

    snprintf(head, sizeof head, "GET /v1/messages/%s", id_text(id, text));
    assert_int_equal(test_call(TEST_KEY, head, NULL)->status, 200);
    assert_non_null(strstr(test_body(), "\"countryCode\":null"));
    assert_non_null(strstr(test_body(),
                           "\"sentAt\":null,\"deliveredAt\":null,\"failedAt\":null,"
                           "\"cancelledAt\":null,\"errorCode\":null,\"errorMessage\":null}"));
    assert_null(strstr(test_body(), "mediaUrls"));
    assert_string_equal(test_member("livemode"), "false");
    assert_string_equal(test_member("text"), "");
}

static void ids_are_read_back_and_nothing_else_is(void **state)
{
    char text[PUBLIC_ID_SIZE + 1];
    int64_t id;

    for (int64_t number = 1; number < INT64_MAX / 3; number *= 3) {
        id_text(number, text);
        assert_true(public_id_parse(api_ids(test_api), MESSAGE_ID_PREFIX, str_of(text), &id));
        assert_int_equal(id, number);
    }
    assert_false(public_id_parse(api_ids(test_api), MESSAGE_ID_PREFIX, STR(""), &id));
    assert_false(public_id_parse(api_ids(test_api), MESSAGE_ID_PREFIX, STR("msg_"), &id));
    assert_false(public_id_parse(api_ids(test_api), MESSAGE_ID_PREFIX, str_of(text + 4), &id));
    assert_false(public_id_parse(api_ids(test_api), MESSAGE_ID_PREFIX,
                                 (struct str){text, PUBLIC_ID_SIZE - 1}, &id));
    text[0] = 'M';
    assert_false(public_id_parse(api_ids(test_api), MESSAGE_ID_PREFIX, str_of(text), &id));
}

/* ---- one message ---- */

static unsigned status_for(const char *key, int64_t id)
{
    char text[PUBLIC_ID_SIZE + 1], head[128];

    snprintf(head, sizeof head, "GET /v1/messages/%s", id_text(id, text));
    unsigned status = test_call(key, head, NULL)->status;
    if (status == 200)
        assert_string_equal(test_member("messageId"), text);
    else
        test_assert_problem(404, "message_not_found", NULL);
    return status;
}

static void messages_are_for_their_account_and_mode(void **state)
{
    int64_t mine = test_accept(FIRST_ACCOUNT, MODE_TEST, "mine", NULL);
    int64_t live = test_accept(FIRST_ACCOUNT, MODE_LIVE, "live", NULL);
    int64_t other = test_accept(OTHER_ACCOUNT, MODE_TEST, "other", NULL);

    assert_int_equal(status_for(TEST_KEY, mine), 200);
    assert_int_equal(status_for(TEST_KEY, live), 404);
    assert_int_equal(status_for(TEST_KEY, other), 404);
    assert_int_equal(status_for(LIVE_KEY, live), 200);
    assert_int_equal(status_for(LIVE_KEY, mine), 404);
    assert_int_equal(status_for(SMALL_KEY, other), 200);
    assert_int_equal(status_for(TEST_KEY, other + 1), 404);
}

static void odd_ids_are_not_found(void **state)
{
    static const char *const ids[] = {"x",
                                      "msg_",
                                      "msg_00000000000",
                                      "msg_zzzzzzzzzzz",
                                      "msg_0000000000000000000000000000000000000000000000000000",
                                      "%00",
                                      "msg_../x",
                                      ".."};

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char head[128];
        snprintf(head, sizeof head, "GET /v1/messages/%s", ids[i]);
        assert_int_equal(test_call(TEST_KEY, head, NULL)->status, 404);
        assert_true(strlen(test_member("message")) < 200);
    }
}

/* ---- pages ---- */

static void assert_query_problem(const char *query, const char *code, const char *field)
{
    char head[512];

    snprintf(head, sizeof head, "GET /v1/messages?%s", query);
    test_call(TEST_KEY, head, NULL);
    test_assert_problem(400, code, field);
}

static void limits_are_whole_numbers_to_100(void **state)
{
    static const char *const wrong[] = {
        "0", "101", "-1", "+5", "", "x", "5x", "1e1", "5.0", "%205", "18446744073709551617", "0x5"};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char query[64];
        snprintf(query, sizeof query, "limit=%s", wrong[i]);
        assert_query_problem(query, "invalid_limit", "limit");
    }
    assert_query_problem("limit=5&limit=5", "invalid_parameter", "limit");
    assert_int_equal(test_call(TEST_KEY, "GET /v1/messages?limit=1", NULL)->status, 200);
    assert_int_equal(test_call(TEST_KEY, "GET /v1/messages?limit=100", NULL)->status, 200);
    assert_int_equal(test_call(TEST_KEY, "GET /v1/messages?lim%69t=%31", NULL)->status, 200);
    assert_query_problem("colour=blue", "invalid_parameter", "colour");
    assert_query_problem("limits=5", "invalid_parameter", "limits");
    assert_non_null(strstr(test_member("message"), "did you mean 'limit'?"));
    assert_int_equal(test_call(TEST_KEY, "GET /v1/messages?", NULL)->status, 200);
}

static void cursors_are_ids_of_ones_own(void **state)
{
    char id[PUBLIC_ID_SIZE + 1], query[128];

    assert_query_problem("cursor=", "invalid_cursor", "cursor");
    assert_query_problem("cursor=x", "invalid_cursor", "cursor");
    assert_query_problem("cursor=msg_00000000000", "invalid_cursor", "cursor");
    snprintf(query, sizeof query, "cursor=%s",
             id_text(test_accept(OTHER_ACCOUNT, MODE_TEST, "x", NULL), id));
    assert_query_problem(query, "invalid_cursor", "cursor");
    snprintf(query, sizeof query, "cursor=%s",
             id_text(test_accept(FIRST_ACCOUNT, MODE_LIVE, "x", NULL), id));
    assert_query_problem(query, "invalid_cursor", "cursor");
}

static void broken_queries_are_told_off(void **state)
{
    assert_query_problem("limit=%zz", "invalid_parameter", NULL);
    assert_query_problem("a=%ff", "invalid_parameter", NULL);
    assert_query_problem("limit=0&a=%ff", "invalid_limit", "limit"); /* the first fault counts */
}

static void an_empty_list(void **state)
{
    test_call(TEST_KEY, "GET /v1/messages", NULL);
    assert_string_equal(test_body(),
                        "{\"data\":[],\"pagination\":{\"hasMore\":false,\"nextCursor\":null,"
                        "\"previousCursor\":null,\"totalCount\":0}}");
}

static void pages_lead_to_each_other(void **state)
{
    char ids[7][PUBLIC_ID_SIZE + 1], head[128];

    for (int i = 0; i < 7; i++)
        id_text(test_accept(FIRST_ACCOUNT, MODE_TEST, "x", NULL), ids[6 - i]); /* newest first */
    test_call(TEST_KEY, "GET /v1/messages?limit=3", NULL);
    assert_string_equal(test_member("pagination.hasMore"), "true");
    assert_string_equal(test_member("pagination.nextCursor"), ids[3]);
    assert_string_equal(test_member("pagination.previousCursor"), "");
    assert_string_equal(test_member("pagination.totalCount"), "7");
    snprintf(head, sizeof head, "GET /v1/messages?cursor=%s&limit=3", ids[3]);
    test_call(TEST_KEY, head, NULL);
    assert_string_equal(test_member("pagination.nextCursor"), ids[6]);
    assert_string_equal(test_member("pagination.previousCursor"), ids[0]);
    assert_non_null(strstr(test_body(), ids[3]));
    assert_non_null(strstr(test_body(), ids[5]));
    snprintf(head, sizeof head, "GET /v1/messages?limit=3&cursor=%s", ids[6]);
    test_call(TEST_KEY, head, NULL);
    assert_string_equal(test_member("pagination.hasMore"), "false");
    assert_string_equal(test_member("pagination.nextCursor"), "");
    assert_string_equal(test_member("pagination.previousCursor"), ids[3]);
}

/* ---- a store that cannot be read ---- */

static int no_get(struct store_reader *r, int64_t account, enum mode mode, int64_t id,
                  struct arena *a, struct message *ret)
{
    return -EIO;
}

static int no_page(struct store_reader *r, int64_t account, enum mode mode,
                   const struct message_filter *filter, int64_t cursor, size_t limit,
                   struct arena *a, struct message_page *ret)
{
    return -EIO;
}

static void a_store_that_cannot_be_read(void **state)
{
    static struct store_engine engine;
    char id[PUBLIC_ID_SIZE + 1], head[128];

    snprintf(head, sizeof head, "GET /v1/messages/%s",
             id_text(test_accept(FIRST_ACCOUNT, MODE_TEST, "x", NULL), id));
    engine = *test_store->engine;
    engine.message_get = no_get;
    engine.message_page = no_page;
    test_set_engine(&engine);
    test_call(TEST_KEY, head, NULL);
    test_assert_problem(503, "service_unavailable", NULL);
    assert_string_equal(test_member("error"), "api_error");
    assert_string_equal(test_member("retryAfter"), "5");
    assert_string_equal(test_header("Retry-After"), "5");
    test_call(TEST_KEY, "GET /v1/messages", NULL);
    test_assert_problem(503, "service_unavailable", NULL);
}

static int accept_hundred(struct store *s, void *message)
{
    int failed = 0;

    for (int i = 0; i < 100 && !failed; i++)
        failed = store_accept(s, message);
    return failed;
}

/* Lines of so many characters, of four bytes each. */
static struct str wide(size_t count, size_t lines)
{
    struct buf b;

    buf_init(&b, 1 << 20);
    for (size_t k = 0; k < lines; k++) {
        if (k)
            buf_add_char(&b, '\n');
        for (size_t i = 0; i < count; i++)
            buf_text(&b, "\xf0\x9f\x98\x80");
    }
    assert_false(b.failed);
    return buf_str(&b);
}

/* All that one request can ask for is answered whole. */
static void a_page_of_the_largest(void **state)
{
    struct message m = {.account = FIRST_ACCOUNT,
                        .mode = MODE_TEST,
                        .direction = DIRECTION_OUTBOUND,
                        .status = STATUS_QUEUED,
                        .kind = KIND_MMS,
                        .type = TYPE_TRANSACTIONAL,
                        .from = STR("+18005551234"),
                        .to = STR("+15551234567"),
                        .text = wide(1600, 1),
                        .media = wide(2048, 10),
                        .subject = wide(256, 1),
                        .tags = wide(50, 20),
                        .metadata = wide(1024, 1),
                        .webhook_url = wide(2048, 1),
                        .encoding = ENCODING_UCS2,
                        .segments = 1,
                        .number_type = NUMBER_LOCAL,
                        .coverage = COVERAGE_HIGH,
                        .reason = REASON_SMART,
                        .currency = "USD"};
    struct str mine[] = {m.text, m.media, m.subject, m.tags, m.metadata, m.webhook_url};

    m.webhook_failover_url = m.webhook_url;
    test_write(accept_hundred, &m);
    struct http_request *r = test_call(TEST_KEY, "GET /v1/messages?limit=100", NULL);
    assert_int_equal(r->status, 200);
    assert_false(r->out.failed);
    assert_true(r->out.n > 100 * m.media.n);
    assert_memory_equal(r->out.p + r->out.n - 2, "}}", 2);
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        free((char *)mine[i].p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_message_with_every_field),
        API_TEST(what_is_not_there_is_null),
        API_TEST(ids_are_read_back_and_nothing_else_is),
        API_TEST(messages_are_for_their_account_and_mode),
        API_TEST(odd_ids_are_not_found),
        API_TEST(limits_are_whole_numbers_to_100),
        API_TEST(cursors_are_ids_of_ones_own),
        API_TEST(broken_queries_are_told_off),
        API_TEST(an_empty_list),
        API_TEST(pages_lead_to_each_other),
        API_TEST(a_store_that_cannot_be_read),
        API_TEST(a_page_of_the_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
