#include "messaging/test_cancel.h"

static void note_done(struct cancel *c)
{
    sem_post(&((struct test_asking *)c)->done);
}

void test_ask_for(struct test_asking *a, struct cancel cancel)
{
    a->cancel = cancel;
    a->cancel.account = TEST_ACCOUNT;
    a->cancel.done = note_done;
    sem_init(&a->done, 0, 0);
    cancel_ask(&a->cancel, test_dispatch);
}

void test_ask(struct test_asking *a, int64_t message)
{
    test_ask_for(a, (struct cancel){.message = message});
}

bool test_is_answered(struct test_asking *a)
{
    int value;

    sem_getvalue(&a->done, &value);
    return value > 0;
}

enum cancel_outcome test_outcome(struct test_asking *a)
{
    sem_wait(&a->done);
    sem_destroy(&a->done);
    return a->cancel.outcome;
}

void test_settle_all(void)
{
    dispatch_run(test_dispatch);
    for (int i = 0; i < 3; i++)
        test_settle();
}

enum cancel_outcome test_cancel(int64_t message)
{
    struct test_asking a;

    test_ask(&a, message);
    test_settle_all();
    assert_true(test_is_answered(&a));
    return test_outcome(&a);
}

struct message test_scheduled(void)
{
    struct message m = test_message(MODE_TEST, STATUS_SCHEDULED);

    m.scheduled_us = test_now_us + 10 * TEST_MINUTE_US;
    return m;
}

struct message test_queued(void)
{
    return test_message(MODE_TEST, STATUS_QUEUED);
}

void test_start_caught_up(size_t window)
{
    test_start(window);
    dispatch_run(test_dispatch);
}
