/* What the tests of requests to others share: requests on the test's loop, and what came of them.
 * The other end is played by the test (test_peer.h). */
#pragma once

#include "net/loop_http.h"
#include "net/test_peer.h"

extern struct test_tls test_http_files; /* the authority that is trusted */
int test_http_set_up_all(void **state);
int test_http_tear_down_all(void **state);

/* For each test: a loop with test_http on it, which lets localhost through, waits 8 s for a
 * connection and 9 s in all. */
extern struct loop_http *test_http;
int test_http_set_up(void **state);
int test_http_tear_down(void **state);
/* In place of the usual one; "" = no networks. */
void test_http_guarded(const char *allow, bool allow_localhost);
/* For the operator's own addresses. */
void test_http_unguarded(void);
void test_http_limited(size_t max_connections, int64_t connect_ms, int64_t total_ms);

/* A request and its reply. Belongs to the loop's thread until done is seen. */
struct test_call {
    struct loop_http_call call;
    struct loop_http_request *request;
    struct loop_http_reply reply; /* its texts are in the fields below */
    char url[256], body[1024], retry_after[128], content_type[128], url_told[256];
    size_t body_n;
    int done;
    bool in_call; /* of ours: no callback may come */
    void (*on_done)(struct test_call *);
};

void test_call_init(struct test_call *c, const char *url);
/* To this listener on localhost. */
void test_call_to(struct test_call *c, const struct test_listener *l, const char *host);
void test_call_start(struct test_call *c);
void test_call_wait(struct test_call *c);
/* Started, and waited for. */
void test_call_run(struct test_call *c);

/* Accepts, reads a whole request (head and body), which is then in p->in, and answers. */
void test_peer_serve(struct test_peer *p, const struct test_listener *l, const char *answer);
/* The same on a connection that is there; what it had read before is forgotten. */
void test_peer_serve_more(struct test_peer *p, const char *answer);
void test_peer_await_request(struct test_peer *p);
