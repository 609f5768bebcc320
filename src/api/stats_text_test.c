#include "api/stats_text.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define NOW_US INT64_C(1800000000125000)

static struct stats_text text;
static struct buf out;

static int set_up(void **state)
{
    stats_text_init(&text);
    buf_init(&out, 1 << 16);
    return 0;
}

static int tear_down(void **state)
{
    stats_text_done(&text);
    buf_done(&out);
    return 0;
}

static const char *write_it(const struct stats *s, const struct bottleneck *found, size_t count,
                            const struct bottleneck *of_key)
{
    buf_clear(&out);
    assert_int_equal(stats_text_write(&text, s, found, count), 0);
    stats_text_add(&text, of_key, &out);
    buf_add_char(&out, '\0');
    assert_false(out.failed);
    return out.p;
}

static void assert_has(const char *json, const char *part)
{
    if (!strstr(json, part))
        fail_msg("%s\nis not in\n%s", part, json);
}

static void nothing_is_zeros(void **state)
{
    struct stats s = {.now_us = NOW_US, .mode = MODE_TEST};

    assert_string_equal(
        write_it(&s, NULL, 0, NULL),
        "{\"timestamp\":\"2027-01-15T08:00:00.125Z\",\"livemode\":false,"
        "\"queue\":{\"queued\":0,\"scheduled\":0,\"sent\":0,\"oldestQueuedSeconds\":null},"
        "\"lastMinute\":{\"accepted\":0,\"sent\":0,\"delivered\":0,\"failed\":0},"
        "\"lastHour\":{\"accepted\":0,\"sent\":0,\"delivered\":0,\"failed\":0},"
        "\"last24Hours\":{\"accepted\":0,\"sent\":0,\"delivered\":0,\"failed\":0},"
        "\"deliveryRate\":null,\"throughput\":{\"perSecond\":0,\"acceptedPerSecond\":0},"
        "\"webhooks\":{\"pending\":0,\"failedLastHour\":0},\"limitedBy\":[]}");
}

static void each_number_has_its_place(void **state)
{
    struct stats s = {
        .now_us = NOW_US,
        .mode = MODE_LIVE,
        .pulse =
            {.minute = {.accepted = 1, .sent = 2, .delivered = 3, .failed = 4},
             .hour = {.accepted = 5, .sent = 6, .delivered = 7, .failed = 8, .hook_failures = 9},
             .day = {.accepted = 10, .sent = 11, .delivered = 2, .failed = 1},
             .rate = {.sent = 498, .accepted = 500}},
        .queue = {.scheduled = 12,
                  .queued = 13,
                  .sent = 14,
                  .oldest_queued_us = NOW_US - 24999999,
                  .hooks_pending = 15},
    };
    const char *json = write_it(&s, NULL, 0, NULL);

    assert_has(json, "\"livemode\":true,\"queue\":{\"queued\":13,\"scheduled\":12,\"sent\":14,"
                     "\"oldestQueuedSeconds\":24}");
    assert_has(json, "\"lastMinute\":{\"accepted\":1,\"sent\":2,\"delivered\":3,\"failed\":4}");
    assert_has(json, "\"lastHour\":{\"accepted\":5,\"sent\":6,\"delivered\":7,\"failed\":8}");
    assert_has(json, "\"last24Hours\":{\"accepted\":10,\"sent\":11,\"delivered\":2,\"failed\":1}");
    assert_has(json, "\"deliveryRate\":0.6667,");
    assert_has(json, "\"throughput\":{\"perSecond\":49.8,\"acceptedPerSecond\":50}");
    assert_has(json, "\"webhooks\":{\"pending\":15,\"failedLastHour\":9}");
}

static void assert_rate(int64_t delivered, int64_t failed, const char *wanted)
{
    struct stats s = {.now_us = NOW_US,
                      .mode = MODE_TEST,
                      .pulse = {.day = {.delivered = delivered, .failed = failed}}};

    assert_has(write_it(&s, NULL, 0, NULL), wanted);
}

static void the_rate_is_rounded(void **state)
{
    assert_rate(0, 1, "\"deliveryRate\":0,");
    assert_rate(1, 0, "\"deliveryRate\":1,");
    assert_rate(1, 2, "\"deliveryRate\":0.3333,");
    assert_rate(9999, 10001, "\"deliveryRate\":0.5,"); /* 0.49995 */
    assert_rate(INT64_C(1) << 40, 1, "\"deliveryRate\":1,");
}

static void an_age_is_never_less_than_nothing(void **state)
{
    struct stats s = {.now_us = NOW_US,
                      .mode = MODE_TEST,
                      .queue = {.queued = 1, .oldest_queued_us = NOW_US + 5000000}};

    assert_has(write_it(&s, NULL, 0, NULL), "\"oldestQueuedSeconds\":0}");
}

static const struct bottleneck of_key = {
    .kind = BOTTLENECK_KEY_LIMIT, .waiting = BOTTLENECK_NOBODY, .message = "Used up."};
static const struct bottleneck of_carriers[2] = {
    {.kind = BOTTLENECK_LINK_DOWN, .carrier = "acme", .waiting = 3, .message = "Down."},
    {.kind = BOTTLENECK_WINDOW, .carrier = "beta", .waiting = 1, .message = "Full."}};

#define KEY_JSON                                                                                   \
    "{\"limit\":\"key_limit\",\"carrier\":null,\"waiting\":null,\"message\":\"Used up.\"}"
#define CARRIERS_JSON                                                                              \
    "{\"limit\":\"link_down\",\"carrier\":\"acme\",\"waiting\":3,\"message\":\"Down.\"},"          \
    "{\"limit\":\"window\",\"carrier\":\"beta\",\"waiting\":1,\"message\":\"Full.\"}"

static void a_keys_own_limit_comes_first(void **state)
{
    struct stats s = {.now_us = NOW_US, .mode = MODE_TEST};

    assert_has(write_it(&s, NULL, 0, &of_key), "\"limitedBy\":[" KEY_JSON "]}");
    assert_has(write_it(&s, of_carriers, 2, NULL), "\"limitedBy\":[" CARRIERS_JSON "]}");
    assert_has(write_it(&s, of_carriers, 2, &of_key),
               "\"limitedBy\":[" KEY_JSON "," CARRIERS_JSON "]}");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_zeros),
        TEST(each_number_has_its_place),
        TEST(the_rate_is_rounded),
        TEST(an_age_is_never_less_than_nothing),
        TEST(a_keys_own_limit_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
