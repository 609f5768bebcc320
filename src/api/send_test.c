/* POST /v1/send: what a body must be, the order in which faults are named, and the way to disk. */
#include "api/test_api.h"

#include <errno.h>
#include <stdio.h>

#define JSON "POST /v1/send\nContent-Type: application/json"
#define FORM "POST /v1/send\nContent-Type: application/x-www-form-urlencoded"
#define TO   "\"to\":\"+15551234567\""

static void assert_refused(const char *head, const char *body, const char *code, const char *field)
{
    test_call(TEST_KEY, head, body);
    test_assert_problem(400, code, field);
    assert_string_equal(test_member("error"), "validation_error");
}

static int no_room(struct carrier *c, struct parcel *p)
{
    return -EAGAIN;
}

static const struct carrier_ops busy_ops = {.submit = no_room};
static struct carrier busy_carrier = {.name = "busy", .ops = &busy_ops};

static void a_message_is_kept_before_it_is_answered(void **state)
{
    char head[128], sent[2048];

    assert_int_equal(test_call(TEST_KEY, JSON, "{" TO ",\"text\":\"Hello\"}")->status, 201);
    assert_string_equal(test_member("status"), "queued");
    assert_string_equal(test_member("livemode"), "false");
    assert_string_equal(test_member("createdAt"), "2025-11-15T01:02:03.004Z");
    snprintf(sent, sizeof sent, "%s", test_body());
    snprintf(head, sizeof head, "GET /v1/messages/%s", test_member("messageId"));
    test_call(TEST_KEY, head, NULL);
    assert_string_equal(test_body(), sent);
    assert_int_equal(dispatch_held(test_api->options.dispatch), 0); /* it reads from the store */
    dispatch_add_carrier(test_api->options.dispatch, &busy_carrier);
    dispatch_run(test_api->options.dispatch);
    test_call(TEST_KEY, JSON, "{" TO ",\"text\":\"Hello\"}");
    assert_true(dispatch_held(test_api->options.dispatch) > 0);
}

static void content_types(void **state)
{
    static const char *const json[] = {"POST /v1/send", "POST /v1/send\nContent-Type:", JSON,
                                       (JSON "; charset=utf-8"),
                                       "POST /v1/send\nContent-Type: Application/Json ;x=y"};
    static const char *const other[] = {"text/plain", "multipart/form-data; boundary=x",
                                        "application/jsonx", "json", ";"};

    for (size_t i = 0; i < sizeof json / sizeof *json; i++)
        assert_int_equal(test_call(TEST_KEY, json[i], "{" TO ",\"text\":\"x\"}")->status, 201);
    assert_int_equal(test_call(TEST_KEY, FORM, "to=%2B15551234567&text=a+b")->status, 201);
    assert_string_equal(test_member("text"), "a b");
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        char head[128];
        snprintf(head, sizeof head, "POST /v1/send\nContent-Type: %s", other[i]);
        assert_refused(head, "{" TO ",\"text\":\"x\"}", "unsupported_content_type", NULL);
    }
}

/* curl -d '{…}' without -H. */
static void json_in_a_form_is_told_the_header(void **state)
{
    assert_refused(FORM, "{" TO ",\"text\":\"x\"}", "unsupported_content_type", NULL);
    assert_non_null(strstr(test_member("message"), "-H 'Content-Type: application/json'"));
    assert_refused(FORM "; charset=utf-8", "\n\t {\"to\"", "unsupported_content_type", NULL);
    assert_refused(FORM, "text={", "missing_required_field", "to");
    assert_refused(FORM, "", "missing_required_field", "to");
}

/* Each body has all the faults of the rows below it too. */
static void faults_are_named_in_order(void **state)
{
    assert_refused(JSON, "{\"to\":1", "invalid_json", NULL);
    assert_refused(JSON, "{\"mediaUrls\":1}", "missing_required_field", "to");
    assert_refused(JSON, "{\"to\":1,\"mediaUrls\":1}", "missing_required_field", "text");
    assert_refused(JSON, "{\"text\":1}", "missing_required_field", "to");
    assert_refused(JSON, "{\"to\":null,\"text\":\"x\"}", "missing_required_field", "to");
    assert_refused(JSON, "{\"to\":1,\"text\":2}", "invalid_parameter", "to");
    assert_refused(JSON, "{\"to\":\"x\",\"text\":2}", "invalid_parameter", "text");
    assert_refused(JSON, "{\"to\":\"x\",\"text\":\"\",\"mediaUrls\":\"x\"}", "invalid_parameter",
                   "mediaUrls");
    assert_refused(JSON, "{\"to\":\"x\",\"text\":\"x\"}", "invalid_phone_number", "to");
    assert_refused(JSON, "{" TO ",\"text\":\"\"}", "text_required", "text");
}

static void sizes_are_refused(void **state)
{
    static char large[2000];
    char text[1602] = "";

    memset(text, 'x', 1601);
    snprintf(large, sizeof large, "{" TO ",\"text\":\"%s\"}", text);
    test_call(TEST_KEY, JSON, large);
    assert_int_equal(strncmp(test_member("statusCode"), "400", 3), 0);
    text[1600] = '\0';
    snprintf(large, sizeof large, "{" TO ",\"text\":\"%s\"}", text);
    assert_int_equal(test_call(TEST_KEY, JSON, large)->status, 201);
}

/* ---- what few messages have ---- */

#define EXTRAS                                                                                     \
    "\"from\":\"+447700900123\",\"messageType\":\"otp\",\"subject\":\"S\",\"tags\":[\"a\",\"b "    \
    "c\"],"                                                                                        \
    "\"metadata\":{\"b\" : [1.50], \"a\":null},\"validityPeriod\":60,"                             \
    "\"scheduledAt\":\"2025-11-15T02:12:00+01:00\",\"webhookUrl\":\"https://a.example/\","         \
    "\"webhook_failover_url\":\"https://b.example/\""

static void assert_extras(void)
{
    assert_string_equal(test_member("status"), "scheduled");
    assert_string_equal(test_member("from"), "+447700900123");
    assert_string_equal(test_member("routing.reason"), "user-specified");
    assert_string_equal(test_member("messageType"), "otp");
    assert_string_equal(test_member("subject"), "S");
    assert_non_null(strstr(test_body(), "\"tags\":[\"a\",\"b c\"]"));
    assert_non_null(strstr(test_body(), "\"metadata\":{\"b\" : [1.50], \"a\":null}"));
    assert_string_equal(test_member("validityPeriod"), "60");
    assert_string_equal(test_member("scheduledAt"), "2025-11-15T01:12:00.000Z");
    assert_string_equal(test_member("webhookUrl"), "https://a.example/");
    assert_string_equal(test_member("webhookFailoverUrl"), "https://b.example/");
}

static void extras_are_kept_and_shown(void **state)
{
    char head[128];

    assert_int_equal(test_call(TEST_KEY, JSON, "{" TO ",\"text\":\"x\"," EXTRAS "}")->status, 201);
    assert_extras();
    snprintf(head, sizeof head, "GET /v1/messages/%s", test_member("messageId"));
    test_call(TEST_KEY, head, NULL);
    assert_extras();
}

static void a_form_holds_them_too(void **state)
{
    test_call(TEST_KEY, FORM,
              "to=%2B15551234567&text=x&from=%2B447700900123&messageType=otp&subject=S&tags=a&"
              "tags=b+c&metadata={%22b%22+:+[1.50],+%22a%22:null}&validityPeriod=60&"
              "scheduledAt=2025-11-15T02:12:00%2B01:00&webhookUrl=https://a.example/&"
              "webhookFailoverUrl=https://b.example/&dryRun=false");
    assert_extras();
}

static void extras_of_the_wrong_kind(void **state)
{
    static const struct {
        const char *member, *code, *field;
    } cases[] = {
        {"\"from\":5", "invalid_parameter", "from"},
        {"\"from\":\"+18005550000\"", "invalid_from_number", "from"},
        {"\"messageType\":\"spam\"", "invalid_message_type", "messageType"},
        {"\"subject\":{}", "invalid_parameter", "subject"},
        {"\"tags\":\"a\"", "invalid_parameter", "tags"},
        {"\"tags\":[\"a\",\"a\"]", "invalid_tags", "tags"},
        {"\"metadata\":\"{}\"", "invalid_parameter", "metadata"},
        {"\"metadata\":[]", "invalid_parameter", "metadata"},
        {"\"validityPeriod\":59", "invalid_parameter", "validityPeriod"},
        {"\"validityPeriod\":60.5", "invalid_parameter", "validityPeriod"},
        {"\"validityPeriod\":9007199254740993", "invalid_parameter", "validityPeriod"},
        {"\"validityPeriod\":\"60\"", "invalid_parameter", "validityPeriod"},
        {"\"scheduledAt\":1763172000", "invalid_parameter", "scheduledAt"},
        {"\"scheduledAt\":\"2025-11-31T00:00:00Z\"", "invalid_scheduled_time", "scheduledAt"},
        {"\"webhookUrl\":\"http://a.example\"", "invalid_webhook_url", "webhookUrl"},
        {"\"dryRun\":\"true\"", "invalid_parameter", "dryRun"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[256];
        snprintf(body, sizeof body, "{" TO ",\"text\":\"x\",%s}", cases[i].member);
        assert_refused(JSON, body, cases[i].code, cases[i].field);
    }
    assert_refused(JSON,
                   "{\"to\":\"+447400123456\",\"text\":\"\",\"from\":\"Skylark\","
                   "\"mediaUrls\":[\"https://a.example/x\"]}",
                   "mms_not_supported", "mediaUrls");
}

/* ---- dryRun ---- */

static void a_dry_run_stores_nothing(void **state)
{
    struct http_request *r = test_call(TEST_KEY, JSON "\nIdempotency-Key: a",
                                       "{" TO ",\"text\":\"Gr\u00fc\u00df dich\",\"dryRun\":true,"
                                       "\"scheduledAt\":\"2025-11-16T00:00:00Z\"}");

    assert_int_equal(r->status, 200);
    assert_string_equal(
        test_body(),
        "{\"dryRun\":true,\"livemode\":false,\"type\":\"sms\",\"messageType\":\"transactional\","
        "\"from\":\"+18005551234\",\"to\":\"+15551234567\",\"text\":\"Gr\xc3\xbc\xc3\x9f dich\","
        "\"encoding\":\"GSM-7\",\"segments\":1,\"routing\":{\"numberType\":\"toll-free\","
        "\"coverage\":\"high\",\"reason\":\"smart-routing\",\"rateLimit\":180,\"countryCode\":"
        "\"1\"},"
        "\"routesRefused\":[{\"from\":\"+447700900123\",\"numberType\":\"local\",\"reason\":"
        "\"A sender of the destination's own zone comes first.\"},"
        "{\"from\":\"Skylark\",\"numberType\":\"alphanumeric\",\"reason\":"
        "\"Networks of +1 take no names as senders.\"}],"
        "\"cost\":{\"amount\":0,\"currency\":\"USD\"},\"scheduledAt\":\"2025-11-16T00:00:00."
        "000Z\"}");
    test_call(TEST_KEY, "GET /v1/messages", NULL);
    assert_string_equal(test_member("pagination.totalCount"), "0");
    /* Nor was the key used. */
    test_call(TEST_KEY, JSON "\nIdempotency-Key: a", "{" TO ",\"text\":\"x\"}");
    assert_int_equal(test_call(TEST_KEY, "GET /v1/messages", NULL)->status, 200);
    assert_string_equal(test_member("pagination.totalCount"), "1");
    test_call(TEST_KEY, JSON "\nIdempotency-Key: \xc3\xa9",
              "{" TO ",\"text\":\"x\",\"dryRun\":true}");
    test_assert_problem(400, "invalid_idempotency_key", NULL);
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

static void set_balance(int64_t micros)
{
    test_write(credit, &micros);
}

#define LIVE_BODY "{\"to\":\"+447400123456\",\"text\":\"x\"}"

static void without_carriers_live_keys_reach_nobody(void **state)
{
    test_call(LIVE_KEY, JSON, LIVE_BODY);
    test_assert_problem(400, "unsupported_destination", "to");
}

static void live_messages_cost_what_the_balance_covers(void **state)
{
    api_set_routing(test_api, &live_routing);
    assert_int_equal(test_call(LIVE_KEY, JSON, LIVE_BODY)->status, 201); /* not metered */
    assert_string_equal(test_member("cost.amount"), "0.045");
    assert_string_equal(test_member("livemode"), "true");
    set_balance(2 * 45000);
    assert_int_equal(test_call(LIVE_KEY, JSON, LIVE_BODY)->status, 201);
    assert_int_equal(test_call(LIVE_KEY, JSON "\nIdempotency-Key: a", LIVE_BODY)->status, 201);
    assert_int_equal(test_call(LIVE_KEY, JSON "\nIdempotency-Key: a", LIVE_BODY)->status, 201);
    test_call(LIVE_KEY, JSON "\nIdempotency-Key: b", LIVE_BODY);
    test_assert_problem(400, "insufficient_balance", NULL);
    assert_string_equal(test_member("message"),
                        "The message costs 0.045 USD; the balance does not cover it.");
    test_call(LIVE_KEY, "GET /v1/messages", NULL);
    assert_string_equal(test_member("pagination.totalCount"), "3");
    assert_int_equal(test_call(TEST_KEY, JSON, LIVE_BODY)->status, 201); /* costs nothing */
    set_balance(45000);
    assert_int_equal(test_call(LIVE_KEY, JSON "\nIdempotency-Key: b", LIVE_BODY)->status, 201);
}

static void routes_that_were_not_taken_are_told(void **state)
{
    struct carrier acme = {.name = "acme", .number = 3, .health = CARRIER_HEALTH_FULL};
    struct carrier other = {.name = "other", .number = 5, .health = CARRIER_HEALTH_FULL};
    struct carrier_route routes[] = {
        {.name = STR("first"), .prefix = "44", .carrier = 1, .weight = 1},
        {.name = STR("second"), .carrier = 0, .weight = 1},
    };
    struct routing routing = {
        .senders = {&live_sender, 1, NULL}, .carriers = {&acme, &other}, .carrier_count = 2};

    routing_sort(&routing, routes, 2);
    api_set_routing(test_api, &routing);
    test_call(LIVE_KEY, JSON, "{\"to\":\"+447400123456\",\"text\":\"x\",\"dryRun\":true}");
    assert_string_equal(
        test_member("routesRefused"),
        "[{\"from\":\"+447700900001\",\"numberType\":\"local\",\"route\":\"second\",\"carrier\":"
        "\"acme\",\"reason\":\"A route with a longer prefix comes first.\"}]");
    other.health = 0;
    test_call(LIVE_KEY, JSON, "{\"to\":\"+447400123456\",\"text\":\"x\",\"dryRun\":true}");
    assert_string_equal(test_member("routing.reason"), "failover");
    assert_string_equal(test_member("routesRefused.0.route"), "first");
    assert_string_equal(test_member("routesRefused.0.reason"),
                        "Its carrier could not take the message.");
}

static void prices_can_change(void **state)
{
    struct price_record record = {.kind = KIND_SMS, .prefix = "44", .micros = 1234};
    struct price_list *prices;

    assert_int_equal(price_list_make(&prices, &record, 1, test_now_us), 0);
    api_set_routing(test_api, &live_routing);
    api_set_prices(test_api, prices);
    test_call(LIVE_KEY, JSON, LIVE_BODY);
    assert_string_equal(test_member("cost.amount"), "0.001234");
    api_set_prices(test_api, NULL);
    test_call(LIVE_KEY, JSON, LIVE_BODY);
    assert_string_equal(test_member("cost.amount"), "0.045");
    price_list_free(prices);
}

/* ---- the way to disk ---- */

static struct store_engine engine;

static int no_insert(struct store *s, const struct message *m)
{
    return store_fail(s, -ENOSPC, "no room");
}

static void what_cannot_be_stored_is_not_accepted(void **state)
{
    engine = *test_store->engine;
    engine.message_insert = no_insert;
    const struct store_engine *whole = test_set_engine(&engine);
    test_call(TEST_KEY, JSON, "{" TO ",\"text\":\"x\"}");
    test_assert_problem(503, "service_unavailable", NULL);
    assert_string_equal(test_header("Retry-After"), "5");
    test_set_engine(whole);
    test_call(TEST_KEY, "GET /v1/messages", NULL);
    assert_string_equal(test_member("pagination.totalCount"), "0");
    assert_int_equal(test_call(TEST_KEY, JSON, "{" TO ",\"text\":\"x\"}")->status, 201);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_message_is_kept_before_it_is_answered),
        API_TEST(content_types),
        API_TEST(json_in_a_form_is_told_the_header),
        API_TEST(faults_are_named_in_order),
        API_TEST(sizes_are_refused),
        API_TEST(extras_are_kept_and_shown),
        API_TEST(a_form_holds_them_too),
        API_TEST(extras_of_the_wrong_kind),
        API_TEST(a_dry_run_stores_nothing),
        API_TEST(without_carriers_live_keys_reach_nobody),
        API_TEST(live_messages_cost_what_the_balance_covers),
        API_TEST(routes_that_were_not_taken_are_told),
        API_TEST(prices_can_change),
        API_TEST(what_cannot_be_stored_is_not_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
