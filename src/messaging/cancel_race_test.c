/* Cancelling: each race has one winner, and everyone who asks is answered. */
#include "messaging/test_cancel.h"

#include <errno.h>
#include <pthread.h>

/* ---- races ---- */

static void of_two_at_once_one_wins(void **state)
{
    struct test_asking first, second;

    test_start_caught_up(8);
    int64_t id = test_send_message(test_scheduled());
    test_close_gate();
    test_ask(&first, id);
    dispatch_run(test_dispatch);
    test_ask(&second, id);
    dispatch_run(test_dispatch);
    assert_true(test_is_answered(&second));
    test_open_gate();
    test_settle_all();
    assert_int_equal(test_outcome(&first), CANCEL_DONE);
    assert_int_equal(test_outcome(&second), CANCEL_REFUSED);
    assert_int_equal(test_status(id), STATUS_CANCELLED);
    test_stop();
}

/* Its time has come, the move is on its way: it is caught before a carrier gets it. */
static void a_message_that_is_being_queued_is_cancelled(void **state)
{
    struct test_asking a;

    test_start_caught_up(8);
    int64_t id = test_send_message(test_scheduled());
    test_now_us += 10 * TEST_MINUTE_US;
    test_close_gate();
    dispatch_run(test_dispatch);
    test_ask(&a, id);
    dispatch_run(test_dispatch);
    assert_false(test_is_answered(&a));
    test_open_gate();
    test_settle_all();
    assert_int_equal(test_outcome(&a), CANCEL_DONE);
    assert_int_equal(test_status(id), STATUS_CANCELLED);
    assert_int_equal(test_carrier.submitted_count, 0);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop();
}

/* The cancel is on its way when the time comes. */
static void a_message_that_is_being_cancelled_is_not_queued(void **state)
{
    struct test_asking a;

    test_start_caught_up(8);
    int64_t id = test_send_message(test_scheduled());
    test_close_gate();
    test_ask(&a, id);
    dispatch_run(test_dispatch);
    test_now_us += 10 * TEST_MINUTE_US;
    dispatch_run(test_dispatch);
    test_open_gate();
    test_settle_all();
    assert_int_equal(test_outcome(&a), CANCEL_DONE);
    assert_int_equal(test_status(id), STATUS_CANCELLED);
    assert_int_equal(test_carrier.submitted_count, 0);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop();
}

/* ---- the store cannot be written ---- */

static void a_message_goes_its_way_when_its_cancel_is_lost(void **state)
{
    struct test_asking a;

    test_fail_moves(-EIO, 1);
    test_start_caught_up(8);
    test_carrier.room = 0;
    int64_t first = test_send(), id = test_send();
    dispatch_run(test_dispatch);
    test_ask(&a, id);
    test_settle_all();
    assert_int_equal(test_outcome(&a), CANCEL_LOST);
    assert_int_equal(test_status(id), STATUS_QUEUED);
    assert_int_equal(dispatch_held(test_dispatch), 2);
    test_carrier.room = SIZE_MAX;
    test_settle_all();
    assert_int_equal(test_carrier.submitted_count, 2);
    assert_true(test_carrier.submitted[0] == first || test_carrier.submitted[1] == first);
    assert_int_equal(test_cancel(id), CANCEL_REFUSED); /* now a carrier has it */
    test_stop();
}

/* The same for one that a refill read meanwhile. */
static void a_copy_that_was_covered_goes_its_way_too(void **state)
{
    int64_t id = test_leave(test_queued()).id;
    struct test_asking a;

    test_fail_moves(-EIO, 1);
    test_start(8);
    test_close_gate();
    test_ask(&a, id);
    dispatch_run(test_dispatch);
    assert_int_equal(test_carrier.submitted_count, 0);
    test_open_gate();
    test_settle_all();
    assert_int_equal(test_outcome(&a), CANCEL_LOST);
    test_assert_submitted(&id, 1);
    assert_int_equal(dispatch_held(test_dispatch), 1);
    test_stop();
}

/* ---- the end ---- */

static void a_stop_answers_everyone(void **state)
{
    struct test_asking posted, waiting, late;

    test_start_caught_up(8);
    int64_t one = test_send_message(test_scheduled()), two = test_send_message(test_scheduled());
    test_ask(&posted, one);
    dispatch_run(test_dispatch);
    test_ask(&waiting, two); /* the engine does not look again */
    writer_stop(test_writer);
    dispatch_close(test_dispatch);
    assert_int_equal(test_outcome(&posted), CANCEL_DONE);
    assert_int_equal(test_outcome(&waiting), CANCEL_LOST);
    test_ask(&late, two);
    assert_int_equal(test_outcome(&late), CANCEL_LOST);
    dispatch_free(test_dispatch);
    writer_free(test_writer);
    assert_int_equal(test_status(one), STATUS_CANCELLED);
    assert_int_equal(test_status(two), STATUS_SCHEDULED);
}

/* ---- all at once ---- */

enum { SENDS = 1500 };

struct busy_sender {
    pthread_t thread;
    int64_t ids[SENDS];
    size_t cancelled, lost;
    _Atomic bool finished;
    int64_t due_us;
};

static void *send_and_cancel(void *argument)
{
    struct busy_sender *s = argument;
    struct test_asking a;

    for (int i = 0; i < SENDS; i++) {
        struct message m = i % 4 ? test_queued() : test_scheduled();
        m.scheduled_us = i % 4 ? 0 : s->due_us;
        s->ids[i] = test_send_message(m);
        if (i % 2)
            continue;
        test_ask(&a, s->ids[i < 40 ? i : i - 40]); /* some are with the carrier by then */
        enum cancel_outcome result = test_outcome(&a);
        s->cancelled += result == CANCEL_DONE;
        s->lost += result == CANCEL_LOST;
    }
    atomic_store(&s->finished, true);
    return NULL;
}

/* A small window and a carrier that is often full, so that messages are met everywhere. */
static void each_message_is_either_submitted_or_cancelled(void **state)
{
    static struct busy_sender senders[2];
    int64_t due_us = test_now_us + 10 * TEST_MINUTE_US;
    size_t cancelled = 0, seen = 0;

    test_start(16);
    for (int i = 0; i < 2; i++) {
        senders[i] = (struct busy_sender){.due_us = due_us};
        assert_int_equal(pthread_create(&senders[i].thread, NULL, send_and_cancel, &senders[i]), 0);
    }
    for (unsigned round = 0; !senders[0].finished || !senders[1].finished; round++) {
        test_carrier.room = round % 3;
        dispatch_run(test_dispatch);
        if (test_carrier.held && round % 2)
            test_answer_first(FAILURE_NONE);
        if (round == 1000)
            test_now_us = due_us;
    }
    test_now_us = due_us;
    test_carrier.room = SIZE_MAX;
    for (int i = 0; i < 2; i++) {
        pthread_join(senders[i].thread, NULL);
        cancelled += senders[i].cancelled;
        assert_int_equal(senders[i].lost, 0);
    }
    for (int64_t end_us = clock_monotonic_us() + 6 * TEST_PATIENCE_US;
         test_carrier.submitted_count + cancelled < 2 * SENDS && clock_monotonic_us() < end_us;) {
        test_settle_all();
        while (test_carrier.held)
            test_answer_first(FAILURE_NONE);
    }
    test_settle_all();
    while (test_carrier.held)
        test_answer_first(FAILURE_NONE);
    test_settle_all();
    for (int i = 0; i < 2; i++)
        for (int n = 0; n < SENDS; n++) {
            enum message_status status = test_status(senders[i].ids[n]);
            seen += status == STATUS_CANCELLED;
            assert_true(status == STATUS_CANCELLED || status == STATUS_SENT);
        }
    assert_int_equal(seen, cancelled);
    assert_int_equal(test_carrier.submitted_count, 2 * SENDS - cancelled);
    assert_int_equal(test_carrier.followed_count, 0);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DISPATCH_TEST(of_two_at_once_one_wins),
        DISPATCH_TEST(a_message_that_is_being_queued_is_cancelled),
        DISPATCH_TEST(a_message_that_is_being_cancelled_is_not_queued),
        DISPATCH_TEST(a_message_goes_its_way_when_its_cancel_is_lost),
        DISPATCH_TEST(a_copy_that_was_covered_goes_its_way_too),
        DISPATCH_TEST(a_stop_answers_everyone),
        DISPATCH_TEST(each_message_is_either_submitted_or_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
