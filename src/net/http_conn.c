/* A connection: bytes in, requests out, answers back, one request at a time.
 *
 * While a request is being worked on, or its stream goes on, nothing is read, so views into the
 * buffer hold and a client cannot fill our memory by asking faster than it listens. Epoll is
 * edge-triggered: `readable` remembers that the socket may hold more. */
#include "base/clock.h"
#include "base/log.h"
#include "base/metric.h"
#include "net/http_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    IN_MAX = 9 << 20, /* the largest body that any server here takes, and a head */
    UNSENT_MAX = 18 << 20,
    STEPS_MAX = 128, /* in a row before others get their turn; a request takes two to four */
    LINGER_US = 2000000
};

void http_conn_set_deadline(struct http_conn *c, int64_t us)
{
    struct conn *entry = conn_at(&c->worker->server->table, c->fd);
    conn_set_deadline(entry, us == CONN_NO_DEADLINE ? us : c->worker->now_us + us);
}

/* An answer counts as under way until the client has taken it. */
static void set_owing(struct http_conn *c, bool owing)
{
    _Atomic unsigned *in_flight = &c->worker->server->in_flight;

    if (owing && !c->owing)
        atomic_fetch_add_explicit(in_flight, 1, memory_order_relaxed);
    else if (!owing && c->owing)
        atomic_fetch_sub_explicit(in_flight, 1, memory_order_release);
    c->owing = owing;
}

void http_peer_init(struct http_peer *p, const struct in6_addr *address)
{
    p->address = *address;
    if (IN6_IS_ADDR_V4MAPPED(address))
        inet_ntop(AF_INET, address->s6_addr + 12, p->text, sizeof p->text);
    else
        inet_ntop(AF_INET6, address, p->text, sizeof p->text);
}

struct http_conn *http_conn_new(struct http_worker *w, int fd)
{
    struct http_conn *c = calloc(1, sizeof *c);

    if (!c || (w->server->tls && tls_stream_init(&c->tls, w->server->tls) < 0)) {
        free(c);
        return NULL;
    }
    if (!w->server->tls)
        tls_stream_init_plain(&c->tls);
    c->worker = w;
    c->fd = fd;
    http_peer_init(&c->peer, &conn_at(&w->server->table, fd)->address);
    c->state = w->server->tls ? CONN_HANDSHAKE : CONN_HEAD;
    c->readable = true;
    c->tls.output = &w->cipher;
    buf_init(&c->in, IN_MAX);
    buf_init(&c->unsent, UNSENT_MAX);
    return c;
}

void http_conn_free(struct http_conn *c)
{
    tls_stream_done(&c->tls);
    buf_done(&c->in);
    http_body_count(c);
    buf_done(&c->unsent);
    free(c);
}

void http_conn_close(struct http_conn *c)
{
    struct http_worker *w = c->worker;

    if (c->state == CONN_DEAD)
        return;
    if (c->state == CONN_STREAM)
        http_stream_lost(c);
    if (c->request)
        http_request_end(c->request);
    c->request = NULL;
    c->state = CONN_DEAD;
    set_owing(c, false);
    buf_clear(&w->cipher); /* what was meant for it is nobody else's */
    conn_close(&w->server->table, c->fd);
    close(c->fd);
    atomic_fetch_sub(&w->connections, 1);
    if (c->previous)
        c->previous->next = c->next;
    else
        w->conns = c->next;
    if (c->next)
        c->next->previous = c->previous;
    c->next_dead = w->dead; /* events of this round may still name it */
    w->dead = c;
}

/* ---- sending ---- */

/* What the socket takes of s; the rest is kept. False when the connection is broken. */
static bool send_or_keep(struct http_conn *c, struct str s)
{
    while (s.n && c->unsent.n == 0) {
        ssize_t n = send(c->fd, s.p, s.n, MSG_NOSIGNAL);
        if (n >= 0)
            s = str_skip(s, (size_t)n);
        else if (errno == EAGAIN)
            break;
        else if (errno != EINTR)
            return false;
    }
    buf_add(&c->unsent, s);
    return !c->unsent.failed;
}

/* Sends what encryption has put on the worker's `cipher`. */
static bool send_cipher(struct http_conn *c)
{
    struct buf *cipher = &c->worker->cipher;
    bool ok = !cipher->failed && send_or_keep(c, buf_str(cipher));

    if (cipher->size > 4 * HTTP_RECEIVE)
        buf_done(cipher);
    buf_clear(cipher);
    return ok;
}

bool http_conn_send_unsent(struct http_conn *c)
{
    struct buf *b = &c->unsent;

    while (c->sent < b->n) {
        ssize_t n = send(c->fd, b->p + c->sent, b->n - c->sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EAGAIN)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0)
            c->sent += (size_t)n;
    }
    buf_done(b);
    c->sent = 0;
    return true;
}

/* ---- receiving ---- */

/* One read from the socket into the session. TLS_OK: there was something. */
static enum tls_result receive(struct http_conn *c)
{
    struct http_worker *w = c->worker;

    if (c->ended)
        return TLS_CLOSED;
    if (!c->readable)
        return TLS_MORE;
    ssize_t n = recv(c->fd, w->receive, HTTP_RECEIVE, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        c->readable = errno == EINTR;
        return TLS_MORE;
    }
    if (n <= 0) {
        c->ended = true;
        return TLS_CLOSED;
    }
    if (n < HTTP_RECEIVE && !c->hangup)
        c->readable = false; /* drained; an edge tells when more comes */
    c->tls.input = (struct str){w->receive, (size_t)n};
    return TLS_OK;
}

/* Decrypts what `receive` got. */
static enum tls_result decrypt(struct http_conn *c)
{
    enum tls_result result = tls_stream_read(&c->tls, &c->in);

    if (c->worker->cipher.n && !send_cipher(c)) /* an alert or a key update */
        return TLS_BROKEN;
    if (result == TLS_CLOSED)
        c->ended = true;
    return result == TLS_MORE || result == TLS_CLOSED ? TLS_OK : result;
}

static enum tls_result receive_plain(struct http_conn *c)
{
    enum tls_result result = receive(c);
    return result == TLS_OK ? decrypt(c) : result;
}

/* ---- the states; each returns true when there is more to do at once ---- */

static bool do_handshake(struct http_conn *c)
{
    enum tls_result got = receive(c);

    if (got == TLS_MORE)
        return false;
    enum tls_result result = got == TLS_OK ? tls_stream_handshake(&c->tls) : TLS_BROKEN;
    if (!send_cipher(c) || result == TLS_BROKEN || result == TLS_CLOSED) {
        metric_add(METRIC_HTTP_HANDSHAKES, METRIC_HANDSHAKE_BAD, 1);
        http_conn_close(c);
        return false;
    }
    if (result == TLS_OK) {
        metric_add(METRIC_HTTP_HANDSHAKES, METRIC_HANDSHAKE_GOOD, 1);
        c->state = CONN_HEAD;
        if (c->tls.input.n && decrypt(c) != TLS_OK)
            http_conn_close(c);
    }
    return c->state != CONN_DEAD;
}

static enum http_method method_of(struct str name)
{
    static const struct {
        const char *name;
        enum http_method method;
    } methods[] = {{"GET", HTTP_GET},
                   {"POST", HTTP_POST},
                   {"HEAD", HTTP_HEAD},
                   {"PATCH", HTTP_PATCH},
                   {"DELETE", HTTP_DELETE}};

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (str_is(name, methods[i].name))
            return methods[i].method;
    return HTTP_OTHER;
}

bool http_conn_handle(struct http_conn *c)
{
    struct http_request *r = c->request;

    c->state = CONN_BUSY;
    http_conn_set_deadline(c, CONN_NO_DEADLINE);
    log_begin_request(r->id);
    c->worker->server->options.handler(r);
    bool done = !r->suspended; /* else it may be another thread's by now */
    if (done)
        http_conn_answer(c);
    log_end_request();
    return done && c->state != CONN_DEAD;
}

bool http_conn_refuse(struct http_conn *c)
{
    c->close_after = true;
    return http_conn_handle(c);
}

/* The views of the head point into `in`, unless that will grow for the body: then into a copy. */
static bool parse_head(struct http_conn *c)
{
    struct http_request *r = c->request;
    struct str head = {c->in.p, c->head_size};

    c->head_apart = false;
    r->malformed = http_head_parse(head, &r->head);
    if (r->malformed)
        return false;
    if (!r->head.chunked && r->head.content_length <= c->in.n - c->head_size)
        return true;
    head = arena_copy(&r->arena, head);
    c->head_apart = true;
    r->malformed = head.p ? http_head_parse(head, &r->head) : "it does not fit into memory";
    return !r->malformed;
}

static bool begin_request(struct http_conn *c)
{
    struct http_request *r = http_request_new(c);

    if (!r) {
        http_conn_close(c);
        return false;
    }
    c->request = r;
    r->began_us = c->worker->now_us;
    if (c->head_size == 0) {
        r->malformed = c->bare ? "its lines must end with CR and LF" : "its head does not end";
        return http_conn_refuse(c);
    }
    if (!parse_head(c))
        return http_conn_refuse(c);
    r->head_too_large = c->head_size > HTTP_HEAD_MAX;
    r->method = method_of(r->head.method);
    c->close_after = !r->head.keep_alive;
    c->chunks = (struct http_chunks){0};
    c->discarded = 0;
    c->state = CONN_BODY;
    r->body_too_large = http_body_too_large(c, r->head.content_length);
    if (r->head.content_length > HTTP_DISCARD_MAX)
        return http_conn_refuse(c);
    if (r->head.expects_continue && c->in.n == c->head_size &&
        (!tls_stream_write(&c->tls, STR("HTTP/1.1 100 Continue\r\n\r\n")) || !send_cipher(c)))
        http_conn_close(c);
    return c->state != CONN_DEAD;
}

bool http_conn_want_more(struct http_conn *c)
{
    switch (receive_plain(c)) {
    case TLS_OK:
        return true;
    case TLS_MORE:
        return false;
    case TLS_CLOSED:
    case TLS_BROKEN:
        http_conn_close(c);
    }
    return false;
}

/* Looks at what has come since the last look. */
static void look_for_head(struct http_conn *c)
{
    struct str fresh = str_skip(buf_str(&c->in), c->scanned ? c->scanned - 1 : 0);

    c->head_size = http_head_size(buf_str(&c->in), &c->scanned);
    c->bare = !c->head_size && http_head_is_bare(fresh);
}

static bool do_head(struct http_conn *c)
{
    if (c->in.n)
        look_for_head(c);
    if (c->in.n && (c->head_size || c->bare || c->in.n > HTTP_HEAD_READ)) {
        http_conn_set_deadline(c, c->worker->server->options.request_timeout_us);
        return begin_request(c);
    }
    size_t had = c->in.n;
    bool more = http_conn_want_more(c);
    if (had == 0 && c->state == CONN_HEAD && c->in.n) /* its first bytes */
        http_conn_set_deadline(c, c->worker->server->options.head_timeout_us);
    return more;
}

void http_conn_drop(struct http_conn *c, size_t from, size_t n)
{
    memmove(c->in.p + from, c->in.p + from + n, c->in.n - from - n);
    c->in.n -= n;
}

/* Bytes of `in` that belong to the request that was answered. */
static size_t request_size(const struct http_conn *c)
{
    const struct http_request *r = c->request;

    if (c->close_after)
        return c->in.n;
    if (r->head.chunked)
        return c->head_size + c->chunks.in;
    return c->head_size + (http_body_is_passed_over(r) ? 0 : (size_t)r->head.content_length);
}

static void half_close(struct http_conn *c)
{
    tls_stream_close_notify(&c->tls);
    if (!send_cipher(c) || c->unsent.n || c->ended) {
        http_conn_close(c);
        return;
    }
    shutdown(c->fd, SHUT_WR);
    c->state = CONN_LINGER;
    http_conn_set_deadline(c, LINGER_US);
}

static void await_head(struct http_conn *c)
{
    const struct http_server_options *o = &c->worker->server->options;

    c->state = CONN_HEAD;
    http_conn_set_deadline(c, c->in.n ? o->head_timeout_us : o->idle_timeout_us);
}

/* The answer is out, as far as we are concerned. */
void http_conn_finish(struct http_conn *c)
{
    http_conn_drop(c, 0, request_size(c));
    if (c->in.n == 0 && c->in.size > HTTP_KEPT_IN)
        buf_done(&c->in);
    http_body_count(c);
    c->scanned = 0;
    set_owing(c, c->unsent.n > 0);
    http_request_end(c->request);
    c->request = NULL;
    if (c->unsent.n) {
        c->state = CONN_FLUSH;
        http_conn_set_deadline(c, c->worker->server->options.request_timeout_us);
    } else if (c->close_after) {
        half_close(c);
    } else {
        await_head(c);
    }
}

bool http_conn_send_plain(struct http_conn *c)
{
    struct buf *plain = &c->worker->plain;
    bool ok = !plain->failed && tls_stream_write(&c->tls, buf_str(plain)) && send_cipher(c);

    if (plain->size > 4 * HTTP_RECEIVE)
        buf_done(plain);
    if (!ok)
        buf_clear(&c->worker->cipher); /* what was meant for it is nobody else's */
    return ok;
}

static void tell_answered(const struct http_conn *c)
{
    const struct http_server_options *o = &c->worker->server->options;

    if (o->answered)
        o->answered(c->request, clock_monotonic_us() - c->request->began_us);
}

void http_conn_answer(struct http_conn *c)
{
    tell_answered(c);
    if (c->request->last ||
        atomic_load_explicit(&c->worker->server->draining, memory_order_relaxed))
        c->close_after = true;
    if (c->request->stream) {
        http_stream_start(c);
        return;
    }
    http_request_write(c->request, c->close_after);
    if (http_conn_send_plain(c))
        http_conn_finish(c);
    else
        http_conn_close(c);
}

static bool do_flush(struct http_conn *c)
{
    if (!http_conn_send_unsent(c)) {
        http_conn_close(c);
        return false;
    }
    if (c->unsent.n)
        return false;
    set_owing(c, false);
    if (c->close_after)
        half_close(c);
    else
        await_head(c);
    return c->state != CONN_DEAD;
}

static bool do_linger(struct http_conn *c)
{
    ssize_t n = recv(c->fd, c->worker->receive, HTTP_RECEIVE, 0);

    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        http_conn_close(c);
    return n > 0;
}

static bool step(struct http_conn *c)
{
    switch (c->state) {
    case CONN_HANDSHAKE:
        return do_handshake(c);
    case CONN_HEAD:
        return do_head(c);
    case CONN_BODY:
        return http_body_step(c);
    case CONN_STREAM:
        return http_stream_step(c);
    case CONN_FLUSH:
        return do_flush(c);
    case CONN_LINGER:
        return do_linger(c);
    case CONN_BUSY:
    case CONN_DEAD:
        break;
    }
    return false;
}

void http_conn_want_turn(struct http_conn *c)
{
    struct http_worker *w = c->worker;

    if (c->in_again)
        return;
    c->in_again = true;
    c->next_again = w->again;
    w->again = c;
}

void http_conn_run(struct http_conn *c)
{
    /* A dead one's descriptor may be another's already; a busy one's request is with another
     * thread, so even a broken connection waits for it to come back. */
    if (c->state == CONN_DEAD || c->state == CONN_BUSY)
        return;
    if (c->unsent.n && c->state != CONN_FLUSH && c->state != CONN_STREAM &&
        !http_conn_send_unsent(c)) {
        http_conn_close(c);
        return;
    }
    for (int steps = 0; step(c);)
        if (++steps == STEPS_MAX) {
            http_conn_want_turn(c);
            return;
        }
}
