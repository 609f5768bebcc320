#include "net/http_chunks.h"

#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

struct result {
    int code;
    size_t in;
    char body[4096];
    size_t body_size;
};

/* Decodes with the bytes coming in three pieces, in memory of exactly that size. */
static struct result decode(struct str coded, size_t first, size_t second)
{
    struct http_chunks c = {0};
    struct result r = {0};
    char *bytes = malloc(coded.n ? coded.n : 1);

    assert_non_null(bytes);
    memcpy(bytes, coded.p, coded.n);
    const size_t ends[] = {first, second, coded.n};
    for (int i = 0; i < 3 && r.code == 0; i++) {
        r.code = http_chunks_step(&c, bytes, ends[i]);
        assert_true(c.in <= ends[i] && c.out <= c.in);
    }
    r.in = c.in;
    r.body_size = c.out;
    assert_true(c.out <= sizeof r.body);
    memcpy(r.body, bytes, c.out);
    free(bytes);
    return r;
}

static void check_everywhere(struct str coded, int code, struct str body, size_t used)
{
    for (size_t first = 0; first <= coded.n; first++)
        for (size_t second = first; second <= coded.n; second++) {
            struct result r = decode(coded, first, second);
            assert_int_equal(r.code, code);
            if (code < 0)
                continue;
            assert_int_equal(r.in, used);
            assert_int_equal(r.body_size, body.n);
            assert_memory_equal(r.body, body.p, body.n);
        }
}

#define whole(coded, body, behind)                                                                 \
    check_everywhere(STR(coded behind), 1, STR(body), sizeof(coded) - 1)
#define malformed(coded)        check_everywhere(STR(coded), -1, STR(""), 0)
#define unfinished(coded, body) check_everywhere(STR(coded), 0, STR(body), sizeof(coded) - 1)

static void test_bodies(void **state)
{
    whole("0\r\n\r\n", "", "");
    whole("5\r\nhello\r\n0\r\n\r\n", "hello", "");
    whole("5\r\nhello\r\n0\r\n\r\n", "hello", "GET / HTTP/1.1\r\n");
    whole("1\r\na\r\n2\r\nbc\r\n00a\r\n0\r\n\r\n56789\r\n0\r\n\r\n", "abc0\r\n\r\n56789", "x");
    whole("00000001\r\nx\r\n00000000\r\n\r\n", "x", "\r\n");
    whole("aB\r\n"
          "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567"
          "89012345678901234567890123456789012345678901234567890123456789012345678901234567890"
          "\r\n0\r\n\r\n",
          "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567"
          "89012345678901234567890123456789012345678901234567890123456789012345678901234567890",
          "");
}

static void test_extensions_and_trailers(void **state)
{
    whole("3;name=value\r\nabc\r\n0;last\r\n\r\n", "abc", "");
    whole("3 ;a=\"b c\"\r\nabc\r\n0\r\n\r\n", "abc", "z");
    whole("3\t;a\r\nabc\r\n0\r\nX-Sum: 1\r\nY: 2\r\n\r\n", "abc", "next");
}

static void test_malformed(void **state)
{
    malformed("\r\n");
    malformed("x\r\n");
    malformed("-1\r\n");
    malformed(" 1\r\na");
    malformed(";a\r\n");
    malformed("0x1\r\na\r\n");
    malformed("1\na\r\n");
    malformed("1\rx");
    malformed("1;a\nb\r\n");
    malformed("1;a\rb\r\n");
    malformed("1 2\r\n");
    malformed("1g\r\n");
    malformed("1\r\nab\r\n");
    malformed("1\r\na\n");
    malformed("1\r\na\rb");
    malformed("1\r\na0\r\n\r\n");
    malformed("1\r\na\r\n\r\n");
    malformed("0\r\n\n");
    malformed("0\r\n\rX");
    malformed("0\r\nA: b\n\r\n");
    malformed("0\r\nA: b\rc\r\n");
    malformed("000000001\r\n"); /* more than eight digits, however small */
    malformed("100000000\r\n");
    malformed("fffffffff\r\n");
}

static void test_unfinished(void **state)
{
    unfinished("", "");
    unfinished("5", "");
    unfinished("5\r", "");
    unfinished("5\r\nhel", "hel");
    unfinished("5\r\nhello", "hello");
    unfinished("5\r\nhello\r\n", "hello");
    unfinished("5\r\nhello\r\n0\r\n", "hello");
    unfinished("5\r\nhello\r\n0\r\nA: b\r\n\r", "hello");
    unfinished("ffffffff\r\nall of 4 GiB", "all of 4 GiB");
}

static int decode_repeated(const char *before, char filler, size_t times, const char *behind)
{
    struct buf b BUF_CLEANUP;
    struct http_chunks c = {0};

    buf_init(&b, 1 << 20);
    buf_text(&b, before);
    for (size_t i = 0; i < times; i++)
        buf_add_char(&b, filler);
    buf_text(&b, behind);
    return http_chunks_step(&c, b.p, b.n);
}

static void test_long_lines(void **state)
{
    assert_int_equal(decode_repeated("1;", 'x', 1000, "\r\na\r\n0\r\n\r\n"), 1);
    assert_int_equal(decode_repeated("1;", 'x', 1100, "\r\na\r\n0\r\n\r\n"), -1);
    assert_int_equal(decode_repeated("1;", 'x', 100000, ""), -1);
    assert_int_equal(decode_repeated("0\r\nA: ", 'x', 1000, "\r\n\r\n"), 1);
    assert_int_equal(decode_repeated("0\r\nA: ", 'x', 1100, "\r\n\r\n"), -1);
}

/* Lines of the trailer are counted together: they are kept for nobody. */
static void test_endless_trailer(void **state)
{
    struct buf b BUF_CLEANUP;
    struct http_chunks c = {0};

    buf_init(&b, 1 << 20);
    buf_text(&b, "0\r\n");
    for (int i = 0; i < 10000; i++)
        buf_text(&b, "A: b\r\n");
    assert_int_equal(http_chunks_step(&c, b.p, b.n), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies),     cmocka_unit_test(test_extensions_and_trailers),
        cmocka_unit_test(test_malformed),  cmocka_unit_test(test_unfinished),
        cmocka_unit_test(test_long_lines), cmocka_unit_test(test_endless_trailer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
