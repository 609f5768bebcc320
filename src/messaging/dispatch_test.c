/* The ordinary way of a message through dispatch, and what may forbid it. */
#include "messaging/test_dispatch.h"

#include <unistd.h>

#define HOUR_US INT64_C(3600000000)

static void goes_from_offer_to_delivery(void **state)
{
    test_start(8);
    dispatch_run(test_dispatch); /* nothing was left: dispatch has caught up */
    int before = atomic_load(&test_woken);
    int64_t id = test_send();
    for (int i = 0; i < 10000 && atomic_load(&test_woken) == before; i++)
        usleep(1000); /* the wake comes after the whole batch is told */
    assert_true(atomic_load(&test_woken) > before);
    dispatch_run(test_dispatch);
    test_assert_submitted(&id, 1);
    assert_true(str_is(parcel_message(test_carrier.parcels[0])->text, "Hello"));
    assert_int_equal(test_status(id), STATUS_QUEUED);
    assert_int_equal(dispatch_held(test_dispatch), 1);

    test_now_us += 50000;
    test_answer_first(FAILURE_NONE);
    test_run_until(id, STATUS_SENT);
    test_run_until_held(0);
    assert_int_equal(test_look(id).sent_us, test_now_us);

    test_now_us += 950000;
    dispatch_receipt(test_dispatch, id, FAILURE_NONE);
    test_run_until(id, STATUS_DELIVERED);
    assert_int_equal(test_look(id).delivered_us, test_now_us);
    test_assert_submitted(&id, 1);
    test_stop();
}

static void a_refusal_is_a_failure_with_its_reason(void **state)
{
    test_start(8);
    dispatch_run(test_dispatch);
    int64_t id = test_send();
    dispatch_run(test_dispatch);
    test_answer_first(FAILURE_CARRIER_REJECTED);
    test_run_until(id, STATUS_FAILED);
    assert_int_equal(test_look(id).failure, FAILURE_CARRIER_REJECTED);
    assert_int_equal(test_look(id).failed_us, test_now_us);
    test_run_until_held(0);
    test_stop();
}

static size_t event_count(int64_t id)
{
    struct event_record *events;
    size_t count;

    assert_int_equal(store_event_list(test_reader, id, &test_arena, &events, &count), 0);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(events[i].kind, EVENT_LATE_RECEIPT);
    return count;
}

static void a_receipt_may_tell_of_failure(void **state)
{
    test_start(8);
    dispatch_run(test_dispatch);
    int64_t id = test_send();
    dispatch_run(test_dispatch);
    test_answer_first(FAILURE_NONE);
    dispatch_receipt(test_dispatch, id, FAILURE_UNREACHABLE); /* the answer is not yet written */
    test_run_until(id, STATUS_FAILED);
    assert_int_equal(test_look(id).failure, FAILURE_UNREACHABLE);
    assert_int_equal(test_look(id).sent_us, test_now_us);
    assert_int_equal(event_count(id), 0);
    test_stop();
}

static void a_late_receipt_changes_nothing_and_is_noted(void **state)
{
    test_start(8);
    dispatch_run(test_dispatch);
    int64_t id = test_send();
    dispatch_run(test_dispatch);
    test_answer_first(FAILURE_NONE);
    dispatch_receipt(test_dispatch, id, FAILURE_UNREACHABLE);
    dispatch_receipt(test_dispatch, id, FAILURE_NONE);
    test_settle();
    assert_int_equal(test_status(id), STATUS_FAILED);
    assert_int_equal(event_count(id), 1);
    test_stop();
}

static void without_a_carrier_there_is_no_route(void **state)
{
    test_start(8);
    dispatch_run(test_dispatch);
    int64_t id = test_send_message(test_message(MODE_LIVE, STATUS_QUEUED));
    test_run_until_mode(id, MODE_LIVE, STATUS_FAILED);
    assert_int_equal(test_look_mode(id, MODE_LIVE).failure, FAILURE_NO_ROUTE);
    assert_int_equal(test_carrier.submitted_count, 0);
    test_run_until_held(0);
    test_stop();
}

static void a_full_carrier_gets_the_rest_when_it_is_ready(void **state)
{
    int64_t ids[5];

    test_start(8);
    dispatch_run(test_dispatch);
    test_carrier.room = 2;
    for (int i = 0; i < 5; i++)
        ids[i] = test_send();
    dispatch_run(test_dispatch);
    dispatch_run(test_dispatch);
    test_assert_submitted(ids, 2);
    int before = atomic_load(&test_woken);
    test_carrier.room = 2;
    dispatch_ready(test_dispatch);
    assert_true(atomic_load(&test_woken) > before);
    dispatch_run(test_dispatch);
    test_assert_submitted(ids, 4);
    test_carrier.room = 2;
    dispatch_run(test_dispatch);
    test_assert_submitted(ids, 5);
    test_stop();
}

/* ---- forbidden ---- */

static void who_opted_out_since_is_not_written_to(void **state)
{
    struct message other = test_message(MODE_TEST, STATUS_QUEUED);

    other.account = TEST_ACCOUNT + 1;
    test_start(8);
    dispatch_run(test_dispatch);
    int64_t id = test_send(), theirs = test_send_message(other);
    assert_int_equal(optouts_add(test_optouts, TEST_ACCOUNT, MODE_TEST, other.to), 0);
    dispatch_run(test_dispatch);
    test_settle();
    test_assert_submitted(&theirs, 1);
    assert_int_equal(test_status(id), STATUS_FAILED);
    assert_int_equal(test_look(id).failure, FAILURE_RECIPIENT_OPTED_OUT);
    test_stop();
}

static int64_t balance(void)
{
    struct account_record account;

    assert_int_equal(store_account_get(test_reader, TEST_ACCOUNT, &account), 0);
    return account.balance_micros;
}

/* A live message that was paid for and has no carrier. */
static void what_no_carrier_saw_is_paid_back(void **state)
{
    struct message m = test_message(MODE_LIVE, STATUS_QUEUED);

    m.cost_micros = 7500;
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_end(test_store, store_account_credit(test_store, TEST_ACCOUNT, 5000)),
                     0);
    int64_t id = test_leave(m).id;
    test_start(8);
    dispatch_run(test_dispatch);
    test_settle();
    assert_int_equal(test_look_mode(id, MODE_LIVE).status, STATUS_FAILED);
    assert_int_equal(balance(), 12500);
    test_stop();
}

/* ---- too late ---- */

static void what_could_not_be_handed_over_in_time_fails(void **state)
{
    struct message brief = test_message(MODE_TEST, STATUS_QUEUED), usual = brief;

    brief.validity_s = 60;
    test_start(8);
    dispatch_run(test_dispatch);
    test_carrier.room = 0;
    int64_t one = test_send_message(brief), two = test_send_message(usual);
    dispatch_run(test_dispatch);
    test_now_us += 60000000;
    test_carrier.room = SIZE_MAX;
    dispatch_run(test_dispatch);
    test_settle();
    assert_int_equal(test_status(one), STATUS_FAILED);
    assert_int_equal(test_look(one).failure, FAILURE_VALIDITY_EXPIRED);
    test_assert_submitted(&two, 1);
    assert_int_equal(dispatch_held(test_dispatch), 1);
    test_stop();
}

static void four_hours_hold_when_nothing_was_said(void **state)
{
    struct message late = test_message(MODE_TEST, STATUS_QUEUED);
    int64_t one = test_leave(late).id;

    test_now_us += 1;
    int64_t two = test_leave(late).id;
    test_now_us += 4 * HOUR_US - 1;
    test_start(8);
    dispatch_run(test_dispatch);
    test_settle();
    assert_int_equal(test_look(one).failure, FAILURE_VALIDITY_EXPIRED);
    test_assert_submitted(&two, 1);
    test_stop();
}

static void what_was_handed_over_does_not_expire(void **state)
{
    int64_t id = test_leave(test_message(MODE_TEST, STATUS_QUEUED)).id;

    test_leave_move(id, STATUS_SENT);
    test_now_us += 100 * HOUR_US;
    test_start(8);
    dispatch_run(test_dispatch);
    assert_int_equal(test_carrier.followed_count, 1);
    test_settle();
    assert_int_equal(test_status(id), STATUS_SENT);
    test_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DISPATCH_TEST(goes_from_offer_to_delivery),
        DISPATCH_TEST(a_refusal_is_a_failure_with_its_reason),
        DISPATCH_TEST(a_receipt_may_tell_of_failure),
        DISPATCH_TEST(a_late_receipt_changes_nothing_and_is_noted),
        DISPATCH_TEST(without_a_carrier_there_is_no_route),
        DISPATCH_TEST(a_full_carrier_gets_the_rest_when_it_is_ready),
        DISPATCH_TEST(who_opted_out_since_is_not_written_to),
        DISPATCH_TEST(what_no_carrier_saw_is_paid_back),
        DISPATCH_TEST(what_could_not_be_handed_over_in_time_fails),
        DISPATCH_TEST(four_hours_hold_when_nothing_was_said),
        DISPATCH_TEST(what_was_handed_over_does_not_expire),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
