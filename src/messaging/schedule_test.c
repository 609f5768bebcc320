/* Messages that wait for their time, and how they get into a window that is long past their
 * numbers. */
#include "messaging/test_dispatch.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#define MINUTE_US INT64_C(60000000)

static struct message scheduled_in(int64_t minutes)
{
    struct message m = test_message(MODE_TEST, STATUS_SCHEDULED);

    m.scheduled_us = test_now_us + minutes * MINUTE_US;
    return m;
}

static int64_t send_in(int64_t minutes)
{
    return test_send_message(scheduled_in(minutes));
}

/* Until nothing more happens: what is due is queued, and what is queued is with the carrier. */
static void settle_all(void)
{
    dispatch_run(test_dispatch);
    for (int i = 0; i < 3; i++)
        test_settle();
}

static void assert_submitted_once(int64_t id)
{
    size_t times = 0;

    for (size_t i = 0; i < test_carrier.submitted_count; i++)
        times += test_carrier.submitted[i] == id;
    assert_int_equal(times, 1);
}

/* ---- its time ---- */

static void is_queued_when_its_time_comes_and_not_before(void **state)
{
    test_start(8);
    dispatch_run(test_dispatch);
    int64_t due_us = test_now_us + 10 * MINUTE_US, id = send_in(10), other = test_send();
    settle_all();
    test_assert_submitted(&other, 1);
    test_now_us = due_us - 1;
    settle_all();
    assert_int_equal(test_status(id), STATUS_SCHEDULED);
    assert_int_equal(dispatch_held(test_dispatch), 1);

    test_now_us = due_us;
    settle_all();
    test_assert_submitted((int64_t[]){other, id}, 2);
    assert_int_equal(test_status(id), STATUS_QUEUED);
    assert_int_equal(parcel_message(test_carrier.parcels[1])->status, STATUS_QUEUED);
    test_answer_first(FAILURE_NONE);
    test_answer_first(FAILURE_NONE);
    settle_all();
    assert_int_equal(test_status(id), STATUS_SENT);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop();
}

static void an_earlier_one_calls_the_engine(void **state)
{
    test_start(8);
    dispatch_run(test_dispatch);
    send_in(20);
    dispatch_run(test_dispatch);
    test_wait_for_writer();
    int before = atomic_load(&test_woken);
    send_in(30);
    assert_int_equal(atomic_load(&test_woken), before);
    send_in(10);
    assert_true(atomic_load(&test_woken) > before);
    test_stop();
}

static void what_a_stop_slept_through_is_queued_at_start(void **state)
{
    struct message m = scheduled_in(10), later = scheduled_in(60);
    int64_t missed = test_leave(m).id, other = test_leave(later).id;

    test_now_us += 30 * MINUTE_US;
    test_start(8);
    settle_all();
    test_assert_submitted(&missed, 1);
    assert_int_equal(test_status(missed), STATUS_QUEUED);
    assert_int_equal(test_status(other), STATUS_SCHEDULED);
    test_now_us += 30 * MINUTE_US;
    settle_all();
    test_assert_submitted((int64_t[]){missed, other}, 2);
    test_stop();
}

static void validity_counts_from_the_time_it_was_due(void **state)
{
    struct message in_time = scheduled_in(24 * 60), too_late = in_time;

    in_time.validity_s = 3600;
    too_late.validity_s = 1800;
    int64_t sent = test_leave(in_time).id, expired = test_leave(too_late).id;
    test_now_us += (24 * 60 + 30) * MINUTE_US;
    test_start(8);
    settle_all();
    test_assert_submitted(&sent, 1);
    assert_int_equal(test_status(expired), STATUS_FAILED);
    assert_int_equal(test_look(expired).failure, FAILURE_VALIDITY_EXPIRED);
    test_stop();
}

/* What is moved and not handed over when the program dies is open work like any other. */
static void a_stop_after_the_move_leaves_it_to_the_next_start(void **state)
{
    test_start(8);
    dispatch_run(test_dispatch);
    int64_t id = send_in(10);
    test_now_us += 10 * MINUTE_US;
    dispatch_run(test_dispatch); /* the move is on its way, its answer is never heard */
    test_stop();
    assert_int_equal(test_carrier.submitted_count, 0);
    assert_int_equal(test_status(id), STATUS_QUEUED);
    test_start(8);
    settle_all();
    test_assert_submitted(&id, 1);
    test_stop();
}

/* The engine must not run in circles when the store will not have it. */
static void what_could_not_be_queued_is_tried_again_after_a_while(void **state)
{
    test_fail_moves(-EEXIST, 2); /* with others, and alone: the writer gives it up */
    test_start(8);
    dispatch_run(test_dispatch);
    int64_t id = send_in(10);
    test_now_us += 10 * MINUTE_US;
    settle_all();
    assert_int_equal(test_status(id), STATUS_SCHEDULED);
    test_now_us += 999999;
    settle_all();
    assert_int_equal(test_status(id), STATUS_SCHEDULED);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_now_us += 1;
    settle_all();
    test_assert_submitted(&id, 1);
    test_stop();
}

/* ---- the window ---- */

/* They are queued when their time comes, whether there is room or not. */
static void when_the_lane_is_full_they_lie_in_the_store(void **state)
{
    test_start(2);
    dispatch_run(test_dispatch);
    int64_t last = send_in(30), first = send_in(10), second = send_in(20);
    int64_t one = test_send(), two = test_send();
    test_now_us += 40 * MINUTE_US;
    settle_all();
    test_assert_submitted((int64_t[]){one, two}, 2);
    assert_int_equal(test_status(first), STATUS_QUEUED);
    assert_int_equal(test_status(last), STATUS_QUEUED);
    assert_int_equal(dispatch_held(test_dispatch), 2);

    test_answer_first(FAILURE_NONE);
    settle_all(); /* what is read again on the way is not sent again */
    test_assert_submitted((int64_t[]){one, two, last}, 3);
    assert_int_equal(dispatch_held(test_dispatch), 2);
    test_answer_first(FAILURE_NONE);
    test_answer_first(FAILURE_NONE);
    settle_all();
    test_assert_submitted((int64_t[]){one, two, last, first, second}, 5);
    test_answer_first(FAILURE_NONE);
    test_answer_first(FAILURE_NONE);
    settle_all();
    int64_t next = test_send(); /* caught up: straight into the lane */
    assert_int_equal(dispatch_held(test_dispatch), 1);
    dispatch_run(test_dispatch);
    assert_int_equal(test_carrier.submitted[5], next);
    assert_int_equal(test_carrier.followed_count, 0); /* this run itself has sent them */
    test_stop();
}

/* A lane that reads again what an earlier run left does not follow anything twice. */
static void what_is_followed_is_followed_once(void **state)
{
    struct message m = test_message(MODE_TEST, STATUS_QUEUED);
    int64_t due = test_leave(scheduled_in(10)).id, sent[3], last;

    for (int i = 0; i < 3; i++) {
        sent[i] = test_leave(m).id;
        test_leave_move(sent[i], STATUS_SENT);
    }
    for (int i = 0; i < 4; i++)
        last = test_leave(m).id;
    test_start(2);
    settle_all();
    assert_int_equal(test_carrier.followed_count, 3);
    assert_int_equal(test_carrier.submitted_count, 2); /* the lane is full, two more are unread */
    test_now_us += 10 * MINUTE_US;
    settle_all();
    assert_int_equal(test_status(due), STATUS_QUEUED);
    while (test_carrier.held) {
        test_answer_first(FAILURE_NONE);
        settle_all();
    }
    assert_int_equal(test_carrier.submitted_count, 5);
    assert_submitted_once(due);
    assert_submitted_once(last);
    assert_int_equal(test_carrier.followed_count, 3);
    assert_int_equal(test_carrier.followed[0], sent[0]);
    assert_int_equal(test_carrier.followed[2], sent[2]);
    test_stop();
}

static void more_than_are_fired_at_once_all_come(void **state)
{
    enum { MANY = 1000 };
    int64_t ids[MANY];

    for (int i = 0; i < MANY; i++)
        ids[i] = test_leave(scheduled_in(10 + i % 3)).id;
    test_now_us += 15 * MINUTE_US;
    test_start(64);
    for (int i = 0; i < 10 * MANY && test_carrier.submitted_count < MANY; i++) {
        test_settle();
        assert_true(dispatch_held(test_dispatch) <= 64);
        while (test_carrier.held)
            test_answer_first(FAILURE_NONE);
    }
    for (int i = 0; i < MANY; i++)
        assert_submitted_once(ids[i]);
    test_run_until_held(0);
    test_stop();
}

/* ---- dispatch is behind: the number lies ahead of what it has read ---- */

static struct message queued(void)
{
    return test_message(MODE_TEST, STATUS_QUEUED);
}

/* The refill reads past the number while the message is not open work yet. */
static void read_past_before_it_was_queued(void **state)
{
    int64_t first = test_leave(queued()).id, due = test_leave(scheduled_in(10)).id,
            last = test_leave(queued()).id;

    test_now_us += 10 * MINUTE_US;
    test_start(8);
    test_close_gate();
    dispatch_run(test_dispatch);
    test_assert_submitted((int64_t[]){first, last}, 2);
    test_open_gate();
    settle_all();
    test_assert_submitted((int64_t[]){first, last, due}, 3);
    assert_int_equal(dispatch_held(test_dispatch), 3);
    test_stop();
}

/* The refill reads the message when it is queued already but the engine has not heard of it. */
static void read_between_its_move_and_the_news_of_it(void **state)
{
    int64_t first = test_leave(queued()).id, due = test_leave(scheduled_in(10)).id,
            last = test_leave(queued()).id;

    test_now_us += 10 * MINUTE_US;
    test_before_next_read(test_wait_for_writer);
    test_start(8);
    dispatch_run(test_dispatch);
    settle_all();
    assert_int_equal(test_carrier.submitted_count, 3);
    assert_submitted_once(first);
    assert_submitted_once(due);
    assert_submitted_once(last);
    assert_int_equal(dispatch_held(test_dispatch), 3);
    test_stop();
}

/* The engine hears of it and leaves it to the refill. */
static void left_to_the_refill(void **state)
{
    int64_t ids[6], due;

    for (int i = 0; i < 5; i++)
        ids[i] = test_leave(queued()).id;
    due = test_leave(scheduled_in(10)).id;
    ids[5] = test_leave(queued()).id;
    test_start(4);
    dispatch_run(test_dispatch);
    test_assert_submitted(ids, 4);
    test_now_us += 10 * MINUTE_US;
    settle_all();
    assert_int_equal(test_status(due), STATUS_QUEUED);
    assert_int_equal(dispatch_held(test_dispatch), 4);
    while (test_carrier.held) {
        test_answer_first(FAILURE_NONE);
        settle_all();
        assert_true(dispatch_held(test_dispatch) <= 4);
    }
    test_assert_submitted((int64_t[]){ids[0], ids[1], ids[2], ids[3], ids[4], due, ids[5]}, 7);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop();
}

/* A number that no offer of this run has passed, in a window that has caught up. */
static void newer_than_all_that_dispatch_knows(void **state)
{
    int64_t first = test_leave(queued()).id, due = test_leave(scheduled_in(10)).id;

    test_start(2);
    settle_all();
    test_now_us += 10 * MINUTE_US;
    settle_all();
    test_assert_submitted((int64_t[]){first, due}, 2);
    /* Dispatch falls behind and reads on: not from before that number. */
    for (int i = 0; i < 6; i++)
        test_send();
    while (test_carrier.held) {
        test_answer_first(FAILURE_NONE);
        settle_all();
    }
    assert_int_equal(test_carrier.submitted_count, 8);
    assert_submitted_once(due);
    assert_int_equal(test_carrier.followed_count, 0);
    test_stop();
}

/* ---- the timer, with the machine's own clock and loop ---- */

static struct loop *loop;
static struct loop_signal *signal_run;

static void raise_run(void *context)
{
    loop_signal_raise(signal_run);
}

static void run_dispatch(void *context)
{
    dispatch_run(test_dispatch);
}

static void start_loop(void)
{
    struct writer_options w = {.store = test_store, .max_waiting = TEST_MANY};
    assert_int_equal(writer_start(&test_writer, &w), 0);
    assert_int_equal(loop_new(&loop), 0);
    signal_run = loop_signal_new(loop, run_dispatch, NULL);
    struct dispatch_options d = {.store = test_store,
                                 .writer = test_writer,
                                 .clock = &clock_real,
                                 .loop = loop,
                                 .window = 8,
                                 .wake = raise_run};
    assert_int_equal(dispatch_new(&test_dispatch, &d), 0);
    dispatch_add_carrier(test_dispatch, &test_carrier.carrier);
    assert_int_equal(loop_start(loop, "engine"), 0);
    raise_run(NULL);
}

static void wait_until_queued(int64_t id)
{
    for (int i = 0; i < 10000 && test_status(id) != STATUS_QUEUED; i++)
        usleep(1000);
    assert_int_equal(test_status(id), STATUS_QUEUED);
    assert_true(test_look(id).updated_us >= test_look(id).scheduled_us);
}

/* Nothing else calls the engine: the timer alone does it, also for the second, which is due before
 * the first. */
static void the_timer_calls_when_it_is_time(void **state)
{
    struct message m = test_message(MODE_TEST, STATUS_SCHEDULED);

    test_now_us = clock_now_us(&clock_real); /* so that nothing expires */
    start_loop();
    m.scheduled_us = clock_now_us(&clock_real) + 600000;
    int64_t last = test_send_message(m);
    m.scheduled_us -= 300000;
    int64_t first = test_send_message(m);
    wait_until_queued(first);
    wait_until_queued(last);
    loop_stop(loop);
    test_stop();
    loop_free(loop);
}

/* ---- all at once ---- */

static int64_t start_us;

static void *send_many(void *ids)
{
    struct message m = test_message(MODE_TEST, STATUS_SCHEDULED);

    for (int64_t i = 0; i < TEST_MANY; i++) {
        m.scheduled_us = start_us + i % 7 * MINUTE_US;
        ((int64_t *)ids)[i] = i % 3 ? test_send() : test_send_message(m);
    }
    return NULL;
}

static void nothing_is_lost_or_doubled(void **state)
{
    static int64_t ids[TEST_MANY];
    int64_t end_us = clock_monotonic_us() + 6 * TEST_PATIENCE_US;
    size_t answered = 0;
    pthread_t sender;

    start_us = test_now_us;
    test_start(16);
    assert_int_equal(pthread_create(&sender, NULL, send_many, ids), 0);
    while (answered < TEST_MANY && clock_monotonic_us() < end_us) {
        if (test_now_us < start_us + 10 * MINUTE_US)
            test_now_us += 100000;
        dispatch_run(test_dispatch);
        assert_true(dispatch_held(test_dispatch) <= 16);
        for (; test_carrier.held; answered++)
            dispatch_receipt(test_dispatch, test_answer_first(FAILURE_NONE), FAILURE_NONE);
    }
    pthread_join(sender, NULL);
    assert_int_equal(answered, TEST_MANY);
    assert_int_equal(test_carrier.followed_count, 0);
    test_settle();
    for (size_t i = 0; i < TEST_MANY; i++)
        assert_int_equal(test_status(ids[i]), STATUS_DELIVERED);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DISPATCH_TEST(is_queued_when_its_time_comes_and_not_before),
        DISPATCH_TEST(an_earlier_one_calls_the_engine),
        DISPATCH_TEST(what_a_stop_slept_through_is_queued_at_start),
        DISPATCH_TEST(validity_counts_from_the_time_it_was_due),
        DISPATCH_TEST(a_stop_after_the_move_leaves_it_to_the_next_start),
        DISPATCH_TEST(what_could_not_be_queued_is_tried_again_after_a_while),
        DISPATCH_TEST(when_the_lane_is_full_they_lie_in_the_store),
        DISPATCH_TEST(what_is_followed_is_followed_once),
        DISPATCH_TEST(more_than_are_fired_at_once_all_come),
        DISPATCH_TEST(read_past_before_it_was_queued),
        DISPATCH_TEST(read_between_its_move_and_the_news_of_it),
        DISPATCH_TEST(left_to_the_refill),
        DISPATCH_TEST(newer_than_all_that_dispatch_knows),
        DISPATCH_TEST(the_timer_calls_when_it_is_time),
        DISPATCH_TEST(nothing_is_lost_or_doubled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
