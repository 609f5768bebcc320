/* An MMSC whose settings change: what is under way, and what is new. */
#include "carriers/test_wire.h"

/* What is under way keeps its connection and its time; what is new goes by the new settings, which
 * have a window of their own. */
static void other_settings_leave_alone_what_is_under_way(void **state)
{
    struct test_peer old, new;

    test_section.window = 1;
    test_mmsc_start();
    int a = test_mmsc_submit(), waiting = test_mmsc_submit();
    test_mmsc_take(&old);
    test_section.vas_id = "other";
    test_mmsc_start();
    test_port_assert_outcome(waiting, CARRIER_UNTRIED); /* the new ones may not suit it */
    int b = test_mmsc_submit();
    test_mmsc_take(&new);
    assert_non_null(memmem(new.in.p, new.in.n, "other", 5));
    assert_int_equal(test_port_room(), 0);
    assert_int_equal(test_port_state().in_flight, 2);
    test_mmsc_say(&new, 1000, "B");
    test_port_assert_outcome(b, CARRIER_TOOK);
    assert_int_equal(test_port.parcels[a].answers, 0);
    test_mmsc_say(&old, 1000, "A");
    test_port_assert_outcome(a, CARRIER_TOOK);
    assert_true(test_peer_ends(&old)); /* with the last of its messages */
    test_port_until_room(1);
    test_peer_close(&old);
    test_peer_close(&new);
}

/* The first change waits for nothing; what hangs from before the last one counts. */
static void many_changes_open_no_more_than_two_windows(void **state)
{
    static const char *const names[] = {"one", "two", "three"};
    struct test_peer peers[3];
    uint32_t figure;

    test_section.window = 1;
    test_section.response_timeout_ms = 60000;
    for (int i = 0; i < 2; i++) {
        test_section.vas_id = names[i];
        test_mmsc_start();
        test_port_until_room(1);
        test_mmsc_submit();
        test_mmsc_take(&peers[i]);
    }
    test_section.vas_id = names[2];
    test_mmsc_start();
    assert_int_equal(test_port_room(), 0);
    test_port.waiting = 1;
    test_port_tick();
    test_loop_settle();
    assert_int_equal(carrier_limit_get(&test_port.carrier->port, &figure), CARRIER_LIMIT_WINDOW);
    test_mmsc_say(&peers[0], 1000, "A"); /* which leaves that of the second */
    test_port_until_room(1);
    test_mmsc_submit();
    test_mmsc_take(&peers[2]);
    test_mmsc_say(&peers[1], 1000, "B");
    test_mmsc_say(&peers[2], 1000, "C");
    test_port_until_room(1);
    for (int i = 0; i < 3; i++)
        test_peer_close(&peers[i]);
}

/* Somebody mends a password: what the old one still brings is no news. */
static void what_comes_of_old_settings_does_not_bring_down_the_new(void **state)
{
    struct test_peer p;

    test_mmsc_start();
    int a = test_mmsc_submit();
    test_mmsc_take(&p);
    test_section.username = "better";
    test_mmsc_start();
    test_mmsc_answer(&p, 401, "");
    test_port_assert_outcome(a, CARRIER_UNTRIED);
    assert_int_equal(test_port_state().state, CARRIER_READY);
    test_port_until_room(4);
    test_peer_close(&p);
}

static void all_settings_end_together(void **state)
{
    struct test_peer old, new;

    test_section.response_timeout_ms = 60000;
    test_mmsc_start();
    int a = test_mmsc_submit();
    test_mmsc_take(&old);
    test_section.vas_id = "other";
    test_mmsc_start();
    int b = test_mmsc_submit();
    test_mmsc_take(&new);
    test_port_hurry();
    test_mmsc_say(&new, 1000, "B");
    test_port_assert_outcome(b, CARRIER_TOOK);
    test_port_until_stopped();
    test_port_assert_outcome(a, CARRIER_SILENT);
    test_peer_close(&old);
    test_peer_close(&new);
}

/* Taken out of the configuration, and put back. */
static void a_stop_can_be_called_off(void **state)
{
    struct test_peer p;

    test_mmsc_start();
    int a = test_mmsc_submit();
    test_mmsc_take(&p);
    test_port_stop();
    test_mmsc_start();
    int b = test_mmsc_submit();
    test_mmsc_accept("B");
    test_port_assert_outcome(b, CARRIER_TOOK);
    test_mmsc_say(&p, 1000, "A");
    test_port_assert_outcome(a, CARRIER_TOOK);
    assert_true(test_peer_ends(&p));
    assert_int_equal(test_port.stopped, 0);
    assert_int_equal(test_port_state().state, CARRIER_READY);
    test_peer_close(&p);
}

/* A place of the time before must not be given back to the time after. */
static void what_is_settled_late_was_of_another_term(void **state)
{
    test_port.settle = false;
    test_mmsc_start();
    int a = test_mmsc_submit();
    test_mmsc_accept("A");
    test_port_until_answered(a);
    test_port_stop();
    test_port_until_stopped();
    test_mmsc_start();
    test_port_until_room(4);
    test_port_settle(a);
    assert_int_equal(test_port_room(), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MMSC_TEST(other_settings_leave_alone_what_is_under_way),
        MMSC_TEST(many_changes_open_no_more_than_two_windows),
        MMSC_TEST(what_comes_of_old_settings_does_not_bring_down_the_new),
        MMSC_TEST(all_settings_end_together),
        MMSC_TEST(a_stop_can_be_called_off),
        MMSC_TEST(what_is_settled_late_was_of_another_term),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
