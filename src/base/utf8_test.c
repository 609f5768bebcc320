#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void reads_and_writes_every_scalar_value(void **state)
{
    for (int32_t point = 0; point <= 0x10ffff; point++) {
        unsigned char b[4];
        unsigned n, bytes = 0;

        if (point >= 0xd800 && point <= 0xdfff)
            continue;
        if (point < 0x80) {
            n = 1;
            b[0] = (unsigned char)point;
        } else if (point < 0x800) {
            n = 2;
            b[0] = (unsigned char)(0xc0 | point >> 6);
        } else if (point < 0x10000) {
            n = 3;
            b[0] = (unsigned char)(0xe0 | point >> 12);
        } else {
            n = 4;
            b[0] = (unsigned char)(0xf0 | point >> 18);
        }
        for (unsigned i = 1; i < n; i++)
            b[i] = (unsigned char)(0x80 | ((point >> (6 * (n - 1 - i))) & 0x3f));
        struct str s = {(const char *)b, n};
        if (utf8_decode(s, &bytes) != point || bytes != n || !utf8_valid(s) || utf8_length(s) != 1)
            fail_msg("U+%04X is not read", (unsigned)point);
        char written[UTF8_MAX];
        if (utf8_encode(point, written) != n || memcmp(written, b, n) != 0)
            fail_msg("U+%04X is not written", (unsigned)point);
    }
}

static void refuses_what_is_not_utf8(void **state)
{
    static const char *const wrong[] = {
        "\x80",             /* continuation without a lead */
        "\xc3",             /* cut off */
        "\xe2\x82",         /* cut off */
        "\xf0\x9f\x98",     /* cut off */
        "\xc0\xaf",         /* overlong */
        "\xc1\xbf",         /* overlong */
        "\xe0\x9f\xbf",     /* overlong */
        "\xf0\x8f\xbf\xbf", /* overlong */
        "\xed\xa0\x80",     /* surrogate */
        "\xed\xbf\xbf",     /* surrogate */
        "\xf4\x90\x80\x80", /* above U+10FFFF */
        "\xf5\x80\x80\x80",
        "\xff",
        "\xfe",
        "\xe2\x28\xa1",
        "\xf0\x9f\x28\x80",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char padded[64];
        unsigned bytes;

        assert_false(utf8_valid(str_of(wrong[i])));
        assert_int_equal(utf8_decode(str_of(wrong[i]), &bytes), -1);
        /* and found behind a run of ASCII, where the fast path ends */
        snprintf(padded, sizeof padded, "eleven char%szzz", wrong[i]);
        assert_false(utf8_valid(str_of(padded)));
    }
}

static void counts_code_points(void **state)
{
    assert_true(utf8_valid(STR("")));
    assert_int_equal(utf8_length(STR("")), 0);
    assert_int_equal(utf8_length(STR("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80")), 4);
    assert_true(utf8_valid(STR("nul \0 inside")));
}

static void shows_what_can_be_shown(void **state)
{
    assert_true(str_eq(utf8_shown(STR("abc"), 3), STR("abc")));
    assert_true(str_eq(utf8_shown(STR("abcd"), 3), STR("abc")));
    assert_true(str_eq(utf8_shown(STR("ab\xc3\xa9"), 3), STR("ab")));
    assert_true(str_eq(utf8_shown(STR("ab\xff"), 9), STR("ab")));
    assert_true(str_eq(utf8_shown(STR("ab\nc"), 9), STR("ab")));
    assert_true(str_eq(utf8_shown(STR("ab\xc2\x85"), 9), STR("ab")));
    assert_true(str_eq(utf8_shown(STR("ab\xc2\xa0"), 9), STR("ab\xc2\xa0")));
    assert_int_equal(utf8_shown((struct str){NULL, 0}, 9).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_writes_every_scalar_value),
        cmocka_unit_test(refuses_what_is_not_utf8),
        cmocka_unit_test(counts_code_points),
        cmocka_unit_test(shows_what_can_be_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
