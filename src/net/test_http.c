#include "net/test_http.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>

struct test_tls test_http_files;
struct loop_http *test_http;
static struct address_guard *guard;

int test_http_set_up_all(void **state)
{
    test_tls_init(&test_http_files, clock_now_us(&clock_real));
    return 0;
}

int test_http_tear_down_all(void **state)
{
    test_tls_done(&test_http_files);
    return 0;
}

/* ---- a loop ---- */

struct wish {
    const char *allow;
    bool localhost, unguarded;
    size_t max_connections;
    int64_t connect_ms, total_ms;
};

static void make(void *context)
{
    const struct wish *w = context;
    struct address_guard_options guarded = {w->allow, w->localhost};
    struct loop_http_options options = {.ca_file = test_http_files.ca,
                                        .max_connections = w->max_connections,
                                        .connect_ms = w->connect_ms,
                                        .total_ms = w->total_ms};
    char why[LOOP_HTTP_WHY_SIZE];

    loop_http_free(test_http);
    address_guard_free(guard);
    assert_int_equal(address_guard_new(&guard, &guarded, why), 0);
    options.guard = w->unguarded ? NULL : guard;
    assert_int_equal(loop_http_new(&test_http, test_loop, &options, why), 0);
}

static const struct wish usual = {"", true, false, 64, 8000, 9000};

int test_http_set_up(void **state)
{
    struct wish w = usual;

    int failed = test_loop_set_up(state);
    test_loop_do(make, &w);
    return failed;
}

int test_http_tear_down(void **state)
{
    int failed = test_loop_tear_down(state); /* test_http goes with it */
    test_http = NULL;
    address_guard_free(guard);
    guard = NULL;
    return failed;
}

void test_http_guarded(const char *allow, bool allow_localhost)
{
    struct wish w = usual;

    w.allow = allow;
    w.localhost = allow_localhost;
    test_loop_do(make, &w);
}

void test_http_unguarded(void)
{
    struct wish w = usual;

    w.unguarded = true;
    test_loop_do(make, &w);
}

void test_http_limited(size_t max_connections, int64_t connect_ms, int64_t total_ms)
{
    struct wish w = usual;

    w.max_connections = max_connections;
    w.connect_ms = connect_ms;
    w.total_ms = total_ms;
    test_loop_do(make, &w);
}

/* ---- requests ---- */

static void copy(char *out, size_t size, struct str from)
{
    assert_true(from.n < size);
    snprintf(out, size, "%.*s", STR_FMT(from));
}

static void on_reply(void *context, const struct loop_http_reply *reply)
{
    struct test_call *c = context;

    assert_false(c->in_call);
    assert_int_equal(reply->outcome == LOOP_HTTP_ANSWERED, reply->why[0] == '\0');
    assert_int_equal(reply->outcome == LOOP_HTTP_ANSWERED, reply->status != 0);
    c->reply = *reply;
    c->body_n = reply->body.n;
    copy(c->body, sizeof c->body, reply->body);
    copy(c->retry_after, sizeof c->retry_after, reply->retry_after);
    copy(c->content_type, sizeof c->content_type, reply->content_type);
    copy(c->url_told, sizeof c->url_told, reply->url);
    c->done++;
    if (c->on_done)
        c->on_done(c);
}

void test_call_init(struct test_call *c, const char *url)
{
    memset(c, 0, sizeof *c);
    snprintf(c->url, sizeof c->url, "%s", url);
    c->call = (struct loop_http_call){.method = "POST",
                                      .url = c->url,
                                      .body = STR("{\"a\":1}"),
                                      .body_max = 1000,
                                      .done = on_reply,
                                      .context = c};
}

void test_call_to(struct test_call *c, const struct test_listener *l, const char *host)
{
    char url[256];

    snprintf(url, sizeof url, "%s://%s:%u/hook?x=1", l->tls ? "https" : "http", host, l->port);
    test_call_init(c, url);
}

static void start(void *context)
{
    struct test_call *c = context;

    c->in_call = true;
    assert_int_equal(loop_http_start(test_http, &c->call, &c->request), 0);
    c->in_call = false;
}

void test_call_start(struct test_call *c)
{
    test_loop_do(start, c);
}

static bool is_done(void *context)
{
    return ((struct test_call *)context)->done > 0;
}

void test_call_wait(struct test_call *c)
{
    test_loop_until(is_done, c);
    assert_int_equal(c->done, 1);
}

void test_call_run(struct test_call *c)
{
    test_call_start(c);
    test_call_wait(c);
}

/* ---- the other end ---- */

/* Whether head and body are complete. */
static bool is_whole(struct str in)
{
    const char *head_end = in.n == 0 ? NULL : memmem(in.p, in.n, "\r\n\r\n", 4);
    const char *length = head_end ? memmem(in.p, in.n, "Content-Length: ", 16) : NULL;
    size_t body = length && length < head_end ? strtoul(length + 16, NULL, 10) : 0;

    return head_end && in.n >= (size_t)(head_end - in.p) + 4 + body;
}

void test_peer_await_request(struct test_peer *p)
{
    while (!is_whole(buf_str(&p->in)))
        assert_true(test_peer_read(p, TEST_PEER_PATIENCE_MS));
}

void test_peer_serve_more(struct test_peer *p, const char *answer)
{
    buf_clear(&p->in);
    test_peer_await_request(p);
    test_peer_send(p, str_of(answer));
}

void test_peer_serve(struct test_peer *p, const struct test_listener *l, const char *answer)
{
    assert_true(test_peer_accept(p, l, TEST_PEER_PATIENCE_MS));
    test_peer_await_request(p);
    test_peer_send(p, str_of(answer));
}
