/* What keeps a carrier's messages back, as others see it. */
#include "carriers/test_port.h"

#include <unistd.h>

enum { LOOKS = 2000, ESME_RTHROTTLED = 0x58 };

static enum carrier_limit limit(uint32_t *ret_figure)
{
    return carrier_limit_get(&test_port.carrier->port, ret_figure);
}

/* It is judged again each second, which a test need not wait for. */
static void until(enum carrier_limit wanted, uint32_t figure)
{
    enum carrier_limit is = CARRIER_LIMIT_NONE;
    uint32_t is_figure = 0;

    for (int i = 0; i < LOOKS; i++) {
        is = limit(&is_figure);
        if (is == wanted && is_figure == figure)
            return;
        test_port_tick();
        usleep(2000);
    }
    fail_msg("the limit is %d (%u), not %d (%u)", is, is_figure, wanted, figure);
}

/* It is so now, and stays so for a while, however often it is judged. */
static void assert_stays(enum carrier_limit wanted, uint32_t figure)
{
    uint32_t is_figure;

    for (int i = 0; i < 10; i++) {
        assert_int_equal(limit(&is_figure), wanted);
        assert_int_equal(is_figure, figure);
        test_port_tick();
        usleep(1000);
    }
}

static void is_down_until_it_is_bound(void **state)
{
    assert_stays(CARRIER_LIMIT_LINK_DOWN, 0);
    test_port_start();
    assert_stays(CARRIER_LIMIT_LINK_DOWN, 0);
    test_session_bind(&test_session, &test_smsc);
    until(CARRIER_LIMIT_NONE, 0);
    test_session_close(&test_session);
    until(CARRIER_LIMIT_LINK_DOWN, 0);
}

static void is_drained(void **state)
{
    test_port_up();
    until(CARRIER_LIMIT_NONE, 0);
    test_port_drain(true);
    until(CARRIER_LIMIT_DRAINED, 0);
    test_port_drain(false);
    until(CARRIER_LIMIT_NONE, 0);
}

static void a_receiver_alone_is_no_link(void **state)
{
    struct test_session second;

    test_port.config.bind = CONFIG_BIND_SEPARATE;
    test_port_start();
    test_session_bind(&test_session, &test_smsc);
    test_session_bind(&second, &test_smsc);
    until(CARRIER_LIMIT_NONE, 0);
    bool first_sends = test_session.pdu.command == SMPP_BIND_TRANSMITTER;
    test_session_close(first_sends ? &test_session : &second);
    until(CARRIER_LIMIT_LINK_DOWN, 0);
    assert_int_equal(test_port_state().binds_up, 1);
    test_session_close(first_sends ? &second : &test_session);
}

/* Places are taken, messages wait in dispatch. */
static void the_window_is_full(void **state)
{
    test_port.config.window = 2;
    test_port.settle = false;
    test_port_up();
    test_port_submit("0");
    test_port_submit("1");
    test_expect_submit(&test_session, "0");
    test_session_answer_id(&test_session, "a");
    test_expect_submit(&test_session, "1");
    test_port_until_answered(0);
    assert_stays(CARRIER_LIMIT_NONE, 0); /* nobody waits for a place */
    test_port.waiting = 3;
    until(CARRIER_LIMIT_WINDOW, 2);
    test_port_settle(0); /* a place that is taken again in a moment */
    assert_stays(CARRIER_LIMIT_WINDOW, 2);
    test_port_submit("2");
    test_expect_submit(&test_session, "2");
    assert_stays(CARRIER_LIMIT_WINDOW, 2);
    test_port.waiting = 0;
    until(CARRIER_LIMIT_NONE, 0);
}

/* When what waits does not come although there are places, it is not the window any more. */
static void a_window_with_places_is_no_limit_for_long(void **state)
{
    test_port.config.window = 1;
    test_port.settle = false;
    test_port_up();
    test_port.waiting = 1;
    test_port_submit("0");
    test_expect_submit(&test_session, "0");
    test_session_answer_id(&test_session, "a");
    until(CARRIER_LIMIT_WINDOW, 1);
    test_port_until_answered(0);
    test_port_settle(0);
    int64_t begin_us = clock_monotonic_us();
    until(CARRIER_LIMIT_NONE, 0);
    assert_in_range(clock_monotonic_us() - begin_us, 900000, 3900000);
}

static void places_of_all_binds_count(void **state)
{
    struct test_session second;

    test_port.config.binds = 2;
    test_port.config.window = 1;
    test_port_start();
    test_session_bind(&test_session, &test_smsc);
    test_session_bind(&second, &test_smsc);
    test_port_until_room(2);
    test_port.waiting = 1;
    test_port_submit("x");
    test_port_submit("x");
    test_expect_submit(&test_session, "x");
    test_expect_submit(&second, "x");
    until(CARRIER_LIMIT_WINDOW, 2);
    test_session_close(&second);
}

static void take_all(int count)
{
    for (int i = 0; i < count; i++) {
        test_expect_submit(&test_session, "x");
        test_session_answer_id(&test_session, "1");
    }
}

static void the_rate_is_used_up(void **state)
{
    test_port.config.rate = 2;
    test_port_start();
    test_session_bind(&test_session, &test_smsc);
    test_port_until_room(2);
    test_port_submit("x");
    take_all(1);
    test_port_until_answered(0);
    assert_stays(CARRIER_LIMIT_NONE, 0); /* nothing waits for the next second */
    test_port.waiting = 100;
    test_port_submit("x");
    test_port_submit("x");
    until(CARRIER_LIMIT_RATE, 2);
    take_all(1);
    assert_stays(CARRIER_LIMIT_RATE, 2);
    take_all(1);
    assert_stays(CARRIER_LIMIT_RATE, 2);
}

/* The only place of the window is taken each time, and soon free again: it is the rate. */
static void a_small_window_does_not_hide_the_rate(void **state)
{
    uint32_t figure;

    test_port.config.rate = 5;
    test_port.config.window = 1;
    test_port_start();
    test_session_bind(&test_session, &test_smsc);
    test_port.waiting = 100;
    for (int i = 0; i < 6; i++) {
        test_port_until_room(1);
        test_port_submit("x");
        take_all(1);
        test_port_until_answered(i);
        if (i == 0)
            until(CARRIER_LIMIT_RATE, 5);
        assert_int_equal(limit(&figure), CARRIER_LIMIT_RATE);
    }
}

static void a_throttled_carrier_pauses_and_then_gets_less(void **state)
{
    uint32_t figure;

    test_port.config.rate = 100;
    test_port_up();
    test_port.waiting = 100;
    test_port_submit("x");
    test_expect_submit(&test_session, "x");
    test_session_answer(&test_session, ESME_RTHROTTLED);
    until(CARRIER_LIMIT_THROTTLED, 0);
    assert_stays(CARRIER_LIMIT_THROTTLED, 0);
    take_all(1); /* when the pause is over */
    for (int i = 0; i < LOOKS && (limit(&figure) != CARRIER_LIMIT_THROTTLED || figure == 0); i++) {
        while (test_port_room() > 0 && test_port.count < TEST_PARCELS)
            test_port_submit("x");
        usleep(1000);
    }
    assert_int_equal(limit(&figure), CARRIER_LIMIT_THROTTLED);
    assert_in_range(figure, 1, 99); /* fewer than the settings allow */
}

static void a_carrier_that_stops_is_down(void **state)
{
    test_port_up();
    until(CARRIER_LIMIT_NONE, 0);
    test_port_stop();
    test_session_expect(&test_session, SMPP_UNBIND);
    test_session_answer(&test_session, 0);
    test_port_until_stopped();
    assert_stays(CARRIER_LIMIT_LINK_DOWN, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(is_down_until_it_is_bound),
        PORT_TEST(is_drained),
        PORT_TEST(a_receiver_alone_is_no_link),
        PORT_TEST(the_window_is_full),
        PORT_TEST(a_window_with_places_is_no_limit_for_long),
        PORT_TEST(places_of_all_binds_count),
        PORT_TEST(the_rate_is_used_up),
        PORT_TEST(a_small_window_does_not_hide_the_rate),
        PORT_TEST(a_throttled_carrier_pauses_and_then_gets_less),
        PORT_TEST(a_carrier_that_stops_is_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
