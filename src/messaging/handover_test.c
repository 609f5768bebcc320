/* The way to live carriers: marks, windows, and what a stop or a crash leaves of both. */
#include "messaging/test_live.h"

enum { FOUND = 4 };

static void mark(int64_t id, const struct test_carrier *t)
{
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_end(test_store, store_hand_over(test_store, &id, 1, t->carrier.number)),
                     0);
}

/* ---- marks ---- */

/* The carrier of these tests itself asserts that what it gets is marked on disk. */
static void a_message_is_marked_before_its_carrier_gets_it(void **state)
{
    test_start_live(64);
    int64_t id = test_send_live(&test_acme);
    test_close_gate();
    dispatch_run(test_dispatch);
    dispatch_run(test_dispatch);
    assert_int_equal(test_acme.submitted_count, 0);
    assert_false(test_is_marked(id));
    test_open_gate();
    test_settle_live();
    test_assert_sent_to(&test_acme, &id, 1);
    assert_true(test_is_marked(id));
    assert_int_equal(test_status_live(id), STATUS_QUEUED);
    test_stop_live();
}

/* +1 and eight digits: no number of North America is that short. */
static void numbers_that_cannot_exist_are_not_tried(void **state)
{
    struct message m = test_live(&test_acme);

    m.to = STR("+112345678");
    test_start_live(64);
    int64_t id = test_send_message(m), other = test_send_live(&test_acme);
    test_settle_live();
    test_assert_sent_to(&test_acme, &other, 1);
    assert_int_equal(test_status_live(id), STATUS_FAILED);
    assert_int_equal(test_look_live(id).failure, FAILURE_INVALID_DESTINATION);
    test_stop_live();
}

static void no_more_are_marked_than_there_is_room(void **state)
{
    int64_t ids[10];

    test_acme.room = 3;
    test_start_live(64);
    for (int i = 0; i < 10; i++)
        ids[i] = test_send_live(&test_acme);
    test_close_gate();
    dispatch_run(test_dispatch);
    dispatch_run(test_dispatch); /* marks that are on their way count */
    test_open_gate();
    test_wait_for_writer();
    for (int i = 0; i < 10; i++)
        assert_int_equal(test_is_marked(ids[i]), i < 3);
    test_settle_live();
    test_assert_sent_to(&test_acme, ids, 3);
    test_stop_live();
}

/* Not those that the carrier has, nor those that rest. */
static void what_waits_for_room_is_counted(void **state)
{
    test_acme.room = 3;
    test_start_live(64);
    assert_int_equal(dispatch_waiting(test_dispatch, &test_acme.carrier), 0);
    for (int i = 0; i < 10; i++)
        test_send_live(&test_acme);
    test_settle_live();
    assert_int_equal(dispatch_waiting(test_dispatch, &test_acme.carrier), 7);
    assert_int_equal(dispatch_waiting(test_dispatch, &test_beta.carrier), 0);
    test_acme.room = 0;
    TEST_SAY(&test_acme, .outcome = CARRIER_LATER, .failure = FAILURE_UPSTREAM_ERROR);
    test_settle_live(); /* its place goes to the next */
    assert_int_equal(dispatch_waiting(test_dispatch, &test_acme.carrier), 6);
    assert_int_equal(dispatch_counts(test_dispatch, &test_acme.carrier).waiting, 7);
    test_stop_live();
}

/* So what is sent and not known to be answered is never more than the window. */
static void a_place_is_free_when_the_answer_is_on_disk(void **state)
{
    int64_t ids[4];

    test_acme.room = 2;
    test_start_live(64);
    for (int i = 0; i < 4; i++)
        ids[i] = test_send_live(&test_acme);
    test_settle_live();
    test_close_gate();
    TEST_SAY(&test_acme, .outcome = CARRIER_TOOK);
    TEST_SAY(&test_acme, .outcome = CARRIER_REFUSED, .failure = FAILURE_CARRIER_REJECTED);
    dispatch_run(test_dispatch);
    assert_int_equal(test_settled, 0);
    test_assert_sent_to(&test_acme, ids, 2);
    test_open_gate();
    test_settle_live();
    assert_int_equal(test_settled, 2);
    assert_int_equal(test_status_live(ids[0]), STATUS_SENT);
    assert_int_equal(test_status_live(ids[1]), STATUS_FAILED);
    test_assert_sent_to(&test_acme, ids, 4);
    test_stop_live();
}

static void what_was_not_tried_goes_back_in_its_order(void **state)
{
    int64_t ids[4];

    test_acme.room = 3;
    test_start_live(64);
    for (int i = 0; i < 4; i++)
        ids[i] = test_send_live(&test_acme);
    test_settle_live();
    test_assert_sent_to(&test_acme, ids, 3);
    size_t settled = test_settled;
    struct parcel *third = test_acme.parcels[2];
    test_acme.parcels[2] = test_acme.parcels[0]; /* the newest one comes back first */
    test_acme.parcels[0] = third;
    for (int i = 0; i < 3; i++)
        TEST_SAY(&test_acme, .outcome = CARRIER_UNTRIED);
    assert_int_equal(test_settled, settled + 3); /* at once */
    test_acme.room = 0;
    test_settle_live();
    for (int i = 0; i < 4; i++)
        assert_false(test_is_marked(ids[i]));
    test_acme.submitted_count = 0;
    test_acme.room = 10;
    test_settle_live();
    test_assert_sent_to(&test_acme, ids, 4);
    assert_string_equal(test_events(ids[0]), "");
    test_stop_live();
}

static void take_room_away(void)
{
    test_acme.room = 1;
}

/* There was room when they were marked, and is none any more when that is done. */
static void what_finds_no_room_after_all_loses_its_mark(void **state)
{
    int64_t ids[4];

    test_start_live(64);
    for (int i = 0; i < 4; i++)
        ids[i] = test_send_live(&test_acme);
    dispatch_run(test_dispatch);
    take_room_away();
    test_settle_live();
    test_assert_sent_to(&test_acme, ids, 1);
    for (int i = 0; i < 4; i++)
        assert_int_equal(test_is_marked(ids[i]), i == 0);
    test_acme.room = 10;
    test_settle_live();
    test_assert_sent_to(&test_acme, ids, 4);
    test_stop_live();
}

static void what_is_forbidden_by_now_is_not_marked(void **state)
{
    struct message brief = test_live(&test_acme);

    brief.validity_s = 60;
    test_acme.room = 0;
    test_start_live(64);
    int64_t expired = test_send_message(brief), id = test_send_live(&test_acme);
    test_settle_live();
    test_now_us += 60 * TEST_SECOND_US;
    test_acme.room = 1;
    test_settle_live();
    test_assert_sent_to(&test_acme, &id, 1);
    assert_int_equal(test_look_live(expired).failure, FAILURE_VALIDITY_EXPIRED);
    assert_int_equal(dispatch_counts(test_dispatch, &test_acme.carrier).expired, 1);
    test_stop_live();
}

/* ---- stops and crashes ---- */

/* The program ends while a carrier has them: whether it was killed or not, nobody knows more. */
static void leave_unanswered(int64_t ids[FOUND])
{
    test_start_live(64);
    for (int i = 0; i < FOUND; i++)
        ids[i] = test_send_live(&test_acme);
    test_settle_live();
    assert_int_equal(test_acme.submitted_count, FOUND);
    test_stop_live();
    test_acme.submitted_count = 0;
    test_acme.room = 10;
}

static void what_was_not_answered_is_sent_again_and_said_so(void **state)
{
    int64_t ids[FOUND];

    leave_unanswered(ids);
    int64_t later = test_leave(test_live(&test_acme)).id;
    test_start_live(64);
    assert_int_equal(test_acme.submitted_count, FOUND + 1);
    assert_int_equal(dispatch_counts(test_dispatch, &test_acme.carrier).maybe_twice, FOUND);
    for (int i = 0; i < FOUND; i++)
        assert_string_equal(test_events(ids[i]), "possible_duplicate");
    assert_string_equal(test_last_event(ids[0]),
                        "The server stopped before the carrier had answered. It is sent again and "
                        "may arrive twice.");
    assert_string_equal(test_events(later), "");
    while (test_acme.held)
        TEST_SAY(&test_acme, .outcome = CARRIER_TOOK);
    test_settle_live();
    for (int i = 0; i < FOUND; i++)
        assert_int_equal(test_status_live(ids[i]), STATUS_SENT);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop_live();
}

static void or_fails_when_the_operator_wants_it_so(void **state)
{
    int64_t ids[FOUND];

    leave_unanswered(ids);
    test_acme.carrier.resend = false;
    test_start_live(64);
    assert_int_equal(test_acme.submitted_count, 0);
    for (int i = 0; i < FOUND; i++) {
        assert_int_equal(test_look_live(ids[i]).failure, FAILURE_UPSTREAM_TIMEOUT);
        assert_string_equal(test_events(ids[i]), "carrier_answer");
    }
    assert_int_equal(dispatch_counts(test_dispatch, &test_acme.carrier).maybe_twice, 0);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop_live();
}

/* Marked, but the carrier never got it: an orderly stop knows that. */
static void a_stop_leaves_no_mark_on_what_was_not_sent(void **state)
{
    test_start_live(64);
    int64_t id = test_send_live(&test_acme);
    dispatch_run(test_dispatch); /* nobody hears any more that the mark is on disk */
    test_stop_live();
    assert_int_equal(test_acme.submitted_count, 0);
    assert_false(test_is_marked(id));
    assert_int_equal(test_status_live(id), STATUS_QUEUED);

    test_start_live(64);
    test_assert_sent_to(&test_acme, &id, 1);
    writer_stop(test_writer);
    TEST_SAY(&test_acme, .outcome = CARRIER_UNTRIED); /* the writer takes nothing any more */
    test_free_live();
    assert_false(test_is_marked(id));
}

/* ---- carriers that come and go ---- */

static void a_message_whose_carrier_nobody_has_goes_another_way(void **state)
{
    struct message m = test_live(&test_acme);

    m.carrier = 4711;
    int64_t left = test_leave(m).id, marked = test_leave(m).id;
    mark(marked, &(struct test_carrier){.carrier.number = 4711});
    test_start_live(64);
    int64_t ids[] = {left, marked, test_send_message(m)};
    test_pass(2);
    assert_int_equal(test_acme.submitted_count, 0);
    test_pass(1);
    assert_int_equal(test_acme.submitted_count, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(test_look_live(ids[i]).carrier, test_acme.carrier.number);
    assert_string_equal(test_events(left), "failover");
    assert_string_equal(test_last_event(left),
                        "Its carrier is not configured any more. It goes to acme now.");
    assert_string_equal(test_events(marked), "possible_duplicate,failover");
    assert_int_equal(test_look_live(left).reason, REASON_FAILOVER);
    test_stop_live();
}

static void or_fails_when_there_is_none(void **state)
{
    struct message m = test_live(&test_acme);

    m.carrier = 4711;
    test_start_live(64);
    dispatch_set_routing(test_dispatch, NULL);
    int64_t id = test_send_message(m); /* the first one of its kind */
    test_settle_live();
    test_pass(3);
    assert_int_equal(test_look_live(id).failure, FAILURE_NO_ROUTE);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop_live();
}

static void what_waits_for_a_carrier_that_is_dropped_goes_another_way(void **state)
{
    int64_t ids[3];

    test_acme.room = 1;
    test_start_live(64);
    for (int i = 0; i < 3; i++)
        ids[i] = test_send_live(&test_acme);
    test_settle_live();
    TEST_SAY(&test_acme, .outcome = CARRIER_TOOK);
    dispatch_drop_carrier(test_dispatch, &test_acme.carrier);
    memset(&test_acme.carrier, 0xaa, sizeof test_acme.carrier); /* whoever looks at it now fails */
    test_settle_live();
    assert_int_equal(test_settled, 0); /* and it is not told that its place is free */
    assert_int_equal(test_status_live(ids[0]), STATUS_SENT);
    assert_int_equal(test_beta.submitted_count, 0); /* other routes may be on their way */
    test_pass(3);
    test_assert_sent_to(&test_beta, ids + 1, 2);
    test_stop_live();
}

/* The mark is on its way when the carrier goes. */
static void what_was_about_to_go_to_it_too(void **state)
{
    test_start_live(64);
    int64_t id = test_send_live(&test_acme);
    dispatch_run(test_dispatch);
    dispatch_drop_carrier(test_dispatch, &test_acme.carrier);
    test_settle_live();
    assert_int_equal(test_acme.submitted_count, 0);
    assert_false(test_is_marked(id));
    test_pass(3);
    test_assert_sent_to(&test_beta, &id, 1);
    assert_string_equal(test_events(id), "failover");
    test_stop_live();
}

/* The same carrier with other settings is another one. */
static void one_that_takes_its_place_gets_what_waits(void **state)
{
    struct test_carrier next;
    int64_t ids[3];

    test_acme.room = 1;
    test_start_live(64);
    for (int i = 0; i < 3; i++)
        ids[i] = test_send_live(&test_acme);
    test_settle_live();
    next = test_acme;
    next.room = 10;
    next.submitted_count = next.held = 0;
    TEST_SAY(&test_acme, .outcome = CARRIER_TOOK);
    dispatch_add_carrier(test_dispatch, &next.carrier);
    test_settle_live();
    assert_int_equal(test_settled, 0);
    test_assert_sent_to(&next, ids + 1, 2);
    assert_int_equal(test_beta.submitted_count, 0);
    test_stop_live();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIVE_TEST(a_message_is_marked_before_its_carrier_gets_it),
        LIVE_TEST(numbers_that_cannot_exist_are_not_tried),
        LIVE_TEST(no_more_are_marked_than_there_is_room),
        LIVE_TEST(what_waits_for_room_is_counted),
        LIVE_TEST(a_place_is_free_when_the_answer_is_on_disk),
        LIVE_TEST(what_was_not_tried_goes_back_in_its_order),
        LIVE_TEST(what_finds_no_room_after_all_loses_its_mark),
        LIVE_TEST(what_is_forbidden_by_now_is_not_marked),
        LIVE_TEST(what_was_not_answered_is_sent_again_and_said_so),
        LIVE_TEST(or_fails_when_the_operator_wants_it_so),
        LIVE_TEST(a_stop_leaves_no_mark_on_what_was_not_sent),
        LIVE_TEST(a_message_whose_carrier_nobody_has_goes_another_way),
        LIVE_TEST(or_fails_when_there_is_none),
        LIVE_TEST(what_waits_for_a_carrier_that_is_dropped_goes_another_way),
        LIVE_TEST(what_was_about_to_go_to_it_too),
        LIVE_TEST(one_that_takes_its_place_gets_what_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
