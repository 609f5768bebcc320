#include "net/tls_internal.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { RECORD_MAX = 16384, READ_LEAST = 512 };

struct tls_context {
    gnutls_priority_t priorities;
    gnutls_certificate_credentials_t credentials;
    gnutls_datum_t ticket_key;
    _Atomic(struct tls_identity *) identity;
    struct tls_identity *identities; /* all that ever served, newest first */
};

/* X25519 first: it is what clients offer, and another choice costs them a round trip. */
static const char priority_text[] =
    "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:"
    "+CHACHA20-POLY1305:-GROUP-ALL:+GROUP-X25519:+GROUP-SECP256R1:+GROUP-SECP384R1:"
    "%SERVER_PRECEDENCE";

static int present_identity(gnutls_session_t session, const gnutls_datum_t *authorities, int count,
                            const gnutls_pk_algorithm_t *algorithms, int algorithm_count,
                            gnutls_pcert_st **chain, unsigned *chain_count, gnutls_privkey_t *key)
{
    struct tls_stream *s = gnutls_session_get_ptr(session);
    struct tls_identity *identity = atomic_load(&s->context->identity);

    (void)authorities, (void)count, (void)algorithms, (void)algorithm_count;
    *chain = identity->chain;
    *chain_count = identity->chain_count;
    *key = identity->key;
    return 0;
}

int tls_context_new(struct tls_context **ret, struct tls_identity *identity)
{
    struct tls_context *c = calloc(1, sizeof *c);

    *ret = NULL;
    if (!c) {
        tls_identity_free(identity);
        return -ENOMEM;
    }
    tls_context_set_identity(c, identity);
    if (gnutls_priority_init(&c->priorities, priority_text, NULL) < 0 ||
        gnutls_certificate_allocate_credentials(&c->credentials) < 0 ||
        gnutls_session_ticket_key_generate(&c->ticket_key) < 0) {
        tls_context_free(c);
        return -ENOMEM;
    }
    gnutls_certificate_set_retrieve_function2(c->credentials, present_identity);
    *ret = c;
    return 0;
}

void tls_context_free(struct tls_context *c)
{
    while (c->identities) {
        struct tls_identity *older = c->identities->older;
        tls_identity_free(c->identities);
        c->identities = older;
    }
    if (c->credentials)
        gnutls_certificate_free_credentials(c->credentials);
    if (c->priorities)
        gnutls_priority_deinit(c->priorities);
    if (c->ticket_key.data)
        gnutls_memset(c->ticket_key.data, 0, c->ticket_key.size);
    gnutls_free(c->ticket_key.data);
    free(c);
}

void tls_context_set_identity(struct tls_context *c, struct tls_identity *identity)
{
    if (c->identities && tls_identity_same(c->identities, identity)) {
        tls_identity_free(identity);
        return;
    }
    identity->older = c->identities;
    c->identities = identity;
    atomic_store(&c->identity, identity);
}

static ssize_t pull(gnutls_transport_ptr_t stream, void *into, size_t n)
{
    struct tls_stream *s = stream;

    if (s->input.n == 0) {
        gnutls_transport_set_errno(s->session, EAGAIN);
        return -1;
    }
    if (n > s->input.n)
        n = s->input.n;
    memcpy(into, s->input.p, n);
    s->input = str_skip(s->input, n);
    return (ssize_t)n;
}

static ssize_t push(gnutls_transport_ptr_t stream, const void *bytes, size_t n)
{
    struct tls_stream *s = stream;

    buf_add(s->output, (struct str){bytes, n});
    if (s->output->failed) {
        gnutls_transport_set_errno(s->session, ENOMEM);
        return -1;
    }
    return (ssize_t)n;
}

int tls_stream_begin(struct tls_stream *s, unsigned flags, gnutls_priority_t priorities,
                     gnutls_certificate_credentials_t credentials)
{
    *s = (struct tls_stream){.session = NULL};
    if (gnutls_init(&s->session, flags | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL) < 0)
        return -ENOMEM;
    gnutls_session_set_ptr(s->session, s);
    gnutls_priority_set(s->session, priorities);
    gnutls_credentials_set(s->session, GNUTLS_CRD_CERTIFICATE, credentials);
    gnutls_handshake_set_timeout(s->session, 0); /* the connection has a deadline of its own */
    gnutls_transport_set_ptr(s->session, s);
    gnutls_transport_set_pull_function(s->session, pull);
    gnutls_transport_set_push_function(s->session, push);
    return 0;
}

int tls_stream_init(struct tls_stream *s, struct tls_context *c)
{
    static const gnutls_datum_t protocol = {(unsigned char *)"http/1.1", 8};

    int r = tls_stream_begin(s, GNUTLS_SERVER, c->priorities, c->credentials);
    if (r < 0)
        return r;
    s->context = c;
    gnutls_session_ticket_enable_server(s->session, &c->ticket_key);
    gnutls_alpn_set_protocols(s->session, &protocol, 1, 0);
    return 0;
}

void tls_stream_init_plain(struct tls_stream *s)
{
    *s = (struct tls_stream){.session = NULL};
}

void tls_stream_done(struct tls_stream *s)
{
    if (s->session)
        gnutls_deinit(s->session);
    s->session = NULL;
}

static enum tls_result result_of(struct tls_stream *s, ssize_t code)
{
    s->code = (int)code;
    if (code == GNUTLS_E_AGAIN || code == GNUTLS_E_INTERRUPTED)
        return TLS_MORE;
    if (code == 0 || code == GNUTLS_E_PREMATURE_TERMINATION)
        return TLS_CLOSED;
    return TLS_BROKEN;
}

enum tls_result tls_stream_handshake(struct tls_stream *s)
{
    int code;

    do
        code = gnutls_handshake(s->session);
    while (code < 0 && code != GNUTLS_E_AGAIN && !gnutls_error_is_fatal(code));
    if (code == GNUTLS_E_SUCCESS)
        return TLS_OK;
    if (code != GNUTLS_E_AGAIN)
        gnutls_alert_send_appropriate(s->session, code);
    return result_of(s, code);
}

/* Plaintext is shorter than its ciphertext; a record may have begun with earlier input, though. */
static size_t read_room(const struct tls_stream *s)
{
    if (s->input.n < READ_LEAST)
        return READ_LEAST;
    return s->input.n < RECORD_MAX ? s->input.n : RECORD_MAX;
}

static enum tls_result pass(struct tls_stream *s, struct buf *out)
{
    buf_add(out, s->input);
    s->input.n = 0;
    return out->failed ? TLS_BROKEN : TLS_MORE;
}

enum tls_result tls_stream_read(struct tls_stream *s, struct buf *out)
{
    if (!s->session)
        return pass(s, out);
    for (;;) {
        size_t room = read_room(s);
        char *into = buf_reserve(out, room);
        if (!into)
            return TLS_BROKEN;
        ssize_t n = gnutls_record_recv(s->session, into, room);
        if (n > 0) {
            out->n += (size_t)n;
        } else if (n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED) {
            /* AGAIN is also said after a record that was no data, with more input left. */
            if (s->input.n == 0)
                return TLS_MORE;
        } else if (n == 0 || gnutls_error_is_fatal((int)n)) {
            return result_of(s, n);
        }
    }
}

bool tls_stream_write(struct tls_stream *s, struct str plain)
{
    if (!s->session) {
        buf_add(s->output, plain);
        return !s->output->failed;
    }
    while (plain.n) {
        ssize_t n = gnutls_record_send(s->session, plain.p, plain.n);
        if (n <= 0)
            return false;
        plain = str_skip(plain, (size_t)n);
    }
    return true;
}

void tls_stream_close_notify(struct tls_stream *s)
{
    if (s->session)
        gnutls_bye(s->session, GNUTLS_SHUT_WR);
}
