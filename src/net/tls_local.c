/* The local authority: makes and renews ca.pem and server.pem. See tls.h for its promise. */
#include "base/file.h"
#include "base/random.h"
#include "net/tls.h"

#include <errno.h>
#include <gnutls/x509.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>

enum {
    DAY_S = 86400,
    CA_DAYS = 3652,
    LEAF_DAYS = 397, /* clients refuse more */
    RENEW_DAYS = 30,
    SLACK_S = 300, /* clocks of clients may be a little behind */
};

static const uint8_t loopback4[4] = {127, 0, 0, 1};
static const uint8_t loopback4_range[8] = {127, 0, 0, 0, 255, 0, 0, 0};

/* A certificate with its key, as files in a folder. */
struct pair {
    char cert_path[PATH_MAX], key_path[PATH_MAX];
    gnutls_x509_crt_t cert;
    gnutls_x509_privkey_t key;
};

static void pair_init(struct pair *p, const char *dir, const char *name)
{
    snprintf(p->cert_path, sizeof p->cert_path, "%s/%s.pem", dir, name);
    snprintf(p->key_path, sizeof p->key_path, "%s/%s.key", dir, name);
    p->cert = NULL;
    p->key = NULL;
}

static void pair_clear(struct pair *p)
{
    if (p->cert)
        gnutls_x509_crt_deinit(p->cert);
    if (p->key)
        gnutls_x509_privkey_deinit(p->key);
    p->cert = NULL;
    p->key = NULL;
}

static int pair_clear_and_new(struct pair *p)
{
    pair_clear(p);
    int r = gnutls_x509_crt_init(&p->cert);
    return r < 0 ? r : gnutls_x509_privkey_init(&p->key);
}

static bool pair_matches(const struct pair *p)
{
    unsigned char ids[2][64];
    size_t sizes[2] = {64, 64};
    const unsigned flags = GNUTLS_KEYID_USE_SHA256;

    return gnutls_x509_crt_get_key_id(p->cert, flags, ids[0], &sizes[0]) == 0 &&
           gnutls_x509_privkey_get_key_id(p->key, flags, ids[1], &sizes[1]) == 0 &&
           sizes[0] == sizes[1] && memcmp(ids[0], ids[1], sizes[0]) == 0;
}

/* 1: loaded. 0: not there, or not usable, so a new one may take its place. Negative: there, but
 * we may not look; then nothing is overwritten. */
static int pair_load(struct pair *p, char why[TLS_WHY_SIZE])
{
    struct buf cert BUF_CLEANUP, key BUF_CLEANUP;
    const char *path = p->cert_path;

    buf_init(&cert, 1 << 16);
    buf_init(&key, 1 << 16);
    int r = file_read(path, &cert);
    if (r == 0)
        r = file_read(path = p->key_path, &key);
    if (r == -ENOENT)
        return 0;
    if (r < 0) {
        str_format(why, TLS_WHY_SIZE, "%s cannot be read: %s", path, strerror(-r));
        return r;
    }
    gnutls_datum_t cert_pem = {(unsigned char *)cert.p, (unsigned)cert.n};
    gnutls_datum_t key_pem = {(unsigned char *)key.p, (unsigned)key.n};
    if (pair_clear_and_new(p) < 0)
        return -ENOMEM;
    bool usable = gnutls_x509_crt_import(p->cert, &cert_pem, GNUTLS_X509_FMT_PEM) == 0 &&
                  gnutls_x509_privkey_import(p->key, &key_pem, GNUTLS_X509_FMT_PEM) == 0 &&
                  pair_matches(p);
    gnutls_memset(key.p, 0, key.n);
    return usable;
}

static int store_datum(const char *path, gnutls_datum_t *pem, mode_t mode, char why[TLS_WHY_SIZE])
{
    int r = file_replace(path, (struct str){(char *)pem->data, pem->size}, mode);

    gnutls_memset(pem->data, 0, pem->size);
    gnutls_free(pem->data);
    if (r < 0)
        str_format(why, TLS_WHY_SIZE, "%s cannot be written: %s", path, strerror(-r));
    return r;
}

/* The key goes first: after a crash in between, certificate and key do not match and the pair is
 * made again. */
static int pair_store(struct pair *p, char why[TLS_WHY_SIZE])
{
    gnutls_datum_t pem;

    str_format(why, TLS_WHY_SIZE, "%s cannot be encoded", p->cert_path);
    if (gnutls_x509_privkey_export2_pkcs8(p->key, GNUTLS_X509_FMT_PEM, NULL, GNUTLS_PKCS_PLAIN,
                                          &pem) < 0)
        return -EIO;
    int r = store_datum(p->key_path, &pem, 0600, why);
    if (r < 0)
        return r;
    if (gnutls_x509_crt_export2(p->cert, GNUTLS_X509_FMT_PEM, &pem) < 0)
        return -EIO;
    return store_datum(p->cert_path, &pem, 0644, why);
}

/* What both kinds of certificate have: a fresh key, a serial number, names, times, key ids. */
static int fill_common(struct pair *p, const char *name, int64_t now_s, int64_t until_s)
{
    uint8_t serial[16], id[20];
    size_t id_size = sizeof id;
    gnutls_x509_crt_t c = p->cert;

    random_secret(serial, sizeof serial);
    serial[0] = (serial[0] & 0x7f) | 0x40; /* positive, and always of the same length */
    int r = gnutls_x509_privkey_generate(p->key, GNUTLS_PK_ECDSA,
                                         GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
    if (r < 0 || (r = gnutls_x509_crt_set_key(c, p->key)) < 0 ||
        (r = gnutls_x509_crt_get_key_id(c, 0, id, &id_size)) < 0)
        return r;
    if ((r = gnutls_x509_crt_set_version(c, 3)) < 0 ||
        (r = gnutls_x509_crt_set_serial(c, serial, sizeof serial)) < 0 ||
        (r = gnutls_x509_crt_set_activation_time(c, (time_t)(now_s - SLACK_S))) < 0 ||
        (r = gnutls_x509_crt_set_expiration_time(c, (time_t)until_s)) < 0 ||
        (r = gnutls_x509_crt_set_dn_by_oid(c, GNUTLS_OID_X520_ORGANIZATION_NAME, 0, "Skylark", 7)) <
            0 ||
        (r = gnutls_x509_crt_set_dn_by_oid(c, GNUTLS_OID_X520_COMMON_NAME, 0, name,
                                           (unsigned)strlen(name))) < 0)
        return r;
    return gnutls_x509_crt_set_subject_key_id(c, id, id_size);
}

static int permit(gnutls_x509_name_constraints_t names, gnutls_x509_subject_alt_name_t type,
                  const void *name, unsigned size)
{
    gnutls_datum_t datum = {(unsigned char *)name, size};
    return gnutls_x509_name_constraints_add_permitted(names, type, &datum);
}

static int constrain_names(gnutls_x509_crt_t c)
{
    gnutls_x509_name_constraints_t names;
    uint8_t loopback6_range[32] = {[15] = 1};

    memset(loopback6_range + 16, 0xff, 16);
    int r = gnutls_x509_name_constraints_init(&names);
    if (r < 0)
        return r;
    if ((r = permit(names, GNUTLS_SAN_DNSNAME, "localhost", 9)) == 0 &&
        (r = permit(names, GNUTLS_SAN_IPADDRESS, loopback4_range, 8)) == 0 &&
        (r = permit(names, GNUTLS_SAN_IPADDRESS, loopback6_range, 32)) == 0)
        r = gnutls_x509_crt_set_name_constraints(c, names, 1);
    gnutls_x509_name_constraints_deinit(names);
    return r;
}

static int make_ca(struct pair *p, int64_t now_s)
{
    int r = pair_clear_and_new(p);

    if (r < 0 ||
        (r = fill_common(p, "Skylark local CA", now_s,
                         now_s - SLACK_S + (int64_t)CA_DAYS * DAY_S)) < 0 ||
        (r = gnutls_x509_crt_set_basic_constraints(p->cert, 1, 0)) < 0 ||
        (r = gnutls_x509_crt_set_key_usage(p->cert,
                                           GNUTLS_KEY_KEY_CERT_SIGN | GNUTLS_KEY_CRL_SIGN)) < 0 ||
        (r = constrain_names(p->cert)) < 0)
        return r;
    return gnutls_x509_crt_sign2(p->cert, p->cert, p->key, GNUTLS_DIG_SHA256, 0);
}

/* One by one: clients refuse wildcards below localhost. */
static int add_names(gnutls_x509_crt_t c)
{
    int r;

    if ((r = gnutls_x509_crt_set_subject_alt_name(c, GNUTLS_SAN_DNSNAME, "localhost", 9,
                                                  GNUTLS_FSAN_SET)) < 0 ||
        (r = gnutls_x509_crt_set_subject_alt_name(c, GNUTLS_SAN_IPADDRESS, loopback4, 4,
                                                  GNUTLS_FSAN_APPEND)) < 0)
        return r;
    return gnutls_x509_crt_set_subject_alt_name(c, GNUTLS_SAN_IPADDRESS, &in6addr_loopback, 16,
                                                GNUTLS_FSAN_APPEND);
}

static int name_issuer(gnutls_x509_crt_t leaf, gnutls_x509_crt_t ca)
{
    uint8_t id[64];
    size_t size = sizeof id;
    int r = gnutls_x509_crt_get_subject_key_id(ca, id, &size, NULL);

    return r < 0 ? r : gnutls_x509_crt_set_authority_key_id(leaf, id, size);
}

static int make_leaf(struct pair *p, const struct pair *ca, int64_t now_s)
{
    int64_t until_s = now_s - SLACK_S + (int64_t)LEAF_DAYS * DAY_S;
    int64_t ca_until_s = gnutls_x509_crt_get_expiration_time(ca->cert);
    int r = pair_clear_and_new(p);

    if (until_s > ca_until_s)
        until_s = ca_until_s;
    if (r < 0 || (r = fill_common(p, "localhost", now_s, until_s)) < 0 ||
        (r = add_names(p->cert)) < 0 || (r = name_issuer(p->cert, ca->cert)) < 0 ||
        (r = gnutls_x509_crt_set_basic_constraints(p->cert, 0, -1)) < 0 ||
        (r = gnutls_x509_crt_set_key_usage(p->cert, GNUTLS_KEY_DIGITAL_SIGNATURE)) < 0 ||
        (r = gnutls_x509_crt_set_key_purpose_oid(p->cert, GNUTLS_KP_TLS_WWW_SERVER, 0)) < 0)
        return r;
    return gnutls_x509_crt_sign2(p->cert, ca->cert, ca->key, GNUTLS_DIG_SHA256, 0);
}

static bool lasts(gnutls_x509_crt_t c, int64_t now_s)
{
    return (int64_t)gnutls_x509_crt_get_expiration_time(c) - now_s >= (int64_t)RENEW_DAYS * DAY_S;
}

static bool signed_by(gnutls_x509_crt_t leaf, gnutls_x509_crt_t ca)
{
    unsigned flaws = 0;
    int r = gnutls_x509_crt_verify(leaf, &ca, 1, GNUTLS_VERIFY_DISABLE_TIME_CHECKS, &flaws);

    return r == 0 && flaws == 0;
}

static int made(struct pair *p, int r, char why[TLS_WHY_SIZE])
{
    if (r == 0)
        return pair_store(p, why);
    str_format(why, TLS_WHY_SIZE, "%s cannot be made: %s", p->cert_path, gnutls_strerror(r));
    return -EIO;
}

static int prepare(struct pair *ca, struct pair *leaf, int64_t now_s, char why[TLS_WHY_SIZE])
{
    int r = pair_load(ca, why);
    if (r < 0)
        return r;
    bool fresh_ca = r == 0 || !lasts(ca->cert, now_s);
    if (fresh_ca && (r = made(ca, make_ca(ca, now_s), why)) < 0)
        return r;
    r = pair_load(leaf, why);
    if (r < 0)
        return r;
    if (r == 1 && !fresh_ca && lasts(leaf->cert, now_s) && signed_by(leaf->cert, ca->cert))
        return 0;
    r = made(leaf, make_leaf(leaf, ca, now_s), why);
    return r < 0 ? r : 1;
}

int tls_local_prepare(const char *dir, int64_t now_us, char why[TLS_WHY_SIZE])
{
    struct pair ca, leaf;

    str_format(why, TLS_WHY_SIZE, "certificates in %s cannot be made", dir);
    pair_init(&ca, dir, "ca");
    pair_init(&leaf, dir, "server");
    int r = prepare(&ca, &leaf, now_us / 1000000, why);
    pair_clear(&ca);
    pair_clear(&leaf);
    if (r >= 0)
        why[0] = '\0';
    return r;
}
