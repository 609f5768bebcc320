/* What the tests of live carriers share: two carriers with a window each, routes that lead to both,
 * and looks into what became of a message. */
#pragma once

#include "messaging/test_dispatch.h"

#define TEST_SECOND_US INT64_C(1000000)

/* acme comes first on every route. Each takes as many as `room` says and gets places back when it
 * is told that they are settled. */
extern struct test_carrier test_acme, test_beta;
extern size_t test_settled; /* parcels, of both */

extern struct receipts *test_receipts;

/* Dispatch with these two and receipts besides the one of test mode, caught up. */
void test_start_live(size_t window);
void test_stop_live(void);
void test_free_live(void); /* what is left to do when the writer has stopped */
/* A message waits this long for its carrier; 0: for ever. */
void test_set_failover(int64_t failover_us);

/* As a reload does it. */
void test_use_routes(void);

struct message test_live(const struct test_carrier *t);
int64_t test_send_live(const struct test_carrier *t);
/* Runs engine and writer until nothing moves any more. */
void test_settle_live(void);
/* Seconds pass; dispatch hears of each tenth at least, and of the last. */
void test_pass(int64_t seconds);

/* The carrier answers for the parcel that it has longest; returns its message. */
int64_t test_say(struct test_carrier *t, struct carrier_answer answer);
#define TEST_SAY(carrier, ...) test_say(carrier, (struct carrier_answer){__VA_ARGS__})

struct message test_look_live(int64_t id);
enum message_status test_status_live(int64_t id);
/* The kinds of its events, in a row: "retry,failover". */
const char *test_events(int64_t id);
/* What the last of them says. */
const char *test_last_event(int64_t id);
bool test_is_marked(int64_t id);
void test_assert_sent_to(const struct test_carrier *t, const int64_t *ids, size_t count);

#define LIVE_TEST(function)                                                                        \
    cmocka_unit_test_setup_teardown(function, test_set_up_live, test_tear_down)
int test_set_up_live(void **state);
