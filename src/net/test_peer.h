/* What tests of connections share: a loop on its thread, certificates, and the other end of a
 * connection, played by the test itself with calls that wait (for some seconds at most). */
#pragma once

#include "net/loop.h"
#include "net/tls_client.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { TEST_PEER_PATIENCE_MS = 10000 };

/* ---- a loop ---- */

extern struct loop *test_loop; /* of the running test */
int test_loop_set_up(void **state);
int test_loop_tear_down(void **state);
/* Runs it on the loop's thread, and waits until it is done. */
void test_loop_do(loop_callback *callback, void *context);
/* Two turns of the loop: whatever waited for its next turn has happened. */
void test_loop_settle(void);
/* Waits until it is true; asked on the loop's thread. */
void test_loop_until(bool (*is_so)(void *context), void *context);

/* ---- certificates ---- */

/* A folder with an authority of its own and a certificate for localhost, made at some time. */
struct test_tls {
    char folder[64], ca[96], ca_key[96], certificate[96], key[96];
    struct tls_context *context; /* a server's */
};
void test_tls_init(struct test_tls *t, int64_t now_us);
void test_tls_done(struct test_tls *t);
/* A client that trusts this file. */
struct tls_client *test_tls_trust(const char *ca);

/* ---- the other end ---- */

struct test_listener {
    int fd;
    uint16_t port;
    struct tls_context *tls; /* NULL: plain */
    const char *alpn;        /* the protocol that it offers over TLS; NULL: none */
};
void test_listen(struct test_listener *l, struct tls_context *tls);
void test_listen_done(struct test_listener *l);

struct test_peer {
    int fd;
    struct tls_stream tls;
    struct buf in, out; /* what has come, decrypted; what TLS wants sent */
};
/* False when nobody comes, or the handshake fails. */
bool test_peer_accept(struct test_peer *p, const struct test_listener *l, int patience_ms);
void test_peer_send(struct test_peer *p, struct str bytes);
/* Adds to p->in; false at the end of the connection, or when nothing comes. */
bool test_peer_read(struct test_peer *p, int patience_ms);
/* Reads to the end of the connection; false when it does not come, or is a reset. */
bool test_peer_ends(struct test_peer *p);
/* With or without good manners: without, the other end sees a reset. */
void test_peer_close(struct test_peer *p);
void test_peer_reset(struct test_peer *p);
