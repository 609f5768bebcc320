#include "net/tls_client.h"

#include "base/file.h"
#include "net/tls_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <gnutls/x509.h>
#include <netinet/in.h>
#include <stdlib.h>

struct tls_client {
    gnutls_priority_t priorities;
    gnutls_certificate_credentials_t credentials;
    struct tls_identity *identity; /* NULL: we have none */
    char *ca;                      /* NULL: the system's authorities */
};

/* Old peers keep their old ciphers, but not their old versions. */
static const char priority_text[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";

static bool given(const char *path)
{
    return path && *path;
}

static int present_identity(gnutls_session_t session, const gnutls_datum_t *authorities, int count,
                            const gnutls_pk_algorithm_t *algorithms, int algorithm_count,
                            gnutls_pcert_st **chain, unsigned *chain_count, gnutls_privkey_t *key)
{
    const struct tls_stream *s = gnutls_session_get_ptr(session);
    const struct tls_identity *identity = s->client->identity;

    (void)authorities, (void)count, (void)algorithms, (void)algorithm_count;
    *chain = identity ? identity->chain : NULL;
    *chain_count = identity ? identity->chain_count : 0;
    *key = identity ? identity->key : NULL;
    return 0;
}

static int verify(gnutls_session_t session)
{
    struct tls_stream *s = gnutls_session_get_ptr(session);
    gnutls_typed_vdata_st wanted[] = {
        {.type = GNUTLS_DT_DNS_HOSTNAME, .data = (unsigned char *)s->peer}, /* or an address */
        {.type = GNUTLS_DT_KEY_PURPOSE_OID, .data = (unsigned char *)GNUTLS_KP_TLS_WWW_SERVER},
    };

    int r = gnutls_certificate_verify_peers(session, wanted, 2, &s->flaws);
    if (r < 0)
        return r;
    return s->flaws ? GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR : 0;
}

static int trust(struct tls_client *c, const char *ca, char why[TLS_WHY_SIZE])
{
    struct buf b BUF_CLEANUP;

    buf_init(&b, 1 << 20);
    if (!given(ca)) {
        int count = gnutls_certificate_set_x509_system_trust(c->credentials);
        str_format(why, TLS_WHY_SIZE, "this system has no list of authorities; name a file");
        return count > 0 ? 0 : -ENOENT;
    }
    int r = file_read(ca, &b);
    if (r < 0) {
        str_format(why, TLS_WHY_SIZE, "%s cannot be read: %s", ca, strerror(-r));
        return r;
    }
    gnutls_datum_t pem = {(unsigned char *)b.p, (unsigned)b.n};
    if (gnutls_certificate_set_x509_trust_mem(c->credentials, &pem, GNUTLS_X509_FMT_PEM) <= 0) {
        str_format(why, TLS_WHY_SIZE, "%s holds no certificate in PEM form", ca);
        return -EINVAL;
    }
    c->ca = strdup(ca);
    return c->ca ? 0 : -ENOMEM;
}

static int fill(struct tls_client *c, const struct tls_client_options *o, char why[TLS_WHY_SIZE])
{
    if (gnutls_priority_init(&c->priorities, priority_text, NULL) < 0 ||
        gnutls_certificate_allocate_credentials(&c->credentials) < 0)
        return -ENOMEM;
    gnutls_certificate_set_retrieve_function2(c->credentials, present_identity);
    gnutls_certificate_set_verify_function(c->credentials, verify);
    int r = trust(c, o->ca, why);
    if (r < 0)
        return r;
    if (given(o->certificate) != given(o->key)) {
        str_format(why, TLS_WHY_SIZE, "a certificate needs its key: give both files or neither");
        return -EINVAL;
    }
    return given(o->key) ? tls_identity_load(&c->identity, o->certificate, o->key, why) : 0;
}

int tls_client_new(struct tls_client **ret, const struct tls_client_options *options,
                   char why[TLS_WHY_SIZE])
{
    struct tls_client *c = calloc(1, sizeof *c);

    *ret = NULL;
    str_format(why, TLS_WHY_SIZE, "memory is short");
    if (!c)
        return -ENOMEM;
    int r = fill(c, options, why);
    if (r < 0) {
        tls_client_free(c);
        return r;
    }
    why[0] = '\0';
    *ret = c;
    return 0;
}

void tls_client_free(struct tls_client *c)
{
    if (!c)
        return;
    tls_identity_free(c->identity);
    if (c->credentials)
        gnutls_certificate_free_credentials(c->credentials);
    if (c->priorities)
        gnutls_priority_deinit(c->priorities);
    free(c->ca);
    free(c);
}

static bool is_address(const char *name)
{
    struct in6_addr bytes;
    return inet_pton(AF_INET, name, &bytes) == 1 || inet_pton(AF_INET6, name, &bytes) == 1;
}

int tls_client_stream(struct tls_stream *s, const struct tls_client *c, const char *name)
{
    int r = tls_stream_begin(s, GNUTLS_CLIENT, c->priorities, c->credentials);
    if (r < 0)
        return r;
    s->client = c;
    s->peer = name;
    if (!is_address(name)) /* which may not be said */
        gnutls_server_name_set(s->session, GNUTLS_NAME_DNS, name, strlen(name));
    return 0;
}

/* ---- in words ---- */

static void explain_code(const struct tls_stream *s, char why[TLS_WHY_SIZE])
{
    switch (s->code) {
    case GNUTLS_E_FATAL_ALERT_RECEIVED:
        str_format(why, TLS_WHY_SIZE, "the peer refuses: %s",
                   gnutls_alert_get_name(gnutls_alert_get(s->session)));
        break;
    case GNUTLS_E_UNEXPECTED_PACKET_LENGTH:
    case GNUTLS_E_UNSUPPORTED_VERSION_PACKET:
    case GNUTLS_E_UNEXPECTED_PACKET:
    case GNUTLS_E_RECORD_OVERFLOW:
        str_format(why, TLS_WHY_SIZE, "the peer does not speak TLS 1.2 or newer on this port");
        break;
    case GNUTLS_E_NO_CERTIFICATE_FOUND:
        str_format(why, TLS_WHY_SIZE, "the peer shows no certificate");
        break;
    default: /* of GnuTLS's hundreds */
        str_format(why, TLS_WHY_SIZE, "%s", gnutls_strerror(s->code));
    }
}

void tls_client_why(const struct tls_stream *s, char why[TLS_WHY_SIZE])
{
    if (s->flaws)
        tls_flaws_explain(s->flaws, s->client->ca, s->peer, why);
    else
        explain_code(s, why);
}
