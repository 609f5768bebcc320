/* A client's session against a server's, both over memory. */
#include "net/tls_client.h"

#include "base/clock.h"
#include "base/file.h"
#include "net/test_peer.h"

#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DAY_US INT64_C(86400000000)

static struct test_tls ours, theirs; /* two authorities */

struct pair {
    struct tls_stream server, client;
    struct buf up, down;
    enum tls_result server_result, client_result;
    char why[TLS_WHY_SIZE];
};

static void pair_init(struct pair *p, struct tls_context *server, const struct tls_client *client,
                      const char *name)
{
    memset(p, 0, sizeof *p);
    buf_init(&p->up, 1 << 20);
    buf_init(&p->down, 1 << 20);
    assert_int_equal(tls_stream_init(&p->server, server), 0);
    assert_int_equal(tls_client_stream(&p->client, client, name), 0);
    p->server.output = &p->down;
    p->client.output = &p->up;
    p->server_result = p->client_result = TLS_MORE;
}

static void pair_done(struct pair *p)
{
    tls_stream_done(&p->server);
    tls_stream_done(&p->client);
    buf_done(&p->up);
    buf_done(&p->down);
}

static void feed(struct tls_stream *s, struct buf *from, enum tls_result *result)
{
    s->input = buf_str(from);
    if (*result == TLS_MORE)
        *result = tls_stream_handshake(s);
    memmove(from->p, s->input.p, s->input.n);
    from->n = s->input.n;
}

static void shake_hands(struct pair *p)
{
    p->client_result = tls_stream_handshake(&p->client);
    for (int i = 0; i < 10; i++) {
        if (p->up.n)
            feed(&p->server, &p->up, &p->server_result);
        if (p->down.n)
            feed(&p->client, &p->down, &p->client_result);
    }
    tls_client_why(&p->client, p->why);
}

static struct tls_client *client_of(const struct tls_client_options *options)
{
    struct tls_client *c;
    char why[TLS_WHY_SIZE] = "?";

    if (tls_client_new(&c, options, why) < 0)
        fail_msg("%s", why);
    assert_string_equal(why, "");
    return c;
}

/* What the client says of a server. */
static void check_verdict(struct tls_context *server, const char *ca, const char *name,
                          const char *verdict)
{
    struct tls_client *c = client_of(&(struct tls_client_options){.ca = ca});
    struct pair p;

    pair_init(&p, server, c, name);
    shake_hands(&p);
    assert_int_equal(p.client_result, verdict ? TLS_BROKEN : TLS_OK);
    if (verdict)
        assert_string_equal(p.why, verdict);
    pair_done(&p);
    tls_client_free(c);
}

static void test_trusted(void **state)
{
    check_verdict(ours.context, ours.ca, "localhost", NULL);
}

static void test_addresses_are_verified(void **state)
{
    check_verdict(ours.context, ours.ca, "127.0.0.1", NULL);
    check_verdict(ours.context, ours.ca, "::1", NULL);
    check_verdict(ours.context, ours.ca, "127.0.0.2",
                  "the certificate is for other names than 127.0.0.2");
}

static void test_other_name(void **state)
{
    check_verdict(ours.context, ours.ca, "smsc.example.com",
                  "the certificate is for other names than smsc.example.com");
}

static void test_other_authority(void **state)
{
    char verdict[TLS_WHY_SIZE];

    snprintf(verdict, sizeof verdict, "the certificate is not signed by an authority in %s",
             theirs.ca);
    check_verdict(ours.context, theirs.ca, "localhost", verdict);
}

static void test_system_authorities(void **state)
{
    check_verdict(ours.context, "", "localhost",
                  "the certificate is not signed by an authority that this system trusts");
}

static void test_several_flaws(void **state)
{
    char verdict[TLS_WHY_SIZE];

    snprintf(verdict, sizeof verdict,
             "the certificate is not signed by an authority in %s and is for other names than x.y",
             theirs.ca);
    check_verdict(ours.context, theirs.ca, "x.y", verdict);
}

static void test_times(void **state)
{
    struct test_tls old, future;

    test_tls_init(&old, clock_now_us(&clock_real) - 500 * DAY_US);
    check_verdict(old.context, old.ca, "localhost", "the certificate has expired");
    test_tls_done(&old);
    test_tls_init(&future, clock_now_us(&clock_real) + 10 * DAY_US);
    check_verdict(future.context, future.ca, "localhost", "the certificate is not valid yet");
    test_tls_done(&future);
}

static void test_data_both_ways(void **state)
{
    struct tls_client *c = client_of(&(struct tls_client_options){.ca = ours.ca});
    struct buf got BUF_CLEANUP;
    struct pair p;

    buf_init(&got, 1 << 20);
    pair_init(&p, ours.context, c, "localhost");
    shake_hands(&p);
    assert_int_equal(p.server_result, TLS_OK);
    assert_true(tls_stream_write(&p.client, STR("up")));
    p.server.input = buf_str(&p.up);
    assert_int_equal(tls_stream_read(&p.server, &got), TLS_MORE);
    assert_true(tls_stream_write(&p.server, STR("down")));
    tls_stream_close_notify(&p.server);
    p.client.input = buf_str(&p.down);
    assert_int_equal(tls_stream_read(&p.client, &got), TLS_CLOSED);
    assert_true(str_is(buf_str(&got), "updown"));
    pair_done(&p);
    tls_client_free(c);
}

/* The name goes to the server before anything is encrypted; an address may not. */
static void test_server_name(void **state)
{
    static const struct {
        const char *name, *said;
    } cases[] = {{"localhost", "localhost"}, {"127.0.0.1", ""}, {"::1", ""}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tls_client *c = client_of(&(struct tls_client_options){.ca = ours.ca});
        char said[64] = "";
        size_t size = sizeof said;
        unsigned type;
        struct pair p;

        pair_init(&p, ours.context, c, cases[i].name);
        shake_hands(&p);
        gnutls_server_name_get(p.server.session, said, &size, &type, 0);
        assert_string_equal(said, cases[i].said);
        pair_done(&p);
        tls_client_free(c);
    }
}

static void test_old_versions_are_refused(void **state)
{
    struct tls_client *c = client_of(&(struct tls_client_options){.ca = ours.ca});
    struct pair p;

    pair_init(&p, ours.context, c, "localhost");
    gnutls_priority_set_direct(p.server.session, "NORMAL:-VERS-ALL:+VERS-TLS1.1", NULL);
    shake_hands(&p);
    assert_int_not_equal(p.server_result, TLS_OK);
    assert_int_equal(p.client_result, TLS_BROKEN);
    assert_string_equal(p.why, "the peer does not speak TLS 1.2 or newer on this port");
    pair_done(&p);

    pair_init(&p, ours.context, c, "localhost");
    gnutls_priority_set_direct(p.server.session, "NORMAL:-VERS-ALL:+VERS-TLS1.2", NULL);
    shake_hands(&p);
    assert_int_equal(p.client_result, TLS_OK);
    pair_done(&p);
    tls_client_free(c);
}

static void test_no_tls_at_all(void **state)
{
    struct tls_client *c = client_of(&(struct tls_client_options){.ca = ours.ca});
    static const struct str greetings[] = {STR("HTTP/1.1 400 Bad Request\r\n\r\n"),
                                           STR("\0\0\0\x10\x80\0\0\0\0\0\0\x03\0\0\0\0")};

    for (size_t i = 0; i < 2; i++) {
        struct pair p;
        pair_init(&p, ours.context, c, "localhost");
        tls_stream_handshake(&p.client);
        p.client.input = greetings[i];
        assert_int_equal(tls_stream_handshake(&p.client), TLS_BROKEN);
        tls_client_why(&p.client, p.why);
        assert_string_equal(p.why, "the peer does not speak TLS 1.2 or newer on this port");
        pair_done(&p);
    }
    tls_client_free(c);
}

/* Whether the server, which asks for one, gets a certificate. */
static bool shows_certificate(const struct tls_client_options *options, const char *priorities)
{
    struct tls_client *c = client_of(options);
    unsigned count = 0;
    struct pair p;

    pair_init(&p, ours.context, c, "localhost");
    gnutls_priority_set_direct(p.server.session, priorities, NULL);
    gnutls_certificate_server_set_request(p.server.session, GNUTLS_CERT_REQUEST);
    shake_hands(&p);
    assert_int_equal(p.client_result, TLS_OK);
    assert_int_equal(p.server_result, TLS_OK);
    gnutls_certificate_get_peers(p.server.session, &count);
    pair_done(&p);
    tls_client_free(c);
    return count > 0;
}

static void test_client_certificate(void **state)
{
    static const char *const versions[] = {"NORMAL:-VERS-ALL:+VERS-TLS1.2",
                                           "NORMAL:-VERS-ALL:+VERS-TLS1.3"};
    const struct tls_client_options with = {ours.ca, theirs.certificate, theirs.key};
    const struct tls_client_options without = {.ca = ours.ca};

    for (size_t i = 0; i < 2; i++) {
        assert_true(shows_certificate(&with, versions[i]));
        assert_false(shows_certificate(&without, versions[i]));
    }
}

static void test_client_certificate_is_required(void **state)
{
    struct tls_client *c = client_of(&(struct tls_client_options){.ca = ours.ca});
    struct pair p;

    pair_init(&p, ours.context, c, "localhost");
    gnutls_priority_set_direct(p.server.session, "NORMAL:-VERS-ALL:+VERS-TLS1.2", NULL);
    gnutls_certificate_server_set_request(p.server.session, GNUTLS_CERT_REQUIRE);
    shake_hands(&p);
    assert_int_equal(p.server_result, TLS_BROKEN);
    assert_int_equal(p.client_result, TLS_BROKEN);
    assert_true(str_starts(str_of(p.why), STR("the peer refuses: ")));
    pair_done(&p);
    tls_client_free(c);
}

static void check_refused(struct tls_client_options options, const char *reason)
{
    struct tls_client *c;
    char why[TLS_WHY_SIZE] = "";

    assert_true(tls_client_new(&c, &options, why) < 0);
    assert_null(c);
    if (!strstr(why, reason))
        fail_msg("%s", why);
}

static void test_files_that_will_not_do(void **state)
{
    char empty[128], reason[256];

    check_refused((struct tls_client_options){.ca = "/no/such/ca.pem"},
                  "/no/such/ca.pem cannot be read: No such file or directory");
    snprintf(empty, sizeof empty, "%s/empty.pem", ours.folder);
    assert_int_equal(file_replace(empty, STR("nothing\n"), 0600), 0);
    snprintf(reason, sizeof reason, "%s holds no certificate in PEM form", empty);
    check_refused((struct tls_client_options){.ca = empty}, reason);
    unlink(empty);
    check_refused((struct tls_client_options){ours.ca, ours.certificate, NULL},
                  "a certificate needs its key");
    check_refused((struct tls_client_options){ours.ca, ours.certificate, theirs.key},
                  "does not belong to the certificate");
}

static int set_up(void **state)
{
    test_tls_init(&ours, clock_now_us(&clock_real));
    test_tls_init(&theirs, clock_now_us(&clock_real));
    return 0;
}

static int tear_down(void **state)
{
    test_tls_done(&ours);
    test_tls_done(&theirs);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trusted),
        cmocka_unit_test(test_addresses_are_verified),
        cmocka_unit_test(test_other_name),
        cmocka_unit_test(test_other_authority),
        cmocka_unit_test(test_system_authorities),
        cmocka_unit_test(test_several_flaws),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_data_both_ways),
        cmocka_unit_test(test_server_name),
        cmocka_unit_test(test_old_versions_are_refused),
        cmocka_unit_test(test_no_tls_at_all),
        cmocka_unit_test(test_client_certificate),
        cmocka_unit_test(test_client_certificate_is_required),
        cmocka_unit_test(test_files_that_will_not_do),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
