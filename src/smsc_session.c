/* One connection of the SMSC: bytes in, PDUs out, and the other way round. */
#include "smsc_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    RECEIVE = 256 << 10,
    UNREAD_MAX = 1 << 20, /* what a peer may leave unread before it is not listened to */
    IN_MAX = RECEIVE + 2 * SMPP_PDU_MAX,
};

void session_open(struct smsc *smsc, int fd)
{
    struct epoll_event event = {.events = EPOLLIN};
    struct session *s = calloc(1, sizeof *s);

    if (!s || (smsc->tls && tls_stream_init(&s->tls, smsc->tls) < 0)) {
        free(s);
        close(fd);
        return;
    }
    s->smsc = smsc;
    s->fd = fd;
    s->interest = event.events;
    event.data.ptr = s;
    buf_init(&s->in, IN_MAX);
    buf_init(&s->plain, SMSC_OUTPUT_MAX);
    buf_init(&s->wire, SMSC_OUTPUT_MAX);
    s->tls.output = &s->wire;
    s->next = smsc->sessions;
    smsc->sessions = s;
    if (epoll_ctl(smsc->epoll, EPOLL_CTL_ADD, fd, &event) < 0)
        session_kill(s);
}

void session_kill(struct session *s)
{
    s->dead = true;
}

void session_free(struct session *s)
{
    deliveries_give_back(s);
    if (s->smsc->tls)
        tls_stream_done(&s->tls);
    buf_done(&s->in);
    buf_done(&s->plain);
    buf_done(&s->wire);
    close(s->fd);
    free(s);
}

struct buf *session_output(struct session *s)
{
    return s->smsc->tls ? &s->plain : &s->wire;
}

/* ---- in ---- */

/* All PDUs that are whole; the rest stays. */
static void take_pdus(struct session *s)
{
    struct str rest = buf_str(&s->in);

    while (!s->dead && !s->closing) {
        size_t length = 0;
        if (smpp_frame(rest, &length) < 0)
            session_kill(s); /* nothing can be read any more */
        if (length == 0)
            break;
        session_pdu(s, (struct str){rest.p, length});
        rest = str_skip(rest, length);
    }
    if (rest.n < s->in.n)
        memmove(s->in.p, rest.p, rest.n);
    s->in.n = rest.n;
}

static ssize_t receive(struct session *s, struct buf *into)
{
    char *room = buf_reserve(into, RECEIVE);
    ssize_t n = room ? recv(s->fd, room, RECEIVE, 0) : 0;

    if (n > 0)
        into->n += (size_t)n;
    else if (n < 0 && (errno == EAGAIN || errno == EINTR))
        n = 0;
    else
        s->ended = true;
    return n;
}

static void receive_tls(struct session *s)
{
    struct buf *cipher = &s->smsc->cipher;
    enum tls_result result = TLS_OK;

    buf_clear(cipher);
    if (receive(s, cipher) <= 0)
        return;
    s->tls.input = buf_str(cipher);
    if (!s->shaken) {
        result = tls_stream_handshake(&s->tls);
        s->shaken = result == TLS_OK;
    }
    if (s->shaken)
        result = tls_stream_read(&s->tls, &s->in);
    if (result == TLS_CLOSED || result == TLS_BROKEN)
        s->ended = true;
}

void session_event(struct session *s, uint32_t events)
{
    if (s->dead)
        return;
    if (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) {
        if (s->smsc->tls)
            receive_tls(s);
        else
            receive(s, &s->in);
        take_pdus(s);
    }
    s->closing |= s->ended;
}

/* ---- out ---- */

static void encrypt(struct session *s)
{
    if (s->plain.n == 0 || !s->shaken)
        return;
    if (s->plain.failed || !tls_stream_write(&s->tls, buf_str(&s->plain)))
        session_kill(s);
    buf_clear(&s->plain);
}

static void send_wire(struct session *s)
{
    while (s->sent < s->wire.n) {
        ssize_t n = send(s->fd, s->wire.p + s->sent, s->wire.n - s->sent, MSG_NOSIGNAL);
        if (n > 0)
            s->sent += (size_t)n;
        else if (errno == EAGAIN)
            break;
        else if (errno != EINTR) {
            session_kill(s);
            return;
        }
    }
    if (s->sent < s->wire.n / 2)
        return;
    memmove(s->wire.p, s->wire.p + s->sent, s->wire.n - s->sent);
    s->wire.n -= s->sent;
    s->sent = 0;
}

static void set_interest(struct session *s)
{
    size_t unread = s->wire.n - s->sent;
    struct epoll_event event = {.data.ptr = s};

    if (unread < UNREAD_MAX && !s->closing)
        event.events |= EPOLLIN;
    if (unread > 0)
        event.events |= EPOLLOUT;
    if (event.events != s->interest)
        epoll_ctl(s->smsc->epoll, EPOLL_CTL_MOD, s->fd, &event);
    s->interest = event.events;
}

void session_flush(struct session *s)
{
    if (s->dead)
        return;
    if (s->smsc->tls)
        encrypt(s);
    if (s->wire.failed)
        session_kill(s);
    else if (s->wire.n)
        send_wire(s);
    if (s->closing && s->sent == s->wire.n)
        session_kill(s);
    if (!s->dead)
        set_interest(s);
}
