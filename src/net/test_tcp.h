/* What the tests of connections share: a connection on the test's loop, and all that it told. */
#pragma once

#include "net/loop_tcp.h"
#include "net/test_peer.h"

extern struct test_tls test_tls_files, test_other_files; /* two authorities, for all tests */
int test_tcp_set_up(void **state);
int test_tcp_tear_down(void **state);

/* A connection and what it said. Belongs to the loop's thread while that runs. */
struct test_tcp {
    struct loop_tcp *tcp;
    struct loop_tcp_options options;
    int opened, closed, received;
    size_t offered; /* in the last call */
    char why[512];
    struct buf in;
    size_t take;                          /* at most so many bytes of each call */
    bool in_call;                         /* of ours: no callback may come */
    void (*on_opened)(struct test_tcp *); /* what the test wants done there */
    void (*on_received)(struct test_tcp *);
    void (*on_closed)(struct test_tcp *);
    struct str to_write;
    bool wrote;
    size_t wanted;
    int wanted_calls;
};

void test_tcp_init(struct test_tcp *c, const char *host, uint16_t port);
/* Initialised, listened for, opened and accepted. */
void test_tcp_connect(struct test_tcp *c, struct test_listener *l, struct test_peer *p,
                      struct tls_context *tls);
void test_tcp_write(struct test_tcp *c, struct str bytes);
/* Closes what is still there; no peer and no listener are fine. */
void test_tcp_finish(struct test_tcp *c, struct test_listener *l, struct test_peer *p);
/* Reads until so many bytes have come in all, and no more. */
void test_peer_expect(struct test_peer *p, size_t n);

/* For test_loop_do and test_loop_until, with a connection. */
void test_tcp_open(void *context);
void test_tcp_close(void *context);
bool test_tcp_is_open(void *context);
bool test_tcp_is_closed(void *context);
bool test_tcp_has_received(void *context); /* as much as is wanted */

#define LOOP_TEST(function)                                                                        \
    cmocka_unit_test_setup_teardown(function, test_loop_set_up, test_loop_tear_down)
