#include "cli/stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const char busy[] =
    "{\"timestamp\":\"2026-11-16T15:30:02.123Z\",\"livemode\":true,"
    "\"queue\":{\"queued\":12345,\"scheduled\":5,\"sent\":300,\"oldestQueuedSeconds\":75},"
    "\"lastMinute\":{\"accepted\":1200,\"sent\":600,\"delivered\":590,\"failed\":3},"
    "\"lastHour\":{\"accepted\":72000,\"sent\":36000,\"delivered\":35000,\"failed\":180},"
    "\"last24Hours\":{\"accepted\":1234567,\"sent\":1222222,\"delivered\":1200000,\"failed\":2000},"
    "\"deliveryRate\":0.9983,\"throughput\":{\"perSecond\":10.2,\"acceptedPerSecond\":20},"
    "\"webhooks\":{\"pending\":7,\"failedLastHour\":0},\"limitedBy\":["
    "{\"limit\":\"carrier_rate\",\"carrier\":\"acme\",\"waiting\":12000,\"message\":\"The carrier "
    "'acme' takes 10 segments a second, as rate in its section of the configuration says.\"},"
    "{\"limit\":\"link_down\",\"carrier\":\"b\",\"waiting\":345,\"message\":\"No bind\\u001b[2J.\"}"
    "]}";

static const char idle[] =
    "{\"timestamp\":\"2026-11-16T15:30:02.123Z\",\"livemode\":false,"
    "\"queue\":{\"queued\":0,\"scheduled\":0,\"sent\":0,\"oldestQueuedSeconds\":null},"
    "\"lastMinute\":{\"accepted\":0,\"sent\":0,\"delivered\":0,\"failed\":0},"
    "\"lastHour\":{\"accepted\":0,\"sent\":0,\"delivered\":0,\"failed\":0},"
    "\"last24Hours\":{\"accepted\":0,\"sent\":0,\"delivered\":0,\"failed\":0},"
    "\"deliveryRate\":null,\"throughput\":{\"perSecond\":0,\"acceptedPerSecond\":0},"
    "\"webhooks\":{\"pending\":0,\"failedLastHour\":0},\"limitedBy\":[]}";

static struct buf out;

static int set_up(void **state)
{
    buf_init(&out, 1 << 20);
    return 0;
}

static int tear_down(void **state)
{
    buf_done(&out);
    return 0;
}

static const char *block(const char *json, const struct stats_past *past, struct stats_style style)
{
    struct json_node *stats JSON_TREE_CLEANUP = json_tree_parse(str_of(json));

    assert_non_null(stats);
    buf_clear(&out);
    stats_block(stats, past, &style, &out);
    buf_add_char(&out, '\0');
    return out.p;
}

static const char *line(const char *json)
{
    struct json_node *stats JSON_TREE_CLEANUP = json_tree_parse(str_of(json));

    assert_non_null(stats);
    buf_clear(&out);
    stats_line(stats, &out);
    buf_add_char(&out, '\0');
    return out.p;
}

static void test_busy(void **state)
{
    assert_string_equal(
        block(busy, NULL, (struct stats_style){.ascii = false}),
        "Live statistics of live messages, 2026-11-16 15:30:02 UTC\n"
        "\n"
        "                LAST MINUTE      LAST HOUR  LAST 24 HOURS\n"
        "accepted              1,200         72,000      1,234,567\n"
        "sent                    600         36,000      1,222,222\n"
        "delivered               590         35,000      1,200,000\n"
        "failed                    3            180          2,000\n"
        "\n"
        "Throughput    10.2 sent a second, 20 accepted\n"
        "Queue         12,345 queued (the oldest for 1 min 15 s), 5 scheduled\n"
        "On the way    300 sent, without a receipt yet\n"
        "Delivered     99.83 % of what ended in the last 24 hours\n"
        "Webhooks      7 deliveries pending, 0 attempts failed in the last hour\n"
        "Limited by    The carrier 'acme' takes 10 segments a second, as rate in its\n"
        "              section of the configuration says.\n"
        "              No bind?[2J.\n");
}

static void test_idle(void **state)
{
    block(idle, NULL, (struct stats_style){.ascii = false});
    assert_non_null(strstr(out.p, "of test messages"));
    assert_non_null(strstr(out.p, "Queue         0 queued, 0 scheduled\nOn the way    0 sent"));
    assert_non_null(strstr(out.p, "Delivered     - of what ended"));
    assert_non_null(strstr(out.p, "Limited by    nothing\n"));
}

static void test_line(void **state)
{
    assert_string_equal(line(busy),
                        "2026-11-16 15:30:02  accepted 20/s  sent 10.2/s  queued 12,345 "
                        "for 1 min 15 s  delivered 99.83 %  limited by carrier_rate of "
                        "acme\n");
    assert_string_equal(line(idle), "2026-11-16 15:30:02  accepted 0/s  sent 0/s  queued 0  "
                                    "delivered -\n");
}

/* The last minute of what was seen; the oldest goes. */
static void test_past(void **state)
{
    struct stats_past past = {.count = 0};

    for (int i = 0; i < 70; i++) {
        char json[64];
        str_format(json, sizeof json, "{\"throughput\":{\"perSecond\":%d}}", i);
        struct json_node *stats JSON_TREE_CLEANUP = json_tree_parse(str_of(json));
        stats_remember(&past, stats);
    }
    assert_int_equal(past.count, STATS_SPARK);
    assert_true(past.sent[0] == 10 && past.sent[STATS_SPARK - 1] == 69);
    past = (struct stats_past){.sent = {0, 4, 8}, .count = 3};
    block(idle, &past, (struct stats_style){.ascii = false});
    assert_non_null(strstr(out.p, "accepted\n               ▄█\n"));
    block(idle, &past, (struct stats_style){.ascii = true});
    assert_non_null(strstr(out.p, "accepted\n              _:#\n"));
}

static void test_strange_answers(void **state)
{
    static const char *const answers[] = {
        "{}", "[]", "{\"limitedBy\":[1,{},{\"message\":[]}],\"timestamp\":\"\\u001b[2J\"}"};

    for (size_t i = 0; i < 3; i++) {
        assert_null(strchr(block(answers[i], NULL, (struct stats_style){.ascii = true}), '\033'));
        assert_null(strchr(line(answers[i]), '\033'));
    }
}

static void redraw(const char *text, int width, int height, unsigned *lines)
{
    buf_clear(&out);
    stats_redraw(str_of(text), width, height, lines, &out);
    buf_add_char(&out, '\0');
}

static void test_redraw(void **state)
{
    unsigned lines = 0;

    redraw("ab\ncd\n", 80, 24, &lines);
    assert_string_equal(out.p, "\rab\033[K\ncd\033[K\n\033[J");
    assert_int_equal(lines, 2);
    redraw("x\n", 80, 24, &lines); /* fewer than before: the rest is wiped */
    assert_string_equal(out.p, "\033[2A\rx\033[K\n\033[J");
    assert_int_equal(lines, 1);
}

/* A line that wraps, or scrolls away, cannot be found again. */
static void test_redraw_fits(void **state)
{
    unsigned lines = 0;

    redraw("\033[1mäbcdef\033[0m\n12345\n1\n2\n3\n", 5, 4, &lines);
    assert_string_equal(out.p, "\r\033[1mäbcde\033[0m\033[K\n12345\033[K\n1\033[K\n\033[J");
    assert_int_equal(lines, 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_busy),
        TEST(test_idle),
        TEST(test_line),
        TEST(test_past),
        TEST(test_strange_answers),
        TEST(test_redraw),
        TEST(test_redraw_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
