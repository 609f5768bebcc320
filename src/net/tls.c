#include "net/tls.h"

#include "base/file.h"

#include <errno.h>
#include <gnutls/x509.h>
#include <stdlib.h>

enum { CHAIN_MAX = 16, FILE_MAX = 1 << 20, KEY_ID_SIZE = 64 };

/* Reads a file into b; a failure becomes one sentence. */
static int read_pem(const char *path, struct buf *b, char why[TLS_WHY_SIZE])
{
    int r = file_read(path, b);
    if (r < 0)
        str_format(why, TLS_WHY_SIZE, "%s cannot be read: %s", path, strerror(-r));
    return r;
}

static int load_chain(struct tls_identity *t, const char *path, char why[TLS_WHY_SIZE])
{
    struct buf b BUF_CLEANUP;
    unsigned count = CHAIN_MAX;

    buf_init(&b, FILE_MAX);
    int r = read_pem(path, &b, why);
    if (r < 0)
        return r;
    t->chain = calloc(CHAIN_MAX, sizeof *t->chain);
    if (!t->chain)
        return -ENOMEM;
    gnutls_datum_t pem = {(unsigned char *)b.p, (unsigned)b.n};
    r = gnutls_pcert_list_import_x509_raw(t->chain, &count, &pem, GNUTLS_X509_FMT_PEM,
                                          GNUTLS_X509_CRT_LIST_IMPORT_FAIL_IF_EXCEED);
    if (r < 0) {
        str_format(why, TLS_WHY_SIZE, "%s holds no certificate in PEM form (%s)", path,
                   gnutls_strerror(r));
        return -EINVAL;
    }
    t->chain_count = count;
    return 0;
}

static int load_key(struct tls_identity *t, const char *path, char why[TLS_WHY_SIZE])
{
    struct buf b BUF_CLEANUP;

    buf_init(&b, FILE_MAX);
    int r = read_pem(path, &b, why);
    if (r < 0)
        return r;
    gnutls_datum_t pem = {(unsigned char *)b.p, (unsigned)b.n};
    r = gnutls_privkey_init(&t->key);
    if (r == 0)
        r = gnutls_privkey_import_x509_raw(t->key, &pem, GNUTLS_X509_FMT_PEM, NULL, 0);
    gnutls_memset(b.p, 0, b.n);
    if (r < 0) {
        str_format(why, TLS_WHY_SIZE, "%s holds no private key in PEM form without a password (%s)",
                   path, gnutls_strerror(r));
        return -EINVAL;
    }
    return 0;
}

static bool key_matches(const struct tls_identity *t)
{
    unsigned char ids[2][KEY_ID_SIZE];
    size_t sizes[2] = {KEY_ID_SIZE, KEY_ID_SIZE};
    gnutls_pubkey_t public;

    if (gnutls_pubkey_init(&public) < 0)
        return false;
    int r = gnutls_pubkey_import_privkey(public, t->key, 0, 0);
    if (r == 0)
        r = gnutls_pubkey_get_key_id(public, GNUTLS_KEYID_USE_SHA256, ids[0], &sizes[0]);
    if (r == 0)
        r = gnutls_pubkey_get_key_id(t->chain[0].pubkey, GNUTLS_KEYID_USE_SHA256, ids[1],
                                     &sizes[1]);
    gnutls_pubkey_deinit(public);
    return r == 0 && sizes[0] == sizes[1] && memcmp(ids[0], ids[1], sizes[0]) == 0;
}

int tls_identity_load(struct tls_identity **ret, const char *cert_path, const char *key_path,
                      char why[TLS_WHY_SIZE])
{
    struct tls_identity *t = calloc(1, sizeof *t);

    *ret = NULL;
    str_format(why, TLS_WHY_SIZE, "%s cannot be used", cert_path);
    if (!t)
        return -ENOMEM;
    int r = load_chain(t, cert_path, why);
    if (r == 0)
        r = load_key(t, key_path, why);
    if (r == 0 && !key_matches(t)) {
        str_format(why, TLS_WHY_SIZE, "the key in %s does not belong to the certificate in %s",
                   key_path, cert_path);
        r = -EKEYREJECTED;
    }
    if (r < 0) {
        tls_identity_free(t);
        return r;
    }
    why[0] = '\0';
    *ret = t;
    return 0;
}

bool tls_identity_ends(const struct tls_identity *t, int64_t *ret_us)
{
    gnutls_pcert_st leaf = t->chain[0]; /* a copy, because gnutls takes no const; not changed */
    gnutls_x509_crt_t certificate;

    if (gnutls_pcert_export_x509(&leaf, &certificate) < 0)
        return false;
    time_t ends_s = gnutls_x509_crt_get_expiration_time(certificate);
    gnutls_x509_crt_deinit(certificate);
    *ret_us = (int64_t)ends_s * 1000000;
    return ends_s != (time_t)-1;
}

bool tls_identity_same(const struct tls_identity *a, const struct tls_identity *b)
{
    bool same = a->chain_count == b->chain_count;

    for (unsigned i = 0; same && i < a->chain_count; i++) {
        const gnutls_datum_t *x = &a->chain[i].cert, *y = &b->chain[i].cert;
        same = x->size == y->size && memcmp(x->data, y->data, x->size) == 0;
    }
    return same;
}

void tls_identity_free(struct tls_identity *t)
{
    if (!t)
        return;
    for (unsigned i = 0; i < t->chain_count; i++)
        gnutls_pcert_deinit(&t->chain[i]);
    free(t->chain);
    if (t->key)
        gnutls_privkey_deinit(t->key);
    free(t);
}
