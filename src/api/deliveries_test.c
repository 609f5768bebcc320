/* Deliveries: the list, one with its bytes, once more, and a test event. */
#include "api/test_webhook.h"
#include "json/tree.h"

#include <stdio.h>

static char hook[TEST_ID_SIZE], message[TEST_ID_SIZE], delivery[TEST_ID_SIZE];

/* A webhook, and a message that was sent and told of. */
static int set_up(void **state)
{
    test_api_set_up(state);
    test_webhook(TEST_KEY, NULL, hook);
    test_message(TEST_KEY, NULL, message);
    test_move(message, STATUS_QUEUED, STATUS_SENT);
    test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s/deliveries", hook);
    test_keep_id("data.0.deliveryId", delivery);
    return 0;
}

static void list(const char *query)
{
    if (test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s/deliveries%s", hook, query)->status != 200)
        fail_msg("%s: %s", query, test_body());
}

static void read_one(void)
{
    struct http_request *r =
        test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s/deliveries/%s", hook, delivery);
    assert_int_equal(r->status, 200);
}

static struct attempt_record answered(unsigned number, unsigned status, const char *body)
{
    return (struct attempt_record){.number = number,
                                   .at_us = test_now_us,
                                   .duration_us = 35100,
                                   .connect_us = 12000,
                                   .status = status,
                                   .answer = str_of(body),
                                   .signature = STR("sha256=0a\nv1,aa v1,bb")};
}

/* ---- the list ---- */

static void what_waits(void **state)
{
    list("");
    assert_string_equal(test_member("data.0.webhookId"), hook);
    assert_true(strncmp(test_member("data.0.eventId"), "evt_", 4) == 0);
    assert_string_equal(test_member("data.0.messageId"), message);
    assert_non_null(strstr(test_body(),
                           "\"url\":\"https://hooks.example.com/a\",\"livemode\":false,"
                           "\"status\":\"pending\",\"attempts\":0,"
                           "\"nextAttemptAt\":\"2025-11-15T01:02:04.004Z\","
                           "\"createdAt\":\"2025-11-15T01:02:04.004Z\",\"lastAttempt\":null}"));
    assert_string_equal(test_member("data.0.eventType"), "message.sent");
    assert_string_equal(test_member("data.1"), "");
    assert_string_equal(test_member("pagination.totalCount"), "1");
}

static void how_the_last_try_went(void **state)
{
    test_tried(delivery, answered(1, 500, "no"), DELIVERY_WAITING, test_now_us + 60000000);
    list("");
    assert_non_null(strstr(test_body(),
                           "\"status\":\"pending\",\"attempts\":1,"
                           "\"nextAttemptAt\":\"2025-11-15T01:03:04.004Z\","
                           "\"createdAt\":\"2025-11-15T01:02:04.004Z\","
                           "\"lastAttempt\":{\"number\":1,\"at\":\"2025-11-15T01:02:04.004Z\","
                           "\"durationMs\":36,\"responseStatus\":500,\"error\":null}"));
    struct attempt_record lost = {.number = 2,
                                  .at_us = test_now_us,
                                  .duration_us = 10000000,
                                  .error = STR("The connection timed out after 10 s.")};
    test_tried(delivery, lost, DELIVERY_FAILED, 0);
    list("");
    assert_non_null(strstr(test_body(), "\"status\":\"failed\",\"attempts\":2,"
                                        "\"nextAttemptAt\":null"));
    assert_non_null(strstr(test_body(), "\"durationMs\":10000,\"responseStatus\":null,"
                                        "\"error\":\"The connection timed out after 10 s.\"}"));
}

static void those_in_a_state(void **state)
{
    list("?status=pending");
    assert_string_equal(test_member("data.0.deliveryId"), delivery);
    list("?status=delivered");
    assert_string_equal(test_member("data.0"), "");
    test_tried(delivery, answered(1, 200, ""), DELIVERY_DONE, 0);
    list("?status=delivered");
    assert_string_equal(test_member("data.0.status"), "delivered");
    assert_string_equal(test_member("pagination.totalCount"), "1");
    list("?status=failed");
    assert_string_equal(test_member("pagination.totalCount"), "0");
    test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s/deliveries?status=parked", hook);
    test_assert_problem(400, "invalid_parameter", "status");
}

static void those_of_a_time(void **state)
{
    list("?since=2025-11-15T01:02:04Z");
    assert_string_equal(test_member("data.0.deliveryId"), delivery);
    list("?since=2025-11-15T01:02:05Z");
    assert_string_equal(test_member("data.0"), "");
    list("?since=2025-11-15T01:02:04Z&until=2025-11-15T01:02:05Z");
    assert_string_equal(test_member("data.0.deliveryId"), delivery);
    list("?until=2025-11-15T01:02:04Z");
    assert_string_equal(test_member("data.0"), "");
    test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s/deliveries?since=x", hook);
    test_assert_problem(400, "invalid_date_range", "since");
    test_at(TEST_KEY, NULL,
            "GET /v1/webhooks/%s/deliveries?since=2025-11-16T00:00:00Z&until=2025-11-15T00:00:00Z",
            hook);
    test_assert_problem(400, "invalid_date_range", "until");
}

static void page_by_page(void **state)
{
    char next[TEST_ID_SIZE];

    test_move(message, STATUS_SENT, STATUS_DELIVERED);
    list("?limit=1");
    assert_string_equal(test_member("data.0.eventType"), "message.delivered");
    assert_string_equal(test_member("pagination.totalCount"), "2");
    assert_string_equal(test_member("pagination.nextCursor"), delivery);
    test_keep_id("pagination.nextCursor", next);
    test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s/deliveries?limit=1&cursor=%s", hook, next);
    assert_string_equal(test_member("data.0.deliveryId"), delivery);
    assert_string_equal(test_member("pagination.hasMore"), "false");
    test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s/deliveries?cursor=%s", hook, hook);
    test_assert_problem(400, "invalid_cursor", "cursor");
}

static void rest(struct endpoint_record *e)
{
    e->paused_until_us = test_now_us + 300000000;
}

static void be_off(struct endpoint_record *e)
{
    e->off = ENDPOINT_OFF_GONE;
    e->off_us = test_now_us;
}

static void parked_while_it_rests_or_is_off(void **state)
{
    test_endpoint(hook, rest);
    list("?status=pending");
    assert_string_equal(test_member("data.0.status"), "parked");
    assert_string_equal(test_member("data.0.nextAttemptAt"), "2025-11-15T01:07:04.004Z");
    test_endpoint(hook, be_off);
    list("");
    assert_string_equal(test_member("data.0.status"), "parked");
    assert_string_equal(test_member("data.0.nextAttemptAt"), "");
}

/* ---- whose it is ---- */

static void assert_no_delivery(const char *key, const char *webhook, const char *id)
{
    test_at(key, NULL, "GET /v1/webhooks/%s/deliveries/%s", webhook, id);
    test_assert_problem(404, "delivery_not_found", NULL);
    test_at(key, NULL, "POST /v1/webhooks/%s/deliveries/%s/retry", webhook, id);
    test_assert_problem(404, "delivery_not_found", NULL);
}

static void those_of_another_mode_or_webhook_are_not_found(void **state)
{
    char both[TEST_ID_SIZE], other[TEST_ID_SIZE], test[TEST_ID_SIZE];

    test_webhook(LIVE_KEY, NULL, both);
    test_move(message, STATUS_SENT, STATUS_DELIVERED);
    test_at(TEST_KEY, NULL, "GET /v1/webhooks/%s/deliveries", both);
    test_keep_id("data.0.deliveryId", test);
    test_at(LIVE_KEY, NULL, "GET /v1/webhooks/%s/deliveries", both);
    assert_string_equal(test_member("pagination.totalCount"), "0");
    assert_no_delivery(LIVE_KEY, both, test);
    test_webhook(TEST_KEY, NULL, other);
    assert_no_delivery(TEST_KEY, other, delivery);
    assert_no_delivery(TEST_KEY, hook, test);
    assert_no_delivery(TEST_KEY, hook, "dlv_");
    assert_no_delivery(TEST_KEY, hook, "dlv_00000000000");
    assert_no_delivery(TEST_KEY, hook, message);
    /* Seen with a test key, but a live one is needed to send it again. */
    test_at(TEST_KEY, NULL, "POST /v1/webhooks/%s/deliveries/%s/retry", both, test);
    test_assert_problem(403, "live_key_required", NULL);
}

/* ---- its bytes ---- */

static void before_the_first_try(void **state)
{
    read_one();
    assert_non_null(strstr(test_body(), "\"lastAttempt\":null,\"request\":{\"method\":\"POST\","
                                        "\"url\":\"https://hooks.example.com/a\",\"headers\":{},"
                                        "\"body\":\"{\\\"id\\\":\\\"evt_"));
    assert_non_null(strstr(test_body(), "\"attemptLog\":[]}"));
}

static void every_try_with_what_came_back(void **state)
{
    test_tried(delivery, answered(1, 500, "no\xff\xc3"), DELIVERY_WAITING, test_now_us);
    test_now_us += 60000000;
    test_tried(delivery, answered(2, 200, "ok"), DELIVERY_DONE, 0);
    read_one();
    assert_string_equal(test_member("status"), "delivered");
    assert_string_equal(test_member("attempts"), "2");
    assert_string_equal(test_member("attemptLog.0.number"), "1");
    assert_string_equal(test_member("attemptLog.0.responseStatus"), "500");
    assert_string_equal(test_member("attemptLog.0.responseBody"), "no\xef\xbf\xbd\xef\xbf\xbd");
    assert_string_equal(test_member("attemptLog.0.connectMs"), "12");
    assert_string_equal(test_member("attemptLog.0.url"), HOOK_URL);
    assert_string_equal(test_member("attemptLog.0.requestHeaders.X-Service-Attempt"), "1");
    assert_string_equal(test_member("attemptLog.1.number"), "2");
    assert_string_equal(test_member("attemptLog.1.responseBody"), "ok");
    assert_string_equal(test_member("attemptLog.2"), "");
    assert_string_equal(test_member("request.headers.Content-Type"), "application/json");
    assert_string_equal(test_member("request.headers.X-Service-Signature"), "sha256=0a");
    assert_string_equal(test_member("request.headers.webhook-signature"), "v1,aa v1,bb");
    assert_string_equal(test_member("request.headers.X-Service-Event-Type"), "message.sent");
    assert_string_equal(test_member("request.headers.X-Service-Delivery"), delivery);
    assert_string_equal(test_member("request.headers.X-Service-Timestamp"),
                        "2025-11-15T01:03:04.004Z");
    assert_string_equal(test_member("request.headers.webhook-timestamp"), "1763168584");
    assert_string_equal(test_member("request.headers.X-Service-Attempt"), "2");
}

static void without_an_answer_there_is_none(void **state)
{
    struct attempt_record lost = {.number = 1,
                                  .at_us = test_now_us,
                                  .error = STR("Nobody is there."),
                                  .signature = STR("a\nb")};

    test_tried(delivery, lost, DELIVERY_WAITING, test_now_us);
    read_one();
    assert_non_null(strstr(test_body(), "\"durationMs\":0,\"responseStatus\":null,\"error\":"
                                        "\"Nobody is there.\",\"url\":\"https://hooks.example.com/"
                                        "a\",\"connectMs\":0,\"responseBody\":null,"));
}

/* The body is the message as it was at the event, whatever became of it since. */
static void the_body_stays_the_same(void **state)
{
    char body[4096];

    read_one();
    snprintf(body, sizeof body, "%s", test_member("request.body"));
    test_move(message, STATUS_SENT, STATUS_DELIVERED);
    read_one();
    assert_string_equal(test_member("request.body"), body);
    struct json_node *event = json_tree_parse(str_of(body));
    assert_non_null(event);
    assert_true(str_is(json_node_string(json_node_at(event, "type")), "message.sent"));
    assert_true(str_is(json_node_string(json_node_at(event, "data.status")), "sent"));
    assert_true(str_is(json_node_string(json_node_at(event, "data.messageId")), message));
    json_tree_free(event);
}

/* ---- of messages ---- */

static void find_delivery_of(const char *of, char webhook[TEST_ID_SIZE], char id[TEST_ID_SIZE])
{
    struct delivery_record *d;
    size_t count;

    arena_reset(&test_worker->scratch);
    assert_int_equal(store_delivery_of_message(test_worker->reader, test_number(of),
                                               &test_worker->scratch, &d, &count),
                     0);
    assert_true(count > 0);
    public_id_format(api_ids(test_api), ENDPOINT_ID_PREFIX, d[count - 1].endpoint, webhook);
    public_id_format(api_ids(test_api), DELIVERY_ID_PREFIX, d[count - 1].id, id);
    webhook[PUBLIC_ID_SIZE] = id[PUBLIC_ID_SIZE] = '\0';
}

static void of_a_message_to_its_own_address(void **state)
{
    char own[TEST_ID_SIZE];

    assert_int_equal(test_at(TEST_KEY, NULL, "DELETE /v1/webhooks/%s", hook)->status, 200);
    test_message(TEST_KEY,
                 ",\"webhookUrl\":\"https://a.example/x?y=1\","
                 "\"webhookFailoverUrl\":\"https://b.example/z\"",
                 own);
    test_move(own, STATUS_QUEUED, STATUS_SENT);
    find_delivery_of(own, hook, delivery);
    list("");
    assert_string_equal(test_member("data.0.url"), "https://a.example/x?y=1");
    test_tried(delivery, answered(1, 500, ""), DELIVERY_WAITING, test_now_us);
    struct attempt_record second = answered(2, 200, "");
    second.failover = true;
    second.url = STR("https://b.example/z");
    test_tried(delivery, second, DELIVERY_DONE, 0);
    read_one();
    assert_string_equal(test_member("attemptLog.0.url"), "https://a.example/x?y=1");
    assert_string_equal(test_member("attemptLog.1.url"), "https://b.example/z");
    assert_string_equal(test_member("request.url"), "https://b.example/z");
    assert_int_equal(
        test_at(TEST_KEY, NULL, "POST /v1/webhooks/%s/deliveries/%s/retry", hook, delivery)->status,
        200);
}

/* The log tells where attempts went, not where they would go now. */
static void the_address_has_changed(void **state)
{
    struct attempt_record first = answered(1, 500, "");

    first.url = STR("https://hooks.example.com/a");
    test_tried(delivery, first, DELIVERY_WAITING, test_now_us);
    test_at(TEST_KEY, "{\"url\":\"https://hooks.example.com/b\"}", "PATCH /v1/webhooks/%s", hook);
    read_one();
    assert_string_equal(test_member("url"), "https://hooks.example.com/b");
    assert_string_equal(test_member("attemptLog.0.url"), "https://hooks.example.com/a");
    assert_string_equal(test_member("request.url"), "https://hooks.example.com/a");
}

/* ---- once more ---- */

static void sent_again(void **state)
{
    test_tried(delivery, answered(1, 500, ""), DELIVERY_FAILED, 0);
    test_now_us += 60000000;
    assert_int_equal(
        test_at(TEST_KEY, NULL, "POST /v1/webhooks/%s/deliveries/%s/retry", hook, delivery)->status,
        200);
    assert_string_equal(test_member("deliveryId"), delivery);
    assert_string_equal(test_member("status"), "pending");
    assert_string_equal(test_member("attempts"), "1");
    assert_string_equal(test_member("nextAttemptAt"), "2025-11-15T01:03:04.004Z");
    assert_string_equal(test_member("lastAttempt.responseStatus"), "500");
    list("?status=pending");
    assert_string_equal(test_member("data.0.deliveryId"), delivery);
}

static void sent_again_once(void **state)
{
    char head[160], first[2048];

    test_tried(delivery, answered(1, 500, ""), DELIVERY_FAILED, 0);
    snprintf(head, sizeof head, "POST /v1/webhooks/%s/deliveries/%s/retry\nIdempotency-Key: a",
             hook, delivery);
    assert_int_equal(test_call(TEST_KEY, head, NULL)->status, 200);
    snprintf(first, sizeof first, "%s", test_body());
    test_tried(delivery, answered(2, 500, ""), DELIVERY_FAILED, 0);
    assert_int_equal(test_call(TEST_KEY, head, NULL)->status, 200);
    assert_string_equal(test_body(), first);
    list("?status=failed");
    assert_string_equal(test_member("data.0.deliveryId"), delivery);
}

/* ---- a test event ---- */

static void a_test_event(void **state)
{
    assert_int_equal(test_at(TEST_KEY, NULL, "POST /v1/webhooks/%s/test", hook)->status, 201);
    assert_non_null(strstr(test_body(), "\"eventType\":\"webhook.test\",\"messageId\":null,"
                                        "\"url\":\"https://hooks.example.com/a\","
                                        "\"livemode\":false,\"status\":\"pending\","
                                        "\"attempts\":0,"));
    test_keep_id("deliveryId", delivery);
    read_one();
    assert_non_null(strstr(test_member("request.body"), "\"type\":\"webhook.test\""));
    assert_non_null(strstr(test_member("request.body"), hook));
    list("");
    assert_string_equal(test_member("pagination.totalCount"), "2");
    assert_string_equal(test_member("data.0.deliveryId"), delivery);
}

static void a_test_event_once(void **state)
{
    char head[128], first[TEST_ID_SIZE];

    snprintf(head, sizeof head, "POST /v1/webhooks/%s/test\nIdempotency-Key: a", hook);
    assert_int_equal(test_call(TEST_KEY, head, NULL)->status, 201);
    test_keep_id("deliveryId", first);
    assert_int_equal(test_call(TEST_KEY, head, NULL)->status, 201);
    assert_string_equal(test_member("deliveryId"), first);
    list("");
    assert_string_equal(test_member("pagination.totalCount"), "2");
}

static void a_test_event_of_live_mode(void **state)
{
    char live[TEST_ID_SIZE];

    test_webhook(LIVE_KEY, NULL, live);
    assert_int_equal(test_at(LIVE_KEY, NULL, "POST /v1/webhooks/%s/test", live)->status, 201);
    assert_string_equal(test_member("livemode"), "true");
}

#define DELIVERY_TEST(function)                                                                    \
    cmocka_unit_test_setup_teardown(function, set_up, test_api_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DELIVERY_TEST(what_waits),
        DELIVERY_TEST(how_the_last_try_went),
        DELIVERY_TEST(those_in_a_state),
        DELIVERY_TEST(those_of_a_time),
        DELIVERY_TEST(page_by_page),
        DELIVERY_TEST(parked_while_it_rests_or_is_off),
        DELIVERY_TEST(those_of_another_mode_or_webhook_are_not_found),
        DELIVERY_TEST(before_the_first_try),
        DELIVERY_TEST(every_try_with_what_came_back),
        DELIVERY_TEST(without_an_answer_there_is_none),
        DELIVERY_TEST(the_body_stays_the_same),
        DELIVERY_TEST(of_a_message_to_its_own_address),
        DELIVERY_TEST(the_address_has_changed),
        DELIVERY_TEST(sent_again),
        DELIVERY_TEST(sent_again_once),
        DELIVERY_TEST(a_test_event),
        DELIVERY_TEST(a_test_event_once),
        DELIVERY_TEST(a_test_event_of_live_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
