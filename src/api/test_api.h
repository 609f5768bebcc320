/* What the tests of the API share: an API over a memory store with a real writer and dispatch, two
 * keys, and requests made by hand. Nothing listens on a port. */
#pragma once

#include "api/call.h"
#include "net/http_internal.h"
#include "store/engine.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define TEST_KEY     "sl_test_0123456789abcdefghijklmnopqrstuv"
#define LIVE_KEY     "sl_live_0123456789abcdefghijklmnopqrstuv"
#define READ_KEY     "sl_test_readreadreadreadreadreadreadread" /* sms:read only */
#define SMALL_KEY    "sl_test_smallsmallsmallsmallsmallsmallsm" /* plan "small": 2 per minute */
#define REVOKED_KEY  "sl_test_revokedrevokedrevokedrevokedrevo"
#define EXPIRING_KEY "sl_test_expiresexpiresexpiresexpiresexpi" /* an hour after the start */

enum { OTHER_ACCOUNT = 2 };

extern _Atomic int64_t test_now_us; /* the writer reads it, too */
extern struct store *test_store;
extern struct api *test_api;
extern struct api_worker *test_worker;

int test_api_set_up(void **state);
int test_api_tear_down(void **state);

/* Runs `write` on the writer's thread, in a transaction: no other may touch the store. */
void test_write(int (*write)(struct store *s, void *context), void *context);
/* Puts another engine into the store; returns the one before. */
const struct store_engine *test_set_engine(const struct store_engine *engine);

/* Who asks, 192.0.2.1 unless said otherwise: the address, IPv4 mapped, and how it is written. */
void test_set_peer(const char *address, const char *shown);

/* What happens, again and again, while a request is suspended; NULL: nothing. Until the next
 * set-up.
 */
extern void (*test_while_suspended)(void);
/* As if the client of the request had gone, or the server begun to drain. Until the next set-up. */
void test_hang_up(void);
void test_drain(void);

/* Another key, for OTHER_ACCOUNT when `other`. */
int64_t test_add_key(const char *key, enum mode mode, bool other, uint32_t permissions,
                     const char *plan, int64_t expires_us);
/* The same with everything said but the hash. */
int64_t test_add_key_record(const char *key, const struct key_record *record);
void test_revoke_key(int64_t id);
void test_suspend_account(int64_t account, int64_t at_us);
/* Writes how much keys were used, which nobody does by himself here. */
void test_write_usage(void);

/* A request through api_handle to its end; the answer stays until the next one. `head` is the
 * request line without the version, then header lines: "GET /livez" or "POST /v1/send\nA: b". */
struct http_request *test_request(const char *head, const char *body);
/* The same through a handler that no route leads to. */
struct http_request *test_run(http_handler *handle, const char *head, const char *body);
/* Through api_handle with a bearer key. */
struct http_request *test_call(const char *key, const char *head, const char *body);
/* The body of the last answer, with a NUL. */
const char *test_body(void);
/* A header of the last answer, or NULL. */
const char *test_header(const char *name);
/* The member at a path of the last answer's JSON as text: "pagination.totalCount". */
const char *test_member(const char *path);
void test_assert_problem(unsigned status, const char *code, const char *field);

#define API_TEST(function)                                                                         \
    cmocka_unit_test_setup_teardown(function, test_api_set_up, test_api_tear_down)
