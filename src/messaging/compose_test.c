#include "messaging/compose.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define NOW_US INT64_C(1763168523004005) /* 2025-11-15T01:02:03.004005Z */

static struct arena arena;
static struct message message;
static struct problem problem;
static struct send_context context;
static struct address_guard *guard;

static int set_up(void **state)
{
    struct address_guard_options strict = {.allow = ""};
    char why[ADDRESS_WHY_SIZE];

    arena_init(&arena, 1 << 16);
    assert_int_equal(address_guard_new(&guard, &strict, why), 0);
    context = (struct send_context){.account = 11,
                                    .mode = MODE_TEST,
                                    .now_us = NOW_US,
                                    .routing = &routing_test,
                                    .guard = guard,
                                    .optouts = optouts_new((const uint8_t *)"0123456789abcdef")};
    assert_non_null(context.optouts);
    return 0;
}

static int tear_down(void **state)
{
    arena_done(&arena);
    optouts_free(context.optouts);
    address_guard_free(guard);
    return 0;
}

static struct send_request request(const char *to, const char *text)
{
    return (struct send_request){
        .to = str_of(to),
        .text = str_of(text),
        .has_to = true,
        .has_text = true,
    };
}

static bool compose(const struct send_request *r)
{
    problem = (struct problem){0};
    message = (struct message){0};
    return message_compose(r, &context, &arena, &message, &problem);
}

static void check_refused(const struct send_request *r, enum problem_code code, const char *field)
{
    assert_false(compose(r));
    assert_int_equal(problem.code, code);
    assert_non_null(problem.message);
    if (field)
        assert_string_equal(problem.field, field);
    else
        assert_null(problem.field);
}

static void a_plain_message(void **state)
{
    struct send_request r = request("+15551234567", "Hello");

    assert_true(compose(&r));
    assert_int_equal(message.account, 11);
    assert_int_equal(message.mode, MODE_TEST);
    assert_int_equal(message.status, STATUS_QUEUED);
    assert_int_equal(message.direction, DIRECTION_OUTBOUND);
    assert_int_equal(message.type, TYPE_TRANSACTIONAL);
    assert_int_equal(message.kind, KIND_SMS);
    assert_true(str_is(message.from, "+18005551234"));
    assert_true(str_is(message.to, "+15551234567"));
    assert_true(str_is(message.text, "Hello"));
    assert_int_equal(message.media.n, 0);
    assert_int_equal(message.encoding, ENCODING_GSM7);
    assert_int_equal(message.segments, 1);
    assert_int_equal(message.number_type, NUMBER_TOLL_FREE);
    assert_int_equal(message.coverage, COVERAGE_HIGH);
    assert_int_equal(message.reason, REASON_SMART);
    assert_int_equal(message.calling_code, 1);
    assert_string_equal(message.country, "US");
    assert_int_equal(message.cost_micros, 0);
    assert_string_equal(message.currency, "USD");
    assert_true(message.rate_limit > 0);
}

static void live_with_a_sender_costs(void **state)
{
    static const struct sender sender = {.address = {"+447700900001", 13},
                                         .type = NUMBER_LOCAL,
                                         .calling_code = 44,
                                         .messages_per_minute = 60};
    static const struct routing routing = {.senders = {&sender, 1, NULL}};
    struct send_request r = request("+447400123456", "Привет");

    context.mode = MODE_LIVE;
    context.routing = &routing_none;
    check_refused(&r, PROBLEM_UNSUPPORTED_DESTINATION, "to");
    context.routing = &routing;
    assert_true(compose(&r));
    assert_int_equal(message.mode, MODE_LIVE);
    assert_int_equal(message.cost_micros, 45000);
    assert_int_equal(message.encoding, ENCODING_UCS2);
    assert_string_equal(message.country, "GB");
}

static void live_messages_have_a_carrier(void **state)
{
    static const struct sender sender = {
        .address = {"+447700900001", 13}, .type = NUMBER_LOCAL, .calling_code = 44};
    struct carrier acme = {.name = "acme", .number = 3, .health = CARRIER_HEALTH_FULL};
    struct carrier other = {.name = "other", .number = 5, .health = CARRIER_HEALTH_FULL};
    struct carrier_route routes[] = {
        {.name = STR("codes"), .prefix = "44", .types = 1 << TYPE_OTP, .carrier = 1, .weight = 1},
        {.name = STR("all"), .prefix = "44", .priority = 10, .carrier = 0, .weight = 1},
    };
    struct routing routing = {
        .senders = {&sender, 1, NULL}, .carriers = {&acme, &other}, .carrier_count = 2};
    struct send_request r = request("+447400123456", "x"), far = request("+12025550123", "x");

    routing_sort(&routing, routes, 2);
    context.mode = MODE_LIVE;
    context.routing = &routing;
    assert_true(compose(&r));
    assert_int_equal(message.carrier, 3);
    assert_int_equal(message.reason, REASON_LOCAL);
    check_refused(&far, PROBLEM_UNSUPPORTED_DESTINATION, "to");
    r.message_type = STR("otp");
    r.has_message_type = true;
    assert_true(compose(&r));
    assert_int_equal(message.carrier, 5);
    other.health = 0;
    assert_true(compose(&r));
    assert_int_equal(message.carrier, 3);
    assert_int_equal(message.reason, REASON_FAILOVER);
    context.mode = MODE_TEST;
    context.routing = &routing_test;
    assert_true(compose(&r));
    assert_int_equal(message.carrier, 0);
}

/* Live messages go to numbers that can exist; test messages go anywhere. */
static void calling_codes_that_nobody_has(void **state)
{
    struct send_request r = request("+9991234567", "x");

    assert_true(compose(&r));
    context.mode = MODE_LIVE;
    check_refused(&r, PROBLEM_UNSUPPORTED_DESTINATION, "to");
    r.from = STR("+447700900123");
    r.has_from = true;
    check_refused(&r, PROBLEM_UNSUPPORTED_DESTINATION, "to");
}

static void media_make_it_mms(void **state)
{
    struct str urls[] = {STR("https://a.example/1.png"), STR("https://b.example/2.png")};
    static char text[1600];
    struct send_request r = request("+15551234567", "");

    r.media = (struct str_list){urls, 2};
    assert_true(compose(&r));
    assert_int_equal(message.kind, KIND_MMS);
    assert_int_equal(message.segments, 1);
    assert_true(str_is(message.media, "https://a.example/1.png\nhttps://b.example/2.png"));
    memset(text, 'x', sizeof text);
    r.text = (struct str){text, sizeof text};
    assert_true(compose(&r));
    assert_int_equal(message.segments, 1);
}

static void everything_that_can_be_given(void **state)
{
    struct str tags[] = {STR("a"), STR("b c")};
    struct send_request r = request("+447400123456", "x");

    r.from = STR("Skylark");
    r.message_type = STR("otp");
    r.subject = STR("Subject");
    r.tags = (struct str_list){tags, 2};
    r.metadata = STR("{\"a\":1}");
    r.validity_s = 60;
    r.scheduled_at = STR("2025-11-15T02:02:03.5+01:00"); /* is in the past */
    r.webhook_url = STR("https://a.example/");
    r.webhook_failover_url = STR("https://b.example/");
    r.has_from = r.has_message_type = r.has_subject = r.has_tags = r.has_metadata = true;
    r.has_validity_s = r.has_scheduled_at = r.has_webhook_url = r.has_webhook_failover_url = true;
    check_refused(&r, PROBLEM_INVALID_SCHEDULED_TIME, "scheduledAt");
    r.scheduled_at = STR("2025-11-15T02:12:03.5+01:00");
    assert_true(compose(&r));
    assert_int_equal(message.status, STATUS_SCHEDULED);
    assert_int_equal(message.scheduled_us, NOW_US + 600495995);
    assert_int_equal(message.type, TYPE_OTP);
    assert_int_equal(message.reason, REASON_USER);
    assert_true(str_is(message.from, "Skylark"));
    assert_true(str_is(message.subject, "Subject"));
    assert_true(str_is(message.tags, "a\nb c"));
    assert_true(str_is(message.metadata, "{\"a\":1}"));
    assert_int_equal(message.validity_s, 60);
    assert_true(str_is(message.webhook_url, "https://a.example/"));
    assert_true(str_is(message.webhook_failover_url, "https://b.example/"));
}

static void no_memory_is_our_fault(void **state)
{
    struct arena small;
    static char url[500];
    struct str urls[] = {{url, sizeof url}};
    struct send_request r = request("+15551234567", "x");

    memset(url, 'a', sizeof url);
    memcpy(url, "https://", 8);
    r.media = (struct str_list){urls, 1};
    arena_init(&small, 64);
    message = (struct message){0};
    assert_false(message_compose(&r, &context, &small, &message, &problem));
    assert_int_equal(problem.code, PROBLEM_INTERNAL_ERROR);
    arena_done(&small);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

/* ---- where no MMS goes ---- */

static struct carrier smsc = {.name = "smsc", .number = 7, .health = CARRIER_HEALTH_FULL};
static struct sender live_senders[] = {
    {.address = {"+447700900123", 13},
     .type = NUMBER_LOCAL,
     .calling_code = 44,
     .messages_per_minute = 60},
    {.address = {"+447700900124", 13},
     .type = NUMBER_LOCAL,
     .calling_code = 44,
     .messages_per_minute = 60},
};
static struct carrier_route to_smsc[] = {{.kinds = 1u << KIND_SMS, .weight = 1}};
static struct routing texts_only = {
    .senders = {live_senders, 2, NULL}, .carriers = {&smsc}, .carrier_count = 1};

static struct send_request with_media(const char *text)
{
    static struct str urls[2] = {{"https://a.example/1.png", 23}, {"https://b.example/2.png", 23}};
    struct send_request r = request("+447400123456", text);

    r.media = (struct str_list){urls, 2};
    routing_sort(&texts_only, to_smsc, 1);
    context.mode = MODE_LIVE;
    context.routing = &texts_only;
    return r;
}

static void links_when_the_sender_says_so(void **state)
{
    struct send_request r = with_media("Look:");

    live_senders[0].links = false;
    live_senders[1].links = true;
    assert_true(compose(&r));
    assert_int_equal(message.kind, KIND_SMS);
    assert_int_equal(message.carrier, 7);
    assert_true(str_is(message.from, "+447700900124")); /* the one that has the rule */
    assert_true(str_is(message.text, "Look:\nhttps://a.example/1.png\nhttps://b.example/2.png"));
    assert_true(str_is(message.media, "https://a.example/1.png\nhttps://b.example/2.png"));
    assert_int_equal(message.segments, 1);
    int64_t one = message.cost_micros;
    r = with_media("");
    assert_true(compose(&r));
    assert_true(str_is(message.text, "https://a.example/1.png\nhttps://b.example/2.png"));
    char longer[151] = "";
    memset(longer, 'x', 150);
    r = with_media(longer);
    assert_true(compose(&r));
    assert_int_equal(message.segments, 2);
    assert_int_equal(message.cost_micros, 2 * one);
}

static void no_links_without_the_rule(void **state)
{
    struct send_request r = with_media("Look:");

    live_senders[0].links = live_senders[1].links = false;
    check_refused(&r, PROBLEM_MMS_NOT_SUPPORTED, "mediaUrls");
    live_senders[1].links = true;
    r.from = STR("+447700900123");
    r.has_from = true;
    check_refused(&r, PROBLEM_MMS_NOT_SUPPORTED, "mediaUrls");
    assert_non_null(strstr(problem.message, "from the sender '+447700900123'"));
    r.from = STR("+447700900124");
    assert_true(compose(&r));
    assert_int_equal(message.kind, KIND_SMS);
}

static void links_that_are_too_long(void **state)
{
    char text[1553] = "";

    live_senders[1].links = true;
    memset(text, 'x', 1552); /* with 48 for the links it is as long as may be */
    struct send_request r = with_media(text);
    assert_true(compose(&r));
    char more[1554] = "";
    memset(more, 'x', 1553);
    r = with_media(more);
    check_refused(&r, PROBLEM_MMS_NOT_SUPPORTED, "mediaUrls");
    assert_non_null(strstr(problem.message, "has 1601 characters"));
}

/* Where MMS goes it goes. */
static void no_links_where_mms_goes(void **state)
{
    struct send_request r = with_media("Look:");

    to_smsc[0].kinds = 0;
    live_senders[0].links = live_senders[1].links = true;
    assert_true(compose(&r));
    assert_int_equal(message.kind, KIND_MMS);
    assert_true(str_is(message.text, "Look:"));
    to_smsc[0].kinds = 1u << KIND_SMS;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_plain_message),
        TEST(live_with_a_sender_costs),
        TEST(live_messages_have_a_carrier),
        TEST(calling_codes_that_nobody_has),
        TEST(media_make_it_mms),
        TEST(links_when_the_sender_says_so),
        TEST(no_links_without_the_rule),
        TEST(links_that_are_too_long),
        TEST(no_links_where_mms_goes),
        TEST(everything_that_can_be_given),
        TEST(no_memory_is_our_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
