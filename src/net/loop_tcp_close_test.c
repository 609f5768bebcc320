/* How connections end: closed by us, from anywhere, or with their loop. */
#include "net/test_tcp.h"

#include <unistd.h>

static void close_it(struct test_tcp *c)
{
    loop_tcp_close(c->tcp);
    c->tcp = NULL;
}

static void say_bye(struct test_tcp *c)
{
    assert_true(loop_tcp_write(c->tcp, STR("bye")));
    close_it(c);
}

static void test_close_when_opened(void **state)
{
    struct test_tcp c;
    struct test_listener l;
    struct test_peer p;

    test_listen(&l, NULL);
    test_tcp_init(&c, "127.0.0.1", l.port);
    c.on_opened = say_bye;
    test_loop_do(test_tcp_open, &c);
    assert_true(test_peer_accept(&p, &l, TEST_PEER_PATIENCE_MS));
    test_peer_expect(&p, 3);
    assert_true(test_peer_ends(&p));
    assert_int_equal(c.closed, 0);
    test_tcp_finish(&c, &l, &p);
}

enum { LONG_GOODBYE = 7 << 19 }; /* more than sockets hold */

static void say_bye_when_full(struct test_tcp *c)
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
    struct test_tcp c;
    struct test_listener l;
    struct test_peer p;

    test_tcp_connect(&c, &l, &p, NULL);
    c.on_received = say_bye_when_full;
    c.take = 0;
    test_peer_send(&p, (struct str){bytes, sizeof bytes});
    assert_true(test_peer_read(&p, TEST_PEER_PATIENCE_MS)); /* it has closed */
    test_peer_send(&p, (struct str){bytes, sizeof bytes});
    test_loop_settle();
    assert_true(test_peer_ends(&p));
    assert_int_equal(p.in.n, LONG_GOODBYE);
    assert_int_equal(c.closed, 0);
    test_tcp_finish(&c, &l, &p);
}

/* A peer that neither reads nor closes is left after a second; what it has not read is lost. */
static void test_close_is_not_for_ever(void **state)
{
    static char bytes[1 << 20];
    struct test_tcp c;
    struct test_listener l;
    struct test_peer p;
    size_t written = 0;

    test_tcp_connect(&c, &l, &p, NULL);
    for (test_tcp_write(&c, (struct str){bytes, sizeof bytes}); c.wrote;
         test_tcp_write(&c, c.to_write))
        written += sizeof bytes;
    test_loop_do(test_tcp_close, &c);
    for (int i = 0; i < 13; i++)
        usleep(100000);
    while (test_peer_read(&p, TEST_PEER_PATIENCE_MS)) {
    }
    assert_in_range(p.in.n, 1, written - 1);
    assert_int_equal(c.closed, 0);
    test_tcp_finish(&c, &l, &p);
}

static void open_again(struct test_tcp *c)
{
    if (c->closed < 3)
        test_tcp_open(c);
}

static bool is_closed_thrice(void *context)
{
    return ((struct test_tcp *)context)->closed == 3;
}

static void test_open_from_closed(void **state)
{
    struct test_tcp c;
    struct test_listener l;

    test_listen(&l, NULL);
    test_listen_done(&l);
    test_tcp_init(&c, "127.0.0.1", l.port);
    c.on_closed = open_again;
    test_loop_do(test_tcp_open, &c);
    test_loop_until(is_closed_thrice, &c);
    test_tcp_finish(&c, NULL, NULL);
}

static void open_and_close(void *context)
{
    test_tcp_open(context);
    assert_false(loop_tcp_write(((struct test_tcp *)context)->tcp, STR("too early")));
    test_tcp_close(context);
}

static void test_close_before_it_is_open(void **state)
{
    struct test_tcp c;
    static const char *const hosts[] = {"127.0.0.1", "localhost", "nobody.invalid"};

    for (size_t i = 0; i < 3; i++) {
        test_tcp_init(&c, hosts[i], 9);
        test_loop_do(open_and_close, &c);
        test_loop_settle();
        assert_int_equal(c.opened + c.closed, 0);
        test_loop_do(test_tcp_open, &c);
        test_loop_do(test_tcp_close, &c); /* some turns later: it may have failed before */
        int told = c.opened + c.closed;
        test_loop_settle();
        assert_int_equal(c.opened + c.closed, told);
        test_tcp_finish(&c, NULL, NULL);
    }
}

/* The loop is freed with connections in every state; nothing is told, nothing leaks. */
static void test_loop_free_with_connections(void **state)
{
    struct test_tcp c[6];
    struct test_listener plain, tls;
    struct test_peer p[2];
    struct tls_client *client;
    char why[TLS_WHY_SIZE];

    assert_int_equal(
        tls_client_new(&client, &(struct tls_client_options){.ca = test_tls_files.ca}, why), 0);
    test_tcp_connect(&c[0], &plain, &p[0], NULL);
    test_listen(&tls, test_tls_files.context);
    test_tcp_init(&c[1], "127.0.0.1", tls.port); /* nobody shakes hands */
    c[1].options.tls = client;
    test_tcp_init(&c[2], "127.0.0.1", tls.port);
    c[2].options.tls = client;
    test_loop_do(test_tcp_open, &c[2]);
    assert_true(test_peer_accept(&p[1], &tls, TEST_PEER_PATIENCE_MS));
    test_tcp_init(&c[3], "nobody.invalid", 1);
    test_tcp_init(&c[4], "localhost", 1);
    test_tcp_init(&c[5], "127.0.0.1", plain.port);
    test_loop_do(test_tcp_open, &c[1]);
    usleep(20000);
    for (int i = 3; i < 6; i++)
        test_loop_do(test_tcp_open, &c[i]);
    test_tcp_write(&c[0], STR("last words"));
    test_loop_do(test_tcp_close, &c[0]); /* leaving: the peer does not close */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOOP_TEST(test_close_when_opened),       LOOP_TEST(test_close_when_received),
        LOOP_TEST(test_close_is_not_for_ever),   LOOP_TEST(test_open_from_closed),
        LOOP_TEST(test_close_before_it_is_open), LOOP_TEST(test_loop_free_with_connections),
    };
    return cmocka_run_group_tests(tests, test_tcp_set_up, test_tcp_tear_down);
}
