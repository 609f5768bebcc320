/* Sessions of a client that itself verifies nothing, over memory, with servers of many kinds. */
#include "net/tls_trust.h"

#include "base/clock.h"
#include "base/file.h"
#include "net/test_peer.h"
#include "net/tls_internal.h"

#include <gnutls/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct test_tls ours;
static struct tls_trust *trust;

static int set_up(void **state)
{
    char why[TLS_WHY_SIZE];

    test_tls_init(&ours, clock_now_us(&clock_real));
    return tls_trust_new(&trust, ours.ca, why);
}

static int tear_down(void **state)
{
    tls_trust_free(trust);
    test_tls_done(&ours);
    return 0;
}

/* ---- two ends ---- */

struct pair {
    struct tls_stream server, client;
    struct buf up, down;
    gnutls_priority_t priorities;
    gnutls_certificate_credentials_t nothing;
};

static void feed(struct tls_stream *s, struct buf *from, bool *shaken)
{
    s->input = buf_str(from);
    if (!*shaken)
        *shaken = tls_stream_handshake(s) == TLS_OK;
    buf_clear(from);
}

static void pair_init(struct pair *p, struct tls_context *server)
{
    bool server_shaken = false, client_shaken = false;

    memset(p, 0, sizeof *p);
    buf_init(&p->up, 1 << 20);
    buf_init(&p->down, 1 << 20);
    assert_int_equal(gnutls_priority_init(&p->priorities, "NORMAL", NULL), 0);
    assert_int_equal(gnutls_certificate_allocate_credentials(&p->nothing), 0);
    assert_int_equal(tls_stream_init(&p->server, server), 0);
    assert_int_equal(tls_stream_begin(&p->client, GNUTLS_CLIENT, p->priorities, p->nothing), 0);
    p->server.output = &p->down;
    p->client.output = &p->up;
    tls_stream_handshake(&p->client);
    for (int i = 0; i < 10 && (p->up.n || p->down.n); i++) {
        if (p->up.n)
            feed(&p->server, &p->up, &server_shaken);
        if (p->down.n)
            feed(&p->client, &p->down, &client_shaken);
    }
    assert_true(server_shaken && client_shaken);
}

static void pair_done(struct pair *p)
{
    tls_stream_done(&p->server);
    tls_stream_done(&p->client);
    gnutls_certificate_free_credentials(p->nothing);
    gnutls_priority_deinit(p->priorities);
    buf_done(&p->up);
    buf_done(&p->down);
}

/* Asked twice: the second time must say the same. */
static void check_verdict(const struct tls_trust *t, struct tls_context *server, const char *name,
                          const char *verdict)
{
    char why[TLS_WHY_SIZE];
    struct pair p;

    pair_init(&p, server);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tls_trust_judge(t, p.client.session, name, why), !verdict);
        assert_string_equal(why, verdict ? verdict : "");
    }
    pair_done(&p);
}

/* ---- a certificate of our own making ---- */

static void write_pem(const char *path, const gnutls_datum_t *pem)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(fwrite(pem->data, 1, pem->size, f), pem->size);
    fclose(f);
}

/* Signed by itself, for localhost, with this purpose; in files beside ours. */
static struct tls_context *self_signed(const char *purpose, char certificate[96], char key[96])
{
    gnutls_x509_privkey_t private;
    gnutls_x509_crt_t c;
    gnutls_datum_t pem;
    struct tls_identity *identity;
    struct tls_context *context;
    char why[TLS_WHY_SIZE];

    gnutls_x509_privkey_init(&private);
    gnutls_x509_privkey_generate(private, GNUTLS_PK_ECDSA,
                                 GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
    gnutls_x509_crt_init(&c);
    gnutls_x509_crt_set_version(c, 3);
    gnutls_x509_crt_set_serial(c, "\1", 1);
    gnutls_x509_crt_set_activation_time(c, time(NULL) - 100);
    gnutls_x509_crt_set_expiration_time(c, time(NULL) + 100000);
    gnutls_x509_crt_set_dn(c, "CN=localhost", NULL);
    gnutls_x509_crt_set_subject_alt_name(c, GNUTLS_SAN_DNSNAME, "localhost", 9, GNUTLS_FSAN_SET);
    gnutls_x509_crt_set_key_purpose_oid(c, purpose, 0);
    gnutls_x509_crt_set_key(c, private);
    assert_int_equal(gnutls_x509_crt_sign2(c, c, private, GNUTLS_DIG_SHA256, 0), 0);
    snprintf(certificate, 96, "%s/own.pem", ours.folder);
    snprintf(key, 96, "%s/own.key", ours.folder);
    gnutls_x509_crt_export2(c, GNUTLS_X509_FMT_PEM, &pem);
    write_pem(certificate, &pem);
    gnutls_free(pem.data);
    gnutls_x509_privkey_export2(private, GNUTLS_X509_FMT_PEM, &pem);
    write_pem(key, &pem);
    gnutls_free(pem.data);
    gnutls_x509_crt_deinit(c);
    gnutls_x509_privkey_deinit(private);
    assert_int_equal(tls_identity_load(&identity, certificate, key, why), 0);
    assert_int_equal(tls_context_new(&context, identity), 0);
    return context;
}

/* ---- tests ---- */

static void test_trusted(void **state)
{
    check_verdict(trust, ours.context, "localhost", NULL);
    check_verdict(trust, ours.context, "127.0.0.1", NULL);
    check_verdict(trust, ours.context, "::1", NULL);
}

static void test_other_names(void **state)
{
    check_verdict(trust, ours.context, "example.com",
                  "the certificate is for other names than example.com");
    check_verdict(trust, ours.context, "127.0.0.2",
                  "the certificate is for other names than 127.0.0.2");
    check_verdict(trust, ours.context, "", "the certificate is for other names than ");
}

static void test_the_system_does_not_know_us(void **state)
{
    struct tls_trust *system;
    char why[TLS_WHY_SIZE];

    assert_int_equal(tls_trust_new(&system, "", why), 0);
    check_verdict(system, ours.context, "localhost",
                  "the certificate is not signed by an authority that this system trusts");
    tls_trust_free(system);
}

/* What one trusts, another need not. */
static void test_each_trust_judges_for_itself(void **state)
{
    struct tls_trust *system;
    char why[TLS_WHY_SIZE];
    struct pair p;

    assert_int_equal(tls_trust_new(&system, NULL, why), 0);
    pair_init(&p, ours.context);
    assert_true(tls_trust_judge(trust, p.client.session, "localhost", why));
    assert_false(tls_trust_judge(system, p.client.session, "localhost", why));
    pair_done(&p);
    tls_trust_free(system);
}

static void test_self_signed(void **state)
{
    char certificate[96], key[96], why[TLS_WHY_SIZE];
    struct tls_context *context = self_signed(GNUTLS_KP_TLS_WWW_SERVER, certificate, key);
    struct tls_trust *named;

    check_verdict(trust, context, "localhost",
                  "the certificate is not signed by an authority that this system trusts");
    assert_int_equal(tls_trust_new(&named, certificate, why), 0);
    check_verdict(named, context, "localhost", NULL); /* the operator says so */
    tls_trust_free(named);
    tls_context_free(context);
    unlink(certificate);
    unlink(key);
}

static void test_a_certificate_for_clients(void **state)
{
    char certificate[96], key[96], why[TLS_WHY_SIZE];
    struct tls_context *context = self_signed(GNUTLS_KP_TLS_WWW_CLIENT, certificate, key);
    struct tls_trust *named;

    assert_int_equal(tls_trust_new(&named, certificate, why), 0);
    check_verdict(named, context, "localhost", "the certificate is not one for servers");
    tls_trust_free(named);
    tls_context_free(context);
    unlink(certificate);
    unlink(key);
}

static void test_no_certificate(void **state)
{
    gnutls_session_t session;
    char why[TLS_WHY_SIZE];

    assert_int_equal(gnutls_init(&session, GNUTLS_CLIENT), 0);
    assert_false(tls_trust_judge(trust, session, "localhost", why));
    assert_string_equal(why, "the peer shows no certificate");
    gnutls_deinit(session);
}

static void test_faulty_files(void **state)
{
    struct tls_trust *t = NULL;
    char why[TLS_WHY_SIZE], want[TLS_WHY_SIZE];

    assert_int_equal(tls_trust_new(&t, "/no/such/file", why), -2);
    assert_string_equal(why, "/no/such/file cannot be read: No such file or directory");
    assert_int_equal(tls_trust_new(&t, ours.key, why), -22);
    snprintf(want, sizeof want, "%s holds no certificate in PEM form", ours.key);
    assert_string_equal(why, want);
    assert_null(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trusted),
        cmocka_unit_test(test_other_names),
        cmocka_unit_test(test_the_system_does_not_know_us),
        cmocka_unit_test(test_each_trust_judges_for_itself),
        cmocka_unit_test(test_self_signed),
        cmocka_unit_test(test_a_certificate_for_clients),
        cmocka_unit_test(test_no_certificate),
        cmocka_unit_test(test_faulty_files),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
