/* One keep-alive HTTPS connection of the load client: non-blocking, one request at a time.
 * Owned by the single thread of `pace`. */
#pragma once

#include <gnutls/gnutls.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum conn_state {
    CONN_CLOSED,
    CONN_HANDSHAKE,
    CONN_IDLE,
    CONN_BUSY, /* a request is out, its answer is not in */
};

struct conn_target {
    struct sockaddr_in address;
    char host[64];
    gnutls_certificate_credentials_t trust;
};

struct conn {
    enum conn_state state;
    int fd;
    gnutls_session_t tls;
    bool write_pending;

    /* Cipher text read ahead, so that a TLS record costs one system call and not two. */
    char raw[16384];
    size_t raw_at, raw_n;
    bool dry; /* the socket had nothing more: only then will epoll speak again */

    /* The answer as far as it has come. */
    char *in;
    size_t in_n, in_size;
    size_t head_n, body_n; /* head_n is 0 until the head is complete */
    int status;

    uint64_t due_ns;
    uint64_t serial; /* of the request that is out */
    uint64_t answers;
    uint64_t worst_ns;
};

int conn_target_init(struct conn_target *target, const char *host, uint16_t port, const char *ca);
void conn_target_done(struct conn_target *target);

int conn_open(struct conn *c, const struct conn_target *target);
void conn_close(struct conn *c);

/* 0 when the handshake is complete, -EAGAIN while it runs, else what broke. */
int conn_shake(struct conn *c);

/* Starts a request; what the socket does not take now goes out with conn_flush(). */
int conn_send(struct conn *c, const char *bytes, size_t n);
int conn_flush(struct conn *c);

/* 1 when the answer is complete, 0 while more must come, else what broke. */
int conn_receive(struct conn *c);

static inline const char *conn_body(const struct conn *c)
{
    return c->in + c->head_n;
}
