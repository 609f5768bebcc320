/* From one carrier to another: because it says so, because it is down, or because it takes too
 * long. */
#include "messaging/test_cancel.h"
#include "messaging/test_live.h"

enum { SHARE = 64, WINDOW = 3 * SHARE };

static struct dispatch_counts counts(const struct test_carrier *t)
{
    return dispatch_counts(test_dispatch, &t->carrier);
}

static void set_health(struct test_carrier *t, int health)
{
    atomic_store(&t->carrier.health, health);
    t->room = health ? 10 : 0;
}

static void say_elsewhere(struct test_carrier *t)
{
    TEST_SAY(t, .outcome = CARRIER_ELSEWHERE, .failure = FAILURE_UNKNOWN,
             .detail = STR("It answered 0x00000400."));
}

/* ---- the carrier says so ---- */

static void what_one_cannot_take_the_next_one_gets(void **state)
{
    test_start_live(WINDOW);
    int64_t id = test_send_live(&test_acme);
    test_settle_live();
    say_elsewhere(&test_acme);
    test_settle_live();
    test_assert_sent_to(&test_beta, &id, 1);
    assert_int_equal(test_settled, 1);
    assert_int_equal(test_look_live(id).carrier, test_beta.carrier.number);
    assert_int_equal(test_look_live(id).reason, REASON_FAILOVER);
    assert_string_equal(test_last_event(id), "It answered 0x00000400. It goes to beta now.");
    assert_int_equal(counts(&test_acme).failed_over, 1);

    say_elsewhere(&test_beta); /* there is no third one, and the first was tried */
    test_settle_live();
    assert_int_equal(test_acme.submitted_count, 1);
    assert_int_equal(test_look_live(id).failure, FAILURE_UNKNOWN);
    assert_string_equal(test_events(id), "failover,carrier_answer");
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop_live();
}

/* The refill of the other lane reads the message when it is the lane's already, on disk, and the
 * engine has not heard of it. */
static void one_that_is_read_on_its_way_is_sent_once(void **state)
{
    struct message m = test_live(&test_beta);
    int64_t left[2 * SHARE];

    for (int i = 0; i < 2 * SHARE; i++)
        left[i] = test_leave(m).id;
    test_before_next_read(NULL);
    test_beta.room = SIZE_MAX;
    test_start_live(WINDOW);
    int64_t id = test_send_live(&test_acme);
    test_settle_live();
    assert_int_equal(test_beta.submitted_count, SHARE); /* its lane is full and behind */
    while (test_beta.held > SHARE / 2)
        TEST_SAY(&test_beta, .outcome = CARRIER_TOOK);
    test_wait_for_writer();
    test_before_next_read(test_wait_for_writer);
    say_elsewhere(&test_acme);
    for (int i = 0; i < 20; i++) {
        test_settle_live();
        while (test_beta.held)
            TEST_SAY(&test_beta, .outcome = CARRIER_TOOK);
    }
    assert_int_equal(test_beta.submitted_count, 2 * SHARE + 1);
    assert_int_equal(test_status_live(id), STATUS_SENT);
    for (int i = 0; i < 2 * SHARE; i++)
        assert_int_equal(test_status_live(left[i]), STATUS_SENT);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop_live();
}

/* Its number is one that the other lane has long read past, and there is no room. */
static void a_full_lane_reads_it_later(void **state)
{
    test_start_live(WINDOW);
    test_beta.room = SHARE;
    int64_t id = test_send_live(&test_acme);
    test_settle_live();
    for (int i = 0; i < SHARE; i++)
        test_send_live(&test_beta);
    test_settle_live();
    assert_int_equal(test_beta.held, SHARE);
    say_elsewhere(&test_acme);
    test_settle_live();
    assert_true(counts(&test_beta).behind);
    assert_int_equal(dispatch_held(test_dispatch), SHARE);
    assert_int_equal(test_look_live(id).carrier, test_beta.carrier.number);
    while (test_beta.held > SHARE / 2)
        TEST_SAY(&test_beta, .outcome = CARRIER_TOOK);
    test_settle_live();
    assert_int_equal(test_beta.submitted_count, SHARE + 1);
    assert_int_equal(test_beta.submitted[SHARE], id);
    while (test_beta.held)
        TEST_SAY(&test_beta, .outcome = CARRIER_TOOK);
    test_settle_live();
    assert_int_equal(test_beta.submitted_count, SHARE + 1); /* none of the others twice */
    assert_false(counts(&test_beta).behind);
    test_stop_live();
}

static void one_on_its_way_is_cancelled_where_it_arrives(void **state)
{
    struct test_asking a;

    test_beta.room = 0;
    test_start_live(WINDOW);
    int64_t id = test_send_live(&test_acme);
    test_settle_live();
    test_close_gate();
    say_elsewhere(&test_acme);
    test_ask_for(&a, (struct cancel){.message = id, .mode = MODE_LIVE});
    dispatch_run(test_dispatch);
    assert_false(test_is_answered(&a));
    test_open_gate();
    test_settle_live();
    assert_int_equal(test_outcome(&a), CANCEL_DONE);
    assert_int_equal(test_status_live(id), STATUS_CANCELLED);
    test_beta.room = 1;
    test_settle_live();
    assert_int_equal(test_beta.submitted_count, 0);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop_live();
}

/* ---- the carrier is down ---- */

static void what_waits_for_a_carrier_that_is_down_goes_another_way(void **state)
{
    test_set_failover(30 * TEST_SECOND_US);
    test_start_live(WINDOW);
    set_health(&test_acme, 0);
    int64_t ids[] = {test_send_live(&test_acme), test_send_live(&test_acme)};
    test_pass(5); /* it may be back in a moment */
    assert_int_equal(test_beta.submitted_count, 0);
    test_pass(1);
    test_assert_sent_to(&test_beta, ids, 2);
    assert_string_equal(test_last_event(ids[0]),
                        "The carrier cannot be reached. It goes to beta now.");
    assert_int_equal(counts(&test_acme).failed_over, 2);
    test_stop_live();
}

static void a_moment_without_the_carrier_changes_nothing(void **state)
{
    test_set_failover(30 * TEST_SECOND_US);
    test_start_live(WINDOW);
    for (int i = 0; i < 4; i++) {
        set_health(&test_acme, 0);
        int64_t id = test_send_live(&test_acme);
        test_pass(4);
        set_health(&test_acme, 1);
        test_pass(1);
        assert_int_equal(test_acme.submitted[i], id);
    }
    assert_int_equal(test_beta.submitted_count, 0);
    test_stop_live();
}

/* When both are down it waits; it takes the first that is back, also the one it came from. */
static void it_may_come_back(void **state)
{
    test_set_failover(30 * TEST_SECOND_US);
    test_start_live(WINDOW);
    set_health(&test_acme, 0);
    test_beta.room = 0;
    int64_t id = test_send_live(&test_acme);
    test_pass(7);
    assert_int_equal(test_look_live(id).carrier, test_beta.carrier.number);
    set_health(&test_beta, 0);
    test_pass(3600);
    assert_int_equal(test_look_live(id).carrier, test_beta.carrier.number);
    assert_int_equal(test_status_live(id), STATUS_QUEUED);
    set_health(&test_acme, CARRIER_HEALTH_FULL);
    test_pass(60);
    test_assert_sent_to(&test_acme, &id, 1);
    assert_string_equal(test_events(id), "failover,failover");
    test_stop_live();
}

/* In the other lane it waits anew. */
static void it_does_not_come_back_at_once(void **state)
{
    test_set_failover(30 * TEST_SECOND_US);
    test_start_live(WINDOW);
    set_health(&test_acme, 0);
    test_beta.room = 0;
    int64_t id = test_send_live(&test_acme);
    for (int i = 0; i < 6; i++)
        test_pass(1);
    assert_int_equal(test_look_live(id).carrier, test_beta.carrier.number);
    set_health(&test_acme, CARRIER_HEALTH_FULL);
    for (int i = 0; i < 29; i++)
        test_pass(1);
    assert_int_equal(test_look_live(id).carrier, test_beta.carrier.number);
    test_pass(1);
    test_assert_sent_to(&test_acme, &id, 1);
    test_stop_live();
}

static void where_the_operator_wants_it_so_it_waits(void **state)
{
    test_set_failover(0);
    test_start_live(WINDOW);
    set_health(&test_acme, 0);
    int64_t id = test_send_live(&test_acme);
    test_pass(3600);
    assert_int_equal(test_beta.submitted_count, 0);
    assert_int_equal(test_status_live(id), STATUS_QUEUED);
    set_health(&test_acme, CARRIER_HEALTH_FULL);
    test_pass(1);
    test_assert_sent_to(&test_acme, &id, 1);
    test_stop_live();
}

/* ---- the carrier takes too long ---- */

static void what_has_waited_too_long_goes_another_way(void **state)
{
    test_set_failover(30 * TEST_SECOND_US);
    test_acme.room = test_beta.room = 0;
    test_start_live(WINDOW);
    int64_t old = test_send_live(&test_acme);
    test_pass(20);
    int64_t young = test_send_live(&test_acme);
    test_pass(9);
    assert_int_equal(test_look_live(old).carrier, test_acme.carrier.number);
    test_pass(1);
    assert_int_equal(test_look_live(old).carrier, test_beta.carrier.number);
    assert_int_equal(test_look_live(young).carrier, test_acme.carrier.number);
    assert_string_equal(test_last_event(old),
                        "It has waited too long for the carrier. It goes to beta now.");
    test_pass(3600); /* both are slow: it does not go to and fro */
    assert_string_equal(test_events(old), "failover");
    assert_string_equal(test_events(young), "failover");
    test_stop_live();
}

/* Time that no server ran is not the carrier's fault. */
static void waiting_is_counted_from_the_start(void **state)
{
    int64_t id = test_leave(test_live(&test_acme)).id;

    test_set_failover(30 * TEST_SECOND_US);
    test_now_us += 3600 * TEST_SECOND_US;
    test_acme.room = 0;
    test_start_live(WINDOW);
    test_pass(29);
    assert_int_equal(test_look_live(id).carrier, test_acme.carrier.number);
    test_pass(1);
    assert_int_equal(test_look_live(id).carrier, test_beta.carrier.number);
    test_stop_live();
}

/* The other carrier takes all that comes: a whole queue that is too old goes to it in a few
 * seconds, though only a part of it is in memory. */
static void waiting_in_the_store_counts(void **state)
{
    enum { MANY = 10 * SHARE };

    test_set_failover(30 * TEST_SECOND_US);
    test_acme.room = 0;
    test_beta.room = TEST_MANY;
    test_start_live(WINDOW);
    for (int i = 0; i < MANY; i++)
        test_send_live(&test_acme);
    test_pass(29);
    assert_int_equal(test_beta.submitted_count, 0);
    for (int i = 0; i < 40; i++) {
        test_pass(1);
        while (test_beta.held)
            TEST_SAY(&test_beta, .outcome = CARRIER_TOOK);
    }
    assert_int_equal(test_beta.submitted_count, MANY);
    test_stop_live();
}

static void no_more_go_than_the_other_lane_has_room_for(void **state)
{
    enum { WAITING = 40, TAKEN = SHARE - 10 };

    test_set_failover(30 * TEST_SECOND_US);
    test_acme.room = 0;
    test_beta.room = TAKEN;
    test_start_live(WINDOW);
    for (int i = 0; i < TAKEN; i++)
        test_send_live(&test_beta);
    for (int i = 0; i < WAITING; i++)
        test_send_live(&test_acme);
    test_settle_live();
    test_pass(40);
    assert_int_equal(counts(&test_acme).waiting, WAITING - 10);
    assert_false(counts(&test_beta).behind);
    while (test_beta.held) /* and the rest when there is room again */
        TEST_SAY(&test_beta, .outcome = CARRIER_TOOK);
    test_settle_live();
    test_pass(2);
    assert_int_equal(counts(&test_acme).waiting, 0);
    test_stop_live();
}

/* New routes are new chances. */
static void after_a_change_of_routes_all_carriers_are_asked_again(void **state)
{
    test_start_live(WINDOW);
    int64_t id = test_send_live(&test_acme);
    test_settle_live();
    say_elsewhere(&test_acme);
    test_settle_live();
    test_use_routes();
    say_elsewhere(&test_beta);
    test_settle_live();
    test_assert_sent_to(&test_acme, (int64_t[]){id, id}, 2);
    test_stop_live();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIVE_TEST(what_one_cannot_take_the_next_one_gets),
        LIVE_TEST(one_that_is_read_on_its_way_is_sent_once),
        LIVE_TEST(a_full_lane_reads_it_later),
        LIVE_TEST(one_on_its_way_is_cancelled_where_it_arrives),
        LIVE_TEST(what_waits_for_a_carrier_that_is_down_goes_another_way),
        LIVE_TEST(a_moment_without_the_carrier_changes_nothing),
        LIVE_TEST(it_may_come_back),
        LIVE_TEST(it_does_not_come_back_at_once),
        LIVE_TEST(where_the_operator_wants_it_so_it_waits),
        LIVE_TEST(what_has_waited_too_long_goes_another_way),
        LIVE_TEST(waiting_is_counted_from_the_start),
        LIVE_TEST(waiting_in_the_store_counts),
        LIVE_TEST(no_more_go_than_the_other_lane_has_room_for),
        LIVE_TEST(after_a_change_of_routes_all_carriers_are_asked_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
