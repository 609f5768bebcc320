#include "base/base64.h"
#include "base/test_random.h"
#include "mm7/mime.h"

#include "mm7/test_mm7.h"

#include <stdio.h>
#include <stdlib.h>

static void check(struct str got, struct str want)
{
    if (!str_eq(got, want))
        fail_msg("'%.*s' is not '%.*s'", STR_FMT(got), STR_FMT(want));
}

static void base64_of_any_length_is_read(void **state)
{
    uint64_t seed = 7;
    uint8_t bytes[200];
    char text[BASE64_SIZE(sizeof bytes)];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)test_random(&seed);
    for (size_t n = 0; n <= sizeof bytes; n++) {
        base64_encode(bytes, n, text);
        struct str got = mime_decode_base64(&arena, (struct str){text, BASE64_SIZE(n)});
        check(got, (struct str){(char *)bytes, n});
        size_t end = BASE64_SIZE(n); /* and without its padding */
        while (end > 0 && text[end - 1] == '=')
            end--;
        check(mime_decode_base64(&arena, (struct str){text, end}), (struct str){(char *)bytes, n});
    }
}

static void all_digits_have_their_values(void **state)
{
    static const char text[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t want[48];
    size_t n;

    assert_true(base64_decode(STR(text), want, sizeof want, &n));
    check(mime_decode_base64(&arena, STR(text)), (struct str){(char *)want, n});
}

static void what_is_no_base64_is_passed_over(void **state)
{
    check(mime_decode_base64(&arena, STR("aG\r\nVs bG8=\r\n")), STR("hello"));
    check(mime_decode_base64(&arena, STR("aGVs*bG8=ZZZZ")), STR("hello"));
    check(mime_decode_base64(&arena, STR("aGVsbG8\xff")), STR("hello"));
    check(mime_decode_base64(&arena, STR("aGVsb")), STR("hel"));
    check(mime_decode_base64(&arena, STR("")), STR(""));
    check(mime_decode_base64(&arena, STR("====")), STR(""));
}

static void quoted_printable_is_read(void **state)
{
    check(mime_decode_quoted(&arena, STR("a=3Db=c3=BC")), STR("a=b\xc3\xbc"));
    check(mime_decode_quoted(&arena, STR("one=\r\ntwo=\nthree= \t\r\nfour")),
          STR("onetwothreefour"));
    check(mime_decode_quoted(&arena, STR("a\r\nb=")), STR("a\r\nb"));
    check(mime_decode_quoted(&arena, STR("=ZZ=4")), STR("=ZZ=4"));
    check(mime_decode_quoted(&arena, STR("=00")), STR("\0"));
}

static void full_arenas_are_told(void **state)
{
    struct arena small;

    arena_init(&small, 1);
    assert_null(mime_decode_base64(&small, STR("aGVsbG8=")).p);
    assert_null(mime_decode_quoted(&small, STR("hello")).p);
    arena_done(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(base64_of_any_length_is_read),
        CASE(all_digits_have_their_values),
        CASE(what_is_no_base64_is_passed_over),
        CASE(quoted_printable_is_read),
        CASE(full_arenas_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
