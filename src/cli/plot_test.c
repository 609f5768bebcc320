#include "cli/plot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MANY = 8784 };

static double values[MANY], others[MANY];
static char texts[MANY][16];
static const char *labels[MANY];
static struct plot_panel panels[2];
static struct plot plot;
static char drawn[1 << 16];

static void set_up(size_t count, int width)
{
    for (size_t i = 0; i < MANY; i++) {
        values[i] = others[i] = 0;
        str_format(texts[i], sizeof texts[i], "d%04zu", i);
        labels[i] = texts[i];
    }
    panels[0] = (struct plot_panel){"Messages", values, NULL, true, 4, '#', "32"};
    panels[1] = (struct plot_panel){"Failed", others, NULL, true, 2, 'x', "31"};
    plot = (struct plot){.panels = panels,
                         .panel_count = 1,
                         .labels = labels,
                         .count = count,
                         .bucket = "day",
                         .width = width};
}

static const char *draw(void)
{
    struct buf out BUF_CLEANUP;

    buf_init(&out, sizeof drawn);
    plot_draw(&plot, &out);
    buf_add_char(&out, '\0');
    assert_false(out.failed);
    str_format(drawn, sizeof drawn, "%s", out.p);
    return drawn;
}

static size_t characters(struct str line)
{
    size_t n = 0;

    for (size_t i = 0; i < line.n; i++)
        n += ((unsigned char)line.p[i] & 0xc0) != 0x80;
    return n;
}

/* Every line fits, and none ends in spaces. */
static void check_lines(int width)
{
    struct str rest = str_of(draw());

    while (rest.p) {
        struct str line = str_cut(&rest, '\n');
        if (characters(line) > (size_t)width || (line.n && line.p[line.n - 1] == ' '))
            fail_msg("%d columns: '%.*s'", width, STR_FMT(line));
    }
}

static void test_bars(void **state)
{
    const double heights[] = {0, 1, 2, 3, 4};

    set_up(5, 40);
    memcpy(values, heights, sizeof heights);
    assert_string_equal(draw(), "Messages per day\n"
                                "4 ┤                             ██████\n"
                                "  │                      ██████ ██████\n"
                                "2 ┤               ██████ ██████ ██████\n"
                                "  │        ██████ ██████ ██████ ██████\n"
                                "0 ┼────────────────────────────────────\n"
                                "    d0000          d0002         d0004\n");
}

static void test_ascii(void **state)
{
    const double heights[] = {0, 1, 8, 5, 3};

    set_up(5, 40);
    memcpy(values, heights, sizeof heights);
    plot.ascii = true;
    assert_string_equal(draw(), "Messages per day\n"
                                "8 |               ######\n"
                                "  |               ###### ::::::\n"
                                "4 |               ###### ###### ::::::\n"
                                "  |        :::::: ###### ###### ######\n"
                                "0 +------------------------------------\n"
                                "    d0000          d0002         d0004\n");
    for (const char *c = drawn; *c; c++)
        assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
}

static void test_eighths(void **state)
{
    set_up(9, 40);
    panels[0].rows = 2;
    for (size_t i = 0; i < 9; i++)
        values[i] = (double)i;
    assert_non_null(strstr(draw(), " ▂▂▂ ▄▄▄ ▆▆▆ ███ ███ ███ ███ ███\n"));
    assert_non_null(strstr(drawn, " ▂▂▂ ▄▄▄ ▆▆▆ ███\n"));
}

/* What is little is not nothing. */
static void test_little(void **state)
{
    set_up(3, 40);
    values[0] = 1000000;
    values[1] = 1;
    assert_non_null(strstr(draw(), "│ ██████████ ▁▁▁▁▁▁▁▁▁▁\n"));
    assert_non_null(strstr(drawn, "\n  1M ┤"));
    assert_non_null(strstr(drawn, "\n500k ┤"));
}

static void test_nothing(void **state)
{
    set_up(30, 60);
    assert_string_equal(draw(), "Messages per day\n"
                                "0 ┼───────────────────────────────\n"
                                "    d0000        d0015       d0029\n");
}

static void test_one_bucket(void **state)
{
    set_up(1, 80);
    values[0] = 1;
    assert_string_equal(draw(), "Messages per day\n"
                                "1 ┤ ████████████\n"
                                "  │ ████████████\n"
                                "  │ ████████████\n"
                                "  │ ████████████\n"
                                "0 ┼──────────────\n"
                                "    d0000\n");
}

static void test_money(void **state)
{
    set_up(2, 40);
    panels[0].before = "$";
    panels[0].whole = false;
    values[0] = 0.0000075;
    draw();
    assert_non_null(strstr(drawn, "\n$0.000008 ┤"));
    assert_non_null(strstr(drawn, "\n$0.000004 ┤"));
    assert_non_null(strstr(drawn, "\n        0 ┼"));
    values[0] = 123456.78;
    draw();
    assert_non_null(strstr(drawn, "\n$160k ┤"));
    assert_non_null(strstr(drawn, "\n $80k ┤"));
}

/* Nobody sends half a message. */
static void test_whole_figures(void **state)
{
    set_up(2, 40);
    values[0] = 3;
    assert_null(strstr(draw(), "1.5"));
    panels[0].whole = false;
    assert_non_null(strstr(draw(), "1.5 ┤"));
}

static void test_merging(void **state)
{
    set_up(100, 40);
    for (size_t i = 0; i < 100; i++)
        values[i] = 1;
    values[0] = 0;
    draw();
    assert_non_null(strstr(drawn, "Messages per 3 days\n"));
    assert_non_null(strstr(drawn, "Each bar is 3 days, the first 1.\n"));
    assert_non_null(strstr(drawn, "\n3 ┤  █████████████████████████████████\n"));
    assert_non_null(strstr(drawn, "    d0000          d0049         d0097\n"));
}

static void test_two_panels(void **state)
{
    set_up(2, 40);
    plot.panel_count = 2;
    plot.fancy = true;
    values[0] = 1200;
    others[1] = 7;
    draw();
    assert_non_null(strstr(drawn, "\033[1mMessages\033[0m per day\n"));
    assert_non_null(strstr(drawn, "1.2k ┤\033[32m ████████████\033[0m\n"));
    assert_non_null(strstr(drawn, "\033[1mFailed\033[0m per day\n"));
    assert_non_null(strstr(drawn, "   8 ┤\033[31m              ▆▆▆▆▆▆▆▆▆▆▆▆\033[0m\n"));
    assert_null(strstr(drawn, "d0000\n"));
    assert_non_null(strstr(drawn, "d0000               d0001\n"));
}

static void test_all_fit(void **state)
{
    static const size_t counts[] = {1, 2, 3, 7, 24, 30, 31, 60, 90, 91, 365, 366, MANY};
    static const double scales[] = {0, 1, 7, 999, 1e6, 9007199254740992.0, 0.000001};
    static const int widths[] = {1, 40, 60, 79, 80, 120, 200, 400, 100000};

    for (size_t c = 0; c < 13; c++)
        for (size_t s = 0; s < 7; s++)
            for (size_t w = 0; w < 9; w++) {
                set_up(counts[c], widths[w]);
                plot.panel_count = 2;
                for (size_t i = 0; i < counts[c]; i++)
                    values[i] = scales[s] * (double)(i % 5);
                check_lines(widths[w] < PLOT_WIDTH_MIN ? PLOT_WIDTH_MIN : widths[w]);
            }
}

static void test_spark(void **state)
{
    const double some[] = {0, 1, 4, 8}, none[] = {0, 0};
    struct buf out BUF_CLEANUP;

    buf_init(&out, 1000);
    plot_spark(some, 4, false, &out);
    plot_spark(none, 2, false, &out);
    plot_spark(some, 4, true, &out);
    plot_spark(some, 0, true, &out);
    assert_true(str_is(buf_str(&out), " ▁▄█  _.:#"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bars),    cmocka_unit_test(test_ascii),
        cmocka_unit_test(test_eighths), cmocka_unit_test(test_little),
        cmocka_unit_test(test_nothing), cmocka_unit_test(test_one_bucket),
        cmocka_unit_test(test_money),   cmocka_unit_test(test_whole_figures),
        cmocka_unit_test(test_merging), cmocka_unit_test(test_two_panels),
        cmocka_unit_test(test_all_fit), cmocka_unit_test(test_spark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
