#include "net/test_tcp.h"

#include "base/clock.h"

#include <stdio.h>

struct test_tls test_tls_files, test_other_files;

static void opened(void *context)
{
    struct test_tcp *c = context;

    assert_false(c->in_call);
    c->opened++;
    if (c->on_opened)
        c->on_opened(c);
}

static size_t received(void *context, struct str bytes)
{
    struct test_tcp *c = context;
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
    struct test_tcp *c = context;

    assert_false(c->in_call);
    c->closed++;
    c->tcp = NULL;
    snprintf(c->why, sizeof c->why, "%s", why);
    if (c->on_closed)
        c->on_closed(c);
}

void test_tcp_init(struct test_tcp *c, const char *host, uint16_t port)
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

void test_tcp_open(void *context)
{
    struct test_tcp *c = context;

    c->in_call = true;
    assert_int_equal(loop_tcp_open(&c->tcp, test_loop, &c->options), 0);
    c->in_call = false;
}

static void do_write(void *context)
{
    struct test_tcp *c = context;

    c->in_call = true;
    c->wrote = loop_tcp_write(c->tcp, c->to_write);
    c->in_call = false;
}

void test_tcp_close(void *context)
{
    struct test_tcp *c = context;

    c->in_call = true;
    if (c->tcp) /* not closed in the meantime */
        loop_tcp_close(c->tcp);
    c->in_call = false;
    c->tcp = NULL;
}

bool test_tcp_is_open(void *context)
{
    return ((struct test_tcp *)context)->opened > 0;
}

bool test_tcp_is_closed(void *context)
{
    return ((struct test_tcp *)context)->closed > 0;
}

/* Waits until it has got so many bytes, or calls. */
bool test_tcp_has_received(void *context)
{
    struct test_tcp *c = context;
    return c->in.n >= c->wanted && c->received >= c->wanted_calls;
}

void test_tcp_write(struct test_tcp *c, struct str bytes)
{
    c->to_write = bytes;
    test_loop_do(do_write, c);
}

void test_tcp_connect(struct test_tcp *c, struct test_listener *l, struct test_peer *p,
                      struct tls_context *tls)
{
    test_listen(l, tls);
    test_tcp_init(c, "127.0.0.1", l->port);
    test_loop_do(test_tcp_open, c);
    assert_true(test_peer_accept(p, l, TEST_PEER_PATIENCE_MS));
    test_loop_until(test_tcp_is_open, c);
}

void test_tcp_finish(struct test_tcp *c, struct test_listener *l, struct test_peer *p)
{
    if (p)
        test_peer_close(p);
    test_loop_do(test_tcp_close, c);
    test_loop_settle();
    if (l)
        test_listen_done(l);
    buf_done(&c->in);
}

void test_peer_expect(struct test_peer *p, size_t n)
{
    while (p->in.n < n)
        assert_true(test_peer_read(p, TEST_PEER_PATIENCE_MS));
    assert_int_equal(p->in.n, n);
}

int test_tcp_set_up(void **state)
{
    test_tls_init(&test_tls_files, clock_now_us(&clock_real));
    test_tls_init(&test_other_files, clock_now_us(&clock_real));
    return 0;
}

int test_tcp_tear_down(void **state)
{
    test_tls_done(&test_tls_files);
    test_tls_done(&test_other_files);
    return 0;
}
