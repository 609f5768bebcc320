/* What the tests of receipts and arrivals share: a real store and writer, a clock with hands to
 * turn, and the box that errands come back to. The test plays the engine's thread. */
#pragma once

#include "messaging/test_gate.h"
#include "store/test_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>

#include <cmocka.h>

/* All of the running test. */
extern _Atomic int64_t test_now_us;
extern const struct clock test_clock;
extern struct store *test_store;
extern struct store_reader *test_reader;
extern struct mailbox test_home;
extern struct arena test_arena;

enum { TEST_WAITING_MAX = 1000 };

void test_engine_start(void);
void test_engine_stop(void);

/* The engine's turn: errands that are back; whether there were any. */
bool test_bring_home(void);
/* Whatever was posted is written and has come back. */
void test_settle(void);
/* So many of the next commits fail. */
void test_fail_commits(int count);

/* What an errand is told; how often, and the last. */
struct test_answer {
    int count, result;
};
void test_note_answer(void *answer, int result);
