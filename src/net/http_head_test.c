#include "net/http_head.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct http_head head;

/* The head between `line` and the empty line; what is wrong with it. */
static const char *parse(struct str text)
{
    size_t scanned = 0;

    memset(&head, 0xa5, sizeof head);
    assert_int_equal(http_head_size(text, &scanned), text.n);
    return http_head_parse(text, &head);
}

#define HEAD(line, fields) STR(line "\r\n" fields "\r\n")

#define accepted(line, fields) assert_null(parse(HEAD(line, fields)))
#define refused(line, fields)  assert_non_null(parse(HEAD(line, fields)))

static void test_plain(void **state)
{
    accepted("GET /v1/messages?limit=5&a=?b HTTP/1.1",
             "Host: localhost\r\nX-Empty:\r\nX-Spaces: \t a b \t \r\n");
    assert_true(str_is(head.method, "GET"));
    assert_true(str_is(head.path, "/v1/messages"));
    assert_true(str_is(head.query, "limit=5&a=?b"));
    assert_int_equal(head.field_count, 3);
    assert_true(str_is(http_head_field(&head, "HOST"), "localhost"));
    assert_true(str_is(http_head_field(&head, "x-spaces"), "a b"));
    assert_int_equal(http_head_field(&head, "X-Empty").n, 0);
    assert_non_null(http_head_field(&head, "X-Empty").p);
    assert_null(http_head_field(&head, "Hos").p);
    assert_null(http_head_field(&head, "Accept").p);
    assert_true(head.keep_alive);
    assert_false(head.has_length || head.chunked || head.expects_continue);
    assert_int_equal(head.content_length, 0);

    accepted("DELETE / HTTP/1.1", "");
    assert_int_equal(head.field_count, 0);
    assert_null(head.query.p);
    accepted("GET /? HTTP/1.1", "");
    assert_true(head.query.p && head.query.n == 0);
}

static void test_request_line(void **state)
{
    refused("", "");
    refused("GET", "");
    refused("GET /", "");
    refused("GET  / HTTP/1.1", "");
    refused("GET / HTTP/1.1 ", "");
    refused(" GET / HTTP/1.1", "");
    refused("G\tET / HTTP/1.1", "");
    refused("G(T / HTTP/1.1", "");
    refused("G\0T / HTTP/1.1", "");
    refused("G\xc3\xa4T / HTTP/1.1", "");
    refused("GET  HTTP/1.1", "");
    refused("GET / HTTP/2.0", "");
    refused("GET / HTTP/1.2", "");
    refused("GET / HTTP/0.9", "");
    refused("GET / HTTP/1.10", "");
    refused("GET / http/1.1", "");
    refused("GET / HTTP/1.1\r", "");
    refused("GET /\n HTTP/1.1", "");
    refused("GET /a\x01 HTTP/1.1", "");
    refused("GET /a\x7f HTTP/1.1", "");
    refused("GET /a\0b HTTP/1.1", "");
    refused("GET /\xc3\xa4 HTTP/1.1", "");
    refused("GET /a b HTTP/1.1", "");
    refused("GET /\ta HTTP/1.1", "");
}

static void test_absolute_form(void **state)
{
    accepted("GET https://example.com/v1/x?y=1 HTTP/1.1", "");
    assert_true(str_is(head.path, "/v1/x"));
    assert_true(str_is(head.query, "y=1"));
    accepted("GET HTTPS://h:1 HTTP/1.1", "");
    assert_true(str_is(head.path, "/"));
    assert_int_equal(head.query.n, 0);
    accepted("POST HTTP://mmsc.example:8444/mm7/acme HTTP/1.1", "");
    assert_true(str_is(head.path, "/mm7/acme"));
    /* The path is what stands before the question mark, whatever stands behind. */
    accepted("GET https://h?a=/v1/keys HTTP/1.1", "");
    assert_true(str_is(head.path, "/"));
    assert_true(str_is(head.query, "a=/v1/keys"));
    accepted("OPTIONS * HTTP/1.1", "");
    assert_true(str_is(head.path, "*"));
}

static void test_fields(void **state)
{
    refused("GET / HTTP/1.1", "no colon\r\n");
    refused("GET / HTTP/1.1", ": no name\r\n");
    refused("GET / HTTP/1.1", "Name : space\r\n");
    refused("GET / HTTP/1.1", "Na me: space\r\n");
    refused("GET / HTTP/1.1", " Name: first\r\n");
    refused("GET / HTTP/1.1", "A: 1\r\n folded: 2\r\n");
    refused("GET / HTTP/1.1", "A: 1\r\n\tfolded\r\n");
    refused("GET / HTTP/1.1", "N\xc3\xa4me: x\r\n");
    refused("GET / HTTP/1.1", "N\0me: x\r\n");
    refused("GET / HTTP/1.1", "A: \x01\r\n");
    refused("GET / HTTP/1.1", "A: x\0y\r\n");
    refused("GET / HTTP/1.1", "A: x\x7fy\r\n");
    refused("GET / HTTP/1.1", "A: \x1b[2J\r\n");
    accepted("GET / HTTP/1.1", "A: x\ty\r\n");
    accepted("GET / HTTP/1.1", "A: \xc3\xa4\r\n");
}

/* Whoever reads a bare line end as one sees other fields than we do. Also at the edges of a value,
 * where spaces would be trimmed. */
static void test_bare_line_ends(void **state)
{
    refused("GET / HTTP/1.1", "A: x\nB: y\r\n");
    refused("GET / HTTP/1.1", "A: x\rB: y\r\n");
    refused("GET / HTTP/1.1", "A: \nContent-Length: 5\r\n");
    refused("GET / HTTP/1.1", "A: \rContent-Length: 5\r\n");
    refused("GET / HTTP/1.1", "A:\n\r\n");
    refused("GET / HTTP/1.1", "A: x\n\r\n");
    refused("GET / HTTP/1.1", "A: x\r\r\n");
    refused("GET / HTTP/1.1", "Content-Length: 5\r\r\n");
    refused("GET / HTTP/1.1", "Transfer-Encoding: \nchunked\r\n");
    refused("GET / HTTP/1.1", "A\n: x\r\n");
}

static void test_lengths(void **state)
{
    accepted("POST / HTTP/1.1", "content-length: 0042\r\n");
    assert_true(head.has_length);
    assert_int_equal(head.content_length, 42);
    accepted("POST / HTTP/1.1", "Content-Length: 18446744073709551615\r\n");
    assert_true(head.content_length == UINT64_MAX);
    refused("POST / HTTP/1.1", "Content-Length: 5\r\nContent-Length: 6\r\n");
    refused("POST / HTTP/1.1", "Content-Length: 5\r\nContent-Length: 5\r\n");
    refused("POST / HTTP/1.1", "Content-Length: 5, 5\r\n");
    refused("POST / HTTP/1.1", "Content-Length:\r\n");
    refused("POST / HTTP/1.1", "Content-Length: +5\r\n");
    refused("POST / HTTP/1.1", "Content-Length: -5\r\n");
    refused("POST / HTTP/1.1", "Content-Length: 5a\r\n");
    refused("POST / HTTP/1.1", "Content-Length: 0x5\r\n");
    refused("POST / HTTP/1.1", "Content-Length: 5 5\r\n");
    refused("POST / HTTP/1.1", "Content-Length: 18446744073709551616\r\n");
}

static void test_chunked(void **state)
{
    accepted("POST / HTTP/1.1", "Transfer-Encoding: Chunked\r\n");
    assert_true(head.chunked);
    refused("POST / HTTP/1.1", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n");
    refused("POST / HTTP/1.1", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n");
    refused("POST / HTTP/1.1", "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n");
    refused("POST / HTTP/1.1", "Transfer-Encoding: gzip, chunked\r\n");
    refused("POST / HTTP/1.1", "Transfer-Encoding: chunked, identity\r\n");
    refused("POST / HTTP/1.1", "Transfer-Encoding: xchunked\r\n");
    refused("POST / HTTP/1.1", "Transfer-Encoding:\r\n");
    refused("POST / HTTP/1.1", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n");
    refused("POST / HTTP/1.1", "Transfer-Encoding: \x0b"
                               "chunked\r\n");
    /* HTTP/1.0 knows no chunks; who passed it on may have taken the body for something else. */
    refused("POST / HTTP/1.0", "Transfer-Encoding: chunked\r\n");
}

static void test_keep_alive(void **state)
{
    accepted("GET / HTTP/1.0", "");
    assert_false(head.keep_alive);
    accepted("GET / HTTP/1.0", "Connection: Keep-Alive\r\n");
    assert_true(head.keep_alive);
    accepted("GET / HTTP/1.1", "Connection: CLOSE\r\n");
    assert_false(head.keep_alive);
    accepted("GET / HTTP/1.1", "Connection: upgrade , close\r\n");
    assert_false(head.keep_alive);
    accepted("GET / HTTP/1.1", "Connection: keep-alive, close\r\n");
    assert_false(head.keep_alive);
    accepted("GET / HTTP/1.1", "Connection: close\r\nConnection: keep-alive\r\n");
    assert_false(head.keep_alive);
    accepted("GET / HTTP/1.1", "Connection: closed\r\n");
    assert_true(head.keep_alive);
    accepted("GET / HTTP/1.1", "Connection:\r\n");
    assert_true(head.keep_alive);
}

static void test_expect(void **state)
{
    accepted("POST / HTTP/1.1", "Expect: 100-Continue\r\n");
    assert_true(head.expects_continue);
    accepted("POST / HTTP/1.1", "Expect: else\r\n");
    assert_false(head.expects_continue);
    accepted("POST / HTTP/1.0", "Expect: 100-continue\r\n");
    assert_false(head.expects_continue); /* HTTP/1.0 would take it for the answer */
}

static struct str with_fields(unsigned count)
{
    static char text[8192];
    size_t n = (size_t)snprintf(text, sizeof text, "GET / HTTP/1.1\r\n");

    for (unsigned i = 0; i < count; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "X-%u: %u\r\n", i, i);
    n += (size_t)snprintf(text + n, sizeof text - n, "\r\n");
    return (struct str){text, n};
}

static void test_hosts(void **state)
{
    accepted("GET / HTTP/1.1", "Host: a\r\n");
    refused("GET / HTTP/1.1", "Host: a\r\nhost: a\r\n");
    refused("GET / HTTP/1.1", "Host: a\r\nX: y\r\nHost: b\r\n");
    accepted("GET / HTTP/1.1", "Host: a\r\n"); /* the one before is forgotten */
}

static void test_number_of_fields(void **state)
{
    assert_null(parse(with_fields(64)));
    assert_int_equal(head.field_count, 64);
    assert_true(str_is(http_head_field(&head, "X-63"), "63"));
    assert_non_null(parse(with_fields(65)));
    assert_non_null(parse(with_fields(300)));
}

/* However the bytes come, the end is found when it is there, and not before. */
static void test_size_across_splits(void **state)
{
    struct str text = STR("GET / HTTP/1.1\r\nA: \r\r\nB: \n\r\n\r\nbody\r\n\r\n");
    const size_t size = text.n - 8;

    for (size_t first = 0; first <= text.n; first++)
        for (size_t second = first; second <= text.n; second++) {
            size_t scanned = 0;
            size_t a = http_head_size((struct str){text.p, first}, &scanned);
            assert_int_equal(a, first >= size ? size : 0);
            if (a)
                continue;
            size_t b = http_head_size((struct str){text.p, second}, &scanned);
            assert_int_equal(b, second >= size ? size : 0);
        }
    size_t scanned = 0;
    for (size_t n = 0; n < size; n++)
        assert_int_equal(http_head_size((struct str){text.p, n}, &scanned), 0);
    assert_int_equal(http_head_size((struct str){text.p, size}, &scanned), size);
}

static void test_bare_line_feeds(void **state)
{
    assert_true(http_head_is_bare(STR("GET / HTTP/1.1\nHost: x\n\n")));
    assert_false(http_head_is_bare(STR("GET / HTTP/1.1\nHost: x\n")));
    assert_false(http_head_is_bare(STR("GET / HTTP/1.1\r\nHost: x\r\n\r")));
    assert_false(http_head_is_bare(STR("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bare_line_feeds),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_request_line),
        cmocka_unit_test(test_absolute_form),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_bare_line_ends),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_chunked),
        cmocka_unit_test(test_keep_alive),
        cmocka_unit_test(test_expect),
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_number_of_fields),
        cmocka_unit_test(test_size_across_splits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
