#include "json/test_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct arena arena;
static struct json_error error;

static enum json_result decode(struct str body, struct sample *ret)
{
    *ret = (struct sample){0};
    return json_decode(body, fields, FIELD_COUNT, ret, &arena, &error);
}

static int set_up(void **state)
{
    arena_init(&arena, 1 << 20);
    return 0;
}

static int tear_down(void **state)
{
    arena_done(&arena);
    return 0;
}

static void test_all_kinds(void **state)
{
    struct sample s;

    assert_int_equal(decode(STR("{\"to\":\"+1555\",\"text\":\"h\\u00e9 \\ud83d\\ude00\","
                                "\"mediaUrls\":[\"https://a\",\"\"],\"validityPeriod\":-60,"
                                "\"dryRun\":true,\"unknown\":{\"deep\":[1,2]}}"),
                            &s),
                     JSON_OK);
    assert_true(str_is(s.to, "+1555"));
    assert_true(str_is(s.text, "h\xc3\xa9 \xf0\x9f\x98\x80"));
    assert_int_equal(s.media.count, 2);
    assert_true(str_is(s.media.items[0], "https://a"));
    assert_int_equal(s.media.items[1].n, 0);
    assert_int_equal(s.validity, -60);
    assert_true(s.dry);
    assert_true(s.has_to && s.has_text && s.has_media && s.has_validity && s.has_dry);
}

static void test_absent_and_null(void **state)
{
    struct sample s;

    assert_int_equal(decode(STR("{\"to\":null,\"text\":\"\",\"mediaUrls\":[]}"), &s), JSON_OK);
    assert_false(s.has_to);
    assert_false(s.has_dry);
    assert_true(s.has_text);
    assert_true(s.has_media);
    assert_int_equal(s.media.count, 0);
}

static void test_alias(void **state)
{
    struct sample s;

    assert_int_equal(decode(STR("{\"media_urls\":[\"a\"]}"), &s), JSON_OK);
    assert_true(str_is(s.media.items[0], "a"));
    assert_int_equal(decode(STR("{\"media_urls\":[\"a\"],\"mediaUrls\":[\"b\"]}"), &s), JSON_OK);
    assert_true(str_is(s.media.items[0], "b"));
}

static void test_nul_is_kept(void **state)
{
    struct sample s;

    assert_int_equal(decode(STR("{\"text\":\"a\\u0000b\"}"), &s), JSON_OK);
    assert_int_equal(s.text.n, 3);
    assert_memory_equal(s.text.p, "a\0b", 3);
}

static void test_texts_outlive_the_body(void **state)
{
    char body[] = "{\"to\":\"+1555\"}";
    struct sample s;

    assert_int_equal(decode(str_of(body), &s), JSON_OK);
    memset(body, 'x', sizeof body);
    assert_true(str_is(s.to, "+1555"));
}

static void test_wrong_types(void **state)
{
    static const struct {
        const char *body, *field, *message;
    } cases[] = {
        {"{\"to\":5}", "to", "must be a string"},
        {"{\"to\":{}}", "to", "must be a string"},
        {"{\"mediaUrls\":\"a\"}", "mediaUrls", "must be an array of strings"},
        {"{\"media_urls\":\"a\"}", "mediaUrls", "must be an array of strings"},
        {"{\"mediaUrls\":[\"a\",5]}", "mediaUrls", "must be an array of strings; item 1 is not"},
        {"{\"mediaUrls\":[null]}", "mediaUrls", "must be an array of strings; item 0 is not"},
        {"{\"validityPeriod\":1.5}", "validityPeriod", "must be a whole number"},
        {"{\"validityPeriod\":1e30}", "validityPeriod", "must be a whole number"},
        {"{\"validityPeriod\":\"60\"}", "validityPeriod", "must be a whole number"},
        {"{\"dryRun\":1}", "dryRun", "must be true or false"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sample s;
        assert_int_equal(decode(str_of(cases[i].body), &s), JSON_WRONG_TYPE);
        assert_string_equal(error.field, cases[i].field);
        assert_string_equal(error.message, cases[i].message);
    }
}

/* The first in the table is named, and the rest is filled all the same. */
static void test_wrong_type_order(void **state)
{
    struct sample s;

    assert_int_equal(decode(STR("{\"dryRun\":0,\"validityPeriod\":7,\"text\":4}"), &s),
                     JSON_WRONG_TYPE);
    assert_string_equal(error.field, "text");
    assert_true(s.has_text);
    assert_false(s.has_to);
    assert_int_equal(s.validity, 7);
}

static void test_whole_real(void **state)
{
    struct sample s;

    assert_int_equal(decode(STR("{\"validityPeriod\":6.0e1}"), &s), JSON_OK);
    assert_int_equal(s.validity, 60);
}

static void test_malformed(void **state)
{
    static const struct str bodies[] = {
        {NULL, 0},
        STR(""),
        STR("5"),
        STR("\"to\""),
        STR("[]"),
        STR("{"),
        STR("{} x"),
        STR("{\"to\":\"a\",}"),
        STR("{'to':1}"),
        STR("{\"to\":\"\xff\"}"),
        STR("{\"to\":\"\xed\xa0\x80\"}"),
        STR("{\"to\":\"\\ud800\"}"),
        STR("{\"to\":\"a\nb\"}"),
        STR("{\"to\":\"a\",\"to\":\"b\"}"),
        STR("{\"a\":1,\"b\":{\"c\":1,\"c\":2}}"),
        STR("{\"a\\u0000\":1}"),
        STR("{}\0"),
    };

    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct sample s;
        assert_int_equal(decode(bodies[i], &s), JSON_MALFORMED);
        assert_null(error.field);
        assert_non_null(strstr(error.message, "(line "));
    }
}

static void test_malformed_place(void **state)
{
    struct sample s;

    assert_int_equal(decode(STR("{\"to\":\n \"a\""), &s), JSON_MALFORMED);
    assert_string_equal(error.message, "'}' expected near end of file (line 2, column 4)");
    assert_int_equal(decode(STR(""), &s), JSON_MALFORMED);
    assert_string_equal(error.message, "'{' expected near end of file (line 1, column 0)");
}

/* The fault lies between the two bytes of a character. */
static void test_malformed_message_is_ascii(void **state)
{
    struct sample s;

    assert_int_equal(decode(STR("{\"to\":\"\\\xde\xa3\"}"), &s), JSON_MALFORMED);
    assert_string_equal(error.message, "invalid escape near '\"\\?' (line 1, column 9)");
}

static void test_deep_nesting(void **state)
{
    size_t n = 200000;
    char *body = malloc(n);
    struct sample s;

    memset(body, '[', n);
    memcpy(body, "{\"a\":", 5);
    assert_int_equal(decode((struct str){body, n}, &s), JSON_MALFORMED);
    free(body);
}

static void test_arena_ceiling(void **state)
{
    struct arena small;
    struct sample s = {0};

    arena_init(&small, 16);
    assert_int_equal(
        json_decode(STR("{\"to\":\"12345678901234567890\"}"), fields, 5, &s, &small, &error),
        JSON_NO_MEMORY);
    arena_done(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kinds),
        cmocka_unit_test(test_absent_and_null),
        cmocka_unit_test(test_alias),
        cmocka_unit_test(test_nul_is_kept),
        cmocka_unit_test(test_texts_outlive_the_body),
        cmocka_unit_test(test_wrong_types),
        cmocka_unit_test(test_wrong_type_order),
        cmocka_unit_test(test_whole_real),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_malformed_place),
        cmocka_unit_test(test_malformed_message_is_ascii),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_arena_ceiling),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
