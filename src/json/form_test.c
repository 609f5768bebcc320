#include "json/form.h"
#include "json/test_sample.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct arena arena;
static struct json_error error;

static enum json_result decode(const char *body, struct sample *ret)
{
    *ret = (struct sample){0};
    return form_decode(str_of(body), fields, FIELD_COUNT, ret, &arena, &error);
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

static void test_pairs(void **state)
{
    struct form f = form_of(STR("a=1&b=x%20y+z&&c&=e&d=%c3%A9=%2B&"));
    static const char *const want[][2] = {
        {"a", "1"}, {"b", "x y z"}, {"c", ""}, {"", "e"}, {"d", "\xc3\xa9=+"}};
    struct str name, value;

    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(form_next(&f, &arena, &name, &value), 1);
        assert_true(str_is(name, want[i][0]));
        assert_true(str_is(value, want[i][1]));
    }
    assert_int_equal(form_next(&f, &arena, &name, &value), 0);
    assert_int_equal(form_next(&f, &arena, &name, &value), 0);
}

static void test_bad_pairs(void **state)
{
    static const char *const bad[] = {"a=%",         "a=%4",     "a=%4g",  "a=%g4",
                                      "%=1",         "a=%ff",    "a=\xff", "a=%c0%80",
                                      "a=%ed%a0%80", "a=%e2%82", "a=%80",  "a=%f4%90%80%80"};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct form f = form_of(str_of(bad[i]));
        struct str name, value;
        assert_int_equal(form_next(&f, &arena, &name, &value), -EBADMSG);
    }
}

static void test_utf8_edges(void **state)
{
    static const char *const good[] = {"%7f",          "%c2%80",       "%df%bf",
                                       "%e0%a0%80",    "%ed%9f%bf",    "%ee%80%80",
                                       "%f0%90%80%80", "%f4%8f%bf%bf", "%00"};

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct form f = form_of(str_of(good[i]));
        struct str name, value;
        assert_int_equal(form_next(&f, &arena, &name, &value), 1);
    }
}

static void test_too_many_pairs(void **state)
{
    struct form f;
    struct str name, value;
    char body[2 * (FORM_PAIRS_MAX + 1)];

    for (size_t i = 0; i < sizeof body; i += 2)
        memcpy(body + i, "a&", 2);
    f = form_of((struct str){body, sizeof body});
    for (size_t i = 0; i < FORM_PAIRS_MAX; i++)
        assert_int_equal(form_next(&f, &arena, &name, &value), 1);
    assert_int_equal(form_next(&f, &arena, &name, &value), -E2BIG);
}

static void test_all_kinds(void **state)
{
    struct sample s;

    assert_int_equal(decode("to=%2B1555&text=hi+there&mediaUrls=a&mediaUrls=b&mediaUrls%5B%5D=c"
                            "&validityPeriod=-60&dryRun=true&unknown=1",
                            &s),
                     JSON_OK);
    assert_true(str_is(s.to, "+1555"));
    assert_true(str_is(s.text, "hi there"));
    assert_int_equal(s.media.count, 3);
    assert_true(str_is(s.media.items[0], "a"));
    assert_true(str_is(s.media.items[1], "b"));
    assert_true(str_is(s.media.items[2], "c"));
    assert_int_equal(s.validity, -60);
    assert_true(s.dry && s.has_dry && s.has_to);
}

static void test_absent_and_empty(void **state)
{
    struct sample s;

    assert_int_equal(decode("", &s), JSON_OK);
    assert_false(s.has_to || s.has_text || s.has_media);
    assert_int_equal(decode("text=", &s), JSON_OK);
    assert_true(s.has_text);
    assert_int_equal(s.text.n, 0);
}

static void test_alias(void **state)
{
    struct sample s;

    assert_int_equal(decode("media_urls=a&media_urls[]=b", &s), JSON_OK);
    assert_int_equal(s.media.count, 2);
    assert_int_equal(decode("media_urls=a&mediaUrls=b&media_urls=c", &s), JSON_OK);
    assert_int_equal(s.media.count, 1);
    assert_true(str_is(s.media.items[0], "b"));
}

static void test_wrong_types(void **state)
{
    static const struct {
        const char *body, *field, *message;
    } cases[] = {
        {"to=1&to=2", "to", "must be given only once"},
        {"validityPeriod=1.5", "validityPeriod", "must be a whole number"},
        {"validityPeriod=", "validityPeriod", "must be a whole number"},
        {"validityPeriod=9223372036854775808", "validityPeriod", "must be a whole number"},
        {"dryRun=yes", "dryRun", "must be true or false"},
        {"dryRun=yes&validityPeriod=x", "validityPeriod", "must be a whole number"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sample s;
        assert_int_equal(decode(cases[i].body, &s), JSON_WRONG_TYPE);
        assert_string_equal(error.field, cases[i].field);
        assert_string_equal(error.message, cases[i].message);
    }
}

static void test_integer_edges(void **state)
{
    struct sample s;

    assert_int_equal(decode("validityPeriod=-9007199254740992", &s), JSON_OK);
    assert_true(s.validity == -JSON_INT_MAX);
    assert_int_equal(decode("validityPeriod=9007199254740992", &s), JSON_OK);
    assert_true(s.validity == JSON_INT_MAX);
    assert_int_equal(decode("validityPeriod=9007199254740993", &s), JSON_WRONG_TYPE);
    assert_int_equal(decode("validityPeriod=-9007199254740993", &s), JSON_WRONG_TYPE);
}

static void test_json_inside(void **state)
{
    static const char *const bad[] = {"",     "x", "[]", "\"{}\"", "{}{}", "{\"a\":1,\"a\":1}",
                                      "{a:1}"};
    struct sample s;

    assert_int_equal(decode("metadata=+{%22a%22:+1}+&items=[1]", &s), JSON_OK);
    assert_true(str_is(s.metadata, "{\"a\": 1}") && str_is(s.items, "[1]"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char body[64];
        snprintf(body, sizeof body, "metadata=%s", bad[i]);
        assert_int_equal(decode(body, &s), JSON_WRONG_TYPE);
        assert_string_equal(error.field, "metadata");
        assert_string_equal(error.message, "must be a JSON object");
    }
}

static void test_malformed(void **state)
{
    struct sample s;

    assert_int_equal(decode("to=1&unknown=%zz", &s), JSON_MALFORMED);
    assert_null(error.field);
    assert_true(strlen(error.message) > 0);
    assert_false(s.has_to);
}

static void test_texts_outlive_the_body(void **state)
{
    char body[] = "to=1555&mediaUrls=a";
    struct sample s;

    assert_int_equal(decode(body, &s), JSON_OK);
    memset(body, 'x', sizeof body);
    assert_true(str_is(s.to, "1555"));
    assert_true(str_is(s.media.items[0], "a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),         cmocka_unit_test(test_bad_pairs),
        cmocka_unit_test(test_utf8_edges),    cmocka_unit_test(test_too_many_pairs),
        cmocka_unit_test(test_all_kinds),     cmocka_unit_test(test_absent_and_empty),
        cmocka_unit_test(test_alias),         cmocka_unit_test(test_wrong_types),
        cmocka_unit_test(test_integer_edges), cmocka_unit_test(test_json_inside),
        cmocka_unit_test(test_malformed),     cmocka_unit_test(test_texts_outlive_the_body),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
