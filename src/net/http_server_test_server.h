/* A server for tests: a fresh identity, a free port, and a handler that answers by path.
 *
 *   /echo     the body
 *   /large    LARGE bytes
 *   /room     the body, which may be larger than elsewhere
 *   /later    the body, from another thread after test_server_release
 *   /soon     the body, from another thread at once
 *   /block    keeps its worker for 300 ms
 *
 * What is wrong with a request is answered with 400 and the words "malformed", "body too large" or
 * "head too large". */
#pragma once

#include "net/http_server.h"

#include <stdatomic.h>

enum { TEST_BODY_MAX = 100000, TEST_ROOM = 4 << 20, TEST_LARGE = 6 << 20 };

struct test_server {
    struct http_server *server;
    const char *address;
    struct mailbox work; /* suspended requests, for the other thread */
    pthread_t thread;
    pthread_mutex_t gate;
    pthread_cond_t opened;
    bool open;
    _Atomic int waiting; /* requests behind the gate */
    _Atomic int handled;
};

/* A new one, of a new local authority. */
struct tls_identity *test_identity(void);
/* What a test may change before the start. */
struct http_server_options test_server_options(void);
void test_server_start(struct test_server *t, struct http_server_options options);
/* A start that must fail: -1, and why. */
int test_server_try(struct test_server *t, struct http_server_options options,
                    char why[HTTP_WHY_SIZE]);
/* Lets the requests for /later go on, and those that come. */
void test_server_release(struct test_server *t);
/* Releases, drains for a moment, stops. */
void test_server_stop(struct test_server *t);
/* The byte at `i` of the large answer. */
static inline char test_large_byte(size_t i)
{
    return (char)('a' + i % 23);
}
