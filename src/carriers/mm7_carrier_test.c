/* An MMSC behind the port: what goes to it, when, and what comes of it. */
#include "carriers/test_wire.h"

#include "base/metric.h"

#include <errno.h>
#include <unistd.h>

enum { SHORT_MS = 60 };

static void expect_limit(enum carrier_limit limit, uint32_t figure)
{
    uint32_t told;

    test_port_tick();
    test_loop_settle();
    assert_int_equal(carrier_limit_get(&test_port.carrier->port, &told), limit);
    assert_int_equal(told, figure);
}

static bool has_state(void *state)
{
    struct carrier_record record;

    live_carrier_state(test_port.carrier, &record);
    return record.state == *(enum carrier_state *)state;
}

static void until_state(enum carrier_state state)
{
    test_loop_until(has_state, &state);
}

static const struct parcel *parcel(int number)
{
    return &test_port.parcels[number];
}

/* ---- taking ---- */

static void what_it_takes_has_a_reference(void **state)
{
    int64_t taken = metric_read(METRIC_MMS_SUBMISSIONS, METRIC_SUBMISSION_TAKEN);

    test_mmsc_start();
    assert_int_equal(test_port_state().state, CARRIER_READY);
    assert_int_equal(test_port_health(), CARRIER_HEALTH_FULL);
    assert_int_equal(test_port.carrier->port.media.need, MEDIA_FIRST);
    int a = test_mmsc_submit();
    test_mmsc_accept("A-1");
    test_port_assert_outcome(a, CARRIER_TOOK);
    assert_int_equal(parcel(a)->parts, 1);
    assert_string_equal(parcel(a)->ids[0], "A-1");
    assert_int_equal(parcel(a)->settlements, 1);
    struct carrier_record record = test_port_state();
    assert_int_equal(record.submitted, 1);
    assert_int_equal(record.taken, 101);
    assert_int_equal(record.in_flight, 0);
    assert_int_equal(metric_read(METRIC_MMS_SUBMISSIONS, METRIC_SUBMISSION_TAKEN), taken + 1);
}

static void without_settings_it_takes_nothing(void **state)
{
    assert_int_equal(test_port_room(), 0);
    assert_int_equal(test_mmsc_submit(), -EAGAIN);
    assert_int_equal(test_port_health(), 0);
    assert_int_equal(test_port_state().state, CARRIER_UNUSED);
}

static void a_place_is_free_when_the_outcome_is_on_disk(void **state)
{
    struct test_peer p;

    test_section.window = 2;
    test_port.settle = false;
    test_mmsc_start();
    test_port_until_room(2);
    int a = test_mmsc_submit(), b = test_mmsc_submit();
    test_mmsc_take(&p);
    test_mmsc_accept("B");
    test_mmsc_say(&p, 1000, "A");
    test_port_until_answered(a);
    test_port_until_answered(b);
    assert_int_equal(test_port_room(), 0);
    test_port.waiting = 3;
    expect_limit(CARRIER_LIMIT_WINDOW, 2);
    test_port_settle(a);
    test_port_until_room(1);
    test_port_settle(b);
    test_port_until_room(2);
    test_peer_close(&p);
}

static void the_rate_holds(void **state)
{
    int64_t begun_us = clock_monotonic_us();

    test_section.rate = 1;
    test_mmsc_start();
    test_port_until_room(1);
    int a = test_mmsc_submit(), b = test_mmsc_submit();
    test_mmsc_accept("A");
    test_port_assert_outcome(a, CARRIER_TOOK);
    test_port.waiting = 1;
    expect_limit(CARRIER_LIMIT_RATE, 1);
    test_mmsc_accept("B");
    assert_true(clock_monotonic_us() - begun_us >= 990000);
    test_port_assert_outcome(b, CARRIER_TOOK);
}

static void what_it_refuses_is_told(void **state)
{
    struct test_peer p;

    test_mmsc_start();
    int a = test_mmsc_submit();
    test_mmsc_take(&p);
    test_mmsc_say(&p, 2003, "");
    test_port_assert_outcome(a, CARRIER_REFUSED);
    assert_int_equal(parcel(a)->failure, FAILURE_INVALID_DESTINATION);
    assert_string_equal(parcel(a)->detail, "The carrier answered 2003 Address Not Found.");
    struct carrier_record record = test_port_state();
    assert_int_equal(record.refused, 1);
    assert_string_equal(record.note, parcel(a)->detail);
    assert_int_equal(record.state, CARRIER_READY);
    int b = test_mmsc_submit();
    test_mmsc_take_more(&p);
    test_mmsc_say(&p, 4006, "");
    test_port_assert_outcome(b, CARRIER_LATER);
    assert_int_equal(test_port_state().throttled, 1);
    assert_int_equal(test_port_state().state, CARRIER_READY);
    test_peer_close(&p);
}

static void unanswered_follows_the_settings(void **state)
{
    assert_true(test_port.carrier->port.resend);
    test_section.unanswered = 1;
    test_mmsc_start();
    assert_false(test_port.carrier->port.resend);
}

/* ---- down and up ---- */

static void one_that_is_away_gets_one_message_at_a_time(void **state)
{
    test_section.reconnect_min_ms = test_section.reconnect_max_ms = 400;
    test_listen_done(&test_mmsc);
    test_mmsc_start();
    int a = test_mmsc_submit();
    test_port_assert_outcome(a, CARRIER_UNTRIED);
    assert_int_equal(test_port_state().state, CARRIER_DOWN);
    assert_int_equal(test_port_health(), 0);
    assert_int_equal(test_port_room(), 0);
    assert_int_equal(test_mmsc_submit(), -EAGAIN);
    expect_limit(CARRIER_LIMIT_LINK_DOWN, 0);
    until_state(CARRIER_CONNECTING);
    assert_int_equal(test_port_room(), 1);
    assert_true(test_port_health() > 0); /* or it would never be tried again */
    test_port.waiting = 1;
    test_port_tick();
    assert_int_equal(test_port_health(), 0); /* others go other ways meanwhile */
    test_port.waiting = 0;
    test_port.fetching = 1;
    test_port_tick();
    assert_int_equal(test_port_health(), 0); /* also when its media are not here yet */
    test_port.fetching = 0;
    test_port_tick();
    assert_true(test_port_health() > 0); /* it came to nothing */
    int b = test_mmsc_submit();
    test_port_assert_outcome(b, CARRIER_UNTRIED);
    assert_int_equal(test_port_state().state, CARRIER_DOWN);
    test_listen(&test_mmsc, NULL); /* the test's end wants one */
}

static void refusing_us_is_left_alone_for_long(void **state)
{
    struct test_peer p;

    test_mmsc_start();
    int a = test_mmsc_submit();
    test_mmsc_take(&p);
    test_mmsc_answer(&p, 401, "");
    test_port_assert_outcome(a, CARRIER_UNTRIED);
    assert_int_equal(test_port_state().state, CARRIER_DOWN);
    assert_non_null(strstr(test_port_state().note, "check username and password"));
    usleep(100 * 1000); /* ten times the wait of one that is away */
    assert_int_equal(test_port_state().state, CARRIER_DOWN);
    test_peer_close(&p);
}

static void three_failures_in_a_row_bring_it_down_and_a_probe_up(void **state)
{
    struct test_peer p;

    test_mmsc_start();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(test_port_state().state, CARRIER_READY);
        int a = test_mmsc_submit();
        if (i == 0)
            test_mmsc_take(&p);
        else
            test_mmsc_take_more(&p);
        test_mmsc_answer(&p, 503, "");
        test_port_assert_outcome(a, CARRIER_LATER);
    }
    until_state(CARRIER_CONNECTING);
    assert_int_equal(test_port_room(), 1);
    int probe = test_mmsc_submit();
    test_mmsc_take_more(&p);
    assert_int_equal(test_port_room(), 0);
    test_mmsc_say(&p, 1000, "P");
    test_port_assert_outcome(probe, CARRIER_TOOK);
    assert_int_equal(test_port_state().state, CARRIER_READY);
    assert_int_equal(test_port_room(), 4);
    assert_int_equal(test_port_state().refused, 3);
    test_peer_close(&p);
}

/* Too large, of a type that it does not know, not understood: others may fit. */
static void what_is_wrong_with_one_message_does_not_bring_it_down(void **state)
{
    static const unsigned statuses[] = {413, 415, 422, 413};
    struct test_peer p;

    test_mmsc_start();
    for (size_t i = 0; i < 4; i++) { /* one more than bring it down */
        int a = test_mmsc_submit();
        if (i == 0)
            test_mmsc_take(&p);
        else
            test_mmsc_take_more(&p);
        test_mmsc_answer(&p, statuses[i], "");
        test_port_assert_outcome(a, CARRIER_ELSEWHERE);
        assert_int_equal(test_port_state().state, CARRIER_READY);
    }
    assert_int_equal(test_port_room(), 4);
    test_peer_close(&p);
}

static void a_lost_answer_is_silence(void **state)
{
    struct test_peer p;

    test_mmsc_start();
    int a = test_mmsc_submit();
    test_mmsc_take(&p);
    test_peer_reset(&p);
    test_port_assert_outcome(a, CARRIER_SILENT);
    assert_int_equal(metric_read(METRIC_MMS_SUBMISSIONS, METRIC_SUBMISSION_UNANSWERED), 1);
    assert_int_equal(test_port_state().state, CARRIER_READY); /* one is no rule */
}

/* ---- drained, stopped ---- */

static void drained_it_gets_nothing(void **state)
{
    test_section.rate = 1;
    test_mmsc_start();
    int a = test_mmsc_submit(), b = test_mmsc_submit();
    test_mmsc_accept("A");
    test_port_assert_outcome(a, CARRIER_TOOK);
    test_port_drain(true);
    test_port_assert_outcome(b, CARRIER_UNTRIED);
    assert_int_equal(test_port_room(), 0);
    assert_int_equal(test_mmsc_submit(), -EAGAIN);
    assert_int_equal(test_port_state().state, CARRIER_DRAINED);
    expect_limit(CARRIER_LIMIT_DRAINED, 0);
    test_port_drain(false);
    assert_int_equal(test_port_state().state, CARRIER_READY);
    assert_true(test_port.ready > 0);
}

static void stopping_waits_for_answers(void **state)
{
    struct test_peer p;

    test_mmsc_start();
    int a = test_mmsc_submit();
    test_mmsc_take(&p);
    test_port_stop();
    assert_int_equal(test_port_room(), 0);
    assert_int_equal(test_port.stopped, 0);
    test_mmsc_say(&p, 1000, "A");
    test_port_assert_outcome(a, CARRIER_TOOK);
    test_port_until_stopped();
    assert_true(test_peer_ends(&p)); /* nothing stays connected */
    test_peer_close(&p);
    assert_null(live_carrier_settings(test_port.carrier));
    assert_int_equal(test_port_state().state, CARRIER_UNUSED);
    test_mmsc_start(); /* with other settings, say */
    int b = test_mmsc_submit();
    test_mmsc_accept("B");
    test_port_assert_outcome(b, CARRIER_TOOK);
}

/* Longer than those wait who are in a hurry. */
static void without_a_hurry_it_waits_as_long_as_its_settings_say(void **state)
{
    struct test_peer p;

    test_section.response_timeout_ms = 60000;
    test_mmsc_start();
    int a = test_mmsc_submit();
    test_mmsc_take(&p);
    test_port_stop();
    assert_false(test_peer_read(&p, 2200)); /* nothing more comes: it waits */
    assert_int_equal(test_port_state().in_flight, 1);
    test_mmsc_say(&p, 1000, "A");
    test_port_assert_outcome(a, CARRIER_TOOK);
    test_port_until_stopped();
    test_peer_close(&p);
}

static void a_hurry_may_come_later(void **state)
{
    struct test_peer p;

    test_section.response_timeout_ms = 60000;
    test_mmsc_start();
    int a = test_mmsc_submit();
    test_mmsc_take(&p);
    test_port_stop();
    test_port_hurry();
    test_port_until_stopped();
    assert_int_equal(test_port.stopped, 1);
    test_port_assert_outcome(a, CARRIER_SILENT);
    test_peer_close(&p);
}

static void stopping_does_not_wait_for_ever(void **state)
{
    struct test_peer p;
    int64_t begun_us = clock_monotonic_us();

    test_section.response_timeout_ms = 60000; /* which would be longer than the test waits */
    test_mmsc_start();
    int a = test_mmsc_submit();
    test_mmsc_take(&p);
    test_port_hurry();
    test_port_until_stopped();
    assert_true(clock_monotonic_us() - begun_us >= 1900000);
    test_port_assert_outcome(a, CARRIER_SILENT);
    test_peer_close(&p);
}

static void receipts_are_counted(void **state)
{
    live_carrier_count_receipt(test_port.carrier, false);
    live_carrier_count_receipt(test_port.carrier, true);
    assert_int_equal(test_port_state().receipts, 2);
    assert_int_equal(test_port_state().strays, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MMSC_TEST(what_it_takes_has_a_reference),
        MMSC_TEST(without_settings_it_takes_nothing),
        MMSC_TEST(a_place_is_free_when_the_outcome_is_on_disk),
        MMSC_TEST(the_rate_holds),
        MMSC_TEST(what_it_refuses_is_told),
        MMSC_TEST(unanswered_follows_the_settings),
        MMSC_TEST(one_that_is_away_gets_one_message_at_a_time),
        MMSC_TEST(refusing_us_is_left_alone_for_long),
        MMSC_TEST(three_failures_in_a_row_bring_it_down_and_a_probe_up),
        MMSC_TEST(what_is_wrong_with_one_message_does_not_bring_it_down),
        MMSC_TEST(a_lost_answer_is_silence),
        MMSC_TEST(drained_it_gets_nothing),
        MMSC_TEST(stopping_waits_for_answers),
        MMSC_TEST(without_a_hurry_it_waits_as_long_as_its_settings_say),
        MMSC_TEST(a_hurry_may_come_later),
        MMSC_TEST(stopping_does_not_wait_for_ever),
        MMSC_TEST(receipts_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
