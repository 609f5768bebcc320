#include "json/write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct buf out;
static struct json_writer w;

static int set_up(void **state)
{
    buf_init(&out, 1 << 16);
    json_writer_init(&w, &out);
    return 0;
}

static int tear_down(void **state)
{
    buf_done(&out);
    return 0;
}

#define EXPECT(text)                                                                               \
    do {                                                                                           \
        buf_add_char(&out, '\0');                                                                  \
        assert_false(out.failed);                                                                  \
        assert_string_equal(out.p, text);                                                          \
        buf_clear(&out);                                                                           \
        json_writer_init(&w, &out);                                                                \
    } while (0)

static void test_nesting_and_commas(void **state)
{
    json_begin_object(&w);
    json_key(&w, "a");
    json_begin_array(&w);
    json_end(&w);
    json_key(&w, "b");
    json_begin_array(&w);
    json_put_i64(&w, 1);
    json_begin_object(&w);
    json_key(&w, "c");
    json_put_null(&w);
    json_end(&w);
    json_put_bool(&w, false);
    json_end(&w);
    json_key(&w, "d");
    json_put_raw(&w, STR("{\"x\":1}"));
    json_end(&w);
    EXPECT("{\"a\":[],\"b\":[1,{\"c\":null},false],\"d\":{\"x\":1}}");
}

static void test_members(void **state)
{
    json_begin_object(&w);
    json_member_text(&w, "a", STR("\"x\""));
    json_member_word(&w, "b", "word");
    json_member_word(&w, "c", NULL);
    json_member_i64(&w, "d", -1);
    json_member_bool(&w, "e", true);
    json_member_time(&w, "f", 1763168523004005);
    json_member_time(&w, "g", 0);
    json_end(&w);
    EXPECT("{\"a\":\"\\\"x\\\"\",\"b\":\"word\",\"c\":null,\"d\":-1,\"e\":true,"
           "\"f\":\"2025-11-15T01:02:03.004Z\",\"g\":null}");
}

static void test_strings(void **state)
{
    json_put_string(&w, STR(""));
    EXPECT("\"\"");
    json_put_string(&w, (struct str){NULL, 0});
    EXPECT("\"\"");
    json_put_string(&w, STR("plain \xc3\xa9 \x7f"));
    EXPECT("\"plain \xc3\xa9 \x7f\"");
    json_put_string(&w, STR("\"a\\b\"\n\r\t\b\f\x01\x1f\0z"));
    EXPECT("\"\\\"a\\\\b\\\"\\n\\r\\t\\b\\f\\u0001\\u001f\\u0000z\"");
}

/* Wherever a byte stands, it is escaped when it must be and only then. */
static void test_escapes_anywhere(void **state)
{
    static const char around[] = "\xc3\xa9#!]~ABCDEFGHIJKLMNOP";
    enum { SIZE = sizeof around - 1 };
    char text[SIZE], alone[16], wanted[64];

    for (int c = 0; c < 0x80; c++) {
        json_put_string(&w, (struct str){(char[]){(char)c}, 1});
        snprintf(alone, sizeof alone, "%.*s", (int)out.n - 2, out.p + 1);
        assert_int_equal(strlen(alone) > 1, c < 0x20 || c == '"' || c == '\\');
        buf_clear(&out);
        for (int at = 2; at < SIZE; at++) {
            json_writer_init(&w, &out);
            memcpy(text, around, SIZE);
            text[at] = (char)c;
            json_put_string(&w, (struct str){text, SIZE});
            snprintf(wanted, sizeof wanted, "\"%.*s%s%s\"", at, around, alone, around + at + 1);
            EXPECT(wanted);
        }
    }
}

static void test_numbers(void **state)
{
    json_put_i64(&w, INT64_MIN);
    EXPECT("-9223372036854775808");
    json_put_i64(&w, 0);
    EXPECT("0");
}

static void test_micros(void **state)
{
    static const struct {
        int64_t micros;
        const char *text;
    } cases[] = {
        {0, "0"},
        {7500, "0.0075"},
        {45000, "0.045"},
        {1, "0.000001"},
        {1000000, "1"},
        {1500000, "1.5"},
        {-7500, "-0.0075"},
        {10000000, "10"},
        {123456789, "123.456789"},
        {INT64_MIN, "-9223372036854.775808"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_put_micros(&w, cases[i].micros);
        EXPECT(cases[i].text);
    }
}

static void test_times(void **state)
{
    json_put_time(&w, 0);
    EXPECT("null");
    json_put_time(&w, 1763168523004999);
    EXPECT("\"2025-11-15T01:02:03.004Z\"");
}

static void test_full_buffer_is_sticky(void **state)
{
    struct buf small BUF_CLEANUP;

    buf_init(&small, 8);
    json_writer_init(&w, &small);
    json_begin_array(&w);
    for (int i = 0; i < 20; i++)
        json_put_string(&w, STR("text"));
    json_end(&w);
    assert_true(small.failed);
    assert_true(small.n <= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nesting_and_commas, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_members, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_strings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_escapes_anywhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_micros, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_times, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_full_buffer_is_sticky, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
