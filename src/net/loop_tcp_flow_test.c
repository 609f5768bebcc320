/* The bytes of a connection, plain and through TLS, and its distrust. */
#include "net/test_tcp.h"

#include <stdio.h>
#include <unistd.h>

/* What is not taken comes again, with more behind it. */
static void test_what_is_left_comes_again(void **state)
{
    struct test_tcp c;
    struct test_listener l;
    struct test_peer p;

    test_tcp_connect(&c, &l, &p, NULL);
    c.take = 3; /* the loop's thread sees it: it sleeps until the peer sends */
    test_peer_send(&p, STR("abcdefgh"));
    c.wanted_calls = 1;
    test_loop_until(test_tcp_has_received, &c);
    test_peer_send(&p, STR("i"));
    c.wanted_calls = 2;
    test_loop_until(test_tcp_has_received, &c);
    c.take = 100;
    test_peer_send(&p, STR("j"));
    c.wanted_calls = 3;
    test_loop_until(test_tcp_has_received, &c);
    assert_true(str_is(buf_str(&c.in), "abcdefghij"));
    test_tcp_finish(&c, &l, &p);
}

static void test_input_is_bounded(void **state)
{
    static char bytes[300 << 10];
    struct test_tcp c;
    struct test_listener l;
    struct test_peer p;

    test_tcp_connect(&c, &l, &p, NULL);
    c.take = 0;
    test_peer_send(&p, (struct str){bytes, sizeof bytes});
    test_loop_until(test_tcp_is_closed, &c);
    assert_string_equal(c.why, "memory is short, or the peer sends more than anybody takes");
    test_tcp_finish(&c, &l, &p);
}

static void write_many(void *context)
{
    struct test_tcp *c = context;

    for (int i = 0; i < 1000; i++)
        assert_true(loop_tcp_write(c->tcp, STR("0123456789")));
}

/* What is written in one turn goes out in one piece. */
static void check_coalesced(struct tls_context *tls, const struct tls_client *client)
{
    struct test_tcp c;
    struct test_listener l;
    struct test_peer p;

    test_listen(&l, tls);
    test_tcp_init(&c, "127.0.0.1", l.port);
    c.options.tls = client;
    test_loop_do(test_tcp_open, &c);
    assert_true(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    test_loop_until(test_tcp_is_open, &c);
    test_loop_do(write_many, &c);
    assert_true(test_peer_read(&p, TEST_PEER_PATIENCE_MS));
    assert_int_equal(p.in.n, 10000);
    test_tcp_finish(&c, &l, &p);
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
    struct test_tcp c;
    struct test_listener l;
    struct test_peer p;
    size_t written = 0;

    test_listen(&l, tls);
    test_tcp_init(&c, "127.0.0.1", l.port);
    c.options.tls = client;
    test_loop_do(test_tcp_open, &c);
    assert_true(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    test_loop_until(test_tcp_is_open, &c);
    for (;;) {
        memset(bytes, (int)(written / PIECE), PIECE);
        test_tcp_write(&c, (struct str){bytes, PIECE});
        if (!c.wrote)
            break;
        written += PIECE;
        assert_true(written < 64 << 20);
    }
    assert_true(written >= 4 << 20);
    test_loop_do(test_tcp_close, &c); /* what waits is sent all the same, also when more comes in */
    while (test_peer_read(&p, TEST_PEER_PATIENCE_MS))
        test_peer_send(&p, STR("."));
    assert_int_equal(p.in.n, written);
    for (size_t i = 0; i < written; i += PIECE)
        assert_int_equal((unsigned char)p.in.p[i + 77], i / PIECE % 256);
    assert_int_equal(c.closed, 0);
    test_tcp_finish(&c, &l, &p);
}

static void write_too_much(void *context)
{
    static char bytes[1 << 20];
    struct test_tcp *c = context;

    for (int i = 0; i < 4; i++)
        assert_true(loop_tcp_write(c->tcp, (struct str){bytes, sizeof bytes}));
    assert_false(loop_tcp_write(c->tcp, STR("x")));
}

static void test_output_is_bounded(void **state)
{
    struct test_tcp c;
    struct test_listener l;
    struct test_peer p;

    check_output_bound(NULL, NULL);
    test_tcp_connect(&c, &l, &p, NULL);
    test_loop_do(write_too_much, &c);
    test_peer_expect(&p, 4 << 20);
    test_tcp_write(&c, STR("x")); /* there is room again, once the loop knows what the peer knows */
    for (int i = 0; !c.wrote && i < 1000; i++) {
        usleep(1000);
        test_tcp_write(&c, STR("x"));
    }
    assert_true(c.wrote);
    test_peer_expect(&p, (4 << 20) + 1);
    test_tcp_finish(&c, &l, &p);
}

/* ---- TLS ---- */

static void test_tls_both_ways(void **state)
{
    struct tls_client *client = test_tls_trust(test_tls_files.ca);
    static char bytes[200000];
    struct test_tcp c;
    struct test_listener l;
    struct test_peer p;

    test_listen(&l, test_tls_files.context);
    test_tcp_init(&c, "127.0.0.1", l.port);
    c.options.tls = client;
    c.options.tls_name = "localhost";
    test_loop_do(test_tcp_open, &c);
    assert_true(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    test_loop_until(test_tcp_is_open, &c);
    test_tcp_write(&c, (struct str){bytes, sizeof bytes});
    test_peer_expect(&p, sizeof bytes);
    test_peer_send(&p, (struct str){bytes, sizeof bytes});
    c.wanted = sizeof bytes;
    test_loop_until(test_tcp_has_received, &c);
    tls_stream_close_notify(&p.tls);
    test_peer_send(&p, STR(""));
    test_peer_close(&p);
    test_loop_until(test_tcp_is_closed, &c);
    assert_string_equal(c.why, "the peer closed the connection");
    assert_int_equal(c.in.n, sizeof bytes);
    test_tcp_finish(&c, &l, NULL);
    tls_client_free(client);
}

static void test_tls_writes_go_together(void **state)
{
    struct tls_client *client = test_tls_trust(test_tls_files.ca);

    check_coalesced(test_tls_files.context, client);
    tls_client_free(client);
}

static void test_tls_output_is_bounded(void **state)
{
    struct tls_client *client = test_tls_trust(test_tls_files.ca);

    check_output_bound(test_tls_files.context, client);
    tls_client_free(client);
}

static void check_distrust(const char *ca, const char *name, const char *why)
{
    struct tls_client *client = test_tls_trust(ca);
    struct test_tcp c;
    struct test_listener l;
    struct test_peer p;

    test_listen(&l, test_tls_files.context);
    test_tcp_init(&c, "127.0.0.1", l.port);
    c.options.tls = client;
    c.options.tls_name = name;
    test_loop_do(test_tcp_open, &c);
    assert_false(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    test_loop_until(test_tcp_is_closed, &c);
    assert_int_equal(c.opened, 0);
    assert_string_equal(c.why, why);
    test_tcp_finish(&c, &l, NULL);
    tls_client_free(client);
}

static void test_tls_distrust(void **state)
{
    char why[256];

    check_distrust(test_tls_files.ca, "smsc.example.com",
                   "TLS: the certificate is for other names than smsc.example.com");
    snprintf(why, sizeof why, "TLS: the certificate is not signed by an authority in %s",
             test_other_files.ca);
    check_distrust(test_other_files.ca, NULL, why);
}

/* Accepts TCP but never says a word. */
static void test_tls_handshake_timeout(void **state)
{
    struct tls_client *client = test_tls_trust(test_tls_files.ca);
    struct test_tcp c;
    struct test_listener l;

    test_listen(&l, NULL);
    test_tcp_init(&c, "127.0.0.1", l.port);
    c.options.tls = client;
    c.options.connect_timeout_ms = 50;
    test_loop_do(test_tcp_open, &c);
    test_loop_until(test_tcp_is_closed, &c);
    assert_string_equal(c.why, "TLS: the handshake takes too long");
    test_tcp_finish(&c, &l, NULL);
    tls_client_free(client);
}

static void test_tls_to_a_plain_port(void **state)
{
    struct tls_client *client = test_tls_trust(test_tls_files.ca);
    struct test_tcp c;
    struct test_listener l;
    struct test_peer p;

    test_listen(&l, NULL);
    test_tcp_init(&c, "127.0.0.1", l.port);
    c.options.tls = client;
    test_loop_do(test_tcp_open, &c);
    assert_true(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    test_peer_send(&p, STR("220 smtp.example.com ESMTP\r\n"));
    test_loop_until(test_tcp_is_closed, &c);
    assert_string_equal(c.why, "TLS: the peer does not speak TLS 1.2 or newer on this port");
    test_tcp_finish(&c, &l, &p);
    tls_client_free(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOOP_TEST(test_what_is_left_comes_again),
        LOOP_TEST(test_input_is_bounded),
        LOOP_TEST(test_writes_of_a_turn_go_together),
        LOOP_TEST(test_output_is_bounded),
        LOOP_TEST(test_tls_both_ways),
        LOOP_TEST(test_tls_writes_go_together),
        LOOP_TEST(test_tls_output_is_bounded),
        LOOP_TEST(test_tls_distrust),
        LOOP_TEST(test_tls_handshake_timeout),
        LOOP_TEST(test_tls_to_a_plain_port),
    };
    return cmocka_run_group_tests(tests, test_tcp_set_up, test_tcp_tear_down);
}
