/* Batches: each item for itself, one commit for all. */
#include "api/test_api.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define POST "POST /v1/messages/batch"
#define ITEM "{\"to\":\"+15551234567\",\"text\":\"Hello\"}"

static void assert_refused(const char *head, const char *body, const char *code, const char *field)
{
    test_call(TEST_KEY, head, body);
    test_assert_problem(400, code, field);
}

static void assert_messages(const char *count)
{
    test_call(TEST_KEY, "GET /v1/messages", NULL);
    assert_string_equal(test_member("pagination.totalCount"), count);
}

/* `count` times `item`, as large as a body may be. */
static char *many_of(size_t count, const char *item)
{
    struct buf out;

    buf_init(&out, API_LARGE_BODY_MAX + 1);
    buf_text(&out, "{\"messages\":[");
    for (size_t i = 0; i < count; i++) {
        buf_text(&out, i ? "," : "");
        buf_text(&out, item);
    }
    buf_text(&out, "]}");
    buf_add_char(&out, '\0');
    assert_false(out.failed);
    return out.p;
}

static char *many(size_t count)
{
    return many_of(count, ITEM);
}

static void each_item_for_itself(void **state)
{
    char head[128], batch[64];
    struct http_request *r = test_call(
        TEST_KEY, POST,
        "{\"messages\":[" ITEM ",{\"to\":\"+15551234567\"},"
        "{\"to\":\"+15551234567\",\"text\":\"later\",\"scheduledAt\":\"2025-11-16T00:00:00Z\"},"
        "{\"to\":\"0\",\"text\":\"x\"},{\"to\":\"+15551234567\",\"text\":5},7,"
        "{\"to\":\"+15550001003\",\"text\":\"x\"}," ITEM "]}");

    assert_int_equal(r->status, 201);
    assert_string_equal(test_member("total"), "8");
    assert_string_equal(test_member("accepted"), "3");
    assert_string_equal(test_member("rejected"), "5");
    assert_string_equal(test_member("createdAt"), "2025-11-15T01:02:03.004Z");
    assert_string_equal(test_member("results.0.index"), "0");
    assert_string_equal(test_member("results.0.status"), "queued");
    assert_int_equal(strlen(test_member("results.0.messageId")), PUBLIC_ID_SIZE);
    assert_string_equal(test_member("results.1.index"), "1");
    assert_string_equal(test_member("results.1.error.code"), "missing_required_field");
    assert_string_equal(test_member("results.1.error.field"), "text");
    assert_string_equal(test_member("results.1.error.error"), "validation_error");
    assert_string_equal(test_member("results.1.error.statusCode"), "400");
    assert_non_null(strstr(test_member("results.1.error.documentation"), "#missing_required"));
    assert_string_equal(test_member("results.1.messageId"), "");
    assert_string_equal(test_member("results.2.status"), "scheduled");
    assert_string_equal(test_member("results.3.error.code"), "invalid_phone_number");
    assert_string_equal(test_member("results.4.error.code"), "invalid_parameter");
    assert_string_equal(test_member("results.4.error.field"), "text");
    assert_string_equal(test_member("results.5.error.code"), "invalid_parameter");
    assert_string_equal(test_member("results.5.error.field"), "messages");
    assert_string_equal(test_member("results.6.error.code"), "rate_limit_exceeded");
    assert_true(atoi(test_member("results.6.error.retryAfter")) > 0);
    assert_null(test_header("Retry-After"));
    assert_string_equal(test_member("results.7.status"), "queued");
    snprintf(batch, sizeof batch, "%s", test_member("batchId"));
    snprintf(head, sizeof head, "GET /v1/messages/%s", test_member("results.7.messageId"));
    test_call(TEST_KEY, head, NULL);
    assert_string_equal(test_member("batchId"), batch);
    assert_messages("3");
}

static void how_far_it_is(void **state)
{
    char head[128], wanted[512], batch[64];

    test_call(TEST_KEY, POST,
              "{\"messages\":[" ITEM ",{}," ITEM ",{\"to\":\"+15551234567\",\"text\":\"later\","
              "\"scheduledAt\":\"2025-11-16T00:00:00Z\"}]}");
    snprintf(batch, sizeof batch, "%s", test_member("batchId"));
    snprintf(head, sizeof head, "GET /v1/messages/batch/%s", batch);
    assert_int_equal(test_call(TEST_KEY, head, NULL)->status, 200);
    snprintf(wanted, sizeof wanted,
             "{\"batchId\":\"%s\",\"total\":4,\"accepted\":3,\"rejected\":1,"
             "\"createdAt\":\"2025-11-15T01:02:03.004Z\",\"counts\":{\"scheduled\":1,\"queued\":2,"
             "\"sent\":0,\"delivered\":0,\"failed\":0,\"cancelled\":0},\"done\":false}",
             batch);
    assert_string_equal(test_body(), wanted);
    test_call(LIVE_KEY, head, NULL);
    test_assert_problem(404, "batch_not_found", NULL);
    test_call(SMALL_KEY, head, NULL);
    test_assert_problem(404, "batch_not_found", NULL);
    test_call(TEST_KEY, "GET /v1/messages/batch/bat_00000000000", NULL);
    test_assert_problem(404, "batch_not_found", NULL);
    test_call(TEST_KEY, "GET /v1/messages/batch/nonsense", NULL);
    test_assert_problem(404, "batch_not_found", NULL);
}

static void nothing_accepted_is_a_batch_too(void **state)
{
    char head[128];

    assert_int_equal(test_call(TEST_KEY, POST, "{\"messages\":[{}]}")->status, 201);
    assert_string_equal(test_member("accepted"), "0");
    snprintf(head, sizeof head, "GET /v1/messages/batch/%s", test_member("batchId"));
    test_call(TEST_KEY, head, NULL);
    assert_string_equal(test_member("total"), "1");
    assert_string_equal(test_member("done"), "true");
}

static void faults_of_the_whole(void **state)
{
    char *large;

    assert_refused(POST, "{}", "missing_required_field", "messages");
    assert_refused(POST, "", "invalid_json", NULL);
    assert_refused(POST, "{\"messages\":{}}", "invalid_parameter", "messages");
    assert_refused(POST, "{\"messages\":\"x\"}", "invalid_parameter", "messages");
    assert_refused(POST, "{\"messages\":[{]}", "invalid_json", NULL);
    assert_refused(POST, "{\"messages\":[{\"to\":1,\"to\":2}]}", "invalid_json", NULL);
    assert_refused(POST, "{\"messages\":[]}", "batch_empty", "messages");
    assert_refused(POST "\nContent-Type: application/x-www-form-urlencoded", "messages=[]",
                   "unsupported_content_type", NULL);
    assert_refused(POST "\nIdempotency-Key: \xc3\xa9", "{\"messages\":[{}]}",
                   "invalid_idempotency_key", NULL);
    large = many(1001);
    assert_refused(POST, large, "batch_too_large", "messages");
    free(large);
    assert_messages("0");
}

static void a_thousand_at_once(void **state)
{
    char *large = many(1000);

    assert_int_equal(test_call(TEST_KEY, POST, large)->status, 201);
    assert_string_equal(test_member("accepted"), "1000");
    assert_string_equal(test_member("results.999.index"), "999");
    free(large);
    assert_messages("1000");
}

/* A name with escapes takes memory each time it is read, and under a key that is once per level
 * around it. When memory ends in the middle nothing may be accepted that was half read, and nothing
 * may be left for the writer to stumble over, who would fail others too. */
static void more_than_memory_holds(void **state)
{
    char item[4200], head[128], *large;
    unsigned refused = 0;

    for (int levels = 0; levels <= 40; levels += 2) {
        struct buf b = {.p = item, .size = sizeof item, .max = sizeof item};
        buf_text(&b, "{\"to\":\"+15551234567\",\"text\":\"x\",\"metadata\":");
        for (int i = 0; i < levels; i++)
            buf_text(&b, "{\"a\":");
        buf_printf(&b, "{\"%0800d\\n\":1}", 0);
        for (int i = 0; i <= levels; i++)
            buf_text(&b, "}");
        buf_add_char(&b, '\0');
        assert_false(b.failed);
        large = many_of(1000, item);
        snprintf(head, sizeof head, POST "\nIdempotency-Key: %d", levels);
        if (test_call(TEST_KEY, head, large)->status == 201) {
            assert_int_equal(refused, 0);
            assert_string_equal(test_member("accepted"), "1000");
        } else {
            test_assert_problem(400, "request_too_large", NULL);
            refused++;
        }
        free(large);
    }
    assert_in_range(refused, 1, 20);
}

/* The most that a body can ask for fits. */
static void the_longest_texts(void **state)
{
    char item[4200], *large;

    snprintf(item, sizeof item,
             "{\"to\":\"+15551234567\",\"text\":\"\\u00e9%01500d\",\"metadata\":{\"\\u0061\":"
             "\"\\n%02500d\"}}",
             0, 0);
    large = many_of(1000, item);
    assert_int_equal(test_call(TEST_KEY, POST "\nIdempotency-Key: a", large)->status, 201);
    assert_string_equal(test_member("accepted"), "1000");
    assert_int_equal(test_call(TEST_KEY, POST "\nIdempotency-Key: a", large)->status, 201);
    assert_string_equal(test_header("Idempotency-Replayed"), "true");
    free(large);
    assert_messages("1000");
}

static void no_dry_run_inside(void **state)
{
    test_call(TEST_KEY, POST,
              "{\"messages\":[{\"to\":\"+15551234567\",\"text\":\"x\",\"dryRun\":true},"
              "{\"to\":\"+15551234567\",\"text\":\"x\",\"dryRun\":false}]}");
    assert_string_equal(test_member("results.0.error.code"), "invalid_parameter");
    assert_string_equal(test_member("results.0.error.field"), "dryRun");
    assert_string_equal(test_member("results.1.status"), "queued");
}

static void repeated_with_a_key(void **state)
{
    char first[4096];

    test_call(TEST_KEY, POST "\nIdempotency-Key: a", "{\"messages\":[" ITEM ",{\"to\":5}]}");
    assert_null(test_header("Idempotency-Replayed"));
    snprintf(first, sizeof first, "%s", test_body());
    assert_int_equal(test_call(TEST_KEY, POST "\nIdempotency-Key: a",
                               "{ \"messages\" : [ { \"text\":\"Hello\", \"to\":\"+15551234567\" },"
                               "{\"to\": 5}]}")
                         ->status,
                     201);
    assert_string_equal(test_body(), first);
    assert_string_equal(test_header("Idempotency-Replayed"), "true");
    assert_refused(POST "\nIdempotency-Key: a", "{\"messages\":[" ITEM ",{\"to\":6}]}",
                   "idempotency_key_mismatch", NULL);
    assert_refused(POST "\nIdempotency-Key: a", "{\"messages\":[" ITEM "]}",
                   "idempotency_key_mismatch", NULL);
    assert_refused(POST "\nIdempotency-Key: a", "{\"messages\":[{\"to\":5}," ITEM "]}",
                   "idempotency_key_mismatch", NULL);
    assert_messages("1");
}

/* ---- live ---- */

static const struct sender live_sender = {.address = {"+447700900001", 13},
                                          .type = NUMBER_LOCAL,
                                          .calling_code = 44,
                                          .messages_per_minute = 60};
static const struct routing live_routing = {.senders = {&live_sender, 1, NULL}};

static int credit(struct store *s, void *micros)
{
    return store_account_credit(s, FIRST_ACCOUNT, *(int64_t *)micros);
}

static void the_balance_covers_as_many_as_it_can(void **state)
{
    int64_t micros = 50000;

    api_set_routing(test_api, &live_routing);
    test_write(credit, &micros);
    test_call(LIVE_KEY, POST,
              "{\"messages\":[{\"to\":\"+447400123456\",\"text\":\"x\"},"
              "{\"to\":\"+447400123456\",\"text\":\"x\"},{\"to\":\"+15551234567\",\"text\":\"x\"},"
              "{\"to\":\"+15551234567\",\"text\":\"x\"}]}");
    assert_string_equal(test_member("accepted"), "1");
    assert_string_equal(test_member("results.0.status"), "queued");
    assert_string_equal(test_member("results.1.error.code"), "insufficient_balance");
    assert_string_equal(test_member("results.2.error.code"), "insufficient_balance");
    test_call(LIVE_KEY, "GET /v1/messages", NULL);
    assert_string_equal(test_member("pagination.totalCount"), "1");
}

/* ---- the way to disk ---- */

static struct store_engine engine;
static int inserts;
static int (*insert)(struct store *s, const struct message *m);

static int fail_third(struct store *s, const struct message *m)
{
    return ++inserts == 3 ? store_fail(s, -ENOSPC, "no room") : insert(s, m);
}

static void all_or_nothing(void **state)
{
    char *body = many(5);

    engine = *test_store->engine;
    insert = engine.message_insert;
    engine.message_insert = fail_third;
    inserts = 0;
    const struct store_engine *whole = test_set_engine(&engine);
    test_call(TEST_KEY, POST "\nIdempotency-Key: a", body);
    test_assert_problem(503, "service_unavailable", NULL);
    test_set_engine(whole);
    assert_messages("0");
    assert_int_equal(test_call(TEST_KEY, POST "\nIdempotency-Key: a", body)->status, 201);
    assert_string_equal(test_member("accepted"), "5");
    assert_messages("5");
    free(body);
}

static void room_for_a_batch_is_for_who_may_send_one(void **state)
{
    struct http_request *r = test_call(TEST_KEY, POST, "{}");
    assert_int_equal(api_body_max(r), API_LARGE_BODY_MAX);
    r = test_call(READ_KEY, POST, "{}");
    assert_int_equal(api_body_max(r), API_BODY_MAX);
    r = test_call(REVOKED_KEY, POST, "{}");
    assert_int_equal(api_body_max(r), API_BODY_MAX);
    r = test_request(POST, "{}");
    assert_int_equal(api_body_max(r), API_BODY_MAX);
    r = test_call(TEST_KEY, "GET /v1/messages/batch/x", "{}");
    assert_int_equal(api_body_max(r), API_BODY_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(each_item_for_itself),
        API_TEST(how_far_it_is),
        API_TEST(nothing_accepted_is_a_batch_too),
        API_TEST(faults_of_the_whole),
        API_TEST(a_thousand_at_once),
        API_TEST(more_than_memory_holds),
        API_TEST(the_longest_texts),
        API_TEST(no_dry_run_inside),
        API_TEST(repeated_with_a_key),
        API_TEST(the_balance_covers_as_many_as_it_can),
        API_TEST(all_or_nothing),
        API_TEST(room_for_a_batch_is_for_who_may_send_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
