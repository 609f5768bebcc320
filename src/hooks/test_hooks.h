/* What the tests of the sender share: a real store and writer, a clock with hands to turn, and a
 * way out that goes nowhere: the test sees what was sent and answers it. The test plays the loop's
 * thread. */
#pragma once

#include "hooks/hook_set_internal.h"
#include "messaging/test_gate.h"
#include "store/test_store.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { TEST_ACCOUNT = 1, TEST_FLIGHTS = 65536, TEST_CONNECTIONS = 64, TEST_PER_ENDPOINT = 8 };
#define TEST_MINUTE INT64_C(60000000)
#define TEST_HOUR   (60 * TEST_MINUTE)
#define TEST_DAY    (24 * TEST_HOUR)
#define TEST_SECRET "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

/* One that was sent; those under way are the ones without an answer. */
struct test_flight {
    char *url, *body, *headers; /* headers: one per line */
    loop_http_callback *done;
    void *context;
    bool answered;
};

/* All of the running test. */
extern _Atomic int64_t test_now_us;
extern struct store *test_store;
extern struct store_reader *test_reader;
extern struct hook_set *test_set;
extern struct arena test_arena;
extern struct test_flight test_flights[TEST_FLIGHTS]; /* in the order in which they were sent */
extern size_t test_sent;
extern int test_start_error;      /* what the way out says; 0 */
extern unsigned test_auto_status; /* 0: flights wait for the test; else they are answered so */

int test_hooks_set_up(void **state);
int test_hooks_tear_down(void **state);
/* Writer and set, once more: as after a crash, when what was answered lately is not on disk. */
void test_crash(void);
/* So many of the next reads of endpoints and deliveries fail. */
void test_fail_reads(int count);
/* Outcomes of so many attempts can never be written. */
void test_fail_outcomes(int count);
/* The writer has given so many up. */
void test_wait_for_faulty(void);
/* Notices cannot be read: -ENOENT, they are not there any more; 0, they are again. */
void test_lose_notices(int error);
/* Commits fail from now on, or not any more. */
void test_fail_commits(bool fail);

/* An endpoint of a client that wants everything of test mode. */
int64_t test_endpoint(const char *url);
int64_t test_endpoint_of(int64_t account, const char *url); /* an account has ten at most */
struct endpoint_record test_endpoint_look(int64_t endpoint);
/* The client changes it; told to the set as the API does. */
void test_endpoint_change(const struct endpoint_record *changed);
void test_endpoint_remove(int64_t endpoint);
/* A message is accepted; it moves. */
int64_t test_message_add(const char *webhook_url, const char *failover_url);
int64_t test_message_of(struct str text);
void test_message_move(int64_t message, enum message_status to);
/* A delivery of NOTICE_TEST. */
int64_t test_delivery_add(int64_t endpoint);
void test_delivery_again(int64_t delivery);
struct delivery_record test_delivery_look(int64_t delivery);
/* Of the endpoint, the newest first. */
struct delivery_page test_deliveries(int64_t endpoint);
struct attempt_record *test_attempts(int64_t delivery, size_t *ret_count);

/* The loop's turns, until nothing more happens. */
void test_settle(void);
/* Turns the clock on and settles. */
void test_pass(int64_t us);
/* Answers, and settles. `status` 0: as `outcome` says, without an answer. */
void test_answer_reply(struct test_flight *f, const struct loop_http_reply *reply);
void test_answer(struct test_flight *f, unsigned status);
void test_answer_all(unsigned status);
/* The only one that is under way. */
struct test_flight *test_only(void);
size_t test_under_way(void);
/* The value of a header, or NULL. */
const char *test_header(const struct test_flight *f, const char *name);
/* Whether its body has this. */
bool test_tells(const struct test_flight *f, const char *text);

#define HOOKS_TEST(function)                                                                       \
    cmocka_unit_test_setup_teardown(function, test_hooks_set_up, test_hooks_tear_down)
