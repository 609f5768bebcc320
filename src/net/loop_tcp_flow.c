/* The bytes of a connection: read and written, through TLS or not. */
#include "net/loop_tcp_internal.h"

#include <assert.h>

static void flush(struct loop_tcp *c);

/* ---- out ---- */

void loop_tcp_flush_later(struct loop_tcp *c)
{
    uv_prepare_start(&c->turn, loop_tcp_on_turn);
}

static void empty(struct buf *b)
{
    if (b->size > LOOP_TCP_KEEP)
        buf_done(b);
    buf_clear(b);
}

bool loop_tcp_write(struct loop_tcp *c, struct str bytes)
{
    struct buf *out = c->tls.session ? &c->plain : &c->wire;
    size_t waiting = c->plain.n + c->wire.n + c->sending.n;

    if (c->state != LOOP_TCP_OPEN || waiting + bytes.n > LOOP_TCP_OUT_MAX)
        return false;
    buf_add(out, bytes);
    if (out->failed) {
        out->failed = false; /* nothing of it was added, and later there may be memory again */
        return false;
    }
    loop_tcp_flush_later(c);
    return true;
}

static void on_shut(uv_shutdown_t *request, int failed)
{
    (void)request, (void)failed; /* the peer's end, or the time-out, is waited for */
}

static void on_written(uv_write_t *request, int failed)
{
    struct loop_tcp *c = request->data;

    c->writing = false;
    empty(&c->sending);
    if (c->state == LOOP_TCP_GONE)
        return;
    if (failed)
        loop_tcp_fail(c, uv_strerror(failed));
    else
        flush(c);
}

/* As much as the socket takes at once; what is left is written behind our back. */
static void send_wire(struct loop_tcp *c)
{
    uv_buf_t bytes = {.base = c->wire.p, .len = c->wire.n};

    int sent = uv_try_write((uv_stream_t *)&c->tcp, &bytes, 1);
    if (sent == UV_EAGAIN)
        sent = 0;
    if (sent < 0) {
        loop_tcp_fail(c, uv_strerror(sent));
        return;
    }
    if ((size_t)sent == c->wire.n) {
        empty(&c->wire);
        return;
    }
    bytes.base += sent;
    bytes.len -= (size_t)sent;
    struct buf spare = c->sending;
    c->sending = c->wire;
    c->wire = spare;
    c->wire.max = c->sending.max;
    c->write.data = c;
    c->writing = true;
    int failed = uv_write(&c->write, (uv_stream_t *)&c->tcp, &bytes, 1, on_written);
    if (failed)
        loop_tcp_fail(c, uv_strerror(failed));
}

/* The last words are said. Closing at once could destroy them on their way, if the peer has sent
 * something that we have not read. */
static void shut(struct loop_tcp *c)
{
    c->shut = true;
    if (uv_shutdown(&c->shutdown, (uv_stream_t *)&c->tcp, on_shut) < 0)
        loop_tcp_dispose(c);
}

static void flush(struct loop_tcp *c)
{
    bool last = c->state == LOOP_TCP_LEAVING && !c->shut;

    if (c->writing)
        return;
    if (c->plain.n && !tls_stream_write(&c->tls, buf_str(&c->plain))) {
        loop_tcp_fail(c, "TLS: the session is broken, or memory is short");
        return;
    }
    empty(&c->plain);
    if (last && c->tls.session && !c->said_bye) {
        c->said_bye = true;
        tls_stream_close_notify(&c->tls);
    }
    if (c->wire.n)
        send_wire(c);
    if (last && c->state == LOOP_TCP_LEAVING && !c->writing)
        shut(c);
}

void loop_tcp_on_turn(uv_prepare_t *turn)
{
    uv_prepare_stop(turn);
    flush(turn->data);
}

/* ---- in ---- */

static void deliver(struct loop_tcp *c)
{
    if (c->in.n == 0)
        return;
    size_t taken = c->options.received(c->options.context, buf_str(&c->in));
    if (c->state != LOOP_TCP_OPEN)
        return;
    assert(taken <= c->in.n);
    c->in.n -= taken;
    if (taken && c->in.n)
        memmove(c->in.p, c->in.p + taken, c->in.n);
}

static void open_up(struct loop_tcp *c)
{
    c->state = LOOP_TCP_OPEN;
    uv_timer_stop(&c->timer);
    c->options.opened(c->options.context);
}

static void fail_tls(struct loop_tcp *c, enum tls_result result)
{
    char why[TLS_WHY_SIZE];
    uv_buf_t alert = {.base = c->wire.p, .len = c->wire.n};

    if (c->wire.n && !c->writing)
        uv_try_write((uv_stream_t *)&c->tcp, &alert, 1);
    if (result == TLS_CLOSED) {
        loop_tcp_fail(c, "the peer closed the connection");
        return;
    }
    tls_client_why(&c->tls, why);
    str_format(c->why, sizeof c->why, "TLS: %s", why);
    loop_tcp_fail(c, c->why);
}

/* Ciphertext has come, or the first is to be sent. */
static void shake(struct loop_tcp *c)
{
    enum tls_result result = tls_stream_handshake(&c->tls);

    if (result == TLS_CLOSED || result == TLS_BROKEN) {
        fail_tls(c, result);
        return;
    }
    if (c->wire.n)
        loop_tcp_flush_later(c);
    if (result == TLS_OK)
        open_up(c);
}

static void read_cipher(struct loop_tcp *c, size_t n)
{
    c->tls.input = (struct str){c->cipher.p, n};
    if (c->state == LOOP_TCP_SHAKING)
        shake(c);
    if (c->state != LOOP_TCP_OPEN)
        return;
    enum tls_result result = tls_stream_read(&c->tls, &c->in);
    deliver(c);
    if (c->state != LOOP_TCP_OPEN)
        return;
    if (result != TLS_MORE)
        fail_tls(c, result);
    else if (c->wire.n)
        loop_tcp_flush_later(c);
}

static void on_room_wanted(uv_handle_t *handle, size_t suggested, uv_buf_t *ret)
{
    struct loop_tcp *c = handle->data;
    struct buf *b = c->tls.session ? &c->cipher : &c->in;

    (void)suggested;
    if (c->state == LOOP_TCP_LEAVING)
        buf_clear(b);
    ret->base = buf_reserve(b, LOOP_TCP_READ);
    ret->len = ret->base ? LOOP_TCP_READ : 0;
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *room)
{
    struct loop_tcp *c = stream->data;

    (void)room;
    if (n == 0 || c->state == LOOP_TCP_GONE)
        return;
    if (n == UV_ENOBUFS)
        loop_tcp_fail(c, "memory is short, or the peer sends more than anybody takes");
    else if (n < 0)
        loop_tcp_fail(c, n == UV_EOF ? "the peer closed the connection" : uv_strerror((int)n));
    else if (c->state == LOOP_TCP_LEAVING)
        return;
    else if (c->tls.session)
        read_cipher(c, (size_t)n);
    else {
        c->in.n += (size_t)n;
        deliver(c);
    }
}

void loop_tcp_begin(struct loop_tcp *c)
{
    int failed = uv_read_start((uv_stream_t *)&c->tcp, on_room_wanted, on_read);

    if (failed) {
        loop_tcp_fail(c, uv_strerror(failed));
    } else if (!c->options.tls) {
        open_up(c);
    } else if (tls_client_stream(&c->tls, c->options.tls, c->options.tls_name) < 0) {
        loop_tcp_fail(c, "TLS: memory is short");
    } else {
        c->state = LOOP_TCP_SHAKING;
        c->tls.output = &c->wire;
        shake(c);
    }
}
