/* Cancelling: each race has one winner, and what is cancelled never reaches a carrier. */
#include "messaging/cancel.h"
#include "messaging/test_dispatch.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#define MINUTE_US INT64_C(60000000)

/* A cancel and whoever waits for it. */
struct asking {
    struct cancel cancel;
    sem_t done;
};

static void note_done(struct cancel *c)
{
    sem_post(&((struct asking *)c)->done);
}

static void ask(struct asking *a, int64_t message)
{
    *a =
        (struct asking){.cancel = {.message = message, .account = TEST_ACCOUNT, .done = note_done}};
    sem_init(&a->done, 0, 0);
    cancel_ask(&a->cancel, test_dispatch);
}

static bool is_answered(struct asking *a)
{
    int value;

    sem_getvalue(&a->done, &value);
    return value > 0;
}

static enum cancel_outcome outcome(struct asking *a)
{
    sem_wait(&a->done);
    sem_destroy(&a->done);
    return a->cancel.outcome;
}

static void settle_all(void)
{
    dispatch_run(test_dispatch);
    for (int i = 0; i < 3; i++)
        test_settle();
}

static enum cancel_outcome cancel(int64_t message)
{
    struct asking a;

    ask(&a, message);
    settle_all();
    assert_true(is_answered(&a));
    return outcome(&a);
}

static struct message scheduled(void)
{
    struct message m = test_message(MODE_TEST, STATUS_SCHEDULED);

    m.scheduled_us = test_now_us + 10 * MINUTE_US;
    return m;
}

static struct message queued(void)
{
    return test_message(MODE_TEST, STATUS_QUEUED);
}

static void start(size_t window)
{
    test_start(window);
    dispatch_run(test_dispatch);
}

/* ---- where a message may be ---- */

static void a_scheduled_message_is_cancelled(void **state)
{
    start(8);
    int64_t id = test_send_message(scheduled());
    assert_int_equal(cancel(id), CANCEL_DONE);
    assert_int_equal(test_status(id), STATUS_CANCELLED);
    assert_int_equal(test_look(id).cancelled_us, test_now_us);
    test_now_us += 20 * MINUTE_US;
    settle_all();
    assert_int_equal(test_status(id), STATUS_CANCELLED);
    assert_int_equal(test_carrier.submitted_count, 0);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    assert_int_equal(cancel(id), CANCEL_REFUSED);
    test_stop();
}

static void a_message_that_waits_for_a_carrier_is_cancelled(void **state)
{
    int64_t ids[3];

    start(8);
    test_carrier.room = 0;
    for (int i = 0; i < 3; i++)
        ids[i] = test_send();
    dispatch_run(test_dispatch);
    assert_int_equal(cancel(ids[2]), CANCEL_DONE); /* the last in the queue */
    int64_t after = test_send();                   /* and the queue goes on behind it */
    assert_int_equal(cancel(ids[0]), CANCEL_DONE);
    assert_int_equal(dispatch_held(test_dispatch), 2);
    test_carrier.room = SIZE_MAX;
    settle_all();
    test_assert_submitted((int64_t[]){ids[1], after}, 2);
    assert_int_equal(test_status(ids[0]), STATUS_CANCELLED);
    assert_int_equal(test_status(ids[2]), STATUS_CANCELLED);
    test_stop();
}

static void a_message_that_was_just_offered_is_cancelled(void **state)
{
    start(8);
    int64_t id = test_send(); /* in the box; the engine has not looked */
    assert_int_equal(cancel(id), CANCEL_DONE);
    assert_int_equal(test_carrier.submitted_count, 0);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop();
}

static void a_message_that_a_carrier_has_is_not(void **state)
{
    start(8);
    int64_t id = test_send();
    dispatch_run(test_dispatch);
    assert_int_equal(cancel(id), CANCEL_REFUSED);
    assert_int_equal(test_status(id), STATUS_QUEUED);
    test_answer_first(FAILURE_NONE);
    assert_int_equal(cancel(id), CANCEL_REFUSED);
    assert_int_equal(test_status(id), STATUS_SENT);
    dispatch_receipt(test_dispatch, id, FAILURE_NONE);
    assert_int_equal(cancel(id), CANCEL_REFUSED);
    assert_int_equal(test_status(id), STATUS_DELIVERED);
    assert_int_equal(cancel(id + 1), CANCEL_REFUSED); /* no such message */
    test_stop();
}

/* ---- dispatch is behind: the message lies in the store ---- */

static void a_message_that_lies_in_the_store_is_cancelled(void **state)
{
    int64_t ids[8];

    start(4);
    for (int i = 0; i < 8; i++)
        ids[i] = test_send();
    dispatch_run(test_dispatch);
    test_assert_submitted(ids, 4);
    assert_int_equal(cancel(ids[6]), CANCEL_DONE);
    while (test_carrier.held) {
        test_answer_first(FAILURE_NONE);
        settle_all();
    }
    test_assert_submitted((int64_t[]){ids[0], ids[1], ids[2], ids[3], ids[4], ids[5], ids[7]}, 7);
    assert_int_equal(test_status(ids[6]), STATUS_CANCELLED);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop();
}

/* The refill reads it as it was, before the cancel is on disk. */
static void a_copy_that_was_read_before_is_not_handed_over(void **state)
{
    int64_t first = test_leave(queued()).id, id = test_leave(queued()).id,
            last = test_leave(queued()).id;
    struct asking a;

    test_start(8);
    test_close_gate();
    ask(&a, id);
    dispatch_run(test_dispatch);
    test_assert_submitted((int64_t[]){first, last}, 2);
    assert_false(is_answered(&a));
    test_open_gate();
    settle_all();
    assert_int_equal(outcome(&a), CANCEL_DONE);
    assert_int_equal(test_status(id), STATUS_CANCELLED);
    test_assert_submitted((int64_t[]){first, last}, 2);
    assert_int_equal(dispatch_held(test_dispatch), 2);
    test_stop();
}

/* Sent in an earlier run and not read yet: the cancel is refused and the receipt still awaited. */
static void what_an_earlier_run_sent_is_followed_all_the_same(void **state)
{
    int64_t id = test_leave(queued()).id;
    struct asking a;

    test_leave_move(id, STATUS_SENT);
    test_start(8);
    test_close_gate();
    ask(&a, id);
    dispatch_run(test_dispatch);
    test_open_gate();
    settle_all();
    assert_int_equal(outcome(&a), CANCEL_REFUSED);
    assert_int_equal(test_carrier.followed_count, 1);
    assert_int_equal(test_status(id), STATUS_SENT);
    test_stop();
}

/* The same, but its carrier has no room for it: it waits, and is nothing to cancel. */
static void what_waits_to_be_followed_is_not_cancelled(void **state)
{
    int64_t id = test_leave(queued()).id;

    test_leave_move(id, STATUS_SENT);
    test_carrier.room = 0;
    start(8);
    assert_int_equal(cancel(id), CANCEL_REFUSED);
    test_carrier.room = 1;
    settle_all();
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
    struct asking a;

    unoffered = queued();
    start(8);
    assert_int_equal(writer_post(test_writer, &job), 0);
    test_wait_for_writer();
    test_close_gate();
    ask(&a, unoffered.id);
    dispatch_run(test_dispatch);
    dispatch_offer(test_dispatch, &unoffered);
    test_open_gate();
    test_wait_for_writer(); /* the engine finds the offer and the news of the cancel at once */
    settle_all();
    assert_int_equal(outcome(&a), CANCEL_DONE);
    assert_int_equal(test_carrier.submitted_count, 0);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop();
}

static void what_it_cost_is_paid_back(void **state)
{
    struct message m = test_message(MODE_LIVE, STATUS_SCHEDULED);
    struct account_record account;
    struct asking a = {
        .cancel = {
            .account = TEST_ACCOUNT, .mode = MODE_LIVE, .cost_micros = 7500, .done = note_done}};

    m.scheduled_us = test_now_us + 10 * MINUTE_US;
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_end(test_store, store_account_credit(test_store, TEST_ACCOUNT, 5000)),
                     0);
    a.cancel.message = test_leave(m).id;
    start(8);
    sem_init(&a.done, 0, 0);
    cancel_ask(&a.cancel, test_dispatch);
    settle_all();
    assert_int_equal(outcome(&a), CANCEL_DONE);
    assert_int_equal(cancel(a.cancel.message), CANCEL_REFUSED);
    assert_int_equal(store_account_get(test_reader, TEST_ACCOUNT, &account), 0);
    assert_int_equal(account.balance_micros, 12500);
    test_stop();
}

/* ---- races ---- */

static void of_two_at_once_one_wins(void **state)
{
    struct asking first, second;

    start(8);
    int64_t id = test_send_message(scheduled());
    test_close_gate();
    ask(&first, id);
    dispatch_run(test_dispatch);
    ask(&second, id);
    dispatch_run(test_dispatch);
    assert_true(is_answered(&second));
    test_open_gate();
    settle_all();
    assert_int_equal(outcome(&first), CANCEL_DONE);
    assert_int_equal(outcome(&second), CANCEL_REFUSED);
    assert_int_equal(test_status(id), STATUS_CANCELLED);
    test_stop();
}

/* Its time has come, the move is on its way: it is caught before a carrier gets it. */
static void a_message_that_is_being_queued_is_cancelled(void **state)
{
    struct asking a;

    start(8);
    int64_t id = test_send_message(scheduled());
    test_now_us += 10 * MINUTE_US;
    test_close_gate();
    dispatch_run(test_dispatch);
    ask(&a, id);
    dispatch_run(test_dispatch);
    assert_false(is_answered(&a));
    test_open_gate();
    settle_all();
    assert_int_equal(outcome(&a), CANCEL_DONE);
    assert_int_equal(test_status(id), STATUS_CANCELLED);
    assert_int_equal(test_carrier.submitted_count, 0);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop();
}

/* The cancel is on its way when the time comes. */
static void a_message_that_is_being_cancelled_is_not_queued(void **state)
{
    struct asking a;

    start(8);
    int64_t id = test_send_message(scheduled());
    test_close_gate();
    ask(&a, id);
    dispatch_run(test_dispatch);
    test_now_us += 10 * MINUTE_US;
    dispatch_run(test_dispatch);
    test_open_gate();
    settle_all();
    assert_int_equal(outcome(&a), CANCEL_DONE);
    assert_int_equal(test_status(id), STATUS_CANCELLED);
    assert_int_equal(test_carrier.submitted_count, 0);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop();
}

/* ---- the store cannot be written ---- */

static void a_message_goes_its_way_when_its_cancel_is_lost(void **state)
{
    struct asking a;

    test_fail_next_move();
    start(8);
    test_carrier.room = 0;
    int64_t first = test_send(), id = test_send();
    dispatch_run(test_dispatch);
    ask(&a, id);
    settle_all();
    assert_int_equal(outcome(&a), CANCEL_LOST);
    assert_int_equal(test_status(id), STATUS_QUEUED);
    assert_int_equal(dispatch_held(test_dispatch), 2);
    test_carrier.room = SIZE_MAX;
    settle_all();
    assert_int_equal(test_carrier.submitted_count, 2);
    assert_true(test_carrier.submitted[0] == first || test_carrier.submitted[1] == first);
    assert_int_equal(cancel(id), CANCEL_REFUSED); /* now a carrier has it */
    test_stop();
}

/* The same for one that a refill read meanwhile. */
static void a_copy_that_was_covered_goes_its_way_too(void **state)
{
    int64_t id = test_leave(queued()).id;
    struct asking a;

    test_fail_next_move();
    test_start(8);
    test_close_gate();
    ask(&a, id);
    dispatch_run(test_dispatch);
    assert_int_equal(test_carrier.submitted_count, 0);
    test_open_gate();
    settle_all();
    assert_int_equal(outcome(&a), CANCEL_LOST);
    test_assert_submitted(&id, 1);
    assert_int_equal(dispatch_held(test_dispatch), 1);
    test_stop();
}

/* ---- the end ---- */

static void a_stop_answers_everyone(void **state)
{
    struct asking posted, waiting, late;

    start(8);
    int64_t one = test_send_message(scheduled()), two = test_send_message(scheduled());
    ask(&posted, one);
    dispatch_run(test_dispatch);
    ask(&waiting, two); /* the engine does not look again */
    writer_stop(test_writer);
    dispatch_close(test_dispatch);
    assert_int_equal(outcome(&posted), CANCEL_DONE);
    assert_int_equal(outcome(&waiting), CANCEL_LOST);
    ask(&late, two);
    assert_int_equal(outcome(&late), CANCEL_LOST);
    dispatch_free(test_dispatch);
    writer_free(test_writer);
    assert_int_equal(test_status(one), STATUS_CANCELLED);
    assert_int_equal(test_status(two), STATUS_SCHEDULED);
}

/* ---- all at once ---- */

enum { SENDS = 1500 };

struct sender {
    pthread_t thread;
    int64_t ids[SENDS];
    size_t cancelled, lost;
    _Atomic bool finished;
    int64_t due_us;
};

static void *send_and_cancel(void *argument)
{
    struct sender *s = argument;
    struct asking a;

    for (int i = 0; i < SENDS; i++) {
        struct message m = i % 4 ? queued() : scheduled();
        m.scheduled_us = i % 4 ? 0 : s->due_us;
        s->ids[i] = test_send_message(m);
        if (i % 2)
            continue;
        ask(&a, s->ids[i < 40 ? i : i - 40]); /* some are with the carrier by then */
        enum cancel_outcome result = outcome(&a);
        s->cancelled += result == CANCEL_DONE;
        s->lost += result == CANCEL_LOST;
    }
    atomic_store(&s->finished, true);
    return NULL;
}

/* A small window and a carrier that is often full, so that messages are met everywhere. */
static void each_message_is_either_submitted_or_cancelled(void **state)
{
    static struct sender senders[2];
    int64_t due_us = test_now_us + 10 * MINUTE_US;
    size_t cancelled = 0, seen = 0;

    test_start(16);
    for (int i = 0; i < 2; i++) {
        senders[i] = (struct sender){.due_us = due_us};
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
        settle_all();
        while (test_carrier.held)
            test_answer_first(FAILURE_NONE);
    }
    settle_all();
    while (test_carrier.held)
        test_answer_first(FAILURE_NONE);
    settle_all();
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
