/* Talks to sockets of its own: a closed port, a silent one, and one that speaks no TLS. What a
 * good server answers over HTTPS is seen by the end-to-end tests. */
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

/* ---- plain HTTP, where it is let through ---- */

enum { PAUSE_US = 400000 };

#define HEAD_200 "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"

/* What the server says, in pieces with a pause between them; then it ends, or hangs until the
 * client has gone. */
struct said {
    const char *pieces[4];
    bool hangs;
};

static void *say(void *context)
{
    const struct said *s = context;
    int fd = accept(listener, NULL, NULL);
    char bytes[4096];

    if (read(fd, bytes, sizeof bytes) > 0)
        for (size_t i = 0; i < 4 && s->pieces[i]; i++) {
            usleep(i ? PAUSE_US : 0);
            (void)!send(fd, s->pieces[i], strlen(s->pieces[i]), MSG_NOSIGNAL);
        }
    while (s->hangs && read(fd, bytes, sizeof bytes) > 0) {
    }
    close(fd);
    return NULL;
}

static char heard[256];
static int pieces_wanted;
static bool told_to_stop;

static bool hear(void *context, struct str bytes)
{
    size_t n = strlen(heard);

    snprintf(heard + n, sizeof heard - n, "%.*s;", STR_FMT(bytes));
    return --pieces_wanted != 0;
}

static bool is_stopped(void *context)
{
    return told_to_stop;
}

static enum http_outcome stream(struct said *said, int64_t silence_ms, struct http_reply *reply)
{
    char plain_url[64];
    pthread_t thread;

    heard[0] = '\0';
    snprintf(plain_url, sizeof plain_url, "http%s", url + strlen("https"));
    assert_int_equal(pthread_create(&thread, NULL, say, said), 0);
    enum http_outcome outcome =
        http_follow(&(struct http_follow){.call = {.method = "GET",
                                                   .url = plain_url,
                                                   .direct = true,
                                                   .plain = true,
                                                   .timeout_ms = silence_ms},
                                          .take = hear,
                                          .stopped = is_stopped},
                    reply);
    pthread_join(thread, NULL);
    return outcome;
}

static void test_stream_gives_pieces_as_they_come(void **state)
{
    struct http_reply reply HTTP_REPLY_CLEANUP;
    struct said said = {{HEAD_200 "one", "two", "three", "four"}, false};

    /* Longer in all than it may be silent. */
    assert_int_equal(stream(&said, 1000, &reply), HTTP_ANSWERED);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply.body.n, 0);
    assert_string_equal(heard, "one;two;three;four;");
}

static void test_stream_that_falls_silent(void **state)
{
    struct http_reply reply HTTP_REPLY_CLEANUP;
    struct said said = {{HEAD_200 "one"}, true};

    assert_int_equal(stream(&said, 300, &reply), HTTP_TIMED_OUT);
    assert_string_equal(heard, "one;");
}

static void test_stream_is_stopped_by_its_taker(void **state)
{
    struct http_reply reply HTTP_REPLY_CLEANUP;
    struct said said = {{HEAD_200 "one", "two", "three"}, true};

    pieces_wanted = 2;
    assert_int_equal(stream(&said, 20000, &reply), HTTP_ANSWERED);
    assert_string_equal(heard, "one;two;");
}

static void test_stream_is_stopped_from_outside(void **state)
{
    struct http_reply reply HTTP_REPLY_CLEANUP;
    struct said said = {{NULL}, true};

    told_to_stop = true;
    assert_int_equal(stream(&said, 20000, &reply), HTTP_ANSWERED);
    told_to_stop = false;
    assert_int_equal(reply.status, 0);
}

static void test_stream_that_is_refused(void **state)
{
    struct http_reply reply HTTP_REPLY_CLEANUP;
    struct said said = {{"HTTP/1.1 401 Unauthorized\r\nX-Request-Id: req_1\r\n\r\n{}"}, false};

    assert_int_equal(stream(&said, 20000, &reply), HTTP_ANSWERED);
    assert_int_equal(reply.status, 401);
    assert_string_equal(reply.request_id, "req_1");
    assert_true(str_is(buf_str(&reply.body), "{}"));
    assert_string_equal(heard, "");
}

static void test_stream_of_a_server_that_dies(void **state)
{
    struct http_reply reply HTTP_REPLY_CLEANUP;
    struct said said = {{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n"},
                        false};

    assert_int_not_equal(stream(&said, 20000, &reply), HTTP_ANSWERED);
    assert_string_equal(heard, "one;");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_unreachable),
        CASE(test_silent_server),
        CASE(test_no_tls),
        CASE(test_plain_http_is_refused),
        CASE(test_stream_gives_pieces_as_they_come),
        CASE(test_stream_that_falls_silent),
        CASE(test_stream_is_stopped_by_its_taker),
        CASE(test_stream_is_stopped_from_outside),
        CASE(test_stream_that_is_refused),
        CASE(test_stream_of_a_server_that_dies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
