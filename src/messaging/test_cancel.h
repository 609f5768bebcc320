/* What the tests of cancelling share: a cancel and whoever waits for it. */
#pragma once

#include "messaging/cancel.h"
#include "messaging/test_dispatch.h"

#include <semaphore.h>

#define TEST_MINUTE_US INT64_C(60000000)

struct test_asking {
    struct cancel cancel;
    sem_t done;
};

void test_ask(struct test_asking *a, int64_t message);
/* With message, mode and cost as they are here. */
void test_ask_for(struct test_asking *a, struct cancel cancel);
bool test_is_answered(struct test_asking *a);
/* Waits for it. */
enum cancel_outcome test_outcome(struct test_asking *a);
/* Asks, lets everything happen, and says what came of it. */
enum cancel_outcome test_cancel(int64_t message);

/* Runs engine and writer until nothing moves any more. */
void test_settle_all(void);
/* Dispatch, caught up with what an earlier run left. */
void test_start_caught_up(size_t window);
/* Due in ten minutes. */
struct message test_scheduled(void);
struct message test_queued(void);
