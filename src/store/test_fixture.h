/* What the store's tests share: a clock with hands to turn, a fresh store for every test, and
 * messages to put into it. */
#pragma once

#include "store/store.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* All of the running test. */
extern char test_path[64]; /* of the store's file, in a folder of its own */
extern struct store *test_store;
extern struct store_reader *test_reader;
extern struct arena test_arena;

extern int64_t test_now_us;
extern const struct clock test_clock;

int test_set_up(void **state);
int test_tear_down(void **state);
void test_open(void);  /* the store at test_path and a reader */
void test_close(void); /* both of them */

/* An outbound SMS, queued, every column filled with something else than its neighbour's. */
struct message test_message(int64_t account, enum mode mode, const char *text);
/* Accepts in a transaction of its own and gives it its id and times. */
void test_accept_this(struct message *m);
/* The same with test_message; returns it as it should be read back. */
struct message test_accept(int64_t account, enum mode mode, const char *text);
/* Moves in a transaction of its own; what store_move returned. */
int test_move(int64_t id, uint32_t from, enum message_status to, enum failure failure,
              int64_t at_us);
/* Open work of all that goes to no carrier but the simulator; how many. */
size_t test_open_work(int64_t after, size_t limit, struct message **ret);
void test_same_text(struct str read, struct str wanted);
void test_same(const struct message *read, const struct message *wanted);

#define TEST_BIT(status) (1u << (status))

#define STORE_TEST(function) cmocka_unit_test_setup_teardown(function, test_set_up, test_tear_down)
