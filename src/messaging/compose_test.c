#include "messaging/compose.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct arena arena;
static struct message message;
static struct problem problem;

static int set_up(void **state)
{
    arena_init(&arena, 1 << 16);
    return 0;
}

static int tear_down(void **state)
{
    arena_done(&arena);
    return 0;
}

static struct send_request request(const char *to, const char *text)
{
    return (struct send_request){
        .to = str_of(to),
        .text = str_of(text),
        .has_to = to != NULL,
        .has_text = text != NULL,
        .account = 11,
        .mode = MODE_TEST,
    };
}

static bool compose(const struct send_request *r)
{
    problem = (struct problem){0};
    return message_compose(r, &arena, &message, &problem);
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
    const struct sender sender = {STR("+447700900001"), NUMBER_LOCAL, 44, 60};
    const struct sender_table table = {&sender, 1};
    struct send_request r = request("+447400123456", "Привет");

    r.mode = MODE_LIVE;
    check_refused(&r, PROBLEM_UNSUPPORTED_DESTINATION, "to");
    r.senders = &table;
    assert_true(compose(&r));
    assert_int_equal(message.mode, MODE_LIVE);
    assert_int_equal(message.cost_micros, 45000);
    assert_int_equal(message.encoding, ENCODING_UCS2);
    assert_string_equal(message.country, "GB");
}

static void missing_fields_in_order(void **state)
{
    struct send_request r = request(NULL, NULL);

    check_refused(&r, PROBLEM_MISSING_REQUIRED_FIELD, "to");
    r = request("nonsense", NULL);
    check_refused(&r, PROBLEM_MISSING_REQUIRED_FIELD, "text");
    r = request("nonsense", "");
    check_refused(&r, PROBLEM_INVALID_PHONE_NUMBER, "to");
}

static void a_bad_number_is_shown_but_cut(void **state)
{
    struct send_request r = request("0123", "x");

    check_refused(&r, PROBLEM_INVALID_PHONE_NUMBER, "to");
    assert_non_null(strstr(problem.message, "'0123'"));
    r = request("1234567890123456789012345678901234567890", "x");
    check_refused(&r, PROBLEM_INVALID_PHONE_NUMBER, "to");
    assert_non_null(strstr(problem.message, "'12345678901234567890123456789012…'"));
    r = request("+1\n5551234567", "x");
    check_refused(&r, PROBLEM_INVALID_PHONE_NUMBER, "to");
    assert_null(strchr(problem.message, '\n'));
    r = request("1234567890123456789012345678901\xc3\xa9", "x"); /* not cut inside a character */
    check_refused(&r, PROBLEM_INVALID_PHONE_NUMBER, "to");
    assert_non_null(strstr(problem.message, "'1234567890123456789012345678901…'"));
}

static void text_rules(void **state)
{
    struct send_request r = request("+15551234567", "");
    static char long_text[1601 * 2];

    check_refused(&r, PROBLEM_TEXT_REQUIRED, "text");
    r.text = STR("a\0b");
    check_refused(&r, PROBLEM_INVALID_PARAMETER, "text");
    r.text = STR("a\xff");
    check_refused(&r, PROBLEM_INVALID_PARAMETER, "text");
    for (size_t i = 0; i < sizeof long_text; i += 2)
        memcpy(long_text + i, "\xc3\xa9", 2);
    r.text = (struct str){long_text, 1600 * 2};
    assert_true(compose(&r));
    assert_int_equal(message.segments, 11);
    r.text = (struct str){long_text, 1601 * 2};
    check_refused(&r, PROBLEM_TEXT_TOO_LONG, "text");
    assert_non_null(strstr(problem.message, "1601"));
}

static void media_make_it_mms(void **state)
{
    const struct str urls[] = {STR("https://a.example/1.png"), STR("https://b.example/2.png")};
    struct send_request r = request("+15551234567", "");

    r.media = urls;
    r.media_count = 2;
    assert_true(compose(&r));
    assert_int_equal(message.kind, KIND_MMS);
    assert_int_equal(message.segments, 1);
    assert_true(str_is(message.media, "https://a.example/1.png\nhttps://b.example/2.png"));
}

static void media_rules(void **state)
{
    struct str urls[11];
    struct send_request r = request("+15551234567", "x");

    for (size_t i = 0; i < 11; i++)
        urls[i] = STR("https://a.example/");
    r.media = urls;
    r.media_count = 11;
    check_refused(&r, PROBLEM_TOO_MANY_MEDIA, "mediaUrls");
    r.media_count = 10;
    assert_true(compose(&r));
    urls[9] = STR("http://a.example/");
    check_refused(&r, PROBLEM_INVALID_MEDIA_URL, "mediaUrls");
    assert_string_equal(problem.message, "mediaUrls[9] must start with https://.");
}

static void test_numbers_act_for_test_keys_only(void **state)
{
    const struct sender sender = {STR("+18005550000"), NUMBER_TOLL_FREE, 1, 60};
    const struct sender_table table = {&sender, 1};
    struct send_request r = request("+15550001001", "x");

    check_refused(&r, PROBLEM_INVALID_PHONE_NUMBER, "to");
    r = request("+15550001002", "x");
    check_refused(&r, PROBLEM_CARRIER_REJECTED, "to");
    r = request("+15550001003", "x");
    check_refused(&r, PROBLEM_RATE_LIMIT_EXCEEDED, NULL);
    assert_true(problem.retry_after_s > 0);
    r = request("+15550001004", "x");
    check_refused(&r, PROBLEM_INTERNAL_ERROR, NULL);
    r = request("+15550009995", "x");
    check_refused(&r, PROBLEM_SERVICE_UNAVAILABLE, NULL);
    assert_true(problem.retry_after_s > 0);
    r.mode = MODE_LIVE;
    r.senders = &table;
    assert_true(compose(&r));
    r = request("+15005550002", "x"); /* fails later, at the carrier */
    assert_true(compose(&r));
}

static void no_memory_is_our_fault(void **state)
{
    struct arena small;
    static char url[500];
    const struct str urls[] = {{url, sizeof url}};
    struct send_request r = request("+15551234567", "x");

    memset(url, 'a', sizeof url);
    memcpy(url, "https://", 8);
    r.media = urls;
    r.media_count = 1;
    arena_init(&small, 64);
    assert_false(message_compose(&r, &small, &message, &problem));
    assert_int_equal(problem.code, PROBLEM_INTERNAL_ERROR);
    arena_done(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_message),
        cmocka_unit_test(live_with_a_sender_costs),
        cmocka_unit_test(missing_fields_in_order),
        cmocka_unit_test(a_bad_number_is_shown_but_cut),
        cmocka_unit_test(text_rules),
        cmocka_unit_test(media_make_it_mms),
        cmocka_unit_test(media_rules),
        cmocka_unit_test(test_numbers_act_for_test_keys_only),
        cmocka_unit_test(no_memory_is_our_fault),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
