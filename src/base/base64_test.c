#include "base/base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* The vectors of RFC 4648. */
static const char *const vectors[][2] = {
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
    {"\xfb\xff\xbe", "+/++"},
};
enum { VECTORS = sizeof vectors / sizeof *vectors };

static void test_encode(void **state)
{
    for (size_t i = 0; i < VECTORS; i++) {
        char out[BASE64_SIZE(8)];
        size_t n = strlen(vectors[i][0]);

        base64_encode(vectors[i][0], n, out);
        assert_int_equal(BASE64_SIZE(n), strlen(vectors[i][1]));
        assert_memory_equal(out, vectors[i][1], BASE64_SIZE(n));
    }
}

static void test_decode(void **state)
{
    for (size_t i = 0; i < VECTORS; i++) {
        char out[8];
        size_t n = 99;

        assert_true(base64_decode(str_of(vectors[i][1]), out, sizeof out, &n));
        assert_int_equal(n, strlen(vectors[i][0]));
        assert_memory_equal(out, vectors[i][0], n);
    }
}

static void test_refused(void **state)
{
    static const char *const bad[] = {
        "Zg",   "Zg=",  "Zg===", "Z===", "====",  "=Zg=",    "Zg==Zg==",
        "Zm9 ", "Zm9-", "Zh==",  "Zm9=", "Zm\n9", "Zm9vYmF", "Zm9_"};
    char out[16];
    size_t n = 99;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(base64_decode(str_of(bad[i]), out, sizeof out, &n));
    assert_false(base64_decode(STR("Zm9vYmFy"), out, 5, &n));
    assert_true(base64_decode(STR("Zm9vYmE="), out, 5, &n));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_encode),
        cmocka_unit_test(test_decode),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
