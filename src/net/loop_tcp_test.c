/* Connections against a peer that the test plays. */
#include "net/loop_tcp_internal.h"

#include "base/clock.h"
#include "net/test_peer.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static struct test_tls tls_files, other_files;

/* A connection and what it said. Belongs to the loop's thread while that runs. */
struct client {
    struct loop_tcp *tcp;
    struct loop_tcp_options options;
    int opened, closed, received;
    size_t offered; /* in the last call */
    char why[512];
    struct buf in;
    size_t take;                        /* at most so many bytes of each call */
    bool in_call;                       /* of ours: no callback may come */
    void (*on_opened)(struct client *); /* what the test wants done there */
    void (*on_received)(struct client *);
    void (*on_closed)(struct client *);
    struct str to_write;
    bool wrote;
    size_t wanted;
    int wanted_calls;
};

static void opened(void *context)
{
    struct client *c = context;

    assert_false(c->in_call);
    c->opened++;
    if (c->on_opened)
        c->on_opened(c);
}

static size_t received(void *context, struct str bytes)
{
    struct client *c = context;
    size_t taken = bytes.n < c->take ? bytes.n : c->take;

    assert_false(c->in_call);
    c->received++;
    c->offered = bytes.n;
    buf_add(&c->in, (struct str){bytes.p, taken});
    if (c->on_received)
        c->on_received(c);
    return taken;
}

static void closed(void *context, const char *why)
{
    struct client *c = context;

    assert_false(c->in_call);
    c->closed++;
    c->tcp = NULL;
    snprintf(c->why, sizeof c->why, "%s", why);
    if (c->on_closed)
        c->on_closed(c);
}

static void client_init(struct client *c, const char *host, uint16_t port)
{
    memset(c, 0, sizeof *c);
    buf_init(&c->in, 64 << 20);
    c->take = SIZE_MAX;
    c->options = (struct loop_tcp_options){.host = host,
                                           .port = port,
                                           .connect_timeout_ms = 5000,
                                           .opened = opened,
                                           .received = received,
                                           .closed = closed,
                                           .context = c};
}

static void do_open(void *context)
{
    struct client *c = context;

    c->in_call = true;
    assert_int_equal(loop_tcp_open(&c->tcp, test_loop, &c->options), 0);
    c->in_call = false;
}

static void do_write(void *context)
{
    struct client *c = context;

    c->in_call = true;
    c->wrote = loop_tcp_write(c->tcp, c->to_write);
    c->in_call = false;
}

static void do_close(void *context)
{
    struct client *c = context;

    c->in_call = true;
    if (c->tcp) /* not closed in the meantime */
        loop_tcp_close(c->tcp);
    c->in_call = false;
    c->tcp = NULL;
}

static bool is_open(void *context)
{
    return ((struct client *)context)->opened > 0;
}

static bool is_closed(void *context)
{
    return ((struct client *)context)->closed > 0;
}

/* Waits until it has got so many bytes, or calls. */
static bool has_received(void *context)
{
    struct client *c = context;
    return c->in.n >= c->wanted && c->received >= c->wanted_calls;
}

static void client_write(struct client *c, struct str bytes)
{
    c->to_write = bytes;
    test_loop_do(do_write, c);
}

static void connect_to(struct client *c, struct test_listener *l, struct test_peer *p,
                       struct tls_context *tls)
{
    test_listen(l, tls);
    client_init(c, "127.0.0.1", l->port);
    test_loop_do(do_open, c);
    assert_true(test_peer_accept(p, l, TEST_PEER_PATIENCE_MS));
    test_loop_until(is_open, c);
}

static void finish(struct client *c, struct test_listener *l, struct test_peer *p)
{
    if (p)
        test_peer_close(p);
    test_loop_do(do_close, c);
    test_loop_settle();
    if (l)
        test_listen_done(l);
    buf_done(&c->in);
}

static void peer_expects(struct test_peer *p, size_t n)
{
    while (p->in.n < n)
        assert_true(test_peer_read(p, TEST_PEER_PATIENCE_MS));
    assert_int_equal(p->in.n, n);
}

static struct tls_client *trusting(const char *ca)
{
    struct tls_client *client;
    char why[TLS_WHY_SIZE];

    assert_int_equal(tls_client_new(&client, &(struct tls_client_options){.ca = ca}, why), 0);
    return client;
}

/* ---- plain ---- */

static void test_bytes_both_ways(void **state)
{
    struct client c;
    struct test_listener l;
    struct test_peer p;

    connect_to(&c, &l, &p, NULL);
    client_write(&c, STR("hello"));
    assert_true(c.wrote);
    peer_expects(&p, 5);
    assert_memory_equal(p.in.p, "hello", 5);
    test_peer_send(&p, STR("good day"));
    test_peer_close(&p);
    test_loop_until(is_closed, &c);
    assert_true(str_is(buf_str(&c.in), "good day"));
    assert_string_equal(c.why, "the peer closed the connection");
    assert_int_equal(c.opened, 1);
    assert_int_equal(c.closed, 1);
    finish(&c, &l, NULL);
}

static void test_names_are_looked_up(void **state)
{
    struct client c;
    struct test_listener l;
    struct test_peer p;

    test_listen(&l, NULL);
    client_init(&c, "localhost", l.port); /* perhaps ::1 first, where nobody listens */
    test_loop_do(do_open, &c);
    assert_true(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    test_loop_until(is_open, &c);
    finish(&c, &l, &p);
}

static void check_failure(const char *host, uint16_t port, const char *why)
{
    struct client c;

    client_init(&c, host, port);
    test_loop_do(do_open, &c);
    test_loop_until(is_closed, &c);
    assert_int_equal(c.opened, 0);
    assert_int_equal(c.closed, 1);
    if (!strstr(c.why, why))
        fail_msg("%s", c.why);
    finish(&c, NULL, NULL);
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
    struct client c;
    struct silent s;

    silent_init(&s);
    client_init(&c, "127.0.0.1", s.listener.port);
    c.options.connect_timeout_ms = 50;
    test_loop_do(do_open, &c);
    test_loop_until(is_closed, &c);
    assert_non_null(strstr(c.why, "it does not answer"));
    finish(&c, NULL, NULL);
    silent_done(&s);
}

/* ---- several addresses ---- */

struct two {
    struct client *client;
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
    do_open(t->client);
    uv_timer_stop(&t->client->tcp->timer); /* it would look its name up */
    loop_tcp_try(t->client->tcp, first);
}

static void test_second_address(void **state)
{
    struct client c;
    struct test_listener nobody, l;
    struct test_peer p;

    test_listen(&nobody, NULL);
    test_listen_done(&nobody);
    test_listen(&l, NULL);
    client_init(&c, "two.test", 1);
    test_loop_do(open_two, &(struct two){&c, {nobody.port, l.port}});
    assert_true(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    test_loop_until(is_open, &c);
    finish(&c, &l, &p);
}

/* And the one that answers has all that is left: half a second would be too short for TLS here. */
static void test_silent_address_has_its_share(void **state)
{
    struct tls_client *client = trusting(tls_files.ca);
    struct client c;
    struct silent s;
    struct test_listener l;
    struct test_peer p;

    silent_init(&s);
    test_listen(&l, NULL);
    client_init(&c, "two.test", 1);
    c.options.connect_timeout_ms = 200;
    test_loop_do(open_two, &(struct two){&c, {s.listener.port, l.port}});
    assert_true(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    test_loop_until(is_open, &c);
    finish(&c, &l, &p);
    silent_done(&s);

    test_listen(&l, tls_files.context);
    client_init(&c, "two.test", 1);
    c.options.connect_timeout_ms = 1000;
    c.options.tls = client;
    c.options.tls_name = "localhost";
    test_loop_do(open_two, &(struct two){&c, {l.port, l.port}});
    usleep(600000);
    assert_true(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    test_loop_until(is_open, &c);
    finish(&c, &l, &p);
    tls_client_free(client);
}

static void test_no_address_will_do(void **state)
{
    struct client c;
    struct test_listener nobody;

    test_listen(&nobody, NULL);
    test_listen_done(&nobody);
    client_init(&c, "two.test", 1);
    test_loop_do(open_two, &(struct two){&c, {nobody.port, nobody.port}});
    test_loop_until(is_closed, &c);
    assert_int_equal(c.closed, 1);
    assert_non_null(strstr(c.why, "connection refused"));
    finish(&c, NULL, NULL);
}

static void test_reset(void **state)
{
    struct client c;
    struct test_listener l;
    struct test_peer p;

    connect_to(&c, &l, &p, NULL);
    test_peer_reset(&p);
    test_loop_until(is_closed, &c);
    assert_string_equal(c.why, "connection reset by peer");
    finish(&c, &l, NULL);
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
    struct client c;
    struct test_listener l;
    struct test_peer p;
    int found[2] = {0, 0};

    connect_to(&c, &l, &p, NULL);
    test_loop_do(find_options, found);
    assert_int_equal(found[0], 1);
    assert_int_equal(found[1], 1);
    finish(&c, &l, &p);
}

/* What is not taken comes again, with more behind it. */
static void test_what_is_left_comes_again(void **state)
{
    struct client c;
    struct test_listener l;
    struct test_peer p;

    connect_to(&c, &l, &p, NULL);
    c.take = 3; /* the loop's thread sees it: it sleeps until the peer sends */
    test_peer_send(&p, STR("abcdefgh"));
    c.wanted_calls = 1;
    test_loop_until(has_received, &c);
    test_peer_send(&p, STR("i"));
    c.wanted_calls = 2;
    test_loop_until(has_received, &c);
    c.take = 100;
    test_peer_send(&p, STR("j"));
    c.wanted_calls = 3;
    test_loop_until(has_received, &c);
    assert_true(str_is(buf_str(&c.in), "abcdefghij"));
    finish(&c, &l, &p);
}

static void test_input_is_bounded(void **state)
{
    static char bytes[300 << 10];
    struct client c;
    struct test_listener l;
    struct test_peer p;

    connect_to(&c, &l, &p, NULL);
    c.take = 0;
    test_peer_send(&p, (struct str){bytes, sizeof bytes});
    test_loop_until(is_closed, &c);
    assert_string_equal(c.why, "memory is short, or the peer sends more than anybody takes");
    finish(&c, &l, &p);
}

static void write_many(void *context)
{
    struct client *c = context;

    for (int i = 0; i < 1000; i++)
        assert_true(loop_tcp_write(c->tcp, STR("0123456789")));
}

/* What is written in one turn goes out in one piece. */
static void check_coalesced(struct tls_context *tls, const struct tls_client *client)
{
    struct client c;
    struct test_listener l;
    struct test_peer p;

    test_listen(&l, tls);
    client_init(&c, "127.0.0.1", l.port);
    c.options.tls = client;
    test_loop_do(do_open, &c);
    assert_true(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    test_loop_until(is_open, &c);
    test_loop_do(write_many, &c);
    assert_true(test_peer_read(&p, TEST_PEER_PATIENCE_MS));
    assert_int_equal(p.in.n, 10000);
    finish(&c, &l, &p);
}

static void test_writes_of_a_turn_go_together(void **state)
{
    check_coalesced(NULL, NULL);
}

/* To a peer that does not read: up to 4 MiB wait, and no more; all of them arrive. */
static void check_output_bound(struct tls_context *tls, const struct tls_client *client)
{
    enum { PIECE = 64 << 10 };
    static char bytes[PIECE];
    struct client c;
    struct test_listener l;
    struct test_peer p;
    size_t written = 0;

    test_listen(&l, tls);
    client_init(&c, "127.0.0.1", l.port);
    c.options.tls = client;
    test_loop_do(do_open, &c);
    assert_true(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    test_loop_until(is_open, &c);
    for (;;) {
        memset(bytes, (int)(written / PIECE), PIECE);
        client_write(&c, (struct str){bytes, PIECE});
        if (!c.wrote)
            break;
        written += PIECE;
        assert_true(written < 64 << 20);
    }
    assert_true(written >= 4 << 20);
    test_loop_do(do_close, &c); /* what waits is sent all the same, also when more comes in */
    while (test_peer_read(&p, TEST_PEER_PATIENCE_MS))
        test_peer_send(&p, STR("."));
    assert_int_equal(p.in.n, written);
    for (size_t i = 0; i < written; i += PIECE)
        assert_int_equal((unsigned char)p.in.p[i + 77], i / PIECE % 256);
    assert_int_equal(c.closed, 0);
    finish(&c, &l, &p);
}

static void write_too_much(void *context)
{
    static char bytes[1 << 20];
    struct client *c = context;

    for (int i = 0; i < 4; i++)
        assert_true(loop_tcp_write(c->tcp, (struct str){bytes, sizeof bytes}));
    assert_false(loop_tcp_write(c->tcp, STR("x")));
}

static void test_output_is_bounded(void **state)
{
    struct client c;
    struct test_listener l;
    struct test_peer p;

    check_output_bound(NULL, NULL);
    connect_to(&c, &l, &p, NULL);
    test_loop_do(write_too_much, &c);
    peer_expects(&p, 4 << 20);
    client_write(&c, STR("x")); /* there is room again */
    assert_true(c.wrote);
    peer_expects(&p, (4 << 20) + 1);
    finish(&c, &l, &p);
}

/* ---- closing ---- */

static void close_it(struct client *c)
{
    loop_tcp_close(c->tcp);
    c->tcp = NULL;
}

static void say_bye(struct client *c)
{
    assert_true(loop_tcp_write(c->tcp, STR("bye")));
    close_it(c);
}

static void test_close_when_opened(void **state)
{
    struct client c;
    struct test_listener l;
    struct test_peer p;

    test_listen(&l, NULL);
    client_init(&c, "127.0.0.1", l.port);
    c.on_opened = say_bye;
    test_loop_do(do_open, &c);
    assert_true(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    peer_expects(&p, 3);
    assert_true(test_peer_ends(&p));
    assert_int_equal(c.closed, 0);
    finish(&c, &l, &p);
}

enum { LONG_GOODBYE = 7 << 19 }; /* more than sockets hold */

static void say_bye_when_full(struct client *c)
{
    static char goodbye[LONG_GOODBYE];

    if (c->offered == 100000) {
        assert_true(loop_tcp_write(c->tcp, (struct str){goodbye, sizeof goodbye}));
        close_it(c);
    }
}

/* Much input waits when it closes, and more comes: the last words arrive all the same. */
static void test_close_when_received(void **state)
{
    static char bytes[100000];
    struct client c;
    struct test_listener l;
    struct test_peer p;

    connect_to(&c, &l, &p, NULL);
    c.on_received = say_bye_when_full;
    c.take = 0;
    test_peer_send(&p, (struct str){bytes, sizeof bytes});
    assert_true(test_peer_read(&p, TEST_PEER_PATIENCE_MS)); /* it has closed */
    test_peer_send(&p, (struct str){bytes, sizeof bytes});
    test_loop_settle();
    assert_true(test_peer_ends(&p));
    assert_int_equal(p.in.n, LONG_GOODBYE);
    assert_int_equal(c.closed, 0);
    finish(&c, &l, &p);
}

/* A peer that neither reads nor closes is left after a second; what it has not read is lost. */
static void test_close_is_not_for_ever(void **state)
{
    static char bytes[1 << 20];
    struct client c;
    struct test_listener l;
    struct test_peer p;
    size_t written = 0;

    connect_to(&c, &l, &p, NULL);
    for (client_write(&c, (struct str){bytes, sizeof bytes}); c.wrote; client_write(&c, c.to_write))
        written += sizeof bytes;
    test_loop_do(do_close, &c);
    usleep(1300000);
    while (test_peer_read(&p, TEST_PEER_PATIENCE_MS)) {
    }
    assert_in_range(p.in.n, 1, written - 1);
    assert_int_equal(c.closed, 0);
    finish(&c, &l, &p);
}

static void open_again(struct client *c)
{
    if (c->closed < 3)
        do_open(c);
}

static bool is_closed_thrice(void *context)
{
    return ((struct client *)context)->closed == 3;
}

static void test_open_from_closed(void **state)
{
    struct client c;
    struct test_listener l;

    test_listen(&l, NULL);
    test_listen_done(&l);
    client_init(&c, "127.0.0.1", l.port);
    c.on_closed = open_again;
    test_loop_do(do_open, &c);
    test_loop_until(is_closed_thrice, &c);
    finish(&c, NULL, NULL);
}

static void open_and_close(void *context)
{
    do_open(context);
    assert_false(loop_tcp_write(((struct client *)context)->tcp, STR("too early")));
    do_close(context);
}

static void test_close_before_it_is_open(void **state)
{
    struct client c;
    static const char *const hosts[] = {"127.0.0.1", "localhost", "nobody.invalid"};

    for (size_t i = 0; i < 3; i++) {
        client_init(&c, hosts[i], 9);
        test_loop_do(open_and_close, &c);
        test_loop_settle();
        assert_int_equal(c.opened + c.closed, 0);
        test_loop_do(do_open, &c);
        test_loop_do(do_close, &c); /* some turns later: it may have failed before */
        int told = c.opened + c.closed;
        test_loop_settle();
        assert_int_equal(c.opened + c.closed, told);
        finish(&c, NULL, NULL);
    }
}

/* The loop is freed with connections in every state; nothing is told, nothing leaks. */
static void test_loop_free_with_connections(void **state)
{
    struct client c[6];
    struct test_listener plain, tls;
    struct test_peer p[2];
    struct tls_client *client;
    char why[TLS_WHY_SIZE];

    assert_int_equal(tls_client_new(&client, &(struct tls_client_options){.ca = tls_files.ca}, why),
                     0);
    connect_to(&c[0], &plain, &p[0], NULL);
    test_listen(&tls, tls_files.context);
    client_init(&c[1], "127.0.0.1", tls.port); /* nobody shakes hands */
    c[1].options.tls = client;
    client_init(&c[2], "127.0.0.1", tls.port);
    c[2].options.tls = client;
    test_loop_do(do_open, &c[2]);
    assert_true(test_peer_accept(&p[1], &tls, TEST_PEER_PATIENCE_MS));
    client_init(&c[3], "nobody.invalid", 1);
    client_init(&c[4], "localhost", 1);
    client_init(&c[5], "127.0.0.1", plain.port);
    test_loop_do(do_open, &c[1]);
    usleep(20000);
    for (int i = 3; i < 6; i++)
        test_loop_do(do_open, &c[i]);
    client_write(&c[0], STR("last words"));
    test_loop_do(do_close, &c[0]); /* leaving: the peer does not close */
    loop_free(test_loop);
    test_loop = NULL;
    assert_int_equal(c[0].closed + c[1].closed + c[2].closed, 0);
    for (int i = 0; i < 6; i++)
        buf_done(&c[i].in);
    test_peer_close(&p[0]);
    test_peer_close(&p[1]);
    test_listen_done(&plain);
    test_listen_done(&tls);
    tls_client_free(client);
}

/* ---- TLS ---- */

static void test_tls_both_ways(void **state)
{
    struct tls_client *client = trusting(tls_files.ca);
    static char bytes[200000];
    struct client c;
    struct test_listener l;
    struct test_peer p;

    test_listen(&l, tls_files.context);
    client_init(&c, "127.0.0.1", l.port);
    c.options.tls = client;
    c.options.tls_name = "localhost";
    test_loop_do(do_open, &c);
    assert_true(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    test_loop_until(is_open, &c);
    client_write(&c, (struct str){bytes, sizeof bytes});
    peer_expects(&p, sizeof bytes);
    test_peer_send(&p, (struct str){bytes, sizeof bytes});
    c.wanted = sizeof bytes;
    test_loop_until(has_received, &c);
    tls_stream_close_notify(&p.tls);
    test_peer_send(&p, STR(""));
    test_peer_close(&p);
    test_loop_until(is_closed, &c);
    assert_string_equal(c.why, "the peer closed the connection");
    assert_int_equal(c.in.n, sizeof bytes);
    finish(&c, &l, NULL);
    tls_client_free(client);
}

static void test_tls_writes_go_together(void **state)
{
    struct tls_client *client = trusting(tls_files.ca);

    check_coalesced(tls_files.context, client);
    tls_client_free(client);
}

static void test_tls_output_is_bounded(void **state)
{
    struct tls_client *client = trusting(tls_files.ca);

    check_output_bound(tls_files.context, client);
    tls_client_free(client);
}

static void check_distrust(const char *ca, const char *name, const char *why)
{
    struct tls_client *client = trusting(ca);
    struct client c;
    struct test_listener l;
    struct test_peer p;

    test_listen(&l, tls_files.context);
    client_init(&c, "127.0.0.1", l.port);
    c.options.tls = client;
    c.options.tls_name = name;
    test_loop_do(do_open, &c);
    assert_false(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    test_loop_until(is_closed, &c);
    assert_int_equal(c.opened, 0);
    assert_string_equal(c.why, why);
    finish(&c, &l, NULL);
    tls_client_free(client);
}

static void test_tls_distrust(void **state)
{
    char why[256];

    check_distrust(tls_files.ca, "smsc.example.com",
                   "TLS: the certificate is for other names than smsc.example.com");
    snprintf(why, sizeof why, "TLS: the certificate is not signed by an authority in %s",
             other_files.ca);
    check_distrust(other_files.ca, NULL, why);
}

/* Accepts TCP but never says a word. */
static void test_tls_handshake_timeout(void **state)
{
    struct tls_client *client = trusting(tls_files.ca);
    struct client c;
    struct test_listener l;

    test_listen(&l, NULL);
    client_init(&c, "127.0.0.1", l.port);
    c.options.tls = client;
    c.options.connect_timeout_ms = 50;
    test_loop_do(do_open, &c);
    test_loop_until(is_closed, &c);
    assert_string_equal(c.why, "TLS: the handshake takes too long");
    finish(&c, &l, NULL);
    tls_client_free(client);
}

static void test_tls_to_a_plain_port(void **state)
{
    struct tls_client *client = trusting(tls_files.ca);
    struct client c;
    struct test_listener l;
    struct test_peer p;

    test_listen(&l, NULL);
    client_init(&c, "127.0.0.1", l.port);
    c.options.tls = client;
    test_loop_do(do_open, &c);
    assert_true(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    test_peer_send(&p, STR("220 smtp.example.com ESMTP\r\n"));
    test_loop_until(is_closed, &c);
    assert_string_equal(c.why, "TLS: the peer does not speak TLS 1.2 or newer on this port");
    finish(&c, &l, &p);
    tls_client_free(client);
}

static int set_up(void **state)
{
    test_tls_init(&tls_files, clock_now_us(&clock_real));
    test_tls_init(&other_files, clock_now_us(&clock_real));
    return 0;
}

static int tear_down(void **state)
{
    test_tls_done(&tls_files);
    test_tls_done(&other_files);
    return 0;
}

#define LOOP_TEST(function)                                                                        \
    cmocka_unit_test_setup_teardown(function, test_loop_set_up, test_loop_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOOP_TEST(test_bytes_both_ways),
        LOOP_TEST(test_names_are_looked_up),
        LOOP_TEST(test_unknown_name),
        LOOP_TEST(test_refused),
        LOOP_TEST(test_connect_timeout),
        LOOP_TEST(test_second_address),
        LOOP_TEST(test_silent_address_has_its_share),
        LOOP_TEST(test_no_address_will_do),
        LOOP_TEST(test_reset),
        LOOP_TEST(test_socket_options),
        LOOP_TEST(test_what_is_left_comes_again),
        LOOP_TEST(test_input_is_bounded),
        LOOP_TEST(test_writes_of_a_turn_go_together),
        LOOP_TEST(test_output_is_bounded),
        LOOP_TEST(test_close_when_opened),
        LOOP_TEST(test_close_when_received),
        LOOP_TEST(test_close_is_not_for_ever),
        LOOP_TEST(test_open_from_closed),
        LOOP_TEST(test_close_before_it_is_open),
        LOOP_TEST(test_loop_free_with_connections),
        LOOP_TEST(test_tls_both_ways),
        LOOP_TEST(test_tls_writes_go_together),
        LOOP_TEST(test_tls_output_is_bounded),
        LOOP_TEST(test_tls_distrust),
        LOOP_TEST(test_tls_handshake_timeout),
        LOOP_TEST(test_tls_to_a_plain_port),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
