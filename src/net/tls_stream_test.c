/* The server's session against a GnuTLS client, both over memory. */
#include "net/tls_stream.h"

#include "base/random.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const char tls12[] = "NORMAL:-VERS-ALL:+VERS-TLS1.2";
static const char tls13[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3";
static char folder[64];
static gnutls_certificate_credentials_t client_credentials;

static struct tls_identity *new_identity(void)
{
    static const char *const names[] = {"ca.pem", "ca.key", "server.pem", "server.key"};
    char why[TLS_WHY_SIZE], paths[4][128];
    struct tls_identity *identity = NULL;

    assert_int_equal(tls_local_prepare(folder, (int64_t)time(NULL) * 1000000, why), 1);
    for (int i = 0; i < 4; i++)
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
    assert_int_equal(tls_identity_load(&identity, paths[2], paths[3], why), 0);
    for (int i = 0; i < 4; i++)
        unlink(paths[i]); /* so that the next one is another */
    return identity;
}

/* ---- a client and a server with two buffers between ---- */

struct pair {
    struct tls_stream server;
    gnutls_session_t client;
    struct buf up, down, plain; /* to the server, to the client, what the server decrypted */
    size_t down_read;
    enum tls_result server_result;
};

static ssize_t client_pull(gnutls_transport_ptr_t pair, void *into, size_t n)
{
    struct pair *p = pair;
    size_t there = p->down.n - p->down_read;

    if (there == 0) {
        gnutls_transport_set_errno(p->client, EAGAIN);
        return -1;
    }
    n = n < there ? n : there;
    memcpy(into, p->down.p + p->down_read, n);
    p->down_read += n;
    return (ssize_t)n;
}

static ssize_t client_push(gnutls_transport_ptr_t pair, const void *bytes, size_t n)
{
    buf_add(&((struct pair *)pair)->up, (struct str){bytes, n});
    return (ssize_t)n;
}

static void pair_open(struct pair *p, struct tls_context *context, const char *priorities)
{
    memset(p, 0, sizeof *p);
    buf_init(&p->up, 8 << 20);
    buf_init(&p->down, 8 << 20);
    buf_init(&p->plain, 8 << 20);
    assert_int_equal(tls_stream_init(&p->server, context), 0);
    p->server.output = &p->down;
    assert_int_equal(gnutls_init(&p->client, GNUTLS_CLIENT | GNUTLS_NONBLOCK), 0);
    assert_int_equal(gnutls_priority_set_direct(p->client, priorities, NULL), 0);
    gnutls_credentials_set(p->client, GNUTLS_CRD_CERTIFICATE, client_credentials);
    gnutls_transport_set_ptr(p->client, p);
    gnutls_transport_set_pull_function(p->client, client_pull);
    gnutls_transport_set_push_function(p->client, client_push);
}

static void pair_close(struct pair *p)
{
    gnutls_deinit(p->client);
    tls_stream_done(&p->server);
    buf_done(&p->up);
    buf_done(&p->down);
    buf_done(&p->plain);
}

/* Both sides in turn until they are done; the server gets at most `piece` bytes at a time. The
 * client's last code is returned. */
static int shake_hands(struct pair *p, size_t piece)
{
    size_t fed = 0;
    int code = GNUTLS_E_AGAIN;

    p->server_result = TLS_MORE;
    for (int i = 0; i < 100000; i++) {
        if (code == GNUTLS_E_AGAIN)
            code = gnutls_handshake(p->client);
        if (fed < p->up.n && p->server_result == TLS_MORE) {
            size_t n = p->up.n - fed < piece ? p->up.n - fed : piece;
            p->server.input = (struct str){p->up.p + fed, n};
            p->server_result = tls_stream_handshake(&p->server);
            fed += n - p->server.input.n;
        } else if (p->down_read == p->down.n || code != GNUTLS_E_AGAIN) {
            break;
        }
    }
    memmove(p->up.p, p->up.p + fed, p->up.n - fed);
    p->up.n -= fed;
    return code;
}

static void pair_connect(struct pair *p, struct tls_context *context, const char *priorities)
{
    pair_open(p, context, priorities);
    assert_int_equal(shake_hands(p, SIZE_MAX), GNUTLS_E_SUCCESS);
    assert_int_equal(p->server_result, TLS_OK);
}

/* What the client has sent goes to the server in pieces. */
static enum tls_result server_reads(struct pair *p, size_t piece)
{
    enum tls_result result = TLS_MORE;

    for (size_t at = 0; at < p->up.n && result == TLS_MORE; at += piece) {
        size_t n = p->up.n - at < piece ? p->up.n - at : piece;
        p->server.input = (struct str){p->up.p + at, n};
        result = tls_stream_read(&p->server, &p->plain);
    }
    buf_clear(&p->up);
    return result;
}

static void client_sends(struct pair *p, const char *bytes, size_t n)
{
    for (size_t sent = 0; sent < n;) {
        ssize_t k = gnutls_record_send(p->client, bytes + sent, n - sent);
        assert_true(k > 0);
        sent += (size_t)k;
    }
}

static void client_expects(struct pair *p, const char *bytes, size_t n)
{
    static char got[1 << 20];
    size_t there = 0;

    while (there < n) {
        ssize_t k = gnutls_record_recv(p->client, got + there, n - there);
        if (k == GNUTLS_E_AGAIN && p->down_read < p->down.n)
            continue; /* a ticket was between */
        assert_true(k > 0);
        there += (size_t)k;
    }
    assert_memory_equal(got, bytes, n);
}

/* ---- the tests ---- */

static void check_both_ways(struct pair *p)
{
    enum { SIZE = 200000 };
    static char bytes[SIZE];
    static const size_t pieces[] = {SIZE_MAX / 2, 64 << 10, 16384, 1000, 7, 1};

    random_secret(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t n = pieces[i] < 100 ? 5000 : SIZE;
        client_sends(p, bytes, n);
        assert_int_equal(server_reads(p, pieces[i]), TLS_MORE);
        assert_int_equal(p->plain.n, n);
        assert_memory_equal(p->plain.p, bytes, n);
        buf_clear(&p->plain);
    }
    assert_true(tls_stream_write(&p->server, (struct str){bytes, SIZE}));
    client_expects(p, bytes, SIZE);
    assert_true(tls_stream_write(&p->server, STR("")));
}

static void test_versions(void **state)
{
    struct tls_context *context = *state;
    static const struct {
        const char *priorities;
        gnutls_protocol_t version;
    } versions[] = {{tls12, GNUTLS_TLS1_2}, {tls13, GNUTLS_TLS1_3}, {"NORMAL", GNUTLS_TLS1_3}};

    for (size_t i = 0; i < 3; i++) {
        struct pair p;
        pair_connect(&p, context, versions[i].priorities);
        assert_int_equal(gnutls_protocol_get_version(p.client), versions[i].version);
        check_both_ways(&p);
        pair_close(&p);
    }
}

static void test_handshake_byte_by_byte(void **state)
{
    const char *const versions[] = {tls12, tls13};

    for (size_t i = 0; i < 2; i++) {
        struct pair p;
        pair_open(&p, *state, versions[i]);
        assert_int_equal(shake_hands(&p, 1), GNUTLS_E_SUCCESS);
        assert_int_equal(p.server_result, TLS_OK);
        check_both_ways(&p);
        pair_close(&p);
    }
}

static void test_old_versions_are_refused(void **state)
{
    struct pair p;

    pair_open(&p, *state, "NORMAL:-VERS-ALL:+VERS-TLS1.1");
    assert_int_equal(shake_hands(&p, SIZE_MAX), GNUTLS_E_FATAL_ALERT_RECEIVED);
    assert_int_equal(gnutls_alert_get(p.client), GNUTLS_A_PROTOCOL_VERSION);
    assert_int_equal(p.server_result, TLS_BROKEN);
    pair_close(&p);
}

static void test_garbage(void **state)
{
    struct pair p;
    const struct str hellos[] = {STR("GET / HTTP/1.1\r\n\r\n"),
                                 STR("\x16\x03\x01\x00\x06\x01\x00\x00\x02zz"),
                                 STR("\x16\x03\x01\xff\xff\x01\x00\x00\x02zz")};

    for (size_t i = 0; i < 3; i++) {
        pair_open(&p, *state, tls13);
        p.server.input = hellos[i];
        assert_int_equal(tls_stream_handshake(&p.server), TLS_BROKEN);
        pair_close(&p);
    }

    pair_connect(&p, *state, tls13);
    client_sends(&p, "hello", 5);
    p.up.p[p.up.n - 1] ^= 1;
    assert_int_equal(server_reads(&p, SIZE_MAX / 2), TLS_BROKEN);
    assert_int_equal(p.plain.n, 0);
    pair_close(&p);
}

static void test_close_notify(void **state)
{
    const char *const versions[] = {tls12, tls13};
    char byte;

    for (size_t i = 0; i < 2; i++) {
        struct pair p;
        pair_connect(&p, *state, versions[i]);
        client_sends(&p, "last words", 10);
        assert_int_equal(gnutls_bye(p.client, GNUTLS_SHUT_WR), 0);
        assert_int_equal(server_reads(&p, SIZE_MAX / 2), TLS_CLOSED);
        assert_true(str_is(buf_str(&p.plain), "last words"));
        /* The other direction still works. */
        assert_true(tls_stream_write(&p.server, STR("answer")));
        tls_stream_close_notify(&p.server);
        client_expects(&p, "answer", 6);
        assert_int_equal(gnutls_record_recv(p.client, &byte, 1), 0);
        pair_close(&p);
    }
}

/* A client that asks for another handshake on a TLS 1.2 session gets none; the server goes on. */
static void test_renegotiation_is_ignored(void **state)
{
    struct pair p;

    pair_connect(&p, *state, tls12);
    alarm(10); /* the fault would be to go round for ever */
    assert_int_equal(gnutls_handshake(p.client), GNUTLS_E_AGAIN);
    enum tls_result result = server_reads(&p, SIZE_MAX / 2);
    assert_true(result == TLS_MORE || result == TLS_BROKEN);
    assert_int_equal(p.plain.n, 0);
    alarm(0);
    pair_close(&p);
}

static void test_key_updates(void **state)
{
    struct pair p;

    pair_connect(&p, *state, tls13);
    assert_int_equal(gnutls_session_key_update(p.client, GNUTLS_KU_PEER), 0);
    client_sends(&p, "with new keys", 13);
    assert_int_equal(server_reads(&p, SIZE_MAX / 2), TLS_MORE);
    assert_true(str_is(buf_str(&p.plain), "with new keys"));
    assert_true(tls_stream_write(&p.server, STR("mine too")));
    client_expects(&p, "mine too", 8);
    pair_close(&p);
}

static void test_memory_is_bounded(void **state)
{
    static char bytes[100000];
    struct pair p;

    pair_connect(&p, *state, tls13);
    client_sends(&p, bytes, sizeof bytes);
    p.plain.max = 50000;
    assert_int_equal(server_reads(&p, SIZE_MAX / 2), TLS_BROKEN);
    assert_true(p.plain.n <= 50000);
    p.down.max = p.down.n + 1000;
    assert_false(tls_stream_write(&p.server, (struct str){bytes, sizeof bytes}));
    pair_close(&p);
}

static void certificate_of(struct pair *p, gnutls_datum_t *ret)
{
    unsigned count = 0;
    const gnutls_datum_t *chain = gnutls_certificate_get_peers(p->client, &count);

    assert_true(count >= 1);
    *ret = chain[0];
}

static void test_identity_switch(void **state)
{
    struct tls_context *context = *state;
    struct pair before, after;
    gnutls_datum_t old, new;

    pair_connect(&before, context, tls13);
    tls_context_set_identity(context, new_identity());
    pair_connect(&after, context, tls13);
    certificate_of(&before, &old);
    certificate_of(&after, &new);
    assert_true(old.size != new.size || memcmp(old.data, new.data, old.size) != 0);
    check_both_ways(&before);
    check_both_ways(&after);
    pair_close(&before);
    pair_close(&after);
}

static void test_protocol_name(void **state)
{
    const gnutls_datum_t names[] = {{(unsigned char *)"h2", 2}, {(unsigned char *)"http/1.1", 8}};
    gnutls_datum_t chosen;
    struct pair p;

    pair_open(&p, *state, tls13);
    gnutls_alpn_set_protocols(p.client, names, 2, 0);
    assert_int_equal(shake_hands(&p, SIZE_MAX), GNUTLS_E_SUCCESS);
    assert_int_equal(gnutls_alpn_get_selected_protocol(p.client, &chosen), 0);
    assert_int_equal(chosen.size, 8);
    pair_close(&p);
}

static int set_up(void **state)
{
    struct tls_context *context;

    snprintf(folder, sizeof folder, "/tmp/skylark-stream-XXXXXX");
    if (!mkdtemp(folder) || gnutls_certificate_allocate_credentials(&client_credentials) < 0 ||
        tls_context_new(&context, new_identity()) < 0)
        return -1;
    *state = context;
    return 0;
}

static int tear_down(void **state)
{
    tls_context_free(*state);
    gnutls_certificate_free_credentials(client_credentials);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_handshake_byte_by_byte),
        cmocka_unit_test(test_old_versions_are_refused),
        cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_close_notify),
        cmocka_unit_test(test_renegotiation_is_ignored),
        cmocka_unit_test(test_key_updates),
        cmocka_unit_test(test_memory_is_bounded),
        cmocka_unit_test(test_identity_switch),
        cmocka_unit_test(test_protocol_name),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
