#include "net/tls_trust.h"

#include "base/file.h"
#include "net/tls_internal.h"

#include <errno.h>
#include <gnutls/x509.h>
#include <stdlib.h>

enum { CHAIN_MAX = 16, FILE_MAX = 1 << 20 };

struct tls_trust {
    gnutls_x509_trust_list_t list;
};

/* ---- life ---- */

static int add_file(struct tls_trust *t, const char *ca, char why[TLS_WHY_SIZE])
{
    struct buf b BUF_CLEANUP;

    buf_init(&b, FILE_MAX);
    int r = file_read(ca, &b);
    if (r < 0) {
        str_format(why, TLS_WHY_SIZE, "%s cannot be read: %s", ca, strerror(-r));
        return r;
    }
    gnutls_datum_t pem = {(unsigned char *)b.p, (unsigned)b.n};
    if (gnutls_x509_trust_list_add_trust_mem(t->list, &pem, NULL, GNUTLS_X509_FMT_PEM, 0, 0) <= 0) {
        str_format(why, TLS_WHY_SIZE, "%s holds no certificate in PEM form", ca);
        return -EINVAL;
    }
    return 0;
}

static int fill(struct tls_trust *t, const char *ca, char why[TLS_WHY_SIZE])
{
    if (gnutls_x509_trust_list_init(&t->list, 0) < 0)
        return -ENOMEM;
    int count = gnutls_x509_trust_list_add_system_trust(t->list, 0, 0);
    if (ca && *ca)
        return add_file(t, ca, why);
    if (count > 0)
        return 0;
    str_format(why, TLS_WHY_SIZE, "this system has no list of authorities; name a file");
    return -ENOENT;
}

int tls_trust_new(struct tls_trust **ret, const char *ca, char why[TLS_WHY_SIZE])
{
    struct tls_trust *t = calloc(1, sizeof *t);

    str_format(why, TLS_WHY_SIZE, "memory is short");
    if (!t)
        return -ENOMEM;
    int failed = fill(t, ca, why);
    if (failed) {
        tls_trust_free(t);
        return failed;
    }
    why[0] = '\0';
    *ret = t;
    return 0;
}

void tls_trust_free(struct tls_trust *t)
{
    if (!t)
        return;
    if (t->list)
        gnutls_x509_trust_list_deinit(t->list, 1);
    free(t);
}

/* ---- verdicts ---- */

/* The certificates that the peer has shown, leaf first; 0: none that can be read. */
static unsigned import_chain(gnutls_session_t session, gnutls_x509_crt_t chain[CHAIN_MAX])
{
    unsigned shown = 0, count = 0;
    const gnutls_datum_t *raw = gnutls_certificate_get_peers(session, &shown);

    if (!raw || gnutls_certificate_type_get2(session, GNUTLS_CTYPE_PEERS) != GNUTLS_CRT_X509)
        return 0;
    for (; count < shown && count < CHAIN_MAX; count++) {
        if (gnutls_x509_crt_init(&chain[count]) < 0)
            break;
        if (gnutls_x509_crt_import(chain[count], &raw[count], GNUTLS_X509_FMT_DER) < 0) {
            gnutls_x509_crt_deinit(chain[count]);
            break;
        }
    }
    return count;
}

static void free_chain(gnutls_x509_crt_t chain[CHAIN_MAX], unsigned count)
{
    while (count > 0)
        gnutls_x509_crt_deinit(chain[--count]);
}

/* 0 or bits of GnuTLS. */
static unsigned find_flaws(const struct tls_trust *t, gnutls_x509_crt_t *chain, unsigned count,
                           const char *name)
{
    gnutls_typed_vdata_st wanted[] = {
        {.type = GNUTLS_DT_DNS_HOSTNAME, .data = (unsigned char *)name}, /* or an address */
        {.type = GNUTLS_DT_KEY_PURPOSE_OID, .data = (unsigned char *)GNUTLS_KP_TLS_WWW_SERVER},
    };
    unsigned flaws = 0, flags = GNUTLS_PROFILE_TO_VFLAGS(GNUTLS_PROFILE_LOW);

    if (gnutls_x509_trust_list_verify_crt2(t->list, chain, count, wanted, 2, flags, &flaws, NULL) <
        0)
        return GNUTLS_CERT_INVALID;
    return flaws;
}

bool tls_trust_judge(const struct tls_trust *t, gnutls_session_t session, const char *name,
                     char why[TLS_WHY_SIZE])
{
    gnutls_x509_crt_t chain[CHAIN_MAX];

    why[0] = '\0';
    /* A place in the session that only servers use: it goes when the session goes. */
    if (gnutls_db_get_ptr(session) == t)
        return true;
    unsigned count = import_chain(session, chain);
    unsigned flaws = count ? find_flaws(t, chain, count, name) : 0;
    free_chain(chain, count);
    if (count && !flaws) {
        gnutls_db_set_ptr(session, (void *)t);
        return true;
    }
    if (count)
        tls_flaws_explain(flaws, NULL, name, why);
    else
        str_format(why, TLS_WHY_SIZE, "the peer shows no certificate");
    return false;
}
