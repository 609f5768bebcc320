/* The server without TLS: the same bytes, as they are; and what it tells of answers. */
#include "net/http_server.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { LARGE = 6 << 20, ANSWER_MAX = LARGE + 65536, REQUEST_TIMEOUT_US = 10000000 };

static struct http_server *server;
static char *answer;
static _Atomic unsigned answered, last_status, last_about;
static _Atomic int64_t last_duration_us;

static void handle(struct http_request *r)
{
    r->status = r->malformed ? 400 : 200;
    r->about = 7;
    if (str_is(r->head.path, "/slow"))
        usleep(20000);
    if (str_is(r->head.path, "/large")) {
        char *into = buf_reserve(&r->out, LARGE);
        assert_non_null(into);
        memset(into, 'x', LARGE);
        r->out.n = LARGE;
    } else {
        buf_add(&r->out, r->body);
    }
}

static void note(const struct http_request *r, int64_t duration_us)
{
    atomic_store(&last_status, r->status);
    atomic_store(&last_about, r->about);
    atomic_store(&last_duration_us, duration_us);
    atomic_fetch_add(&answered, 1);
}

static int open_worker(void *context, void **ret)
{
    *ret = &answered;
    return 0;
}

static void close_worker(void *worker)
{
}

static int set_up(void **state)
{
    struct http_server_options options = {.listen = "127.0.0.1:0",
                                          .workers = 1,
                                          .max_connections = 8,
                                          .max_per_address = 8,
                                          .request_timeout_us = REQUEST_TIMEOUT_US,
                                          .idle_timeout_us = 10000000,
                                          .body_max = 100000,
                                          .handler = handle,
                                          .answered = note,
                                          .worker_open = open_worker,
                                          .worker_close = close_worker};
    char why[HTTP_WHY_SIZE];

    answer = malloc(ANSWER_MAX);
    atomic_store(&answered, 0);
    return answer && http_server_start(&server, &options, why) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    http_server_drain(server, 1000000);
    http_server_stop(server);
    free(answer);
    return 0;
}

static int dial(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET};

    to.sin_port = htons((uint16_t)atoi(strrchr(http_server_address(server), ':') + 1));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static void say(int fd, const char *text)
{
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

/* All until the end. */
static size_t hear(int fd)
{
    size_t n = 0;
    ssize_t got;

    while (n < ANSWER_MAX - 1 && (got = read(fd, answer + n, ANSWER_MAX - 1 - n)) > 0)
        n += (size_t)got;
    answer[n] = '\0';
    return n;
}

static unsigned count_of(const char *text)
{
    unsigned count = 0;

    for (const char *at = answer; (at = strstr(at, text)); at++)
        count++;
    return count;
}

static void test_requests_in_a_row(void **state)
{
    int fd = dial();

    say(fd, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nfirstPOST / HTTP/1.1\r\n");
    say(fd, "Host: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nsec\r\n3\r\nond\r\n0\r\n\r\n");
    say(fd, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    hear(fd);
    close(fd);
    assert_int_equal(count_of("HTTP/1.1 200 OK\r\n"), 3);
    assert_non_null(strstr(answer, "\r\n\r\nfirst"));
    assert_non_null(strstr(answer, "\r\n\r\nsecond"));
    assert_int_equal(atomic_load(&answered), 3);
}

/* Byte by byte, and answers that no socket takes at once. */
static void test_slow_and_large(void **state)
{
    static const char request[] = "GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    int fd = dial();

    for (size_t i = 0; request[i]; i++)
        assert_int_equal(write(fd, &request[i], 1), 1);
    size_t n = hear(fd);
    close(fd);
    const char *body = strstr(answer, "\r\n\r\n") + 4;
    assert_int_equal(n - (size_t)(body - answer), LARGE);
    assert_int_equal(strspn(body, "x"), LARGE);
}

/* A hello of TLS has no end that HTTP knows: it is answered at its first byte, not when it has
 * waited for a whole request's time. */
static void test_tls_is_told_off(void **state)
{
    int64_t begun_us = clock_monotonic_us();
    int fd = dial();

    say(fd, "\x16\x03\x01 hello");
    hear(fd);
    close(fd);
    assert_non_null(strstr(answer, "HTTP/1.1 400 "));
    assert_non_null(strstr(answer, "http:// instead of https://"));
    assert_true(clock_monotonic_us() - begun_us < REQUEST_TIMEOUT_US / 2);
    assert_int_equal(atomic_load(&answered), 0);
}

static void test_told_of_answers(void **state)
{
    int fd = dial();

    say(fd, "GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    hear(fd);
    close(fd);
    assert_int_equal(atomic_load(&answered), 1);
    assert_int_equal(atomic_load(&last_status), 200);
    assert_int_equal(atomic_load(&last_about), 7);
    assert_true(atomic_load(&last_duration_us) >= 20000);
}

static void test_connections(void **state)
{
    int64_t end_us = clock_monotonic_us() + 5000000;
    int fd = dial();

    assert_false(http_server_is_secure(server));
    say(fd, "GET / HTTP/1.1\r\n");
    while (http_server_connections(server) != 1 && clock_monotonic_us() < end_us)
        usleep(1000);
    assert_int_equal(http_server_connections(server), 1);
    close(fd);
    while (http_server_connections(server) != 0 && clock_monotonic_us() < end_us)
        usleep(1000);
    assert_int_equal(http_server_connections(server), 0);
}

#define PLAIN_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAIN_TEST(test_requests_in_a_row), PLAIN_TEST(test_slow_and_large),
        PLAIN_TEST(test_tls_is_told_off),   PLAIN_TEST(test_told_of_answers),
        PLAIN_TEST(test_connections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
