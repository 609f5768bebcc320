/* A carrier's life: what it receives, draining, stopping, other settings, and the watch over binds
 * that do not move. */
#include "carriers/test_port.h"

#include <errno.h>
#include <unistd.h>

enum { SHORT_MS = 60, HURRY_MS = 2000, GRACE_MS = 4000 };

static void deliver(uint32_t sequence, uint8_t esm_class, struct str text)
{
    test_session_send(&test_session, (struct smpp_pdu){.command = SMPP_DELIVER_SM,
                                                       .sequence = sequence,
                                                       .esm_class = esm_class,
                                                       .source = {1, 1, STR("15551234567")},
                                                       .destination = {1, 1, STR("18005551234")},
                                                       .short_message = text});
}

static void expect_response(uint32_t sequence, uint32_t status)
{
    test_session_expect(&test_session, SMPP_DELIVER_SM | SMPP_RESPONSE);
    assert_int_equal(test_session.pdu.sequence, sequence);
    assert_int_equal(test_session.pdu.status, status);
}

/* ---- deliveries ---- */

static void a_delivery_is_answered_when_it_is_written(void **state)
{
    test_port_up();
    deliver(5, 4, STR("id:A001 stat:DELIVRD err:000"));
    deliver(6, 0, STR("STOP"));
    test_port_until_deliveries(2);
    test_expect_nothing(&test_session, SHORT_MS);
    assert_true(test_port.deliveries[0].is_receipt);
    assert_int_equal(test_port.deliveries[0].carrier, TEST_CARRIER_NUMBER);
    assert_string_equal(test_port.deliveries[0].id, "a001");
    assert_int_equal(test_port.deliveries[0].word, RECEIPT_DELIVERED);
    assert_false(test_port.deliveries[1].is_receipt);
    assert_string_equal(test_port.deliveries[1].text, "STOP");
    test_port_written(1, 0);
    expect_response(6, 0);
    test_port_written(0, 0);
    expect_response(5, 0);
    assert_int_equal(test_port_state().receipts, 1);
}

static void a_stray_is_taken_and_counted(void **state)
{
    test_port_up();
    deliver(5, 4, STR("id:A001 stat:DELIVRD err:000"));
    test_port_until_deliveries(1);
    test_port_written(0, 1);
    expect_response(5, 0);
    assert_int_equal(test_port_state().receipts, 1);
    assert_int_equal(test_port_state().strays, 1);
}

static void what_cannot_be_written_is_to_come_again(void **state)
{
    test_port_up();
    deliver(5, 4, STR("id:A001 stat:DELIVRD err:000"));
    test_port_until_deliveries(1);
    test_port_written(0, -EAGAIN);
    expect_response(5, 0x64);
    assert_int_equal(test_port_state().receipts, 0);
}

static void a_delivery_of_a_connection_that_ended_is_not_answered(void **state)
{
    test_port_up();
    deliver(5, 4, STR("id:A001 stat:DELIVRD err:000"));
    test_port_until_deliveries(1);
    test_session_close(&test_session);
    test_session_bind(&test_session, &test_smsc);
    test_port_until_room(10);
    test_port_written(0, 0);
    test_expect_nothing(&test_session, SHORT_MS);
}

/* ---- draining ---- */

static void drained_it_takes_nothing_and_still_receives(void **state)
{
    test_port_up();
    int p = test_port_submit("Hello");
    test_expect_submit(&test_session, "Hello");
    test_port_drain(true);
    assert_int_equal(test_port_room(), 0);
    assert_int_equal(test_port_health(), 0);
    assert_int_equal(test_port_submit("Hello"), -EAGAIN);
    assert_int_equal(test_port_state().state, CARRIER_DRAINED);
    assert_int_equal(test_port_state().binds_up, 1);
    test_session_answer_id(&test_session, "1");
    test_port_assert_outcome(p, CARRIER_TOOK);
    deliver(5, 4, STR("id:1 stat:DELIVRD err:000"));
    test_port_until_deliveries(1);
    test_port_written(0, 0);
    expect_response(5, 0);
    int told = test_port.ready;
    test_port_drain(false);
    assert_int_equal(test_port_room(), 10);
    assert_int_equal(test_port_health(), CARRIER_HEALTH_FULL);
    assert_true(test_port.ready > told);
}

static void draining_gives_back_what_was_not_sent(void **state)
{
    test_port.config.window = 1;
    test_port_up();
    test_port_submit("1");
    int second = test_port_submit("2");
    test_expect_submit(&test_session, "1");
    test_port_drain(true);
    test_port_assert_outcome(second, CARRIER_UNTRIED);
    assert_int_equal(test_port.answers, 1);
}

/* ---- stopping ---- */

static void expect_unbind(void)
{
    test_session_expect(&test_session, SMPP_UNBIND);
    test_session_answer(&test_session, 0);
    test_session_ends(&test_session);
}

static void stopping_waits_for_answers_and_unbinds(void **state)
{
    test_port.config.window = 1;
    test_port_up();
    int first = test_port_submit("1"), second = test_port_submit("2");
    test_expect_submit(&test_session, "1");
    test_port_stop();
    test_port_assert_outcome(second, CARRIER_UNTRIED);
    assert_int_equal(test_port_room(), 0);
    assert_int_equal(test_port_health(), 0);
    test_expect_nothing(&test_session, SHORT_MS);
    assert_int_equal(test_port_submit("3"), -EAGAIN);
    test_session_answer_id(&test_session, "1");
    test_port_assert_outcome(first, CARRIER_TOOK);
    expect_unbind();
    test_port_until_stopped();
    assert_int_equal(test_port_state().state, CARRIER_UNUSED);
    assert_null(live_carrier_settings(test_port.carrier));
    assert_true(test_smsc_is_alone(&test_smsc, SHORT_MS)); /* and stays away */
}

static void stopping_waits_for_what_is_being_written(void **state)
{
    test_port_up();
    deliver(5, 4, STR("id:A001 stat:DELIVRD err:000"));
    test_port_until_deliveries(1);
    test_port_stop();
    test_expect_nothing(&test_session, SHORT_MS);
    test_port_written(0, 0);
    expect_response(5, 0);
    expect_unbind();
    test_port_until_stopped();
}

/* As when its section has changed, or is gone: an answer that takes longer than the end of the
 * program allows is still worth waiting for. */
static void stopping_waits_for_slow_answers(void **state)
{
    test_port_up();
    int p = test_port_submit("1");
    test_expect_submit(&test_session, "1");
    test_port_stop();
    test_expect_nothing(&test_session, HURRY_MS + SHORT_MS);
    test_session_answer_id(&test_session, "1");
    test_port_assert_outcome(p, CARRIER_TOOK);
    expect_unbind();
    test_port_until_stopped();
}

/* The end of the program comes while it stops. */
static void a_hurry_may_come_later(void **state)
{
    test_port_up();
    int64_t begun_us = clock_monotonic_us();
    int p = test_port_submit("1");
    test_expect_submit(&test_session, "1");
    test_port_stop();
    test_expect_nothing(&test_session, SHORT_MS);
    test_port_hurry();
    expect_unbind();
    int64_t took_us = clock_monotonic_us() - begun_us;
    assert_true(took_us >= HURRY_MS * INT64_C(1000));
    assert_true(took_us < GRACE_MS * INT64_C(1000));
    test_port_until_stopped();
    test_port_assert_outcome(p, CARRIER_SILENT);
    assert_int_equal(test_port.stopped, 1);
}

static void stopping_does_not_wait_for_ever(void **state)
{
    test_port_up();
    int p = test_port_submit("1");
    test_expect_submit(&test_session, "1");
    test_port_hurry();
    expect_unbind();
    test_port_until_stopped();
    test_port_assert_outcome(p, CARRIER_SILENT);
}

/* A carrier that goes on bringing receipts does not keep its new settings waiting. */
static void stopping_waits_less_for_what_is_being_written(void **state)
{
    test_port_up();
    deliver(5, 4, STR("id:A001 stat:DELIVRD err:000"));
    test_port_until_deliveries(1);
    int64_t begun_us = clock_monotonic_us();
    test_port_stop();
    expect_unbind();
    assert_true(clock_monotonic_us() - begun_us < GRACE_MS * INT64_C(1000));
    test_port_until_stopped();
}

static void stopping_while_it_connects(void **state)
{
    test_port_start();
    test_port_stop();
    test_port_until_stopped();
}

static void starts_again_with_other_settings(void **state)
{
    test_port.settle = false;
    test_port_up();
    int p = test_port_submit("1");
    test_expect_submit(&test_session, "1");
    test_session_answer_id(&test_session, "1");
    test_port_until_answered(p);
    test_port_stop();
    expect_unbind();
    test_port_until_stopped();
    test_session_close(&test_session);
    test_port.config.window = 3;
    test_port_up();
    test_port_settle(p); /* its place was one of the old window */
    assert_int_equal(test_port_room(), 3);
    test_port.settle = true;
    p = test_port_submit("2");
    test_expect_submit(&test_session, "2");
    test_session_answer_id(&test_session, "2");
    test_port_assert_outcome(p, CARRIER_TOOK);
}

static void what_is_written_after_the_stop_is_not_answered(void **state)
{
    test_port_up();
    deliver(5, 4, STR("id:A001 stat:DELIVRD err:000"));
    test_port_until_deliveries(1);
    test_port_hurry();
    expect_unbind(); /* for which it has waited long enough */
    test_port_until_stopped();
    test_session_close(&test_session);
    test_port_up();
    test_port_written(0, 0); /* the new connection knows nothing of it */
    test_expect_nothing(&test_session, SHORT_MS);
}

static void is_freed_in_the_middle_of_everything(void **state)
{
    test_port.config.window = 1;
    test_port_up();
    test_port_submit("1");
    test_port_submit("2");
    test_expect_submit(&test_session, "1");
    deliver(5, 4, STR("id:A001 stat:DELIVRD err:000"));
    test_port_until_deliveries(1);
}

/* ---- the watch ---- */

/* Ticks for so long, more often than a carrier's clock does. */
static void tick_for(int ms)
{
    for (int64_t end_us = clock_monotonic_us() + ms * INT64_C(1000); clock_monotonic_us() < end_us;
         usleep(10000))
        test_port_tick();
}

static void a_bind_that_answers_nothing_is_bound_anew(void **state)
{
    test_port.config.stall_timeout_ms = 600;
    test_port_up();
    int p = test_port_submit("1");
    test_expect_submit(&test_session, "1");
    tick_for(100);
    assert_int_equal(test_port.answers, 0);
    tick_for(600);
    test_port_assert_outcome(p, CARRIER_SILENT);
    test_session_ends(&test_session);
    test_session_close(&test_session);
    test_session_bind(&test_session, &test_smsc);
    test_port_until_room(10);
}

/* It answers enquiries and receives, but takes nothing: alive, and of no use. */
static void signs_of_life_are_no_answers(void **state)
{
    test_port.config.stall_timeout_ms = 150;
    test_port_up();
    int p = test_port_submit("1");
    test_expect_submit(&test_session, "1");
    for (uint32_t i = 0; i < 10 && test_port.answers == 0; i++) {
        test_session_send(&test_session,
                          (struct smpp_pdu){.command = SMPP_ENQUIRE_LINK, .sequence = i});
        tick_for(30);
    }
    test_port_assert_outcome(p, CARRIER_SILENT);
}

static void slow_answers_are_answers(void **state)
{
    test_port.config.stall_timeout_ms = 600;
    test_port_up();
    for (int i = 0; i < 4; i++)
        test_port_submit("1");
    for (int i = 0; i < 4; i++) {
        test_expect_submit(&test_session, "1");
        tick_for(200);
        test_session_answer_id(&test_session, "1");
        test_port_assert_outcome(i, CARRIER_TOOK);
    }
}

static void idle_binds_are_left_alone(void **state)
{
    test_port.config.stall_timeout_ms = 400;
    test_port_up();
    tick_for(500);
    int p = test_port_submit("1"); /* and its time begins now */
    test_expect_submit(&test_session, "1");
    tick_for(50);
    test_session_answer_id(&test_session, "1");
    test_port_assert_outcome(p, CARRIER_TOOK);
}

static void a_slow_store_is_no_stall(void **state)
{
    test_port.config.stall_timeout_ms = 100;
    test_port.config.window = 1;
    test_port.settle = false;
    test_port_up();
    int first = test_port_submit("1");
    test_port_submit("2");
    test_expect_submit(&test_session, "1");
    test_session_answer_id(&test_session, "1");
    test_port_until_answered(first);
    tick_for(250);
    test_port_settle(first);
    test_expect_submit(&test_session, "2"); /* over the same connection */
}

static void a_pause_is_no_stall(void **state)
{
    test_port.config.stall_timeout_ms = 150;
    test_port_up();
    int p = test_port_submit("1");
    test_expect_submit(&test_session, "1");
    test_session_answer(&test_session, 0x58);
    test_port_until_room(0);
    tick_for(600);
    test_expect_submit(&test_session, "1");
    test_session_answer_id(&test_session, "1");
    test_port_assert_outcome(p, CARRIER_TOOK);
}

/* ---- how it stands ---- */

static void tells_how_it_stands(void **state)
{
    struct carrier_record r = test_port_state();

    assert_int_equal(r.state, CARRIER_UNUSED);
    assert_int_equal(r.taken, 100); /* of an earlier run */
    test_port_start();
    r = test_port_state();
    assert_int_equal(r.state, CARRIER_CONNECTING);
    assert_int_equal(r.binds, 1);
    assert_int_equal(r.binds_up, 0);
    test_session_bind(&test_session, &test_smsc);
    test_port_until_room(10);
    test_port_submit("1");
    int p = test_port_submit("2");
    test_expect_submit(&test_session, "1");
    test_expect_submit(&test_session, "2");
    test_session_answer_id(&test_session, "2");
    test_port_until_answered(p);
    r = test_port_state();
    assert_int_equal(r.id, TEST_CARRIER_NUMBER);
    assert_string_equal(r.name, "acme");
    assert_int_equal(r.state, CARRIER_BOUND);
    assert_true(r.since_us > 0);
    assert_int_equal(r.binds_up, 1);
    assert_int_equal(r.waiting, 5 + 1); /* dispatch's, and the one that is out */
    assert_int_equal(r.in_flight, 1);
    assert_int_equal(r.submitted, 2);
    assert_int_equal(r.taken, 101);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(a_delivery_is_answered_when_it_is_written),
        PORT_TEST(a_stray_is_taken_and_counted),
        PORT_TEST(what_cannot_be_written_is_to_come_again),
        PORT_TEST(a_delivery_of_a_connection_that_ended_is_not_answered),
        PORT_TEST(drained_it_takes_nothing_and_still_receives),
        PORT_TEST(draining_gives_back_what_was_not_sent),
        PORT_TEST(stopping_waits_for_answers_and_unbinds),
        PORT_TEST(stopping_waits_for_what_is_being_written),
        PORT_TEST(stopping_waits_for_slow_answers),
        PORT_TEST(a_hurry_may_come_later),
        PORT_TEST(stopping_does_not_wait_for_ever),
        PORT_TEST(stopping_waits_less_for_what_is_being_written),
        PORT_TEST(stopping_while_it_connects),
        PORT_TEST(starts_again_with_other_settings),
        PORT_TEST(what_is_written_after_the_stop_is_not_answered),
        PORT_TEST(is_freed_in_the_middle_of_everything),
        PORT_TEST(a_bind_that_answers_nothing_is_bound_anew),
        PORT_TEST(signs_of_life_are_no_answers),
        PORT_TEST(slow_answers_are_answers),
        PORT_TEST(idle_binds_are_left_alone),
        PORT_TEST(a_slow_store_is_no_stall),
        PORT_TEST(a_pause_is_no_stall),
        PORT_TEST(tells_how_it_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
