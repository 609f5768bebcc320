/* Opening connections, to a peer that the test plays. */
#include "net/loop_tcp_internal.h"
#include "net/test_tcp.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static void test_bytes_both_ways(void **state)
{
    struct test_tcp c;
    struct test_listener l;
    struct test_peer p;

    test_tcp_connect(&c, &l, &p, NULL);
    test_tcp_write(&c, STR("hello"));
    assert_true(c.wrote);
    test_peer_expect(&p, 5);
    assert_memory_equal(p.in.p, "hello", 5);
    test_peer_send(&p, STR("good day"));
    test_peer_close(&p);
    test_loop_until(test_tcp_is_closed, &c);
    assert_true(str_is(buf_str(&c.in), "good day"));
    assert_string_equal(c.why, "the peer closed the connection");
    assert_int_equal(c.opened, 1);
    assert_int_equal(c.closed, 1);
    test_tcp_finish(&c, &l, NULL);
}

static void test_names_are_looked_up(void **state)
{
    struct test_tcp c;
    struct test_listener l;
    struct test_peer p;

    test_listen(&l, NULL);
    test_tcp_init(&c, "localhost", l.port); /* perhaps ::1 first, where nobody listens */
    test_loop_do(test_tcp_open, &c);
    assert_true(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    test_loop_until(test_tcp_is_open, &c);
    test_tcp_finish(&c, &l, &p);
}

static void check_failure(const char *host, uint16_t port, const char *why)
{
    struct test_tcp c;

    test_tcp_init(&c, host, port);
    test_loop_do(test_tcp_open, &c);
    test_loop_until(test_tcp_is_closed, &c);
    assert_int_equal(c.opened, 0);
    assert_int_equal(c.closed, 1);
    if (!strstr(c.why, why))
        fail_msg("%s", c.why);
    test_tcp_finish(&c, NULL, NULL);
}

static void test_unknown_name(void **state)
{
    char name[280];

    check_failure("nobody.invalid", 2775, "nobody.invalid is not found: ");
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    check_failure(name, 2775, "is not found: "); /* known at once, told later */
}

static void test_refused(void **state)
{
    struct test_listener l;
    char why[128];

    test_listen(&l, NULL);
    test_listen_done(&l);
    snprintf(why, sizeof why, "no connection to 127.0.0.1 port %u: connection refused", l.port);
    check_failure("127.0.0.1", l.port, why);
    check_failure("localhost", l.port, "connection refused");
}

/* A listener whose queue is full does not answer. */
struct silent {
    struct test_listener listener;
    int fillers[8];
};

static void silent_init(struct silent *s)
{
    struct sockaddr_in address = {.sin_family = AF_INET};

    test_listen(&s->listener, NULL);
    assert_int_equal(listen(s->listener.fd, 0), 0);
    address.sin_port = htons(s->listener.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < 8; i++) {
        s->fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        (void)!connect(s->fillers[i], (struct sockaddr *)&address, sizeof address);
    }
}

static void silent_done(struct silent *s)
{
    for (int i = 0; i < 8; i++)
        close(s->fillers[i]);
    test_listen_done(&s->listener);
}

static void test_connect_timeout(void **state)
{
    struct test_tcp c;
    struct silent s;

    silent_init(&s);
    test_tcp_init(&c, "127.0.0.1", s.listener.port);
    c.options.connect_timeout_ms = 50;
    test_loop_do(test_tcp_open, &c);
    test_loop_until(test_tcp_is_closed, &c);
    assert_non_null(strstr(c.why, "it does not answer"));
    test_tcp_finish(&c, NULL, NULL);
    silent_done(&s);
}

static void test_reset(void **state)
{
    struct test_tcp c;
    struct test_listener l;
    struct test_peer p;

    test_tcp_connect(&c, &l, &p, NULL);
    test_peer_reset(&p);
    test_loop_until(test_tcp_is_closed, &c);
    assert_string_equal(c.why, "connection reset by peer");
    test_tcp_finish(&c, &l, NULL);
}

static void find_options(void *context)
{
    int *found = context;

    /* The loop's only connected socket. */
    for (int fd = 3; fd < 256; fd++) {
        int on = 0;
        socklen_t size = sizeof on;
        if (getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, &size) == 0 && on) {
            found[0] = on;
            getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &found[1], &size);
        }
    }
}

static void test_socket_options(void **state)
{
    struct test_tcp c;
    struct test_listener l;
    struct test_peer p;
    int found[2] = {0, 0};

    test_tcp_connect(&c, &l, &p, NULL);
    test_loop_do(find_options, found);
    assert_int_equal(found[0], 1);
    assert_int_equal(found[1], 1);
    test_tcp_finish(&c, &l, &p);
}

/* ---- several addresses ---- */

struct two {
    struct test_tcp *client;
    uint16_t ports[2];
};

static struct addrinfo *address_of(uint16_t port)
{
    struct addrinfo *ret;
    char text[8];

    snprintf(text, sizeof text, "%u", port);
    assert_int_equal(getaddrinfo("127.0.0.1", text, NULL, &ret), 0);
    freeaddrinfo(ret->ai_next); /* the same for other kinds of sockets */
    ret->ai_next = NULL;
    return ret;
}

/* As if a name had two addresses. */
static void open_two(void *context)
{
    struct two *t = context;
    struct addrinfo *first = address_of(t->ports[0]);

    first->ai_next = address_of(t->ports[1]);
    test_tcp_open(t->client);
    uv_timer_stop(&t->client->tcp->timer); /* it would look its name up */
    loop_tcp_try(t->client->tcp, first);
}

static void test_second_address(void **state)
{
    struct test_tcp c;
    struct test_listener nobody, l;
    struct test_peer p;

    test_listen(&nobody, NULL);
    test_listen_done(&nobody);
    test_listen(&l, NULL);
    test_tcp_init(&c, "two.test", 1);
    test_loop_do(open_two, &(struct two){&c, {nobody.port, l.port}});
    assert_true(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    test_loop_until(test_tcp_is_open, &c);
    test_tcp_finish(&c, &l, &p);
}

/* And the one that answers has all that is left: half a second would be too short for TLS here. */
static void test_silent_address_has_its_share(void **state)
{
    struct tls_client *client = test_tls_trust(test_tls_files.ca);
    struct test_tcp c;
    struct silent s;
    struct test_listener l;
    struct test_peer p;

    silent_init(&s);
    test_listen(&l, NULL);
    test_tcp_init(&c, "two.test", 1);
    c.options.connect_timeout_ms = 200;
    test_loop_do(open_two, &(struct two){&c, {s.listener.port, l.port}});
    assert_true(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    test_loop_until(test_tcp_is_open, &c);
    test_tcp_finish(&c, &l, &p);
    silent_done(&s);

    test_listen(&l, test_tls_files.context);
    test_tcp_init(&c, "two.test", 1);
    c.options.connect_timeout_ms = 1000;
    c.options.tls = client;
    c.options.tls_name = "localhost";
    test_loop_do(open_two, &(struct two){&c, {l.port, l.port}});
    usleep(600000);
    assert_true(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    test_loop_until(test_tcp_is_open, &c);
    test_tcp_finish(&c, &l, &p);
    tls_client_free(client);
}

static void test_no_address_will_do(void **state)
{
    struct test_tcp c;
    struct test_listener nobody;

    test_listen(&nobody, NULL);
    test_listen_done(&nobody);
    test_tcp_init(&c, "two.test", 1);
    test_loop_do(open_two, &(struct two){&c, {nobody.port, nobody.port}});
    test_loop_until(test_tcp_is_closed, &c);
    assert_int_equal(c.closed, 1);
    assert_non_null(strstr(c.why, "connection refused"));
    test_tcp_finish(&c, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOOP_TEST(test_bytes_both_ways),
        LOOP_TEST(test_names_are_looked_up),
        LOOP_TEST(test_unknown_name),
        LOOP_TEST(test_refused),
        LOOP_TEST(test_connect_timeout),
        LOOP_TEST(test_reset),
        LOOP_TEST(test_socket_options),
        LOOP_TEST(test_second_address),
        LOOP_TEST(test_silent_address_has_its_share),
        LOOP_TEST(test_no_address_will_do),
    };
    return cmocka_run_group_tests(tests, test_tcp_set_up, test_tcp_tear_down);
}
