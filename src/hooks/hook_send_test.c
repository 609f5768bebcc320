/* What goes out: payload, header, signatures, and where to. */
#include "hooks/test_hooks.h"

#include "view/signature.h"

#include <stdio.h>

#define URL        "https://one.example/hook"
#define OTHER      "https://other.example/hook"
#define OLD_SECRET "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"

/* Both signatures are those of exactly these bytes. */
static void check_signed(const struct test_flight *f, struct str secret, struct str old)
{
    BUF_CLEANUP struct buf out;
    struct signing s = {.secret = secret,
                        .old_secret = old,
                        .id = str_of(test_header(f, "X-Service-Event-Id")),
                        .timestamp_s = test_now_us / 1000000,
                        .body = str_of(f->body)};

    buf_init(&out, 1024);
    signature_of_body(&s, &out);
    assert_true(str_eq(buf_str(&out), str_of(test_header(f, "X-Service-Signature"))));
    buf_clear(&out);
    signature_standard(&s, &out);
    assert_true(str_eq(buf_str(&out), str_of(test_header(f, "webhook-signature"))));
}

static void test_event_of_a_message(void **state)
{
    test_endpoint(URL);
    int64_t message = test_message_add("", "");
    test_settle();
    const struct test_flight *f = test_only();
    assert_true(test_tells(f, "\"type\":\"message.queued\""));
    assert_true(test_tells(f, "\"sequence\":1"));
    assert_true(test_tells(f, "\"livemode\":false"));
    assert_true(test_tells(f, "\"text\":\"Hello\""));
    assert_true(test_tells(f, "\"status\":\"queued\""));
    assert_string_equal(test_header(f, "X-Service-Event-Type"), "message.queued");
    assert_string_equal(test_header(f, "X-Service-Attempt"), "1");
    assert_string_equal(test_header(f, "Content-Type"), "application/json");
    assert_string_equal(test_header(f, "X-Service-Timestamp"), "2025-11-15T01:02:03.004Z");
    assert_string_equal(test_header(f, "webhook-timestamp"), "1763168523");
    assert_string_equal(test_header(f, "webhook-id"), test_header(f, "X-Service-Event-Id"));
    assert_true(test_tells(f, test_header(f, "X-Service-Event-Id")));
    check_signed(f, STR(TEST_SECRET), STR(""));
    test_answer(test_only(), 200);
    test_message_move(message, STATUS_SENT);
    test_settle();
    assert_true(test_tells(test_only(), "\"type\":\"message.sent\""));
    assert_true(test_tells(test_only(), "\"sequence\":2"));
}

/* The same event has the same bytes, however often it is sent and whatever has happened since. */
static void test_same_bytes(void **state)
{
    test_endpoint(URL);
    int64_t message = test_message_add("", "");
    test_settle();
    test_answer(test_only(), 500);
    test_message_move(message, STATUS_SENT);
    test_pass(2 * TEST_MINUTE);
    const struct test_flight *again = test_only();
    assert_string_equal(again->body, test_flights[0].body);
    assert_string_equal(test_header(again, "X-Service-Event-Id"),
                        test_header(&test_flights[0], "X-Service-Event-Id"));
    assert_string_equal(test_header(again, "X-Service-Delivery"),
                        test_header(&test_flights[0], "X-Service-Delivery"));
    assert_string_equal(test_header(again, "X-Service-Attempt"), "2");
    assert_string_not_equal(test_header(again, "webhook-timestamp"),
                            test_header(&test_flights[0], "webhook-timestamp"));
    check_signed(again, STR(TEST_SECRET), STR(""));
}

static void test_test_event(void **state)
{
    test_delivery_add(test_endpoint(URL));
    test_settle();
    assert_true(test_tells(test_only(), "\"type\":\"webhook.test\""));
    assert_true(test_tells(test_only(), "\"webhookId\":\"whk_"));
    check_signed(test_only(), STR(TEST_SECRET), STR(""));
}

static void test_rotation(void **state)
{
    int64_t endpoint = test_endpoint(URL), delivery;
    struct endpoint_record e = test_endpoint_look(endpoint);
    size_t count;

    e.old_secret = STR(OLD_SECRET);
    e.old_until_us = test_now_us + TEST_HOUR;
    test_endpoint_change(&e);
    delivery = test_delivery_add(endpoint);
    test_settle();
    check_signed(test_only(), STR(TEST_SECRET), STR(OLD_SECRET));
    /* The log has both headers. */
    const char *first = test_header(test_only(), "X-Service-Signature");
    const char *second = test_header(test_only(), "webhook-signature");
    test_answer(test_only(), 200);
    struct attempt_record *a = test_attempts(delivery, &count);
    struct str rest = a->signature;
    assert_true(str_is(str_cut(&rest, '\n'), first));
    assert_true(str_is(rest, second));
    /* The grace is over. */
    test_now_us += TEST_HOUR;
    test_delivery_add(endpoint);
    test_settle();
    check_signed(test_only(), STR(TEST_SECRET), STR(""));
}

static int64_t endpoint_of(int64_t message)
{
    struct delivery_record *list;
    size_t count;

    assert_int_equal(store_delivery_of_message(test_reader, message, &test_arena, &list, &count),
                     0);
    assert_true(count > 0);
    return list[0].endpoint;
}

static struct secret_record message_secret(void)
{
    struct secret_record s;

    assert_int_equal(store_secret_get(test_reader, TEST_ACCOUNT, MODE_TEST, &test_arena, &s), 0);
    return s;
}

/* Signed with a secret of the account that is made when it is needed first. */
static void test_address_of_a_message(void **state)
{
    int64_t message = test_message_add(URL "?order=7", "");

    test_settle();
    assert_int_equal(test_sent, 0); /* that it was accepted its sender knows */
    test_message_move(message, STATUS_SENT);
    test_settle();
    assert_string_equal(test_only()->url, URL "?order=7");
    assert_null(secret_fault(message_secret().secret));
    check_signed(test_only(), message_secret().secret, STR(""));
    test_answer(test_only(), 200);
    message = test_message_add(URL "?order=8", "");
    test_message_move(message, STATUS_FAILED);
    test_settle();
    assert_string_equal(test_only()->url, URL "?order=8");
    check_signed(test_only(), message_secret().secret, STR(""));
}

/* A failure goes to the other address within the same try. */
static void test_failover(void **state)
{
    int64_t message = test_message_add(URL, OTHER);
    size_t count;

    test_message_move(message, STATUS_SENT);
    test_settle();
    assert_string_equal(test_only()->url, URL);
    test_answer(test_only(), 500);
    assert_string_equal(test_only()->url, OTHER);
    assert_string_equal(test_header(test_only(), "X-Service-Attempt"), "2");
    assert_string_equal(test_only()->body, test_flights[0].body);
    check_signed(test_only(), message_secret().secret, STR(""));
    test_answer(test_only(), 200);
    int64_t endpoint = endpoint_of(message);
    struct delivery_record d = test_deliveries(endpoint).records[0];
    assert_int_equal(d.state, DELIVERY_DONE);
    assert_int_equal(d.tries, 1);
    assert_int_equal(d.attempts, 2);
    struct attempt_record *a = test_attempts(d.id, &count);
    assert_int_equal(count, 2);
    assert_int_equal(a[0].status, 500);
    assert_false(a[0].failover);
    assert_true(str_is(a[0].url, URL));
    assert_int_equal(a[1].status, 200);
    assert_true(a[1].failover);
    assert_true(str_is(a[1].url, OTHER));
    /* It is the first address that has failed. */
    assert_int_equal(test_endpoint_look(endpoint).failures, 1);
}

/* Both fail: one try is used up, and the next one begins with the first address. */
static void test_both_fail(void **state)
{
    int64_t message = test_message_add(URL, OTHER);

    test_message_move(message, STATUS_SENT);
    test_settle();
    test_answer(test_only(), 500);
    test_answer(test_only(), 500);
    struct delivery_record d = test_deliveries(endpoint_of(message)).records[0];
    assert_int_equal(d.state, DELIVERY_WAITING);
    assert_int_equal(d.tries, 1);
    assert_int_equal(d.attempts, 2);
    assert_int_equal(test_endpoint_look(d.endpoint).failures, 1);
    test_pass(2 * TEST_MINUTE);
    assert_string_equal(test_only()->url, URL);
    assert_string_equal(test_header(test_only(), "X-Service-Attempt"), "3");
}

static void test_gone_of_a_message(void **state)
{
    int64_t message = test_message_add(URL, "");

    test_message_move(message, STATUS_SENT);
    test_settle();
    test_answer(test_only(), 410);
    struct delivery_record d = test_deliveries(endpoint_of(message)).records[0];
    assert_int_equal(d.state, DELIVERY_FAILED);
    assert_int_equal(test_endpoint_look(d.endpoint).off, ENDPOINT_OFF_NONE);
    assert_int_equal(test_endpoint_look(d.endpoint).failures, 0);
}

/* While the first address rests, those that have another go there; the rest waits. */
static void test_failover_while_paused(void **state)
{
    int64_t message = 0;

    for (int i = 0; i < 10; i++) {
        message = test_message_add(URL, "");
        test_message_move(message, STATUS_SENT);
    }
    test_settle();
    while (test_under_way())
        test_answer_all(500);
    assert_int_equal(test_sent, 10);
    assert_int_equal(test_endpoint_look(endpoint_of(message)).paused_until_us,
                     test_now_us + 5 * TEST_MINUTE);
    int64_t without = test_message_add(URL, ""), with = test_message_add(URL, OTHER);
    test_message_move(without, STATUS_SENT);
    test_message_move(with, STATUS_SENT);
    test_settle();
    assert_string_equal(test_only()->url, OTHER);
    test_answer(test_only(), 200);
    assert_int_equal(test_under_way(), 0);
    test_auto_status = 200;
    test_pass(5 * TEST_MINUTE);
    struct delivery_page page = test_deliveries(endpoint_of(message));
    assert_int_equal(page.count, 12);
    for (size_t i = 0; i < page.count; i++)
        assert_int_equal(page.records[i].state, DELIVERY_DONE);
    assert_int_equal(test_endpoint_look(endpoint_of(message)).paused_until_us, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HOOKS_TEST(test_event_of_a_message),
        HOOKS_TEST(test_same_bytes),
        HOOKS_TEST(test_test_event),
        HOOKS_TEST(test_rotation),
        HOOKS_TEST(test_address_of_a_message),
        HOOKS_TEST(test_failover),
        HOOKS_TEST(test_both_fail),
        HOOKS_TEST(test_gone_of_a_message),
        HOOKS_TEST(test_failover_while_paused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
