/* Streams: an answer that begins with its head and has no end yet. In HTTP/1.1 each flush is a
 * chunk; HTTP/1.0 has none, there the end of the connection is the end of the stream.
 *
 * What a producer calls never closes a connection: what has come to an end gets a turn in the
 * worker's loop, and only there a producer hears of it. */
#include "net/http_internal.h"

enum { COMPACT = 64 << 10 };

static bool is_draining(const struct http_conn *c)
{
    return atomic_load_explicit(&c->worker->server->draining, memory_order_relaxed);
}

static void count(struct http_worker *w, int by)
{
    unsigned streams = atomic_load_explicit(&w->streams, memory_order_relaxed);
    atomic_store_explicit(&w->streams, streams + (unsigned)by, memory_order_relaxed);
}

static bool is_sized(const struct http_request *r)
{
    return r->length >= 0;
}

static bool is_chunked(const struct http_request *r)
{
    return !is_sized(r) && !r->head.old;
}

/* Moves what was added onto the worker's `plain`. */
static void take_out(struct http_request *r)
{
    struct buf *plain = &r->conn->worker->plain;

    if (is_sized(r)) {
        if ((int64_t)r->out.n > r->length)
            r->out.n = (size_t)r->length;
        r->length -= (int64_t)r->out.n;
    }
    if (r->out.n && is_chunked(r))
        buf_printf(plain, "%zx\r\n", r->out.n);
    buf_add(plain, buf_str(&r->out));
    if (r->out.n && is_chunked(r))
        buf_add(plain, STR("\r\n"));
    if (r->out.failed) /* something is missing: what follows must not pass for the rest */
        plain->failed = true;
    buf_done(&r->out); /* it may be long until there is more to say */
}

/* Tells the producer, and takes its last words. */
static void end(struct http_conn *c)
{
    struct http_request *r = c->request;

    c->state = CONN_BUSY;
    count(c->worker, -1);
    r->stream->over(r);
}

void http_stream_lost(struct http_conn *c)
{
    end(c);
}

static void finish(struct http_conn *c)
{
    struct http_request *r = c->request;

    end(c);
    if (is_draining(c))
        c->close_after = true;
    buf_clear(&c->worker->plain);
    take_out(r);
    if (r->length > 0) { /* the client waits for more than there is */
        http_conn_close(c);
        return;
    }
    if (is_chunked(r))
        buf_add(&c->worker->plain, STR("0\r\n\r\n"));
    if (http_conn_send_plain(c))
        http_conn_finish(c);
    else
        http_conn_close(c);
}

/* The whole answer to HEAD. */
static void finish_head(struct http_conn *c)
{
    bool ok = http_conn_send_plain(c);

    end(c);
    if (ok)
        http_conn_finish(c);
    else
        http_conn_close(c);
}

void http_stream_start(struct http_conn *c)
{
    struct http_request *r = c->request;

    if (r->head.old && !is_sized(r))
        c->close_after = true;
    http_request_write_head(r, c->close_after);
    c->state = CONN_STREAM;
    count(c->worker, 1);
    if (r->method == HTTP_HEAD) {
        finish_head(c);
        return;
    }
    take_out(r);
    if (!http_conn_send_plain(c)) {
        http_conn_close(c);
        return;
    }
    if (c->unsent.n)
        http_conn_set_deadline(c, c->worker->server->options.request_timeout_us);
    atomic_store(&c->worker->stirred, true);
    http_conn_want_turn(c); /* it may have been ended already */
}

/* The client may have taken some of what waits. */
static bool send_on(struct http_conn *c)
{
    size_t sent = c->sent;

    if (!http_conn_send_unsent(c))
        return false;
    if (c->unsent.n == 0) {
        http_conn_set_deadline(c, CONN_NO_DEADLINE);
        atomic_store(&c->worker->stirred, true); /* there is room again */
    } else if (c->sent > sent) {
        http_conn_set_deadline(c, c->worker->server->options.request_timeout_us);
    }
    if (c->sent >= COMPACT) { /* one that never quite catches up must not make it grow */
        memmove(c->unsent.p, c->unsent.p + c->sent, c->unsent.n - c->sent);
        c->unsent.n -= c->sent;
        c->sent = 0;
    }
    return true;
}

/* True: it can have its next turn at once. */
static bool ask_for_more(struct http_conn *c)
{
    struct http_request *r = c->request;

    r->stream->more(r);
    if (r->out.n == 0 && !r->out.failed)
        c->ending = true;
    else
        http_stream_flush(r);
    return c->ending || c->broken || c->unsent.n == 0;
}

bool http_stream_step(struct http_conn *c)
{
    if (c->broken || c->hangup || (c->unsent.n && !send_on(c))) {
        http_conn_close(c);
        return false;
    }
    if (!c->ending && (!is_draining(c) || is_sized(c->request)))
        return c->request->stream->more && c->unsent.n == 0 && ask_for_more(c);
    finish(c);
    return c->state != CONN_DEAD;
}

/* ---- for producers ---- */

void http_stream_begin(struct http_request *r, const struct http_stream_ops *ops)
{
    r->stream = ops;
    r->conn->ending = r->conn->broken = false;
}

void http_stream_flush(struct http_request *r)
{
    struct http_conn *c = r->conn;
    bool waited = c->unsent.n > 0;

    if (c->state != CONN_STREAM || r->out.n == 0) /* before it has begun: goes with the head */
        return;
    buf_clear(&c->worker->plain);
    take_out(r);
    if (c->broken || !http_conn_send_plain(c)) {
        c->broken = true;
        http_conn_want_turn(c);
    } else if (c->unsent.n && !waited) {
        http_conn_set_deadline(c, c->worker->server->options.request_timeout_us);
    }
}

void http_stream_begin_sized(struct http_request *r, const struct http_stream_ops *ops,
                             int64_t length)
{
    http_stream_begin(r, ops);
    r->length = length;
}

size_t http_stream_unsent(const struct http_request *r)
{
    return r->out.n + r->conn->unsent.n - r->conn->sent;
}

void http_stream_end(struct http_request *r)
{
    r->conn->ending = true;
    http_conn_want_turn(r->conn);
}
