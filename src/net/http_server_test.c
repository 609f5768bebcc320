/* Requests and answers over real connections. How the server lives and dies: http_life_test.c. */
#include "net/http_server.h"

#include "net/http_server_test_client.h"
#include "net/http_server_test_server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static struct test_server server;

static void check_answer(struct test_client *c, unsigned status, struct str body, bool closes)
{
    struct test_answer a;

    assert_true(test_client_answer(c, &a, true));
    assert_int_equal(a.status, status);
    assert_int_equal(a.length, body.n);
    assert_int_equal(a.body.n, body.n);
    assert_memory_equal(a.body.p ? a.body.p : "", body.p, body.n);
    assert_int_equal(a.closes, closes);
    assert_int_equal(strlen(a.id), REQUEST_ID_SIZE);
}

#define answered(c, body) check_answer((c), 200, STR(body), false)

static void test_keep_alive(void **state)
{
    struct test_client c;
    char ids[3][32];

    test_client_open(&c, server.address);
    for (int i = 0; i < 3; i++) {
        struct test_answer a;
        test_client_say(&c, "POST /echo HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello");
        assert_true(test_client_answer(&c, &a, true));
        assert_true(a.status == 200 && str_is(a.body, "hello") && !a.closes);
        snprintf(ids[i], sizeof ids[i], "%s", a.id);
    }
    assert_string_not_equal(ids[0], ids[1]);
    assert_string_not_equal(ids[1], ids[2]);
    assert_false(test_client_ended(&c, 50));
    test_client_close(&c);
}

static void test_head(void **state)
{
    struct test_client c;
    struct test_answer a;

    test_client_open(&c, server.address);
    test_client_say(&c, "HEAD /echo HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"
                        "GET /echo HTTP/1.1\r\n\r\n");
    assert_true(test_client_answer(&c, &a, false));
    assert_int_equal(a.length, 5);
    answered(&c, "");
    test_client_close(&c);
}

/* More than get a turn at once, in one go; then cut at every byte. */
static void test_pipelined(void **state)
{
    enum { REQUESTS = 1000 };
    struct buf all BUF_CLEANUP = {.max = 1 << 20};
    struct test_client c;

    for (int i = 0; i < REQUESTS; i++)
        buf_printf(&all, "POST /echo HTTP/1.1\r\nContent-Length: 4\r\n\r\n%04d", i);
    test_client_open(&c, server.address);
    test_client_send(&c, buf_str(&all));
    for (int i = 0; i < REQUESTS; i++) {
        char number[8];
        snprintf(number, sizeof number, "%04d", i);
        check_answer(&c, 200, str_of(number), false);
    }
    const struct str two = STR("POST /echo HTTP/1.1\r\nContent-Length: 4\r\n\r\nabcd"
                               "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                               "2\r\nef\r\n2\r\ngh\r\n0\r\n\r\n");
    for (size_t cut = 1; cut < two.n; cut++) {
        test_client_send(&c, (struct str){two.p, cut});
        if (cut % 8 == 0)
            usleep(1000); /* often enough it arrives alone */
        test_client_send(&c, str_skip(two, cut));
        answered(&c, "abcd");
        answered(&c, "efgh");
    }
    for (size_t i = 0; i < two.n; i++)
        test_client_send(&c, (struct str){two.p + i, 1});
    answered(&c, "abcd");
    answered(&c, "efgh");
    test_client_close(&c);
}

static void test_chunked(void **state)
{
    struct buf body BUF_CLEANUP = {.max = 1 << 20}, coded BUF_CLEANUP = {.max = 1 << 20};
    struct test_client c;

    test_client_open(&c, server.address);
    buf_text(&coded, "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (unsigned i = 1; body.n + i < TEST_BODY_MAX; i = i * 3 % 7919) {
        buf_printf(&coded, "%x;n=%u\r\n", i, i);
        for (unsigned k = 0; k < i; k++) {
            buf_add_char(&body, (char)('a' + (i + k) % 26));
            buf_add_char(&coded, (char)('a' + (i + k) % 26));
        }
        buf_text(&coded, "\r\n");
    }
    buf_text(&coded, "0\r\nTrailer: x\r\n\r\nGET / HTTP/1.1\r\n\r\n");
    test_client_send(&c, buf_str(&coded));
    check_answer(&c, 200, buf_str(&body), false);
    answered(&c, "");
    test_client_say(&c, "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX");
    check_answer(&c, 400, STR("malformed"), true);
    assert_true(test_client_ended(&c, 3000));
    test_client_close(&c);
}

static void send_filler(struct test_client *c, size_t n)
{
    static char filler[16384];

    memset(filler, 'x', sizeof filler);
    for (; n; n -= n < sizeof filler ? n : sizeof filler)
        test_client_send(c, (struct str){filler, n < sizeof filler ? n : sizeof filler});
}

/* Too large, but read to its end: the connection goes on. */
static void test_body_too_large(void **state)
{
    struct test_client c;
    char head[128];

    test_client_open(&c, server.address);
    snprintf(head, sizeof head, "POST /echo HTTP/1.1\r\nContent-Length: %d\r\n\r\n", TEST_BODY_MAX);
    test_client_send(&c, str_of(head));
    send_filler(&c, TEST_BODY_MAX);
    struct test_answer a;
    assert_true(test_client_answer(&c, &a, true));
    assert_true(a.status == 200 && a.length == TEST_BODY_MAX);

    snprintf(head, sizeof head, "POST /echo HTTP/1.1\r\nContent-Length: %d\r\n\r\n",
             TEST_BODY_MAX + 1);
    test_client_send(&c, str_of(head));
    send_filler(&c, TEST_BODY_MAX + 1);
    check_answer(&c, 400, STR("body too large"), false);

    test_client_say(&c, "POST /echo HTTP/1.1\r\nContent-Length: 5000000\r\n\r\n");
    send_filler(&c, 5000000);
    check_answer(&c, 400, STR("body too large"), false);

    test_client_say(&c, "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4c4b40\r\n");
    send_filler(&c, 5000000);
    test_client_say(&c, "\r\n0\r\n\r\nPOST /echo HTTP/1.1\r\nContent-Length: 2\r\n\r\nok");
    check_answer(&c, 400, STR("body too large"), false);
    answered(&c, "ok");
    test_client_close(&c);
}

static void test_room_for_a_larger_body(void **state)
{
    struct test_client c;
    struct test_answer a;
    char head[128];

    test_client_open(&c, server.address);
    for (int chunked = 0; chunked < 2; chunked++)
        for (int over = 0; over < 2; over++) {
            snprintf(head, sizeof head,
                     chunked ? "POST /room HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n"
                             : "POST /room HTTP/1.1\r\nContent-Length: %d\r\n\r\n",
                     TEST_ROOM + over);
            test_client_send(&c, str_of(head));
            send_filler(&c, TEST_ROOM + (size_t)over);
            if (chunked)
                test_client_say(&c, "\r\n0\r\n\r\n");
            assert_true(test_client_answer(&c, &a, true));
            assert_int_equal(a.status, over ? 400 : 200);
            assert_true(over || a.length == TEST_ROOM);
        }
    test_client_say(&c, "POST /echo HTTP/1.1\r\nContent-Length: 2\r\n\r\nok");
    answered(&c, "ok");
    test_client_close(&c);
}

/* So large that nobody waits for its end. */
static void test_body_absurdly_large(void **state)
{
    struct test_client c;

    test_client_open(&c, server.address);
    test_client_say(&c, "POST /echo HTTP/1.1\r\nContent-Length: 18446744073709551615\r\n\r\nabc");
    check_answer(&c, 400, STR("body too large"), true);
    assert_true(test_client_ended(&c, 3000));
    test_client_close(&c);

    test_client_open(&c, server.address);
    test_client_say(&c, "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n");
    send_filler(&c, (8 << 20) + 100000);
    check_answer(&c, 400, STR("body too large"), true);
    assert_true(test_client_ended(&c, 3000));
    test_client_close(&c);
}

static void test_large_heads(void **state)
{
    struct test_client c;

    test_client_open(&c, server.address);
    test_client_say(&c, "GET /echo HTTP/1.1\r\nX: ");
    send_filler(&c, 20000);
    test_client_say(&c, "\r\n\r\nPOST /echo HTTP/1.1\r\nContent-Length: 2\r\n\r\nok");
    check_answer(&c, 400, STR("head too large"), false);
    answered(&c, "ok");
    test_client_say(&c, "GET /echo HTTP/1.1\r\nX: ");
    send_filler(&c, 200000);
    check_answer(&c, 400, STR("malformed"), true);
    test_client_close(&c);
}

static void test_expect(void **state)
{
    struct test_client c;

    test_client_open(&c, server.address);
    for (int i = 0; i < 3; i++) {
        test_client_say(&c, "POST /echo HTTP/1.1\r\nExpect: 100-continue\r\n"
                            "Content-Length: 5\r\n\r\n");
        assert_true(test_client_expect(&c, STR("HTTP/1.1 100 Continue\r\n\r\n")));
        test_client_say(&c, "hello");
        answered(&c, "hello");
    }
    /* A client that does not wait is told nothing. */
    test_client_say(&c,
                    "POST /echo HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok");
    answered(&c, "ok");
    test_client_close(&c);
}

static void test_close_on_request(void **state)
{
    static const char *const requests[] = {"GET /echo HTTP/1.1\r\nConnection: close\r\n\r\n",
                                           "GET /echo HTTP/1.0\r\n\r\n"};
    for (size_t i = 0; i < 2; i++) {
        struct test_client c;
        test_client_open(&c, server.address);
        test_client_send(&c, str_of(requests[i]));
        test_client_say(&c, "GET /echo HTTP/1.1\r\n\r\n"); /* not looked at any more */
        check_answer(&c, 200, STR(""), true);
        assert_true(test_client_ended(&c, 3000));
        test_client_close(&c);
    }
}

static void test_malformed(void **state)
{
    static const char *const requests[] = {
        "\r\n\r\n",
        "GET / HTTP/1.1\nHost: x\r\n\r\n",
        "GET / HTTP/3\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    };

    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        struct test_client c;
        test_client_open(&c, server.address);
        test_client_send(&c, str_of(requests[i]));
        test_client_say(&c, "GET /echo HTTP/1.1\r\n\r\n");
        check_answer(&c, 400, STR("malformed"), true);
        assert_true(test_client_ended(&c, 3000));
        test_client_close(&c);
    }
}

static void test_plain_http(void **state)
{
    char text[1024];
    int fd = test_connect(server.address, 0);
    ssize_t n, got = 0;

    assert_int_equal(send(fd, "GET / HTTP/1.1\r\n\r\n", 18, 0), 18);
    while ((n = recv(fd, text + got, sizeof text - 1 - (size_t)got, 0)) > 0)
        got += n;
    text[got] = '\0';
    assert_int_equal(n, 0);
    assert_ptr_equal(strstr(text, "HTTP/1.1 400 Bad Request\r\n"), text);
    assert_non_null(strstr(text, "\r\nX-Request-Id: req_"));
    assert_non_null(strstr(text, "HTTPS only"));
    close(fd);
}

/* The last request and the end of the connection may come at once; the answer goes out, and the
 * connection is not kept. */
static void test_half_closed(void **state)
{
    struct test_client blocking[2], c;

    test_client_open(&c, server.address);
    test_client_say(&c, "GET /echo HTTP/1.1\r\n\r\n");
    answered(&c, "");
    /* Both workers are busy, so that they see it all in one event. */
    for (int i = 0; i < 2; i++) {
        test_client_open(&blocking[i], server.address);
        test_client_say(&blocking[i], "GET /echo HTTP/1.1\r\n\r\n");
        answered(&blocking[i], "");
    }
    for (int i = 0; i < 2; i++)
        test_client_say(&blocking[i], "GET /block HTTP/1.1\r\n\r\n");
    usleep(100000);
    test_client_say(&c, "POST /echo HTTP/1.1\r\nContent-Length: 4\r\n\r\nlast");
    shutdown(c.fd, SHUT_WR);
    answered(&c, "last");
    assert_true(test_client_ended(&c, 3000));
    test_client_close(&c);
    for (int i = 0; i < 2; i++) {
        answered(&blocking[i], "");
        test_client_close(&blocking[i]);
    }
}

/* A client that takes its time with a large answer gets all of it. */
static void test_slow_reader(void **state)
{
    struct test_client c;
    static char piece[60000];
    bool same = true;

    assert_true(test_client_wrap(&c, test_connect(server.address, 20000)));
    test_client_say(&c, "GET /large HTTP/1.1\r\n\r\n");
    struct test_answer a;
    usleep(200000);
    test_client_say(&c, "HEAD /large HTTP/1.1\r\n\r\n"); /* waits behind it */
    assert_true(test_client_answer(&c, &a, false));
    assert_int_equal(a.length, TEST_LARGE);
    for (size_t got = 0; got < TEST_LARGE;) {
        size_t n = c.in.n ? c.in.n : sizeof piece;
        if (n > TEST_LARGE - got)
            n = TEST_LARGE - got;
        for (size_t i = 0; i < n; i++)
            piece[i % sizeof piece] = test_large_byte(got + i);
        same = same && n <= sizeof piece && test_client_expect(&c, (struct str){piece, n});
        got += n;
        if (got % 7 == 0)
            usleep(3000);
    }
    assert_true(same);
    assert_true(test_client_answer(&c, &a, false));
    assert_int_equal(a.length, TEST_LARGE);
    test_client_close(&c);
}

/* An answer that did not fit is none. */
static void test_part_of_an_answer(void **state)
{
    struct test_client c;

    for (int i = 0; i < 2; i++) {
        test_client_open(&c, server.address);
        test_client_say(&c, "GET /part HTTP/1.1\r\n\r\n");
        assert_true(test_client_ended(&c, 10000));
        assert_int_equal(c.in.n, 0);
        test_client_close(&c);
    }
    test_client_open(&c, server.address);
    test_client_say(&c, "POST /echo HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc");
    check_answer(&c, 200, STR("abc"), false);
    test_client_close(&c);
}

static int start(void **state)
{
    test_server_start(&server, test_server_options());
    return 0;
}

static int stop(void **state)
{
    test_server_stop(&server);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keep_alive),        cmocka_unit_test(test_head),
        cmocka_unit_test(test_pipelined),         cmocka_unit_test(test_chunked),
        cmocka_unit_test(test_body_too_large),    cmocka_unit_test(test_body_absurdly_large),
        cmocka_unit_test(test_large_heads),       cmocka_unit_test(test_expect),
        cmocka_unit_test(test_close_on_request),  cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_plain_http),        cmocka_unit_test(test_half_closed),
        cmocka_unit_test(test_slow_reader),       cmocka_unit_test(test_room_for_a_larger_body),
        cmocka_unit_test(test_part_of_an_answer),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
