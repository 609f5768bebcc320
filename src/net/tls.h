/* Certificates: the local authority that makes HTTPS work at first start, and the identity that
 * the server shows to its clients. The only file that speaks X.509.
 *
 * The local CA may sign for localhost and loopback addresses only (name constraints, critical):
 * whoever steals its key can fake nothing else. */
#pragma once

#include "base/str.h"

#include <gnutls/abstract.h>

enum { TLS_WHY_SIZE = 256 };

/* Sees to ca.pem, ca.key, server.pem and server.key in `dir`: makes what is missing or broken,
 * renews the server's certificate when less than 30 days of it are left. Safe to call again and
 * again. Returns 1 when server.pem is new, 0 when all was well; else `why` says what broke. */
int tls_local_prepare(const char *dir, int64_t now_us, char why[TLS_WHY_SIZE]);

/* What a server shows: a certificate chain, leaf first, and the leaf's key. Never changed once
 * loaded, so any thread may read it; who loads it frees it. */
struct tls_identity {
    gnutls_pcert_st *chain;
    unsigned chain_count;
    gnutls_privkey_t key;
    struct tls_identity *older; /* for whoever keeps them in a list */
};

/* Reads PEM files; checks that the key belongs to the first certificate. `why` names the file. */
int tls_identity_load(struct tls_identity **ret, const char *cert_path, const char *key_path,
                      char why[TLS_WHY_SIZE]);
void tls_identity_free(struct tls_identity *t);
/* When its certificate ends. */
bool tls_identity_ends(const struct tls_identity *t, int64_t *ret_us);
/* Whether both show the same certificates, and so have the same key. */
bool tls_identity_same(const struct tls_identity *a, const struct tls_identity *b);
