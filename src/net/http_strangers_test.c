/* Who is not let in, and who is not borne for long. */
#include "net/http_server_test_client.h"
#include "net/http_server_test_server.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define GET "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n"

static struct test_server t;
static _Atomic bool welcome;

static bool is_welcome(void *context, const struct http_peer *peer)
{
    return atomic_load(&welcome) && strcmp(peer->text, "127.0.0.1") == 0;
}

static void assert_answered(struct test_client *c, bool closes)
{
    struct test_answer a;

    test_client_say(c, GET);
    assert_true(test_client_answer(c, &a, true));
    assert_int_equal(a.status, 200);
    assert_int_equal(a.closes, closes);
}

/* Whether the server ends it before a word was said. */
static bool is_closed_at_once(void)
{
    int fd = test_connect(t.address, 0);
    struct timeval patience = {.tv_sec = 10};
    char byte;

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ssize_t n = recv(fd, &byte, 1, 0);
    bool closed = n == 0 || (n < 0 && errno == ECONNRESET);
    close(fd);
    return closed;
}

/* Not even a place among the connections: there are two of them here. */
static void test_addresses(void **state)
{
    struct http_server_options o = test_server_options();
    struct test_client c;

    o.admits = is_welcome;
    o.max_connections = o.max_per_address = 2;
    atomic_store(&welcome, true);
    test_server_start(&t, o);
    test_client_open(&c, t.address);
    assert_answered(&c, false);
    atomic_store(&welcome, false);
    for (int i = 0; i < 5; i++)
        assert_true(is_closed_at_once());
    assert_answered(&c, false); /* who is in stays */
    atomic_store(&welcome, true);
    struct test_client other;
    test_client_open(&other, t.address);
    assert_answered(&other, false);
    test_client_close(&other);
    test_client_close(&c);
    test_server_stop(&t);
}

/* A head must come soon; a body, and the next request, may take their time. */
static void test_slow_heads(void **state)
{
    struct http_server_options o = test_server_options();
    struct test_client slow, fair;
    struct test_answer a;

    o.request_timeout_us = o.idle_timeout_us = 60000000;
    o.head_timeout_us = 300000;
    test_server_start(&t, o);
    test_client_open(&fair, t.address);
    assert_answered(&fair, false);
    test_client_say(&fair, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab");
    test_client_open(&slow, t.address);
    test_client_say(&slow, "GET /echo HTTP/1.1\r\n");
    assert_true(test_client_ended(&slow, 10000));
    assert_true(is_closed_at_once()); /* it says nothing at all */
    test_client_say(&fair, "cd");
    assert_true(test_client_answer(&fair, &a, true));
    assert_true(str_is(a.body, "abcd"));
    test_client_close(&slow);
    test_client_close(&fair);
    test_server_stop(&t);
}

static void answer_last(struct http_request *r)
{
    r->status = 200;
    r->last = true;
}

static void test_the_last_answer(void **state)
{
    struct http_server_options o = test_server_options();
    struct test_client c;

    o.handler = answer_last;
    test_server_start(&t, o);
    test_client_open(&c, t.address);
    assert_answered(&c, true);
    assert_true(test_client_ended(&c, 10000));
    test_client_close(&c);
    test_server_stop(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_slow_heads),
        cmocka_unit_test(test_the_last_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
