/* The connection: TCP, GnuTLS with the certificate checked, and just enough HTTP/1.1 to know where
 * an answer with a Content-Length ends. */
#include "conn.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWER_MAX ((size_t)4 << 20)

int conn_target_init(struct conn_target *target, const char *host, uint16_t port, const char *ca)
{
    *target = (struct conn_target){
        .address = {.sin_family = AF_INET, .sin_port = htons(port)},
    };
    if (inet_pton(AF_INET, host, &target->address.sin_addr) != 1)
        return -EINVAL;
    snprintf(target->host, sizeof target->host, "%s", host);
    if (gnutls_certificate_allocate_credentials(&target->trust) < 0)
        return -ENOMEM;
    if (gnutls_certificate_set_x509_trust_file(target->trust, ca, GNUTLS_X509_FMT_PEM) < 1)
        return -ENOENT;
    return 0;
}

void conn_target_done(struct conn_target *target)
{
    if (target->trust)
        gnutls_certificate_free_credentials(target->trust);
    target->trust = NULL;
}

static ssize_t conn_pull(gnutls_transport_ptr_t data, void *buffer, size_t n)
{
    struct conn *c = data;
    if (c->raw_at == c->raw_n) {
        ssize_t got = recv(c->fd, c->raw, sizeof c->raw, 0);
        c->dry = got < 0 && errno == EAGAIN;
        if (got <= 0)
            return got;
        c->raw_at = 0;
        c->raw_n = (size_t)got;
    }
    size_t have = c->raw_n - c->raw_at;
    if (n > have)
        n = have;
    memcpy(buffer, c->raw + c->raw_at, n);
    c->raw_at += n;
    return (ssize_t)n;
}

static ssize_t conn_push(gnutls_transport_ptr_t data, const void *buffer, size_t n)
{
    struct conn *c = data;
    return send(c->fd, buffer, n, MSG_NOSIGNAL);
}

static int conn_connect(struct conn *c, const struct conn_target *target)
{
    int one = 1;
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0)
        return -errno;
    if (connect(c->fd, (const struct sockaddr *)&target->address, sizeof target->address) < 0)
        return -errno;
    if (fcntl(c->fd, F_SETFL, O_NONBLOCK) < 0)
        return -errno;
    if (setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) < 0)
        return -errno;
    return 0;
}

static int conn_prepare_tls(struct conn *c, const struct conn_target *target)
{
    if (gnutls_init(&c->tls, GNUTLS_CLIENT | GNUTLS_NONBLOCK) < 0)
        return -ENOMEM;
    if (gnutls_set_default_priority(c->tls) < 0 ||
        gnutls_credentials_set(c->tls, GNUTLS_CRD_CERTIFICATE, target->trust) < 0)
        return -EINVAL;
    gnutls_session_set_verify_cert(c->tls, target->host, 0);
    gnutls_transport_set_ptr(c->tls, c);
    gnutls_transport_set_pull_function(c->tls, conn_pull);
    gnutls_transport_set_push_function(c->tls, conn_push);
    return 0;
}

int conn_open(struct conn *c, const struct conn_target *target)
{
    *c = (struct conn){.fd = -1};
    int r = conn_connect(c, target);
    if (r == 0)
        r = conn_prepare_tls(c, target);
    if (r < 0) {
        conn_close(c);
        return r;
    }
    c->state = CONN_HANDSHAKE;
    return 0;
}

/* Keeps the counters: a closed connection is still part of the report. */
void conn_close(struct conn *c)
{
    if (c->tls)
        gnutls_deinit(c->tls);
    if (c->fd >= 0)
        close(c->fd);
    free(c->in);
    c->tls = NULL;
    c->fd = -1;
    c->in = NULL;
    c->in_n = c->in_size = 0;
    c->state = CONN_CLOSED;
}

static int conn_errno(ssize_t code)
{
    if (code == GNUTLS_E_AGAIN || code == GNUTLS_E_INTERRUPTED)
        return -EAGAIN;
    if (code == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR)
        return -EKEYREJECTED;
    return code == GNUTLS_E_PREMATURE_TERMINATION ? -ECONNRESET : -EPROTO;
}

int conn_shake(struct conn *c)
{
    int r;
    c->dry = false;
    do
        r = gnutls_handshake(c->tls);
    while (r == GNUTLS_E_INTERRUPTED || r == GNUTLS_E_WARNING_ALERT_RECEIVED ||
           (r == GNUTLS_E_AGAIN && !c->dry && !gnutls_record_get_direction(c->tls)));
    if (r < 0)
        return conn_errno(r);
    c->state = CONN_IDLE;
    return 0;
}

static int conn_write(struct conn *c, const char *bytes, size_t n)
{
    ssize_t r = gnutls_record_send(c->tls, bytes, n);
    c->write_pending = r == GNUTLS_E_AGAIN || r == GNUTLS_E_INTERRUPTED;
    return r >= 0 || c->write_pending ? 0 : conn_errno(r);
}

int conn_send(struct conn *c, const char *bytes, size_t n)
{
    c->state = CONN_BUSY;
    c->in_n = c->head_n = c->body_n = 0;
    c->status = 0;
    return conn_write(c, bytes, n);
}

/* GnuTLS keeps the record that did not fit; calling again without data sends the rest of it. */
int conn_flush(struct conn *c)
{
    return c->write_pending ? conn_write(c, NULL, 0) : 0;
}

static int conn_reserve(struct conn *c)
{
    if (c->in_n + 1 < c->in_size)
        return 0;
    size_t size = c->in_size ? c->in_size * 2 : 4096;
    if (size > ANSWER_MAX)
        return -EMSGSIZE;
    char *in = realloc(c->in, size);
    if (!in)
        return -ENOMEM;
    c->in = in;
    c->in_size = size;
    return 0;
}

static int conn_parse_head(struct conn *c)
{
    c->in[c->in_n] = '\0';
    char *end = strstr(c->in, "\r\n\r\n");
    if (!end)
        return 0;
    if (sscanf(c->in, "HTTP/1.%*d %d", &c->status) != 1)
        return -EPROTO;
    char mark = end[2];
    end[2] = '\0';
    const char *length = strcasestr(c->in, "\r\nContent-Length:");
    if (length)
        c->body_n = strtoul(length + strlen("\r\nContent-Length:"), NULL, 10);
    end[2] = mark;
    c->head_n = (size_t)(end + 4 - c->in);
    return length ? 0 : -EPROTO;
}

static bool conn_complete(struct conn *c)
{
    return c->head_n > 0 && c->in_n >= c->head_n + c->body_n;
}

int conn_receive(struct conn *c)
{
    c->dry = false;
    for (;;) {
        int r = conn_reserve(c);
        if (r < 0)
            return r;
        ssize_t got = gnutls_record_recv(c->tls, c->in + c->in_n, c->in_size - c->in_n - 1);
        if (got == 0)
            return -ECONNRESET;
        if (got < 0) {
            r = conn_errno(got);
            if (r == -EAGAIN && c->dry)
                return 0;
            /* GnuTLS says "again" after a session ticket too, with the answer right behind it. */
            if (r == -EAGAIN)
                continue;
            return r;
        }
        c->in_n += (size_t)got;
        if (c->head_n == 0)
            r = conn_parse_head(c);
        if (r < 0)
            return r;
        if (conn_complete(c)) {
            c->in[c->in_n] = '\0';
            return 1;
        }
    }
}
