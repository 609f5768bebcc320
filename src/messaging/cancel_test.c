/* Cancelling: wherever a message lies, what is cancelled never reaches a carrier. */
#include "messaging/test_cancel.h"

/* ---- where a message may be ---- */

static void a_scheduled_message_is_cancelled(void **state)
{
    test_start_caught_up(8);
    int64_t id = test_send_message(test_scheduled());
    assert_int_equal(test_cancel(id), CANCEL_DONE);
    assert_int_equal(test_status(id), STATUS_CANCELLED);
    assert_int_equal(test_look(id).cancelled_us, test_now_us);
    test_now_us += 20 * TEST_MINUTE_US;
    test_settle_all();
    assert_int_equal(test_status(id), STATUS_CANCELLED);
    assert_int_equal(test_carrier.submitted_count, 0);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    assert_int_equal(test_cancel(id), CANCEL_REFUSED);
    test_stop();
}

static void a_message_that_waits_for_a_carrier_is_cancelled(void **state)
{
    int64_t ids[3];

    test_start_caught_up(8);
    test_carrier.room = 0;
    for (int i = 0; i < 3; i++)
        ids[i] = test_send();
    dispatch_run(test_dispatch);
    assert_int_equal(test_cancel(ids[2]), CANCEL_DONE); /* the last in the queue */
    int64_t after = test_send();                        /* and the queue goes on behind it */
    assert_int_equal(test_cancel(ids[0]), CANCEL_DONE);
    assert_int_equal(dispatch_held(test_dispatch), 2);
    test_carrier.room = SIZE_MAX;
    test_settle_all();
    test_assert_submitted((int64_t[]){ids[1], after}, 2);
    assert_int_equal(test_status(ids[0]), STATUS_CANCELLED);
    assert_int_equal(test_status(ids[2]), STATUS_CANCELLED);
    test_stop();
}

static void a_message_that_was_just_offered_is_cancelled(void **state)
{
    test_start_caught_up(8);
    int64_t id = test_send(); /* in the box; the engine has not looked */
    assert_int_equal(test_cancel(id), CANCEL_DONE);
    assert_int_equal(test_carrier.submitted_count, 0);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop();
}

static void a_message_that_a_carrier_has_is_not(void **state)
{
    test_start_caught_up(8);
    int64_t id = test_send();
    dispatch_run(test_dispatch);
    assert_int_equal(test_cancel(id), CANCEL_REFUSED);
    assert_int_equal(test_status(id), STATUS_QUEUED);
    test_answer_first(FAILURE_NONE);
    assert_int_equal(test_cancel(id), CANCEL_REFUSED);
    assert_int_equal(test_status(id), STATUS_SENT);
    dispatch_receipt(test_dispatch, id, FAILURE_NONE);
    assert_int_equal(test_cancel(id), CANCEL_REFUSED);
    assert_int_equal(test_status(id), STATUS_DELIVERED);
    assert_int_equal(test_cancel(id + 1), CANCEL_REFUSED); /* no such message */
    test_stop();
}

/* ---- dispatch is behind: the message lies in the store ---- */

static void a_message_that_lies_in_the_store_is_cancelled(void **state)
{
    int64_t ids[8];

    test_start_caught_up(4);
    for (int i = 0; i < 8; i++)
        ids[i] = test_send();
    dispatch_run(test_dispatch);
    test_assert_submitted(ids, 4);
    assert_int_equal(test_cancel(ids[6]), CANCEL_DONE);
    while (test_carrier.held) {
        test_answer_first(FAILURE_NONE);
        test_settle_all();
    }
    test_assert_submitted((int64_t[]){ids[0], ids[1], ids[2], ids[3], ids[4], ids[5], ids[7]}, 7);
    assert_int_equal(test_status(ids[6]), STATUS_CANCELLED);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop();
}

/* The refill reads it as it was, before the cancel is on disk. */
static void a_copy_that_was_read_before_is_not_handed_over(void **state)
{
    int64_t first = test_leave(test_queued()).id, id = test_leave(test_queued()).id,
            last = test_leave(test_queued()).id;
    struct test_asking a;

    test_start(8);
    test_close_gate();
    test_ask(&a, id);
    dispatch_run(test_dispatch);
    test_assert_submitted((int64_t[]){first, last}, 2);
    assert_false(test_is_answered(&a));
    test_open_gate();
    test_settle_all();
    assert_int_equal(test_outcome(&a), CANCEL_DONE);
    assert_int_equal(test_status(id), STATUS_CANCELLED);
    test_assert_submitted((int64_t[]){first, last}, 2);
    assert_int_equal(dispatch_held(test_dispatch), 2);
    test_stop();
}

/* Sent in an earlier run and not read yet: the cancel is refused and the receipt still awaited. */
static void what_an_earlier_run_sent_is_followed_all_the_same(void **state)
{
    int64_t id = test_leave(test_queued()).id;
    struct test_asking a;

    test_leave_move(id, STATUS_SENT);
    test_start(8);
    test_close_gate();
    test_ask(&a, id);
    dispatch_run(test_dispatch);
    test_open_gate();
    test_settle_all();
    assert_int_equal(test_outcome(&a), CANCEL_REFUSED);
    assert_int_equal(test_carrier.followed_count, 1);
    assert_int_equal(test_status(id), STATUS_SENT);
    test_stop();
}

/* The same, but its carrier has no room for it: it waits, and is nothing to cancel. */
static void what_waits_to_be_followed_is_not_cancelled(void **state)
{
    int64_t id = test_leave(test_queued()).id;

    test_leave_move(id, STATUS_SENT);
    test_carrier.room = 0;
    test_start_caught_up(8);
    assert_int_equal(test_cancel(id), CANCEL_REFUSED);
    test_carrier.room = 1;
    test_settle_all();
    assert_int_equal(test_carrier.followed_count, 1);
    test_stop();
}

/* Somebody saw it in a list between its commit and its offer. */
static struct message unoffered;

static int accept_unoffered(struct write_job *job, struct store *s)
{
    return store_accept(s, &unoffered);
}

static void not_yet_offered(struct write_job *job, int result)
{
}

static void a_message_that_is_offered_after_its_cancel_is_dropped(void **state)
{
    struct write_job job = {.apply = accept_unoffered, .done = not_yet_offered};
    struct test_asking a;

    unoffered = test_queued();
    test_start_caught_up(8);
    assert_int_equal(writer_post(test_writer, &job), 0);
    test_wait_for_writer();
    test_close_gate();
    test_ask(&a, unoffered.id);
    dispatch_run(test_dispatch);
    dispatch_offer(test_dispatch, &unoffered);
    test_open_gate();
    test_wait_for_writer(); /* the engine finds the offer and the news of the cancel at once */
    test_settle_all();
    assert_int_equal(test_outcome(&a), CANCEL_DONE);
    assert_int_equal(test_carrier.submitted_count, 0);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop();
}

static void what_it_cost_is_paid_back(void **state)
{
    struct message m = test_message(MODE_LIVE, STATUS_SCHEDULED);
    struct account_record account;
    struct test_asking a;

    m.scheduled_us = test_now_us + 10 * TEST_MINUTE_US;
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_end(test_store, store_account_credit(test_store, TEST_ACCOUNT, 5000)),
                     0);
    int64_t id = test_leave(m).id;
    test_start_caught_up(8);
    test_ask_for(&a, (struct cancel){.message = id, .mode = MODE_LIVE, .cost_micros = 7500});
    test_settle_all();
    assert_int_equal(test_outcome(&a), CANCEL_DONE);
    assert_int_equal(test_cancel(id), CANCEL_REFUSED);
    assert_int_equal(store_account_get(test_reader, TEST_ACCOUNT, &account), 0);
    assert_int_equal(account.balance_micros, 12500);
    test_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DISPATCH_TEST(a_scheduled_message_is_cancelled),
        DISPATCH_TEST(a_message_that_waits_for_a_carrier_is_cancelled),
        DISPATCH_TEST(a_message_that_was_just_offered_is_cancelled),
        DISPATCH_TEST(a_message_that_a_carrier_has_is_not),
        DISPATCH_TEST(a_message_that_lies_in_the_store_is_cancelled),
        DISPATCH_TEST(a_copy_that_was_read_before_is_not_handed_over),
        DISPATCH_TEST(what_an_earlier_run_sent_is_followed_all_the_same),
        DISPATCH_TEST(what_waits_to_be_followed_is_not_cancelled),
        DISPATCH_TEST(a_message_that_is_offered_after_its_cancel_is_dropped),
        DISPATCH_TEST(what_it_cost_is_paid_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
