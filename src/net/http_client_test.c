/* Talks to sockets of its own: a closed port, a silent one, and one that speaks no TLS. What a
 * good server answers is seen by the end-to-end tests. */
#include "net/http_client.h"

#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static int listener;
static char url[64];

static int start(void **state)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;

    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&a, n) < 0 || listen(listener, 4) < 0 ||
        getsockname(listener, (struct sockaddr *)&a, &n) < 0)
        return -1;
    snprintf(url, sizeof url, "https://127.0.0.1:%u/", ntohs(a.sin_port));
    return 0;
}

static int stop(void **state)
{
    close(listener);
    return 0;
}

static enum http_outcome call(const char *to, int64_t timeout_ms, struct http_reply *reply)
{
    return http_call(
        &(struct http_call){.method = "GET", .url = to, .direct = true, .timeout_ms = timeout_ms},
        reply);
}

static void test_unreachable(void **state)
{
    struct http_reply reply HTTP_REPLY_CLEANUP;

    close(listener);
    assert_int_equal(call(url, 5000, &reply), HTTP_UNREACHABLE);
    assert_int_equal(reply.status, 0);
    assert_true(reply.why[0] != '\0');
}

static void test_silent_server(void **state)
{
    struct http_reply reply HTTP_REPLY_CLEANUP;

    assert_int_equal(call(url, 100, &reply), HTTP_TIMED_OUT);
}

static void *answer_plainly(void *context)
{
    static const char text[] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
    int fd = accept(listener, NULL, NULL);
    char bytes[4096];

    if (read(fd, bytes, sizeof bytes) > 0)
        (void)!write(fd, text, sizeof text - 1);
    close(fd);
    return NULL;
}

static void test_no_tls(void **state)
{
    struct http_reply reply HTTP_REPLY_CLEANUP;
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, answer_plainly, NULL), 0);
    assert_int_equal(call(url, 5000, &reply), HTTP_DISTRUSTED);
    pthread_join(thread, NULL);
}

static void test_plain_http_is_refused(void **state)
{
    struct http_reply reply HTTP_REPLY_CLEANUP;

    assert_int_equal(call("http://127.0.0.1:1/", 5000, &reply), HTTP_BROKEN);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_unreachable),
        CASE(test_silent_server),
        CASE(test_no_tls),
        CASE(test_plain_http_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
