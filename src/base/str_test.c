#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct str nothing = {NULL, 0};

static void test_equality(void **state)
{
    assert_true(str_eq(STR("abc"), STR("abc")));
    assert_false(str_eq(STR("abc"), STR("abd")));
    assert_false(str_eq(STR("abc"), STR("ab")));
    assert_true(str_eq(nothing, STR("")));
    assert_true(str_is(STR("GET"), "GET"));
    assert_false(str_is(STR("GET"), "get"));
    assert_true(str_eq(str_of(NULL), nothing));
}

static void test_equality_without_case(void **state)
{
    assert_true(str_eq_nocase(STR("Content-Length"), STR("content-LENGTH")));
    assert_false(str_eq_nocase(STR("Content-Length"), STR("Content-Lengt")));
    assert_true(str_eq_nocase(nothing, STR("")));
    /* '@' and '`', '[' and '{' differ by the same bit as letters do. */
    assert_false(str_eq_nocase(STR("@["), STR("`{")));
    assert_false(str_eq_nocase(STR("\xc3\x84"), STR("\xc3\xa4")));
    /* What stands behind a NUL counts as well. */
    assert_false(str_eq_nocase(STR("a\0b"), STR("a\0c")));
    assert_true(str_eq_nocase(STR("a\0B"), STR("A\0b")));
}

static void test_prefixes(void **state)
{
    assert_true(str_starts(STR("https://x"), STR("https://")));
    assert_false(str_starts(STR("HTTPS://x"), STR("https://")));
    assert_true(str_starts_nocase(STR("HTTPS://x"), STR("https://")));
    assert_false(str_starts(STR("http"), STR("https")));
    assert_true(str_starts(STR("x"), STR("")));
    assert_true(str_starts(nothing, STR("")));
    assert_true(str_starts_nocase(nothing, nothing));
    assert_false(str_starts_nocase(STR("\0b"), STR("\0c")));
}

static void test_skip_and_trim(void **state)
{
    assert_true(str_is(str_skip(STR("abc"), 1), "bc"));
    assert_int_equal(str_skip(STR("abc"), 99).n, 0);
    assert_int_equal(str_skip(nothing, 5).n, 0);
    assert_true(str_is(str_trim(STR(" \t a b\r\n")), "a b"));
    assert_int_equal(str_trim(STR(" \n ")).n, 0);
    assert_int_equal(str_trim(nothing).n, 0);
}

static void test_cut(void **state)
{
    struct str s = STR("a,,b");

    assert_true(str_is(str_cut(&s, ','), "a"));
    assert_true(str_is(str_cut(&s, ','), ""));
    assert_non_null(s.p);
    assert_true(str_is(str_cut(&s, ','), "b"));
    assert_null(s.p);
    assert_int_equal(s.n, 0);

    s = STR("a,");
    str_cut(&s, ',');
    assert_non_null(s.p); /* an empty part is left, which is not the same as none */
    assert_int_equal(str_cut(&s, ',').n, 0);
    assert_null(s.p);
}

static void test_numbers(void **state)
{
    uint64_t value = 7;

    assert_true(str_to_u64(STR("0"), &value) && value == 0);
    assert_true(str_to_u64(STR("18446744073709551615"), &value) && value == UINT64_MAX);
    assert_true(str_to_u64(STR("0000000000000000000000000042"), &value) && value == 42);
    static const char *const bad[] = {"",   "-1",  "+1",   " 1",
                                      "1 ", "0x1", "1e3",  "18446744073709551616",
                                      "1.", "1_0", "\xb2", "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(str_to_u64(str_of(bad[i]), &value));
        assert_int_equal(value, 42); /* untouched */
    }
    assert_false(str_to_u64(STR("1\0"), &value));
}

static void test_to_i64(void **state)
{
    int64_t value = 1;

    assert_true(str_to_i64(STR("-0"), &value) && value == 0);
    assert_true(str_to_i64(STR("9223372036854775807"), &value) && value == INT64_MAX);
    assert_true(str_to_i64(STR("-9223372036854775808"), &value) && value == INT64_MIN);
    static const char *const bad[] = {
        "", "-", "--1", "+1", "-1.", "- 1", "9223372036854775808", "-9223372036854775809"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(str_to_i64(str_of(bad[i]), &value));
        assert_true(value == INT64_MIN); /* untouched */
    }
}

static void test_hex_value(void **state)
{
    static const char digits[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";

    for (int i = 0; i < 16; i++) {
        assert_int_equal(hex_value(digits[i]), i);
        assert_int_equal(hex_value(upper[i]), i);
    }
    for (const char *c = "/:@G`g\x80"; *c; c++)
        assert_int_equal(hex_value(*c), -1);
}

static void test_distance(void **state)
{
    char longest[64], longer[65];

    assert_int_equal(str_distance("", ""), 0);
    assert_int_equal(str_distance("", "abc"), 3);
    assert_int_equal(str_distance("kitten", "sitting"), 3);
    assert_int_equal(str_distance("sitting", "kitten"), 3);
    assert_int_equal(str_distance("same", "same"), 0);
    memset(longest, 'a', sizeof longest);
    memset(longer, 'a', sizeof longer);
    longest[63] = longer[64] = '\0';
    assert_int_equal(str_distance(longest, longest), 0);
    assert_int_equal(str_distance(longer, longer), 63); /* too long to be a word */
}

static void test_format(void **state)
{
    char out[6];

    str_format(out, sizeof out, "%d-%s", 12, "abcdef");
    assert_string_equal(out, "12-ab");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equality),  cmocka_unit_test(test_equality_without_case),
        cmocka_unit_test(test_prefixes),  cmocka_unit_test(test_skip_and_trim),
        cmocka_unit_test(test_cut),       cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_to_i64),    cmocka_unit_test(test_distance),
        cmocka_unit_test(test_hex_value), cmocka_unit_test(test_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
