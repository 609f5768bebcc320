#include "messaging/send_check.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define NOW_US INT64_C(1763168523004005) /* 2025-11-15T01:02:03.004005Z */

static struct arena arena;
static struct message message;
static struct problem problem;
static struct send_context context;
static struct address_guard *guard;
static struct send_request request;

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
    request = (struct send_request){
        .to = STR("+15551234567"), .text = STR("x"), .has_to = true, .has_text = true};
    return 0;
}

static int tear_down(void **state)
{
    arena_done(&arena);
    optouts_free(context.optouts);
    address_guard_free(guard);
    return 0;
}

static bool check(void)
{
    problem = (struct problem){0};
    message = (struct message){0};
    return send_check(&request, &context, &arena, &message, &problem);
}

static void check_refused(enum problem_code code, const char *field)
{
    assert_false(check());
    assert_int_equal(problem.code, code);
    assert_non_null(problem.message);
    if (field)
        assert_string_equal(problem.field, field);
    else
        assert_null(problem.field);
}

/* ---- to ---- */

static void a_bad_number_is_shown_but_cut(void **state)
{
    request.to = STR("0123");
    check_refused(PROBLEM_INVALID_PHONE_NUMBER, "to");
    assert_non_null(strstr(problem.message, "'0123'"));
    request.to = STR("1234567890123456789012345678901234567890");
    check_refused(PROBLEM_INVALID_PHONE_NUMBER, "to");
    assert_non_null(strstr(problem.message, "'12345678901234567890123456789012…'"));
    request.to = STR("+1\n5551234567");
    check_refused(PROBLEM_INVALID_PHONE_NUMBER, "to");
    assert_null(strchr(problem.message, '\n'));
    request.to = STR("1234567890123456789012345678901\xc3\xa9"); /* not cut inside a character */
    check_refused(PROBLEM_INVALID_PHONE_NUMBER, "to");
    assert_non_null(strstr(problem.message, "'1234567890123456789012345678901…'"));
}

static void test_numbers_act_for_test_keys_only(void **state)
{
    request.to = STR("+15550001001");
    check_refused(PROBLEM_INVALID_PHONE_NUMBER, "to");
    request.to = STR("+15550001002");
    check_refused(PROBLEM_CARRIER_REJECTED, "to");
    request.to = STR("+15550001003");
    check_refused(PROBLEM_RATE_LIMIT_EXCEEDED, NULL);
    assert_true(problem.retry_after_s > 0);
    request.to = STR("+15550001004");
    check_refused(PROBLEM_INTERNAL_ERROR, NULL);
    request.to = STR("+15550009995");
    check_refused(PROBLEM_SERVICE_UNAVAILABLE, NULL);
    assert_true(problem.retry_after_s > 0);
    context.mode = MODE_LIVE;
    assert_true(check());
    context.mode = MODE_TEST;
    request.to = STR("+15005550002"); /* fails later, at the carrier */
    assert_true(check());
}

/* ---- text and media ---- */

static void text_rules(void **state)
{
    static char long_text[1601 * 2];

    request.text = STR("");
    check_refused(PROBLEM_TEXT_REQUIRED, "text");
    request.text = STR("a\0b");
    check_refused(PROBLEM_INVALID_PARAMETER, "text");
    request.text = STR("a\xff");
    check_refused(PROBLEM_INVALID_PARAMETER, "text");
    for (size_t i = 0; i < sizeof long_text; i += 2)
        memcpy(long_text + i, "\xc3\xa9", 2);
    request.text = (struct str){long_text, 1600 * 2};
    assert_true(check());
    request.text = (struct str){long_text, 1601 * 2};
    check_refused(PROBLEM_TEXT_TOO_LONG, "text");
    assert_non_null(strstr(problem.message, "1601"));
}

static void media_rules(void **state)
{
    struct str urls[11];

    for (size_t i = 0; i < 11; i++)
        urls[i] = STR("https://a.example/");
    request.media = (struct str_list){urls, 11};
    check_refused(PROBLEM_TOO_MANY_MEDIA, "mediaUrls");
    request.media.count = 10;
    assert_true(check());
    urls[9] = STR("http://a.example/");
    check_refused(PROBLEM_INVALID_MEDIA_URL, "mediaUrls");
    assert_string_equal(problem.message, "mediaUrls[9] must start with https://.");
    urls[3] = STR("https://bob:word@a.example/");
    check_refused(PROBLEM_INVALID_MEDIA_URL, "mediaUrls");
    assert_string_equal(problem.message, "mediaUrls[3] must not have a user name or password; use "
                                         "an address that is signed.");
}

/* ---- the rest ---- */

static void types_are_words(void **state)
{
    assert_true(check());
    assert_int_equal(message.type, TYPE_TRANSACTIONAL);
    request.has_message_type = true;
    request.message_type = STR("alert");
    assert_true(check());
    assert_int_equal(message.type, TYPE_ALERT);
    request.message_type = STR("ALERT");
    check_refused(PROBLEM_INVALID_MESSAGE_TYPE, "messageType");
    request.message_type = STR("");
    check_refused(PROBLEM_INVALID_MESSAGE_TYPE, "messageType");
}

static void subjects_are_one_line(void **state)
{
    static char text[257 * 2];

    for (size_t i = 0; i < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    request.has_subject = true;
    request.subject = (struct str){text, 256 * 2};
    assert_true(check());
    request.subject = (struct str){text, 257 * 2};
    check_refused(PROBLEM_INVALID_PARAMETER, "subject");
    request.subject = STR("a\r\nb");
    check_refused(PROBLEM_INVALID_PARAMETER, "subject");
    request.subject = STR("a\0b");
    check_refused(PROBLEM_INVALID_PARAMETER, "subject");
}

static void tags_are_few_and_short(void **state)
{
    static char words[21][8];
    static char text[51 * 2];
    struct str tags[21];

    for (size_t i = 0; i < 21; i++) {
        snprintf(words[i], sizeof words[i], "t%zu", i);
        tags[i] = str_of(words[i]);
    }
    request.has_tags = true;
    request.tags = (struct str_list){tags, 20};
    assert_true(check());
    request.tags.count = 21;
    check_refused(PROBLEM_INVALID_TAGS, "tags");
    assert_string_equal(problem.message, "21 tags were given; at most 20 are allowed.");
    request.tags.count = 3;
    for (size_t i = 0; i < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    tags[2] = (struct str){text, 50 * 2};
    assert_true(check());
    static const struct {
        struct str tag;
        const char *said;
    } bad[] = {{{text, 51 * 2}, "tags[2] is longer than 50 characters."},
               {{"", 0}, "tags[2] is empty."},
               {{"a\nb", 3}, "tags[2] contains a control character."},
               {{"a\0b", 3}, "tags[2] contains a control character."},
               {{"t0", 2}, "tags[2] is the same as one before it."}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tags[2] = bad[i].tag;
        check_refused(PROBLEM_INVALID_TAGS, "tags");
        assert_string_equal(problem.message, bad[i].said);
    }
}

static void metadata_is_small(void **state)
{
    static char text[4097];

    request.has_metadata = true;
    request.metadata = (struct str){text, 4096};
    assert_true(check());
    request.metadata = (struct str){text, 4097};
    check_refused(PROBLEM_INVALID_METADATA, "metadata");
    assert_string_equal(problem.message, "metadata has 4097 bytes; at most 4096 are allowed.");
}

static void validity_has_bounds(void **state)
{
    static const int64_t good[] = {60, 172800}, bad[] = {0, 59, 172801, -60, INT64_MAX, INT64_MIN};

    request.has_validity_s = true;
    for (size_t i = 0; i < 2; i++) {
        request.validity_s = good[i];
        assert_true(check());
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        request.validity_s = bad[i];
        check_refused(PROBLEM_INVALID_PARAMETER, "validityPeriod");
    }
}

static void times_lie_ahead(void **state)
{
    static const char *const malformed[] = {
        "",
        "soon",
        "2025-11-15",
        "2025-11-15T02:00:00",
        "2025-11-31T02:00:00Z",
        "2026-02-29T02:00:00Z",
        "2025-11-15T24:00:00Z",
        "2025-11-15T02:60:00Z",
        "2025-11-15 02:00:00Z",
        "2025-11-15T02:00:00+0100",
        "1763172000",
    };
    char text[RFC3339_SIZE];

    request.has_scheduled_at = true;
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        request.scheduled_at = str_of(malformed[i]);
        check_refused(PROBLEM_INVALID_SCHEDULED_TIME, "scheduledAt");
    }
    context.now_us = NOW_US - NOW_US % 1000; /* what can be written exactly */
    rfc3339_format(context.now_us + SCHEDULE_MIN_US, text);
    request.scheduled_at = str_of(text);
    assert_true(check());
    assert_int_equal(message.scheduled_us, context.now_us + SCHEDULE_MIN_US);
    rfc3339_format(context.now_us + SCHEDULE_MIN_US - 1000, text);
    check_refused(PROBLEM_INVALID_SCHEDULED_TIME, "scheduledAt");
    assert_non_null(strstr(problem.message, "5 minutes"));
    rfc3339_format(context.now_us + SCHEDULE_MAX_US, text);
    assert_true(check());
    rfc3339_format(context.now_us + SCHEDULE_MAX_US + 1000, text);
    check_refused(PROBLEM_INVALID_SCHEDULED_TIME, "scheduledAt");
    assert_non_null(strstr(problem.message, "35 days"));
}

static void webhooks_are_https(void **state)
{
    request.has_webhook_failover_url = true;
    request.webhook_failover_url = STR("https://b.example/");
    check_refused(PROBLEM_INVALID_WEBHOOK_URL, "webhookFailoverUrl");
    request.has_webhook_url = true;
    request.webhook_url = STR("https://a.example/");
    assert_true(check());
    request.webhook_url = STR("http://a.example/");
    check_refused(PROBLEM_INVALID_WEBHOOK_URL, "webhookUrl");
    assert_string_equal(problem.message, "webhookUrl must start with https://.");
    request.webhook_url = STR("https://a.example/");
    request.webhook_failover_url = STR("https://");
    check_refused(PROBLEM_INVALID_WEBHOOK_URL, "webhookFailoverUrl");
    request.webhook_failover_url = STR("https://10.1.2.3/");
    check_refused(PROBLEM_INVALID_WEBHOOK_URL, "webhookFailoverUrl");
    request.webhook_url = STR("https://localhost/");
    check_refused(PROBLEM_INVALID_WEBHOOK_URL, "webhookUrl");
}

static void who_has_opted_out_is_not_written_to(void **state)
{
    assert_int_equal(optouts_add(context.optouts, 11, MODE_TEST, STR("+15551234567")), 0);
    check_refused(PROBLEM_RECIPIENT_OPTED_OUT, "to");
    assert_string_equal(problem.message, "+15551234567 has opted out of your messages.");
    context.mode = MODE_LIVE;
    assert_true(check());
    context.mode = MODE_TEST;
    context.account = 12;
    assert_true(check());
}

/* Each request has all the faults of those below it too. */
static void faults_are_named_in_order(void **state)
{
    struct str bad_url = STR("http://a.example/"), empty = STR("");

    request = (struct send_request){.to = STR("nonsense"),
                                    .media = {&bad_url, 1},
                                    .text = STR("\xff"),
                                    .message_type = STR("x"),
                                    .has_message_type = true,
                                    .subject = STR("\n"),
                                    .has_subject = true,
                                    .tags = {&empty, 1},
                                    .metadata = {"", 5000},
                                    .has_validity_s = true,
                                    .has_scheduled_at = true,
                                    .has_webhook_url = true};
    check_refused(PROBLEM_INVALID_PHONE_NUMBER, "to");
    request.to = STR("+15551234567");
    check_refused(PROBLEM_INVALID_PARAMETER, "text");
    request.text = STR("x");
    check_refused(PROBLEM_INVALID_MEDIA_URL, "mediaUrls");
    request.media.count = 0;
    check_refused(PROBLEM_INVALID_MESSAGE_TYPE, "messageType");
    request.has_message_type = false;
    check_refused(PROBLEM_INVALID_PARAMETER, "subject");
    request.has_subject = false;
    check_refused(PROBLEM_INVALID_TAGS, "tags");
    request.tags.count = 0;
    check_refused(PROBLEM_INVALID_METADATA, "metadata");
    request.metadata.n = 0;
    check_refused(PROBLEM_INVALID_PARAMETER, "validityPeriod");
    request.has_validity_s = false;
    check_refused(PROBLEM_INVALID_SCHEDULED_TIME, "scheduledAt");
    request.has_scheduled_at = false;
    check_refused(PROBLEM_INVALID_WEBHOOK_URL, "webhookUrl");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_bad_number_is_shown_but_cut),
        TEST(test_numbers_act_for_test_keys_only),
        TEST(text_rules),
        TEST(media_rules),
        TEST(types_are_words),
        TEST(subjects_are_one_line),
        TEST(tags_are_few_and_short),
        TEST(metadata_is_small),
        TEST(validity_has_bounds),
        TEST(times_lie_ahead),
        TEST(webhooks_are_https),
        TEST(who_has_opted_out_is_not_written_to),
        TEST(faults_are_named_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
