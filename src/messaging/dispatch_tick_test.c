/* What waits too long to be handed over fails, wherever it lies; and carriers that stand still keep
 * nobody else waiting. */
#include "messaging/test_cancel.h"
#include "messaging/test_live.h"

#include <pthread.h>

enum { SHARE = 64, WINDOW = 3 * SHARE, VALIDITY_S = 60 };

static struct dispatch_counts counts(const struct test_carrier *t)
{
    return dispatch_counts(test_dispatch, &t->carrier);
}

/* Into the store at once, as an earlier run would have left them; their first and last numbers. */
static void leave_many(struct message m, int count, int64_t *ret_first, int64_t *ret_last)
{
    for (int i = 0; i < count;) {
        assert_int_equal(store_begin(test_store), 0);
        do {
            struct message each = m;
            assert_int_equal(store_accept(test_store, &each), 0);
            if (i == 0)
                *ret_first = each.id;
            *ret_last = each.id;
        } while (++i < count && i % 1000);
        assert_int_equal(store_commit(test_store), 0);
    }
}

/* ---- validity ---- */

static struct message brief(const struct test_carrier *t)
{
    struct message m = test_live(t);

    m.validity_s = VALIDITY_S;
    m.cost_micros = 7500;
    return m;
}

static void meter(void)
{
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_end(test_store, store_account_credit(test_store, TEST_ACCOUNT, 5000)),
                     0);
}

static int64_t balance(void)
{
    struct account_record account;

    assert_int_equal(store_account_get(test_reader, TEST_ACCOUNT, &account), 0);
    return account.balance_micros;
}

static void what_waits_expires_by_itself(void **state)
{
    meter();
    test_acme.room = 0;
    test_start_live(WINDOW);
    int64_t id = test_send_message(brief(&test_acme)), other = test_send_live(&test_acme);
    test_pass(VALIDITY_S - 1);
    assert_int_equal(test_status_live(id), STATUS_QUEUED);
    test_pass(1);
    assert_int_equal(test_look_live(id).failure, FAILURE_VALIDITY_EXPIRED);
    assert_int_equal(test_status_live(other), STATUS_QUEUED);
    assert_int_equal(counts(&test_acme).expired, 1);
    assert_int_equal(balance(), 12500);
    test_stop_live();
}

static void what_a_carrier_has_does_not_expire(void **state)
{
    test_start_live(WINDOW);
    int64_t id = test_send_message(brief(&test_acme));
    test_settle_live();
    test_pass(3600);
    assert_int_equal(test_status_live(id), STATUS_QUEUED);
    TEST_SAY(&test_acme, .outcome = CARRIER_TOOK);
    test_settle_live();
    assert_int_equal(test_status_live(id), STATUS_SENT);
    test_stop_live();
}

/* The lane is full of messages that have time, and reads nothing. */
static void what_lies_in_the_store_only_expires_too(void **state)
{
    enum { LEFT = 3000 };
    int64_t first, last, id;

    meter();
    leave_many(test_live(&test_acme), SHARE, &first, &last);
    leave_many(brief(&test_acme), LEFT, &first, &last);
    id = test_leave(test_live(&test_acme)).id;
    test_acme.room = 0;
    test_start_live(WINDOW);
    test_pass(VALIDITY_S - 1);
    assert_int_equal(test_status_live(first), STATUS_QUEUED);
    test_pass(10);
    assert_int_equal(test_look_live(first).failure, FAILURE_VALIDITY_EXPIRED);
    assert_int_equal(test_look_live(last).failure, FAILURE_VALIDITY_EXPIRED);
    assert_int_equal(test_status_live(id), STATUS_QUEUED);
    assert_int_equal(counts(&test_acme).expired, LEFT);
    assert_int_equal(balance(), 5000 + LEFT * 7500);
    assert_int_equal(dispatch_held(test_dispatch), SHARE);
    test_stop_live();
}

/* What was found and is not written yet is bounded, and not found again. */
static void a_scan_waits_for_the_store(void **state)
{
    enum { LEFT = 2500 };
    int64_t first, last;

    leave_many(test_live(&test_acme), SHARE, &first, &last);
    leave_many(brief(&test_acme), LEFT, &first, &last);
    test_acme.room = 0;
    test_start_live(WINDOW);
    test_now_us += VALIDITY_S * TEST_SECOND_US;
    test_close_gate();
    for (int i = 0; i < 10; i++)
        dispatch_tick(test_dispatch);
    assert_true(counts(&test_acme).expired > 0);
    assert_true(counts(&test_acme).expired <= 1024);
    test_open_gate();
    test_settle_live();
    test_pass(10);
    assert_int_equal(counts(&test_acme).expired, LEFT);
    assert_int_equal(test_status_live(last), STATUS_FAILED);
    test_stop_live();
}

/* Whether a carrier has them is not known: they are not said to have waited all the time. */
static void what_was_handed_over_before_a_crash_is_not_expired_unread(void **state)
{
    int64_t first, last, id;

    leave_many(test_live(&test_acme), SHARE, &first, &last);
    id = test_leave(brief(&test_acme)).id;
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(
        store_end(test_store, store_hand_over(test_store, &id, 1, test_acme.carrier.number)), 0);
    test_acme.room = 0;
    test_start_live(WINDOW);
    test_pass(2 * VALIDITY_S);
    assert_int_equal(test_status_live(id), STATUS_QUEUED);
    test_acme.room = SHARE;
    test_settle_live();
    while (test_acme.held)
        TEST_SAY(&test_acme, .outcome = CARRIER_TOOK);
    test_settle_live();
    assert_string_equal(test_events(id), "possible_duplicate");
    test_stop_live();
}

/* The message is on its way into the lane that is being scanned, and its row says so already. */
static void what_is_on_its_way_is_not_expired_unread(void **state)
{
    int64_t first, last;

    leave_many(test_live(&test_beta), 2 * SHARE, &first, &last);
    test_beta.room = 0;
    test_before_next_read(NULL);
    test_start_live(WINDOW);
    int64_t id = test_send_message(brief(&test_acme));
    test_settle_live();
    assert_true(counts(&test_beta).behind);
    TEST_SAY(&test_acme, .outcome = CARRIER_ELSEWHERE, .failure = FAILURE_UNKNOWN);
    test_now_us += VALIDITY_S * TEST_SECOND_US;
    test_before_next_read(test_wait_for_writer);
    dispatch_tick(test_dispatch);
    test_settle_live();
    assert_int_equal(test_status_live(id), STATUS_QUEUED); /* it lies in the store now */
    assert_int_equal(counts(&test_beta).expired, 0);
    test_pass(1);
    assert_int_equal(test_look_live(id).failure, FAILURE_VALIDITY_EXPIRED);
    assert_int_equal(counts(&test_beta).expired, 1);
    assert_int_equal(dispatch_held(test_dispatch), SHARE);
    test_stop_live();
}

/* ---- a carrier that stands still ---- */

static void the_others_go_on(void **state)
{
    enum { STUCK = 100000, FLOW = 1000 };
    int64_t first, last;

    leave_many(test_live(&test_acme), STUCK, &first, &last);
    int64_t test_mode = test_leave(test_message(MODE_TEST, STATUS_QUEUED)).id;
    test_acme.room = 0;
    test_start_live(WINDOW);
    for (int i = 0; i < 20; i++)
        test_settle_live(); /* test mode's one lies behind all of them */
    assert_int_equal(test_carrier.submitted_count, 1);
    assert_int_equal(test_carrier.submitted[0], test_mode);
    for (int i = 0; i < FLOW; i++) {
        int64_t id = test_send_live(&test_beta);
        dispatch_run(test_dispatch);
        test_settle();
        assert_int_equal(test_beta.submitted[i], id);
        TEST_SAY(&test_beta, .outcome = CARRIER_TOOK);
        if (i % 100 == 0)
            test_pass(1);
    }
    test_settle_live();
    assert_true(counts(&test_acme).behind);
    assert_false(counts(&test_beta).behind);
    assert_int_equal(counts(&test_acme).waiting, SHARE);
    assert_true(dispatch_held(test_dispatch) <= WINDOW);

    test_acme.room = 100; /* it moves again: in order, and nothing is missing */
    test_settle_live();
    assert_int_equal(test_acme.submitted[0], first);
    test_stop_live();
}

/* There are more lanes than are read at once, and all have much to read. */
static void every_lane_has_its_turn(void **state)
{
    enum { LANES = 20, LEFT = 20 * SHARE, FIRST_NUMBER = 100 };
    static struct test_carrier carriers[LANES];
    int64_t first, last;

    for (unsigned i = 0; i < LANES; i++) {
        carriers[i] = test_carrier; /* direct: it takes all it gets */
        carriers[i].carrier.number = FIRST_NUMBER + i;
        leave_many(test_live(&carriers[i]), LEFT, &first, &last);
    }
    test_start(WINDOW);
    for (unsigned i = 0; i < LANES; i++)
        dispatch_add_carrier(test_dispatch, &carriers[i].carrier);
    for (unsigned run = 0; run < LANES; run++) {
        dispatch_run(test_dispatch);
        for (unsigned i = 0; i < LANES; i++)
            while (carriers[i].held)
                TEST_SAY(&carriers[i], .outcome = CARRIER_TOOK);
        test_wait_for_writer();
    }
    for (unsigned i = 0; i < LANES; i++)
        assert_true(carriers[i].submitted_count > 0);
    test_stop();
}

/* Many more go elsewhere than memory holds. */
static void all_of_a_dead_carriers_queue_goes_another_way(void **state)
{
    enum { STUCK = 3000 };
    int64_t first, last, end_us = clock_monotonic_us() + 6 * TEST_PATIENCE_US;

    leave_many(test_live(&test_acme), STUCK, &first, &last);
    test_set_failover(30 * TEST_SECOND_US);
    test_acme.room = 0;
    atomic_store(&test_acme.carrier.health, 0);
    test_start_live(WINDOW);
    while (test_beta.submitted_count < STUCK && clock_monotonic_us() < end_us) {
        test_pass(1);
        assert_true(dispatch_held(test_dispatch) <= WINDOW);
        while (test_beta.held)
            TEST_SAY(&test_beta, .outcome = CARRIER_TOOK);
    }
    test_settle_live();
    while (test_beta.held)
        TEST_SAY(&test_beta, .outcome = CARRIER_TOOK);
    test_settle_live();
    assert_int_equal(test_beta.submitted_count, STUCK);
    assert_int_equal(test_status_live(first), STATUS_SENT);
    assert_int_equal(test_status_live(last), STATUS_SENT);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop_live();
}

/* ---- all at once ---- */

enum { SENDS = 2000 };
static int64_t ids[SENDS];
static _Atomic bool finished;

static void *send_and_cancel(void *cancelled)
{
    struct test_asking a;

    for (int i = 0; i < SENDS; i++) {
        struct message m = test_live(i % 3 ? &test_acme : &test_beta);
        if (i % 5 == 0) {
            m.status = STATUS_SCHEDULED;
            m.scheduled_us = test_now_us + i * 1000;
        }
        ids[i] = test_send_message(m);
        if (i % 4 || i < 40)
            continue;
        test_ask_for(&a, (struct cancel){.message = ids[i - 40], .mode = MODE_LIVE});
        *(size_t *)cancelled += test_outcome(&a) == CANCEL_DONE;
    }
    atomic_store(&finished, true);
    return NULL;
}

static void answer_somehow(struct test_carrier *t, unsigned round)
{
    static const enum carrier_outcome outcomes[] = {CARRIER_TOOK, CARRIER_LATER,
                                                    CARRIER_TOOK, CARRIER_ELSEWHERE,
                                                    CARRIER_TOOK, CARRIER_UNTRIED};

    TEST_SAY(t, .outcome = outcomes[round % 6], .failure = FAILURE_UNKNOWN);
}

/* Small windows, full lanes, carriers that say everything they can, and messages called back:
 * each one ends, and none is lost or held for ever. */
static void each_message_ends_once(void **state)
{
    int64_t end_us = clock_monotonic_us() + 6 * TEST_PATIENCE_US;
    size_t cancelled = 0, seen[STATUS_SLOTS] = {0};
    pthread_t sender;

    atomic_store(&finished, false);
    test_start_live(16);
    assert_int_equal(pthread_create(&sender, NULL, send_and_cancel, &cancelled), 0);
    for (unsigned round = 0;
         (!finished || dispatch_held(test_dispatch) > 0 || counts(&test_acme).behind ||
          counts(&test_beta).behind || round % 16) &&
         clock_monotonic_us() < end_us;
         round++) {
        dispatch_run(test_dispatch);
        if (test_acme.held && round % 2)
            answer_somehow(&test_acme, round / 2);
        if (test_beta.held)
            answer_somehow(&test_beta, finished ? 0 : round);
        if (round % 16 == 0) {
            test_now_us += TEST_SECOND_US;
            dispatch_tick(test_dispatch);
        }
    }
    pthread_join(sender, NULL);
    test_settle_live();
    for (int i = 0; i < SENDS; i++)
        seen[test_status_live(ids[i])]++;
    assert_int_equal(seen[STATUS_CANCELLED], cancelled);
    assert_int_equal(seen[STATUS_SENT] + seen[STATUS_FAILED] + cancelled, SENDS);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop_live();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIVE_TEST(what_waits_expires_by_itself),
        LIVE_TEST(what_a_carrier_has_does_not_expire),
        LIVE_TEST(what_lies_in_the_store_only_expires_too),
        LIVE_TEST(a_scan_waits_for_the_store),
        LIVE_TEST(what_was_handed_over_before_a_crash_is_not_expired_unread),
        LIVE_TEST(what_is_on_its_way_is_not_expired_unread),
        LIVE_TEST(the_others_go_on),
        LIVE_TEST(every_lane_has_its_turn),
        LIVE_TEST(all_of_a_dead_carriers_queue_goes_another_way),
        LIVE_TEST(each_message_ends_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
