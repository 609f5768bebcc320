#include "base/file.h"
#include "net/tls.h"

#include <errno.h>
#include <gnutls/x509.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const names[] = {"ca.pem", "ca.key", "server.pem", "server.key"};
static const int64_t day_us = 86400 * INT64_C(1000000);
static char folder[64], why[TLS_WHY_SIZE];

static const char *in_folder(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/skylark-tls-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    for (size_t i = 0; i < 4; i++)
        unlink(in_folder(names[i]));
    return rmdir(folder); /* fails when a temporary file was left behind */
}

static int64_t now_us(void)
{
    return (int64_t)time(NULL) * 1000000;
}

static gnutls_datum_t read_datum(const char *name)
{
    struct buf b;

    buf_init(&b, 1 << 16);
    assert_int_equal(file_read(in_folder(name), &b), 0);
    return (gnutls_datum_t){(unsigned char *)b.p, (unsigned)b.n};
}

static gnutls_x509_crt_t read_cert(const char *name)
{
    gnutls_x509_crt_t c;
    gnutls_datum_t pem = read_datum(name);

    assert_int_equal(gnutls_x509_crt_init(&c), 0);
    assert_int_equal(gnutls_x509_crt_import(c, &pem, GNUTLS_X509_FMT_PEM), 0);
    free(pem.data);
    return c;
}

/* What a client thinks of `leaf` when it trusts ca.pem and asked for `host`. */
static bool client_accepts(gnutls_x509_crt_t leaf, const char *host)
{
    gnutls_x509_trust_list_t trusted;
    gnutls_x509_crt_t ca = read_cert("ca.pem");
    gnutls_typed_vdata_st data[] = {
        {GNUTLS_DT_DNS_HOSTNAME, (unsigned char *)host, 0},
        {GNUTLS_DT_KEY_PURPOSE_OID, (unsigned char *)GNUTLS_KP_TLS_WWW_SERVER, 0},
    };
    unsigned flaws = ~0u;

    assert_int_equal(gnutls_x509_trust_list_init(&trusted, 0), 0);
    assert_int_equal(gnutls_x509_trust_list_add_cas(trusted, &ca, 1, 0), 1);
    assert_int_equal(
        gnutls_x509_trust_list_verify_crt2(trusted, &leaf, 1, data, 2, 0, &flaws, NULL), 0);
    gnutls_x509_trust_list_deinit(trusted, 1);
    return flaws == 0;
}

static gnutls_x509_privkey_t read_key(const char *name)
{
    gnutls_x509_privkey_t key;
    gnutls_datum_t pem = read_datum(name);

    assert_int_equal(gnutls_x509_privkey_init(&key), 0);
    assert_int_equal(gnutls_x509_privkey_import(key, &pem, GNUTLS_X509_FMT_PEM), 0);
    free(pem.data);
    return key;
}

/* Verification looks at the bytes, which a certificate in the making does not have yet. */
static gnutls_x509_crt_t as_received(gnutls_x509_crt_t c)
{
    gnutls_datum_t der;
    gnutls_x509_crt_t received;

    assert_int_equal(gnutls_x509_crt_export2(c, GNUTLS_X509_FMT_DER, &der), 0);
    assert_int_equal(gnutls_x509_crt_init(&received), 0);
    assert_int_equal(gnutls_x509_crt_import(received, &der, GNUTLS_X509_FMT_DER), 0);
    gnutls_free(der.data);
    gnutls_x509_crt_deinit(c);
    return received;
}

/* What somebody could sign who stole ca.key. */
static gnutls_x509_crt_t forge(const char *host, const void *address, unsigned address_size)
{
    gnutls_x509_crt_t c, ca = read_cert("ca.pem");
    gnutls_x509_privkey_t key = read_key("server.key"), ca_key = read_key("ca.key");

    assert_int_equal(gnutls_x509_crt_init(&c), 0);
    gnutls_x509_crt_set_version(c, 3);
    gnutls_x509_crt_set_serial(c, "\1", 1);
    gnutls_x509_crt_set_dn_by_oid(c, GNUTLS_OID_X520_ORGANIZATION_NAME, 0, "Forger", 6);
    gnutls_x509_crt_set_basic_constraints(c, 0, -1);
    gnutls_x509_crt_set_activation_time(c, time(NULL) - 60);
    gnutls_x509_crt_set_expiration_time(c, time(NULL) + 86400);
    gnutls_x509_crt_set_key(c, key);
    gnutls_x509_crt_set_key_purpose_oid(c, GNUTLS_KP_TLS_WWW_SERVER, 0);
    if (host)
        gnutls_x509_crt_set_subject_alt_name(c, GNUTLS_SAN_DNSNAME, host, (unsigned)strlen(host),
                                             GNUTLS_FSAN_SET);
    else
        gnutls_x509_crt_set_subject_alt_name(c, GNUTLS_SAN_IPADDRESS, address, address_size,
                                             GNUTLS_FSAN_SET);
    assert_int_equal(gnutls_x509_crt_sign2(c, ca, ca_key, GNUTLS_DIG_SHA256, 0), 0);
    gnutls_x509_crt_deinit(ca);
    gnutls_x509_privkey_deinit(key);
    gnutls_x509_privkey_deinit(ca_key);
    return as_received(c);
}

static bool forged_host_passes(const char *host)
{
    gnutls_x509_crt_t c = forge(host, NULL, 0);
    bool passes = client_accepts(c, host);

    gnutls_x509_crt_deinit(c);
    return passes;
}

static bool forged_address_passes(const void *address, unsigned size, const char *host)
{
    gnutls_x509_crt_t c = forge(NULL, address, size);
    bool passes = client_accepts(c, host);

    gnutls_x509_crt_deinit(c);
    return passes;
}

static void test_clients_accept_loopback(void **state)
{
    assert_int_equal(tls_local_prepare(folder, now_us(), why), 1);
    gnutls_x509_crt_t leaf = read_cert("server.pem");
    assert_true(client_accepts(leaf, "localhost"));
    assert_true(client_accepts(leaf, "127.0.0.1"));
    assert_true(client_accepts(leaf, "::1"));
    assert_false(client_accepts(leaf, "example.com"));
    assert_false(client_accepts(leaf, "127.0.0.2"));
    int64_t life_s = (int64_t)gnutls_x509_crt_get_expiration_time(leaf) -
                     gnutls_x509_crt_get_activation_time(leaf);
    assert_true(life_s <= 397 * 86400 && life_s > 390 * 86400);
    assert_true(gnutls_x509_crt_get_activation_time(leaf) < time(NULL) - 60);
    gnutls_x509_crt_deinit(leaf);
}

static void test_stolen_ca_key_fakes_nothing_else(void **state)
{
    assert_int_equal(tls_local_prepare(folder, now_us(), why), 1);
    /* The method works at all: what is permitted passes. */
    assert_true(forged_host_passes("localhost"));
    assert_true(forged_address_passes("\x7f\0\0\5", 4, "127.0.0.5"));
    assert_false(forged_host_passes("example.com"));
    assert_false(forged_host_passes("notlocalhost"));
    assert_false(forged_address_passes("\x0a\0\0\1", 4, "10.0.0.1"));
    assert_false(forged_address_passes("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2", 16, "::2"));
}

static void test_files_have_narrow_rights(void **state)
{
    struct stat st;

    assert_int_equal(tls_local_prepare(folder, now_us(), why), 1);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(stat(in_folder(names[i]), &st), 0);
        assert_int_equal(st.st_mode & 0777, strstr(names[i], ".key") ? 0600 : 0644);
    }
}

static bool same_file(const char *name, gnutls_datum_t before)
{
    gnutls_datum_t after = read_datum(name);
    bool same = before.size == after.size && memcmp(before.data, after.data, after.size) == 0;

    free(before.data);
    free(after.data);
    return same;
}

static void test_renewal(void **state)
{
    int64_t now = now_us();

    assert_int_equal(tls_local_prepare(folder, now, why), 1);
    assert_int_equal(tls_local_prepare(folder, now, why), 0);
    assert_int_equal(tls_local_prepare(folder, now + 366 * day_us, why), 0);
    gnutls_datum_t ca = read_datum("ca.pem"), leaf = read_datum("server.pem");
    assert_int_equal(tls_local_prepare(folder, now + 368 * day_us, why), 1);
    assert_true(same_file("ca.pem", ca));
    assert_false(same_file("server.pem", leaf));

    /* Near the end of the CA a leaf never outlives it; after that there is a new CA. */
    int64_t late = now + 3600 * day_us;
    assert_int_equal(tls_local_prepare(folder, late, why), 1);
    gnutls_x509_crt_t cert = read_cert("server.pem"), authority = read_cert("ca.pem");
    assert_true(gnutls_x509_crt_get_expiration_time(cert) ==
                gnutls_x509_crt_get_expiration_time(authority));
    gnutls_x509_crt_deinit(cert);
    gnutls_x509_crt_deinit(authority);
    ca = read_datum("ca.pem");
    assert_int_equal(tls_local_prepare(folder, now + 3630 * day_us, why), 1);
    assert_false(same_file("ca.pem", ca));
}

static void test_broken_files_are_made_again(void **state)
{
    assert_int_equal(tls_local_prepare(folder, now_us(), why), 1);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(file_replace(in_folder(names[i]), STR("garbage\n"), 0600), 0);
        assert_int_equal(tls_local_prepare(folder, now_us(), why), 1);
        unlink(in_folder(names[i]));
        assert_int_equal(tls_local_prepare(folder, now_us(), why), 1);
    }
    assert_int_equal(tls_local_prepare(folder, now_us(), why), 0);
}

static void test_prepare_says_why_not(void **state)
{
    assert_int_equal(tls_local_prepare("/nowhere/at/all", now_us(), why), -ENOENT);
    assert_string_equal(why, "/nowhere/at/all/ca.key cannot be written: No such file or directory");
}

static void test_identity(void **state)
{
    struct tls_identity *t;

    assert_int_equal(tls_local_prepare(folder, now_us(), why), 1);
    assert_int_equal(tls_identity_load(&t, in_folder("server.pem"), in_folder("server.key"), why),
                     0);
    assert_int_equal(t->chain_count, 1);
    assert_string_equal(why, ""); /* words of an earlier failure are gone */
    tls_identity_free(t);
    tls_identity_free(NULL);
}

static void test_same_identity(void **state)
{
    struct tls_identity *one, *again, *other;
    int64_t ends_us, later_us;
    const char *certificate = in_folder("server.pem"), *key = in_folder("server.key");

    assert_int_equal(tls_local_prepare(folder, now_us(), why), 1);
    assert_int_equal(tls_identity_load(&one, certificate, key, why), 0);
    assert_int_equal(tls_identity_load(&again, certificate, key, why), 0);
    assert_int_equal(tls_local_prepare(folder, now_us() + 368 * day_us, why), 1);
    assert_int_equal(tls_identity_load(&other, certificate, key, why), 0);
    assert_true(tls_identity_same(one, again));
    assert_false(tls_identity_same(one, other));
    assert_true(tls_identity_ends(one, &ends_us));
    assert_true(tls_identity_ends(other, &later_us));
    assert_true(ends_us > now_us() && later_us > ends_us + 300 * day_us);
    tls_identity_free(one);
    tls_identity_free(again);
    tls_identity_free(other);
}

static void test_identity_with_chain(void **state)
{
    struct tls_identity *t;
    struct buf both BUF_CLEANUP;

    buf_init(&both, 1 << 16);
    assert_int_equal(tls_local_prepare(folder, now_us(), why), 1);
    assert_int_equal(file_read(in_folder("server.pem"), &both), 0);
    assert_int_equal(file_read(in_folder("ca.pem"), &both), 0);
    assert_int_equal(file_replace(in_folder("server.pem"), buf_str(&both), 0644), 0);
    assert_int_equal(tls_identity_load(&t, in_folder("server.pem"), in_folder("server.key"), why),
                     0);
    assert_int_equal(t->chain_count, 2);
    tls_identity_free(t);
}

static void check_refused(const char *cert, const char *key, int want, const char *format, ...)
{
    struct tls_identity *t;
    char text[TLS_WHY_SIZE];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert_int_equal(tls_identity_load(&t, in_folder(cert), in_folder(key), why), want);
    assert_null(t);
    assert_string_equal(why, text);
}

static void test_identity_refusals(void **state)
{
    assert_int_equal(tls_local_prepare(folder, now_us(), why), 1);
    check_refused("server.pem", "ca.key", -EKEYREJECTED,
                  "the key in %s/ca.key does not belong to the certificate in %s/server.pem",
                  folder, folder);
    check_refused("nothing.pem", "ca.key", -ENOENT,
                  "%s/nothing.pem cannot be read: No such file or directory", folder);
    check_refused("server.pem", "nothing.key", -ENOENT,
                  "%s/nothing.key cannot be read: No such file or directory", folder);
    check_refused("server.key", "server.key", -EINVAL,
                  "%s/server.key holds no certificate in PEM form (%s)", folder,
                  gnutls_strerror(GNUTLS_E_NO_CERTIFICATE_FOUND));
    assert_int_equal(file_replace(in_folder("server.key"), STR("x"), 0600), 0);
    struct tls_identity *t;
    assert_int_equal(tls_identity_load(&t, in_folder("server.pem"), in_folder("server.key"), why),
                     -EINVAL);
    assert_non_null(strstr(why, "server.key holds no private key in PEM form without a password"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_clients_accept_loopback),
        CASE(test_stolen_ca_key_fakes_nothing_else),
        CASE(test_files_have_narrow_rights),
        CASE(test_renewal),
        CASE(test_broken_files_are_made_again),
        CASE(test_prepare_says_why_not),
        CASE(test_identity),
        CASE(test_same_identity),
        CASE(test_identity_with_chain),
        CASE(test_identity_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
