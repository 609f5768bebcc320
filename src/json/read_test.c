#include "json/test_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
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

static void test_null_that_says_something(void **state)
{
    struct sample s;

    assert_int_equal(decode(STR("{\"note\":null}"), &s), JSON_OK);
    assert_true(s.has_note);
    assert_int_equal(s.note.n, 0);
    assert_int_equal(decode(STR("{\"memo\":\"a\",\"note\":null}"), &s), JSON_OK);
    assert_int_equal(s.note.n, 0);
    assert_int_equal(decode(STR("{\"note\":null,\"memo\":\"a\"}"), &s), JSON_OK);
    assert_int_equal(s.note.n, 0);
    assert_int_equal(decode(STR("{\"memo\":\"a\"}"), &s), JSON_OK);
    assert_true(s.has_note && str_is(s.note, "a"));
    assert_int_equal(decode(STR("{}"), &s), JSON_OK);
    assert_false(s.has_note);
    assert_int_equal(decode(STR("{\"note\":5}"), &s), JSON_WRONG_TYPE);
    assert_string_equal(error.message, "must be a string or null");
}

static void test_alias(void **state)
{
    struct sample s;

    assert_int_equal(decode(STR("{\"media_urls\":[\"a\"]}"), &s), JSON_OK);
    assert_true(str_is(s.media.items[0], "a"));
    assert_int_equal(decode(STR("{\"media_urls\":[\"a\"],\"mediaUrls\":[\"b\"]}"), &s), JSON_OK);
    assert_true(str_is(s.media.items[0], "b"));
    assert_int_equal(decode(STR("{\"mediaUrls\":[\"b\"],\"media_urls\":5}"), &s), JSON_OK);
    assert_true(str_is(s.media.items[0], "b"));
    /* What is null is not given. */
    assert_int_equal(decode(STR("{\"mediaUrls\":null,\"media_urls\":[\"a\"]}"), &s), JSON_OK);
    assert_true(str_is(s.media.items[0], "a"));
    assert_int_equal(decode(STR("{\"media_urls\":[\"a\"],\"mediaUrls\":null}"), &s), JSON_OK);
    assert_true(str_is(s.media.items[0], "a"));
    assert_int_equal(decode(STR("{\"media_urls\":null,\"mediaUrls\":null}"), &s), JSON_OK);
    assert_false(s.has_media);
}

static void test_nul_is_kept(void **state)
{
    struct sample s;

    assert_int_equal(decode(STR("{\"text\":\"a\\u0000b\"}"), &s), JSON_OK);
    assert_int_equal(s.text.n, 3);
    assert_memory_equal(s.text.p, "a\0b", 3);
}

/* Without escapes a text is a view of the body, with them it lies in the arena. */
static void test_where_texts_live(void **state)
{
    char body[] = "{\"to\":\"+1555\",\"text\":\"\\u002b1\"}";
    struct sample s;

    assert_int_equal(decode(str_of(body), &s), JSON_OK);
    assert_ptr_equal(s.to.p, body + 7);
    assert_int_equal(s.to.n, 5);
    memset(body, 'x', sizeof body);
    assert_true(str_is(s.text, "+1"));
}

static void test_escapes(void **state)
{
    static const struct {
        const char *written, *meant;
    } cases[] = {
        {"", ""},
        {"\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t"},
        {"a\\u0041\\u00e9\\u20AC\\uffff\\u007f.", "aA\xc3\xa9\xe2\x82\xac\xef\xbf\xbf\x7f."},
        {"\\ud800\\udc00\\uDBFF\\uDFFF", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"},
        {"\\ud7ff\\ue000", "\xed\x9f\xbf\xee\x80\x80"},
        {"\x7f\xc3\xa9\xf0\x9f\x98\x80", "\x7f\xc3\xa9\xf0\x9f\x98\x80"},
        {"1234567\\n89012345\\n", "1234567\n89012345\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[128];
        struct sample s;
        snprintf(body, sizeof body, " { \"text\" : \"%s\" } ", cases[i].written);
        assert_int_equal(decode(str_of(body), &s), JSON_OK);
        assert_true(str_is(s.text, cases[i].meant));
    }
}

/* A name is what it means, not how it is written. */
static void test_escaped_name(void **state)
{
    struct sample s;

    assert_int_equal(decode(STR("{\"t\\u006f\":\"a\",\"\":1}"), &s), JSON_OK);
    assert_true(str_is(s.to, "a"));
    assert_int_equal(decode(STR("{\"t\\u006f\":\"a\",\"to\":\"b\"}"), &s), JSON_MALFORMED);
    assert_string_equal(error.message, "a name given twice near '\"to\"' (line 1, column 19)");
}

static void test_unknown_values(void **state)
{
    static const char *const values[] = {
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1e5",
        "-1.5E-3",
        "0.0",
        "99999999999999999999",
        "\"\"",
        "[]",
        "{}",
        "[ ]",
        "{ }",
        "[[],{},1]",
        "1e999",
        "{\"a\":{\"a\":[\"\\n\"]},\"b\":null}",
    };

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char body[128];
        struct sample s;
        snprintf(body, sizeof body, "\r\n\t {\"x\" :%s\t,\"to\": \"a\"}\n", values[i]);
        assert_int_equal(decode(str_of(body), &s), JSON_OK);
        assert_true(str_is(s.to, "a"));
    }
}

static void test_numbers(void **state)
{
    static const struct {
        const char *written;
        int64_t meant;
    } cases[] = {
        {"0", 0},
        {"-0", 0},
        {"-0.0", 0},
        {"1e5", 100000},
        {"1E+2", 100},
        {"500e-2", 5},
        {"5.0", 5},
        {"9007199254740992", 9007199254740992},
        {"-9007199254740992", -9007199254740992},
        {"9007199254740992.0", 9007199254740992},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[128];
        struct sample s;
        snprintf(body, sizeof body, "{\"validityPeriod\":%s}", cases[i].written);
        assert_int_equal(decode(str_of(body), &s), JSON_OK);
        assert_true(s.has_validity && s.validity == cases[i].meant);
    }
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
        {"{\"validityPeriod\":9223372036854775808}", "validityPeriod", "must be a whole number"},
        {"{\"validityPeriod\":9007199254740993}", "validityPeriod", "must be a whole number"},
        {"{\"validityPeriod\":-9007199254740993}", "validityPeriod", "must be a whole number"},
        {"{\"metadata\":[]}", "metadata", "must be a JSON object"},
        {"{\"metadata\":\"{}\"}", "metadata", "must be a JSON object"},
        {"{\"items\":{}}", "items", "must be an array"},
        {"{\"validityPeriod\":-1e999}", "validityPeriod", "must be a whole number"},
        {"{\"validityPeriod\":9007199254740994.0}", "validityPeriod", "must be a whole number"},
        {"{\"mediaUrls\":[\"\\n\",[\"a\"]]}", "mediaUrls",
         "must be an array of strings; item 1 is not"},
        {"{\"dryRun\":\"true\"}", "dryRun", "must be true or false"},
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

static void test_raw_json(void **state)
{
    struct sample s;

    assert_int_equal(decode(STR("{\"metadata\": {\"b\" : [1.50],\n\"a\":{}} , \"items\":[ ]}"), &s),
                     JSON_OK);
    assert_true(s.has_metadata && str_is(s.metadata, "{\"b\" : [1.50],\n\"a\":{}}"));
    assert_true(s.has_items && str_is(s.items, "[ ]"));
    assert_int_equal(decode(STR("{\"metadata\":null}"), &s), JSON_OK);
    assert_false(s.has_metadata);
    assert_int_equal(decode(STR("{\"metadata\":{\"a\":1,\"a\":1}}"), &s), JSON_MALFORMED);
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
        STR("{\"a\":1\0}"),
        STR("{\"a\":true\0}"),
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
    static const struct {
        const char *body, *message;
    } cases[] = {
        {"{\"to\":\n \"a\"", "'}' expected near end of file (line 2, column 4)"},
        {"", "'{' expected near end of file (line 1, column 0)"},
        {"[]", "'{' expected near '[' (line 1, column 1)"},
        {"\xef\xbb\xbf{}", "'{' expected near '?' (line 1, column 1)"},
        {"{", "a name in double quotes or '}' expected near end of file (line 1, column 1)"},
        {"{a:1}", "a name in double quotes or '}' expected near 'a' (line 1, column 2)"},
        {"{,}", "a name in double quotes or '}' expected near ',' (line 1, column 2)"},
        {"{\"a\":1,}", "a name in double quotes expected near '}' (line 1, column 8)"},
        {"{\"a\" 1}", "':' expected near '1' (line 1, column 6)"},
        {"{\"a\":1 2}", "'}' expected near '2' (line 1, column 8)"},
        {"{\"a\":}", "a value expected near '}' (line 1, column 6)"},
        {"{\"a\":nul}", "a value expected near 'nul' (line 1, column 8)"},
        {"{\"a\":True}", "a value expected near 'True' (line 1, column 9)"},
        {"{\"a\":nullx}", "a value expected near 'nullx' (line 1, column 10)"},
        {"{\"a\":[1 2]}", "']' expected near '2' (line 1, column 9)"},
        {"{\"a\":[1,]}", "a value expected near ']' (line 1, column 9)"},
        {"{\"a\":[,]}", "a value expected near ',' (line 1, column 7)"},
        {"{\"a\":[1}", "']' expected near '}' (line 1, column 8)"},
        {"{\"a\":01}", "invalid number near '01' (line 1, column 7)"},
        {"{\"a\":-}", "invalid number near '-' (line 1, column 6)"},
        {"{\"a\":1.}", "invalid number near '1.' (line 1, column 7)"},
        {"{\"a\":1.e5}", "invalid number near '1.' (line 1, column 7)"},
        {"{\"a\":1e+}", "invalid number near '1e+' (line 1, column 8)"},
        {"{\"a\":.5}", "a value expected near '.' (line 1, column 6)"},
        {"{\"a\":+5}", "a value expected near '+' (line 1, column 6)"},
        {"{\"a\":0x1}", "'}' expected near 'x' (line 1, column 7)"},
        {"{\"a\":\"b", "'\"' expected near end of file (line 1, column 7)"},
        {"{\"a\":\"b\\", "invalid escape near '\"b\\' (line 1, column 8)"},
        {"{\"a\":\"\\x\"}", "invalid escape near '\"\\x' (line 1, column 8)"},
        {"{\"a\":\"\\u12g4\"}", "invalid escape near '\"\\u12g' (line 1, column 11)"},
        {"{\"a\":\"\\ud800\"}", "half of a surrogate pair near '\"\\ud800' (line 1, column 12)"},
        {"{\"a\":\"\\udc00\"}", "half of a surrogate pair near '\"\\udc00' (line 1, column 12)"},
        {"{\"a\":\"\\ud800\\u0041\"}",
         "half of a surrogate pair near '\"\\ud800\\u0041' (line 1, column 18)"},
        {"{\"a\":\"\xc3\xa9\xc3\"}", "invalid UTF-8 near '\"?\?' (line 1, column 8)"},
        {"{\"a\":\"b\nc\"}", "a control character, which must be written as an escape, near '\"b' "
                             "(line 1, column 7)"},
        {"{\"a\":1,\n\"a\":2}", "a name given twice near '\"a\"' (line 2, column 3)"},
        {"{\"a\\u0000\":1}", "a name with U+0000 in it near '\"a\\u0000\"' (line 1, column 10)"},
        {"{}\n}", "end of file expected near '}' (line 2, column 1)"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sample s;
        assert_int_equal(decode(str_of(cases[i].body), &s), JSON_MALFORMED);
        assert_string_equal(error.message, cases[i].message);
    }
}

static void test_cut_anywhere(void **state)
{
    static const char whole[] =
        "{\"to\":\"+1\",\"text\":\"\xc3\xa9\\n\\ud83d\\ude00\",\"mediaUrls\":[\"a\",\"b\"],"
        "\"validityPeriod\":-6.5e1,\"dryRun\":true,\"x\":[null,{\"y\":[false]}]}";
    struct sample s;

    assert_int_equal(decode(STR(whole), &s), JSON_OK);
    for (size_t n = 0; n < sizeof whole - 1; n++) {
        /* Exactly as many bytes as there are, so that the address sanitizer sees the end. */
        char *cut = malloc(n ? n : 1);
        memcpy(cut, whole, n);
        assert_int_equal(decode((struct str){cut, n}, &s), JSON_MALFORMED);
        assert_false(s.has_to || s.has_text || s.has_media || s.has_validity || s.has_dry);
        free(cut);
    }
}

/* Only the end of a long text is shown. */
static void test_malformed_long(void **state)
{
    struct sample s;

    assert_int_equal(decode(STR("{\"to\":\"abcdefghijklmnopqrstuvwxyz0123456789\\x\"}"), &s),
                     JSON_MALFORMED);
    assert_string_equal(
        error.message,
        "invalid escape near 'hijklmnopqrstuvwxyz0123456789\\x' (line 1, column 45)");
}

/* So many names that they are sorted, and that they no longer fit where the first ones lie. */
static void test_many_names(void **state)
{
    enum { NAMES = 100 };
    struct sample s;

    for (int twice = 0; twice <= NAMES; twice += 25) {
        char body[NAMES * 16];
        size_t n = 0;
        for (int i = 0; i < NAMES; i++)
            n += (size_t)snprintf(body + n, sizeof body - n, "%c\"n%d\":{\"n\":0}", i ? ',' : '{',
                                  i);
        n += (size_t)snprintf(body + n, sizeof body - n, ",\"to\":\"a\",\"n%d\":0}", twice);
        assert_int_equal(decode((struct str){body, n}, &s),
                         twice < NAMES ? JSON_MALFORMED : JSON_OK);
        if (twice < NAMES)
            assert_non_null(strstr(error.message, "a name given twice near '\"n"));
        else
            assert_true(str_is(s.to, "a"));
    }
}

/* The fault lies between the two bytes of a character. */
static void test_malformed_message_is_ascii(void **state)
{
    struct sample s;

    assert_int_equal(decode(STR("{\"to\":\"\\\xde\xa3\"}"), &s), JSON_MALFORMED);
    assert_string_equal(error.message, "invalid escape near '\"\\?' (line 1, column 9)");
}

static void test_levels(void **state)
{
    struct sample s;

    for (size_t levels = 64; levels <= 65; levels++) {
        char body[256] = "{\"a\":";
        size_t n = 5;
        memset(body + n, '[', levels - 1);
        memset(body + n + levels - 1, ']', levels - 1);
        body[n + 2 * (levels - 1)] = '}';
        assert_int_equal(decode(str_of(body), &s), levels == 64 ? JSON_OK : JSON_MALFORMED);
    }
    assert_string_equal(error.message, "more than 64 levels near '[' (line 1, column 69)");
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
    /* Enough for all but the texts with escapes. */
    arena_init(&small, 240);
    assert_int_equal(
        json_decode(STR("{\"mediaUrls\":[\"0123456789012345678901234567890123456789\\n\","
                        "\"0123456789012345678901234567890123456789\\n\"]}"),
                    fields, 5, &s, &small, &error),
        JSON_NO_MEMORY);
    arena_done(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kinds),
        cmocka_unit_test(test_absent_and_null),
        cmocka_unit_test(test_null_that_says_something),
        cmocka_unit_test(test_alias),
        cmocka_unit_test(test_nul_is_kept),
        cmocka_unit_test(test_where_texts_live),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_escaped_name),
        cmocka_unit_test(test_unknown_values),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_wrong_types),
        cmocka_unit_test(test_wrong_type_order),
        cmocka_unit_test(test_raw_json),
        cmocka_unit_test(test_whole_real),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_malformed_place),
        cmocka_unit_test(test_malformed_long),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_malformed_message_is_ascii),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_arena_ceiling),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
