/* The window of dispatch: what does not fit is read from the store, and so is what an earlier run
 * left behind. */
#include "messaging/test_dispatch.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static struct message leave(void)
{
    return test_leave(test_message(MODE_TEST, STATUS_QUEUED));
}

/* ---- the window is full ---- */

static void what_does_not_fit_is_read_from_the_store(void **state)
{
    int64_t ids[20];

    test_start(4);
    dispatch_run(test_dispatch);
    for (int i = 0; i < 20; i++)
        ids[i] = test_send();
    assert_int_equal(dispatch_held(test_dispatch), 4);
    dispatch_run(test_dispatch);
    test_assert_submitted(ids, 4);
    for (int i = 0; i < 20; i++) {
        int64_t id = test_answer_first(FAILURE_NONE);
        assert_int_equal(id, ids[i]);
        test_run_until(id, STATUS_SENT);
        assert_true(dispatch_held(test_dispatch) <= 4);
        for (int round = 0; i < 19 && test_carrier.held == 0 && round < 10000; round++) {
            dispatch_run(test_dispatch);
            usleep(200);
        }
    }
    test_assert_submitted(ids, 20);
    test_run_until_held(0);
    int64_t next = test_send(); /* caught up: offered straight into the window */
    assert_int_equal(dispatch_held(test_dispatch), 1);
    dispatch_run(test_dispatch);
    assert_int_equal(test_carrier.submitted[20], next);
    test_stop();
}

/* The refill reads a message that is committed and will be offered in a moment. */
static void a_message_read_before_its_offer_is_sent_once(void **state)
{
    struct message first = leave();

    test_start(8);
    dispatch_run(test_dispatch);
    dispatch_offer(test_dispatch, &first);
    dispatch_run(test_dispatch);
    test_assert_submitted(&first.id, 1);
    assert_int_equal(dispatch_held(test_dispatch), 1);
    int64_t next = test_send(); /* and the offers after it go on as ever */
    dispatch_run(test_dispatch);
    test_assert_submitted((int64_t[]){first.id, next}, 2);
    test_stop();
}

/* ---- offers that come in the middle of a refill ---- */

static int64_t sent_in_between;

static void send_in_between(void)
{
    sent_in_between = test_send();
}

static void an_offer_during_a_refill_is_not_left_lying(void **state)
{
    test_after_next_read(send_in_between);
    test_start(8);
    dispatch_run(test_dispatch); /* nobody wakes the engine again */
    test_assert_submitted(&sent_in_between, 1);
    assert_int_equal(test_send() > sent_in_between, true);
    dispatch_run(test_dispatch);
    assert_int_equal(test_carrier.submitted_count, 2);
    test_stop();
}

static void *send_many(void *ids)
{
    for (size_t i = 0; i < TEST_MANY; i++)
        ((int64_t *)ids)[i] = test_send();
    return NULL;
}

/* A small window that fills and empties all the time while another thread sends. */
static void nothing_is_lost_doubled_or_out_of_order(void **state)
{
    static int64_t ids[TEST_MANY];
    int64_t end_us = clock_monotonic_us() + 6 * TEST_PATIENCE_US;
    size_t answered = 0;
    pthread_t sender;

    test_start(16);
    assert_int_equal(pthread_create(&sender, NULL, send_many, ids), 0);
    while (answered < TEST_MANY && clock_monotonic_us() < end_us) {
        dispatch_run(test_dispatch);
        assert_true(dispatch_held(test_dispatch) <= 16);
        for (; test_carrier.held; answered++)
            dispatch_receipt(test_dispatch, test_answer_first(FAILURE_NONE), FAILURE_NONE);
    }
    pthread_join(sender, NULL);
    test_assert_submitted(ids, TEST_MANY);
    test_run_until(ids[TEST_MANY - 1], STATUS_DELIVERED);
    for (size_t i = 0; i < TEST_MANY; i++)
        assert_int_equal(test_status(ids[i]), STATUS_DELIVERED);
    test_run_until_held(0);
    test_stop();
}

/* ---- restarts ---- */

static void takes_up_what_an_earlier_run_left(void **state)
{
    struct message queued = leave(), sent = leave(), done = leave(), last = leave();

    test_leave_move(sent.id, STATUS_SENT);
    test_leave_move(done.id, STATUS_SENT);
    test_leave_move(done.id, STATUS_DELIVERED);
    test_start(2);
    dispatch_run(test_dispatch);
    test_answer_first(FAILURE_NONE);
    test_run_until(queued.id, STATUS_SENT);
    test_run_until_held(test_carrier.held);
    for (int i = 0; i < 10000 && test_carrier.submitted_count < 2; i++) {
        dispatch_run(test_dispatch);
        usleep(200);
    }
    test_assert_submitted((int64_t[]){queued.id, last.id}, 2);
    assert_int_equal(test_carrier.followed_count, 1);
    assert_int_equal(test_carrier.followed[0], sent.id);
    dispatch_receipt(test_dispatch, sent.id, FAILURE_NONE);
    test_run_until(sent.id, STATUS_DELIVERED);
    test_stop();
}

static void follows_more_than_the_window_holds(void **state)
{
    enum { LEFT = 500 };
    struct message first = {0};

    for (int i = 0; i < LEFT; i++) {
        struct message m = leave();
        test_leave_move(m.id, STATUS_SENT);
        if (i == 0)
            first = m;
    }
    test_start(8);
    for (int woken = -1; atomic_load(&test_woken) != woken;) { /* it calls itself */
        woken = atomic_load(&test_woken);
        dispatch_run(test_dispatch);
    }
    assert_int_equal(test_carrier.followed_count, LEFT);
    assert_int_equal(test_carrier.followed[0], first.id);
    for (size_t i = 1; i < LEFT; i++)
        assert_true(test_carrier.followed[i] > test_carrier.followed[i - 1]);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop();
}

/* Ten URLs of 2,048 characters of four bytes: as large as a message can be. */
static void the_largest_messages_are_taken_up_too(void **state)
{
    enum { LEFT = 600, MEDIA = 10 * 2048 * 4, TEXT = 1600 * 4 };
    char *bytes = malloc(MEDIA);

    memset(bytes, 'x', MEDIA);
    for (int i = 0; i < LEFT; i++) {
        struct message m = test_message(MODE_TEST, STATUS_QUEUED);
        m.media = (struct str){bytes, MEDIA};
        m.text = (struct str){bytes, TEXT};
        m.subject = (struct str){bytes, 1024};
        m.metadata = m.tags = (struct str){bytes, 4096};
        m.webhook_url = m.webhook_failover_url = (struct str){bytes, 2048 * 4};
        test_leave(m);
    }
    test_start(TEST_MANY);
    dispatch_run(test_dispatch);
    assert_int_equal(test_carrier.submitted_count, LEFT);
    free(bytes);
    test_stop();
}

static void a_stop_with_work_open_leaves_it_to_the_next_start(void **state)
{
    test_start(8);
    dispatch_run(test_dispatch);
    test_carrier.room = 3;
    int64_t sent = test_send(), taken = test_send(), offered = test_send(), waiting = test_send();
    dispatch_run(test_dispatch);
    test_answer_first(FAILURE_NONE);
    test_run_until(sent, STATUS_SENT);
    test_answer_first(FAILURE_NONE); /* its move is still on the way when all stops */
    test_send();
    test_stop();
    assert_int_equal(test_status(taken), STATUS_SENT);
    assert_int_equal(test_status(offered), STATUS_QUEUED);
    assert_int_equal(test_status(waiting), STATUS_QUEUED);

    test_carrier.submitted_count = 0;
    test_carrier.room = SIZE_MAX;
    test_start(8);
    dispatch_run(test_dispatch);
    assert_int_equal(test_carrier.submitted_count, 3);
    assert_int_equal(test_carrier.submitted[0], offered);
    assert_int_equal(test_carrier.followed_count, 2);
    assert_int_equal(test_carrier.followed[0], sent);
    test_stop();
}

static void an_answer_after_the_writer_has_stopped_changes_nothing(void **state)
{
    test_start(8);
    dispatch_run(test_dispatch);
    int64_t id = test_send();
    dispatch_run(test_dispatch);
    writer_stop(test_writer);
    test_answer_first(FAILURE_NONE);
    dispatch_free(test_dispatch);
    writer_free(test_writer);
    assert_int_equal(test_status(id), STATUS_QUEUED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DISPATCH_TEST(what_does_not_fit_is_read_from_the_store),
        DISPATCH_TEST(a_message_read_before_its_offer_is_sent_once),
        DISPATCH_TEST(an_offer_during_a_refill_is_not_left_lying),
        DISPATCH_TEST(nothing_is_lost_doubled_or_out_of_order),
        DISPATCH_TEST(takes_up_what_an_earlier_run_left),
        DISPATCH_TEST(follows_more_than_the_window_holds),
        DISPATCH_TEST(the_largest_messages_are_taken_up_too),
        DISPATCH_TEST(a_stop_with_work_open_leaves_it_to_the_next_start),
        DISPATCH_TEST(an_answer_after_the_writer_has_stopped_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
