/* A TLS session over memory, a server's or (tls_client.h) a client's: ciphertext is fed in and
 * taken out as bytes, so that whoever owns the socket reads and writes it with as few system calls
 * as it likes. */
#pragma once

#include "base/buf.h"
#include "net/tls.h"

/* What all sessions of a server share: priorities, ticket key, certificate callback. */
struct tls_context;

/* Takes the identity over, also when it fails. */
int tls_context_new(struct tls_context **ret, struct tls_identity *identity);
void tls_context_free(struct tls_context *c);
/* For sessions from now on; takes the identity over. The context keeps all that it ever had,
 * because handshakes may be using them, but not the one in use a second time. One thread at a time.
 */
void tls_context_set_identity(struct tls_context *c, struct tls_identity *identity);

/* Stays where it was initialised: the session points to it. */
struct tls_stream {
    gnutls_session_t session;
    struct tls_context *context; /* a server's */
    struct str input;            /* ciphertext not yet consumed */
    struct buf *output;          /* where ciphertext goes */
    int code;                    /* GnuTLS's word on why it is TLS_BROKEN */

    const struct tls_client *client; /* a client's */
    const char *peer;                /* whose certificate it wants */
    unsigned flaws;                  /* of the certificate, in bits of GnuTLS */
};

int tls_stream_init(struct tls_stream *s, struct tls_context *c);
/* Without a session: bytes pass as they are. For a server that speaks plain HTTP. */
void tls_stream_init_plain(struct tls_stream *s);
void tls_stream_done(struct tls_stream *s);

enum tls_result { TLS_OK, TLS_MORE, TLS_CLOSED, TLS_BROKEN };

/* TLS_OK when it is complete. Alerts and answers go to s->output in any case. */
enum tls_result tls_stream_handshake(struct tls_stream *s);
/* Adds plaintext of s->input to `out` until all of it is consumed: TLS_MORE, or the end. */
enum tls_result tls_stream_read(struct tls_stream *s, struct buf *out);
/* False when the session is broken or memory is short. */
bool tls_stream_write(struct tls_stream *s, struct str plain);
void tls_stream_close_notify(struct tls_stream *s);
