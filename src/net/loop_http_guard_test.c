/* Whom requests do not reach: addresses that are guarded, and peers that are not trusted. */
#include "net/test_http.h"

#include "base/clock.h"
#include "base/file.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DAY_US INT64_C(86400000000)

static struct test_listener listener;
static struct test_peer peer;
static struct test_call call;

static int set_up(void **state)
{
    int failed = test_http_set_up(state);

    test_listen(&listener, test_http_files.context);
    peer.fd = -1;
    return failed;
}

static int tear_down(void **state)
{
    test_peer_close(&peer);
    test_listen_done(&listener);
    return test_http_tear_down(state);
}

/* ---- addresses ---- */

static void test_guarded_addresses(void **state)
{
    static const struct {
        const char *host, *why;
    } rows[] = {
        {"127.0.0.1", "127.0.0.1 is a loopback address"},
        {"localhost", "The name localhost leads to a loopback address"},
        {"[::1]", "::1 is a loopback address"},
        {"0.0.0.0", "0.0.0.0 is an address of \"this network\""},
        {"[::]", ":: is the unspecified address"},
        {"[::ffff:127.0.0.1]", "::ffff:127.0.0.1 is an IPv4 address in the form of"},
        {"[::ffff:7f00:1]", "::ffff:127.0.0.1 is an IPv4 address in the form of"},
        {"10.1.2.3", "10.1.2.3 is a private address"},
        {"169.254.169.254", "169.254.169.254 is the address of a cloud's metadata service"},
        {"2130706433", "127.0.0.1 is a loopback address"},
        {"0x7f000001", "127.0.0.1 is a loopback address"},
        {"017700000001", "127.0.0.1 is a loopback address"},
        {"0177.0.0.1", "127.0.0.1 is a loopback address"},
        {"127.1", "127.0.0.1 is a loopback address"},
        {"0", "0.0.0.0 is an address of \"this network\""},
        {"%31%32%37.0.0.1", "127.0.0.1 is a loopback address"},
        {"[fe80::1%251]", "fe80::1 is a link-local address"},
        {"user:word@10.1.2.3", "10.1.2.3 is a private address"},
    };

    test_http_guarded("", false);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        test_call_to(&call, &listener, rows[i].host);
        test_call_run(&call);
        if (call.reply.outcome != LOOP_HTTP_REFUSED || !strstr(call.reply.why, rows[i].why))
            fail_msg("%s: %d %s", rows[i].host, call.reply.outcome, call.reply.why);
        assert_non_null(strstr(call.reply.why, "; the server does not connect "));
    }
    assert_false(test_peer_accept(&peer, &listener, 0));
}

/* The operator's list lets through what it names, and nothing else. */
static void test_the_allow_list(void **state)
{
    test_http_guarded("127.0.0.1/32", false);
    test_call_to(&call, &listener, "127.0.0.1");
    test_call_start(&call);
    test_peer_serve(&peer, &listener, "HTTP/1.1 204 OK\r\n\r\n");
    test_call_wait(&call);
    assert_int_equal(call.reply.status, 204);
    test_call_to(&call, &listener, "127.0.0.2");
    test_call_run(&call);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_REFUSED);
}

static void test_plain_http(void **state)
{
    struct test_listener plain;

    test_listen(&plain, NULL);
    test_call_to(&call, &plain, "localhost");
    test_call_start(&call);
    test_peer_serve(&peer, &plain, "HTTP/1.1 204 OK\r\n\r\n");
    test_call_wait(&call);
    assert_int_equal(call.reply.status, 204);
    assert_true(call.reply.connect_us > 0);
    test_peer_close(&peer);

    test_http_guarded("0.0.0.0/0 ::/0", false); /* a list does not make plain HTTP good */
    test_call_to(&call, &plain, "localhost");
    test_call_run(&call);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_REFUSED);
    assert_string_equal(call.reply.why, "The URL must begin with https://.");
    test_listen_done(&plain);
}

static void test_other_schemes(void **state)
{
    static const char *const urls[] = {
        "file:///etc/passwd",  "ftp://localhost/",    "localhost",        "gopher://127.0.0.1:70/",
        "httpsx://localhost/", "http://example.com/", "http://10.0.0.1/", ""};

    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        test_call_init(&call, urls[i]);
        call.call.method = "GET";
        test_call_run(&call);
        assert_int_equal(call.reply.outcome, LOOP_HTTP_REFUSED);
        assert_string_equal(call.reply.why, "The URL must begin with https://.");
    }
}

/* A proxy would connect to whatever it is told. */
static void test_no_proxy(void **state)
{
    char proxy[64];

    snprintf(proxy, sizeof proxy, "http://127.0.0.1:%u", listener.port);
    setenv("https_proxy", proxy, 1);
    setenv("ALL_PROXY", proxy, 1);
    test_call_init(&call, "https://10.1.2.3/");
    test_call_run(&call);
    unsetenv("https_proxy");
    unsetenv("ALL_PROXY");
    assert_int_equal(call.reply.outcome, LOOP_HTTP_REFUSED);
    assert_false(test_peer_accept(&peer, &listener, 0));
}

/* ---- trust ---- */

/* A peer with another identity than the trusted one: it hears nothing of the request, and the
 * connection is closed. Twice, as if the first time had left something behind. */
static void check_distrusted(struct tls_context *context, const char *host, const char *why)
{
    struct test_listener other = listener;

    other.tls = context;
    for (int i = 0; i < 2; i++) {
        test_call_to(&call, &other, host);
        test_call_start(&call);
        assert_true(test_peer_accept(&peer, &other, TEST_PEER_PATIENCE_MS));
        test_call_wait(&call);
        assert_int_equal(call.reply.outcome, LOOP_HTTP_DISTRUSTED);
        assert_string_equal(call.reply.why, why);
        test_peer_ends(&peer);
        assert_int_equal(peer.in.n, 0);
        test_peer_close(&peer);
    }
}

static void test_unknown_authority(void **state)
{
    struct test_tls other;

    test_tls_init(&other, clock_now_us(&clock_real));
    check_distrusted(other.context, "localhost",
                     "The peer is not trusted: the certificate is not signed by an authority that "
                     "this system trusts.");
    test_tls_done(&other);
}

/* The certificates of an authority of some other time, which is trusted here. */
static void trust_of_time(struct test_tls *t, int64_t now_us)
{
    struct test_tls usual = test_http_files;

    test_tls_init(t, now_us);
    test_http_files = *t;
    test_http_guarded("", true);
    test_http_files = usual;
}

static void test_expired(void **state)
{
    struct test_tls old;

    trust_of_time(&old, clock_now_us(&clock_real) - 3650 * DAY_US);
    check_distrusted(old.context, "localhost",
                     "The peer is not trusted: the certificate has expired.");
    test_tls_done(&old);
}

static void test_not_valid_yet(void **state)
{
    struct test_tls early;

    trust_of_time(&early, clock_now_us(&clock_real) + 3650 * DAY_US);
    check_distrusted(early.context, "localhost",
                     "The peer is not trusted: the certificate is not valid yet.");
    test_tls_done(&early);
}

/* The test's listener is at 127.0.0.1 only. */
static void listen_at_another_address(struct test_listener *l)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
    close(l->fd);
    l->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(l->fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(l->fd, 64), 0);
    assert_int_equal(getsockname(l->fd, (struct sockaddr *)&address, &size), 0);
    l->port = ntohs(address.sin_port);
}

static void test_another_name(void **state)
{
    listen_at_another_address(&listener);
    check_distrusted(test_http_files.context, "127.0.0.2",
                     "The peer is not trusted: the certificate is for other names than "
                     "127.0.0.2.");
}

static void test_an_address_in_the_certificate(void **state)
{
    static const char *const forms[] = {"127.0.0.1", "127.1", "0x7f000001"};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        test_call_to(&call, &listener, forms[i]);
        test_call_start(&call);
        if (i == 0)
            test_peer_serve(&peer, &listener, "HTTP/1.1 204 OK\r\n\r\n");
        else
            test_peer_serve_more(&peer, "HTTP/1.1 204 OK\r\n\r\n");
        test_call_wait(&call);
        assert_string_equal(call.reply.why, "");
        assert_int_equal(call.reply.status, 204);
    }
}

/* Many wait for the one connection, which turns out to be bad: none of them goes over it. */
static void test_nobody_rides_on_a_bad_connection(void **state)
{
    enum { COUNT = 4 };
    struct test_call calls[COUNT];
    struct test_listener other = listener;
    struct test_tls unknown;

    test_tls_init(&unknown, clock_now_us(&clock_real));
    other.tls = unknown.context;
    for (int i = 0; i < COUNT; i++) {
        test_call_to(&calls[i], &other, "localhost");
        test_call_start(&calls[i]);
    }
    for (int i = 0; i < COUNT; i++) {
        assert_true(test_peer_accept(&peer, &other, TEST_PEER_PATIENCE_MS));
        test_peer_ends(&peer);
        assert_int_equal(peer.in.n, 0);
        test_peer_close(&peer);
    }
    for (int i = 0; i < COUNT; i++) {
        test_call_wait(&calls[i]);
        assert_int_equal(calls[i].reply.outcome, LOOP_HTTP_DISTRUSTED);
    }
    test_tls_done(&unknown);
}

/* A peer that mends its certificate is trusted at once. */
static void test_a_better_certificate(void **state)
{
    struct test_tls unknown;

    test_tls_init(&unknown, clock_now_us(&clock_real));
    check_distrusted(unknown.context, "localhost",
                     "The peer is not trusted: the certificate is not signed by an authority that "
                     "this system trusts.");
    test_call_to(&call, &listener, "localhost");
    test_call_start(&call);
    test_peer_serve(&peer, &listener, "HTTP/1.1 204 OK\r\n\r\n");
    test_call_wait(&call);
    assert_int_equal(call.reply.status, 204);
    test_tls_done(&unknown);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_guarded_addresses),
        TEST(test_the_allow_list),
        TEST(test_plain_http),
        TEST(test_other_schemes),
        TEST(test_no_proxy),
        TEST(test_unknown_authority),
        TEST(test_expired),
        TEST(test_not_valid_yet),
        TEST(test_another_name),
        TEST(test_an_address_in_the_certificate),
        TEST(test_nobody_rides_on_a_bad_connection),
        TEST(test_a_better_certificate),
    };
    return cmocka_run_group_tests(tests, test_http_set_up_all, test_http_tear_down_all);
}
