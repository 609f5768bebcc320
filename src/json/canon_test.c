#include "json/canon.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const uint8_t key[SIPHASH_KEY_SIZE] = "0123456789abcde";

static void hash(const char *json, uint8_t out[SIPHASH_SIZE])
{
    struct siphash s;
    struct arena a;

    arena_init(&a, 1 << 20);
    siphash_init(&s, key);
    json_canon_hash(str_of(json), key, &a, &s);
    siphash_done(&s, out);
    arena_done(&a);
}

static bool same(const char *a, const char *b)
{
    uint8_t x[SIPHASH_SIZE], y[SIPHASH_SIZE];

    hash(a, x);
    hash(b, y);
    return memcmp(x, y, sizeof x) == 0;
}

static void the_writing_does_not_matter(void **state)
{
    assert_true(same("{\"a\":1,\"b\":[true,null]}", " { \"b\" : [ true , null ] ,\n\"a\" : 1 } "));
    assert_true(same("{\"a\":{\"x\":1,\"y\":2},\"b\":3}", "{\"b\":3,\"a\":{\"y\":2,\"x\":1}}"));
    assert_true(same("[\"A\\u00e9/\"]", "[\"\\u0041\xc3\xa9\\/\"]"));
    assert_true(same("{\"\\u0061\":1}", "{\"a\":1}"));
}

static void the_value_does(void **state)
{
    static const char *const values[] = {
        "{}",
        "[]",
        "[[]]",
        "[[],[]]",
        "{\"a\":1}",
        "{\"a\":\"1\"}",
        "{\"a\":1.0}",
        "{\"b\":1}",
        "{\"a\":null}",
        "{\"a\":{}}",
        "{\"a\":[]}",
        "{\"a\":1,\"b\":2}",
        "[1,2]",
        "[2,1]",
        "[\"1,2\"]",
        "[\"1\",\"2\"]",
        "[12]",
        "[\"ab\",\"c\"]",
        "[\"a\",\"bc\"]",
        "{\"a\":2,\"b\":1}",
        "[true]",
        "[false]",
        "[null]",
        "[[1],2]",
        "[[1,2]]",
        "[\"true\"]",
        "\"x\"",
        "[\"x\"]",
    };
    enum { COUNT = sizeof values / sizeof *values };

    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < COUNT; k++)
            assert_int_equal(same(values[i], values[k]), i == k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_writing_does_not_matter),
        cmocka_unit_test(the_value_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
