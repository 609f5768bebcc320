/* What the tests of dispatch, its parts and its carriers share: a real store and writer, a clock
 * with hands to turn, and a carrier that does what the test tells it. The test plays the engine's
 * thread. */
#pragma once

#include "messaging/dispatch.h"
#include "messaging/test_gate.h"
#include "store/test_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>

#include <cmocka.h>

enum { TEST_MANY = 4096, TEST_ACCOUNT = 1, TEST_PATIENCE_US = 10000000 };

/* All of the running test. */
extern _Atomic int64_t test_now_us;
extern const struct clock test_clock;
extern struct store *test_store;
extern struct store_reader *test_reader;
extern struct dispatch *test_dispatch;
extern struct optouts *test_optouts;
extern struct arena test_arena;
extern _Atomic int test_woken; /* how often the engine was called */

struct test_carrier {
    struct carrier carrier;
    struct parcel *parcels[TEST_MANY]; /* taken and not yet answered, oldest first */
    size_t held;
    size_t room; /* how many more it takes */
    int64_t submitted[TEST_MANY], followed[TEST_MANY];
    size_t submitted_count, followed_count;
};
extern struct test_carrier test_carrier;

int test_set_up(void **state);
int test_tear_down(void **state);
/* Writer and dispatch, with the carrier for test mode. */
void test_start(size_t window);
/* The program's end: what the carrier still holds is gone with it. */
void test_stop(void);

struct message test_message(enum mode mode, enum message_status status);
/* As the API does it: written, offered on the writer's thread. Returns the number. */
int64_t test_send_message(struct message m);
int64_t test_send(void);
/* Into the store without telling anyone, as an earlier run would have left it; no writer runs. */
struct message test_leave(struct message m);
void test_leave_move(int64_t id, enum message_status to);

struct message test_look_mode(int64_t id, enum mode mode);
struct message test_look(int64_t id);
enum message_status test_status(int64_t id);

/* What was posted is written, and the engine has had its turn. */
void test_settle(void);
/* Runs the engine until the message has come so far, or so many are held. */
void test_run_until_mode(int64_t id, enum mode mode, enum message_status status);
void test_run_until(int64_t id, enum message_status status);
void test_run_until_held(size_t held);

/* The carrier answers for the parcel that it has longest; returns its message. */
int64_t test_answer_first(enum failure failure);
void test_assert_submitted(const int64_t *ids, size_t count);
/* Calls `hook` once, on the engine's thread, when the next reading of open work begins, or has just
 * been done. Before test_start. */
void test_before_next_read(void (*hook)(void));
void test_after_next_read(void (*hook)(void));

/* So many of the next moves of messages fail with this errno, and with them their transactions.
 * Before test_start. */
void test_fail_moves(int error, int count);

#define DISPATCH_TEST(function)                                                                    \
    cmocka_unit_test_setup_teardown(function, test_set_up, test_tear_down)
