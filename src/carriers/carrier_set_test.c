/* All carriers as the configuration wants them, from the first start to the last unbind. */
#include "carriers/test_set.h"

#include <errno.h>
#include <unistd.h>

enum { SHORT_MS = 60, STOP_MS = 8000 };

static struct test_session first, second;

/* Connects and binds; which carrier it is, its system_id tells. */
static void bind_next(struct test_session *x, const char *name)
{
    test_session_accept(x, &test_smsc);
    test_session_expect(x, SMPP_BIND_TRANSCEIVER);
    assert_true(str_is(x->pdu.system_id, name));
    test_session_answer(x, 0);
}

static void one_up(void)
{
    test_set_up_to(1);
    bind_next(&first, "one");
    test_set_until_well(carrier_set_find(test_set, "one"));
}

static void expect_unbind(struct test_session *x)
{
    test_session_expect(x, SMPP_UNBIND);
    test_session_answer(x, 0);
    test_session_ends(x);
    test_session_close(x);
}

static void send_through(struct test_session *x, size_t section)
{
    int64_t id = test_set_send(test_set_number(section), "Hello");

    test_set_take(x, "Hello", "A001");
    test_set_until(id, STATUS_SENT);
}

/* ---- a message's whole way ---- */

static void from_queued_to_delivered(void **state)
{
    one_up();
    int64_t id = test_set_send(test_set_number(0), "Hello");
    test_set_take(&first, "Hello", "A001");
    test_set_until(id, STATUS_SENT);
    test_session_send(&first, (struct smpp_pdu){.command = SMPP_DELIVER_SM,
                                                .sequence = 1,
                                                .esm_class = 4,
                                                .source = {1, 1, STR("15551234567")},
                                                .destination = {1, 1, STR("18005551234")},
                                                .short_message = STR("id:A001 stat:DELIVRD")});
    test_set_until(id, STATUS_DELIVERED);
    test_session_expect(&first, SMPP_DELIVER_SM | SMPP_RESPONSE);
    assert_int_equal(first.pdu.status, 0);
    test_session_close(&first);
}

static void what_a_lost_window_held_goes_again(void **state)
{
    one_up();
    int64_t id = test_set_send(test_set_number(0), "Hello");
    test_session_expect(&first, SMPP_SUBMIT_SM);
    test_session_close(&first);
    bind_next(&first, "one");
    test_set_take(&first, "Hello", "A002");
    test_set_until(id, STATUS_SENT);
    test_set_until_state("one", CARRIER_BOUND);
    int64_t end_us = clock_monotonic_us() + TEST_PATIENCE_US;
    while (test_set_record("one").maybe_twice != 1)
        assert_true(clock_monotonic_us() < end_us);
    test_session_close(&first);
}

static void a_window_of_messages_and_no_more(void **state)
{
    enum { MESSAGES = 50, WINDOW = 4 };
    int64_t ids[MESSAGES];

    test_sections[0].window = WINDOW;
    one_up();
    for (int i = 0; i < MESSAGES; i++)
        ids[i] = test_set_send(test_set_number(0), "Hello");
    for (int i = 0; i < WINDOW; i++) {
        test_session_expect(&first, SMPP_SUBMIT_SM);
    }
    assert_false(test_session_next(&first, SHORT_MS));
    first.pdu.sequence -= WINDOW - 1;
    for (int i = 0; i < WINDOW; i++, first.pdu.sequence++) {
        char id[8];
        str_format(id, sizeof id, "%d", i);
        test_session_answer_id(&first, id);
    }
    for (int i = WINDOW; i < MESSAGES; i++) {
        char id[8];
        str_format(id, sizeof id, "%d", i);
        test_set_take(&first, "Hello", id);
    }
    for (int i = 0; i < MESSAGES; i++)
        test_set_until(ids[i], STATUS_SENT);
    test_session_close(&first);
}

/* ---- reading the configuration again ---- */

static void what_did_not_change_stays_bound(void **state)
{
    one_up();
    struct carrier *port = carrier_set_find(test_set, "one");
    test_set_up_to(2);
    bind_next(&second, "two");
    test_set_up_to(2);
    assert_true(test_smsc_is_alone(&test_smsc, SHORT_MS));
    assert_ptr_equal(carrier_set_find(test_set, "one"), port);
    assert_int_not_equal(test_set_number(0), test_set_number(1));
    send_through(&first, 0);
    send_through(&second, 1);
    test_session_close(&first);
    test_session_close(&second);
}

static void what_changed_is_bound_anew(void **state)
{
    one_up();
    struct carrier *port = carrier_set_find(test_set, "one");
    unsigned number = port->number;
    test_sections[0].window = 3;
    test_set_up_to(1);
    int64_t id = test_set_send(number, "Hello"); /* it has its lane all the time */
    expect_unbind(&first);
    bind_next(&first, "one");
    test_set_take(&first, "Hello", "1");
    test_set_until(id, STATUS_SENT);
    assert_ptr_equal(carrier_set_find(test_set, "one"), port);
    assert_int_equal(port->number, number);
    test_session_close(&first);
}

static void what_is_gone_unbinds_and_its_messages_fail(void **state)
{
    test_sections[0].window = 1;
    one_up();
    struct carrier *port = carrier_set_find(test_set, "one");
    unsigned number = port->number;
    int64_t sent = test_set_send(number, "1"), waits = test_set_send(number, "2");
    test_session_expect(&first, SMPP_SUBMIT_SM);
    test_set_up_to(0);
    assert_null(carrier_set_find(test_set, "one"));
    test_session_answer_id(&first, "1");
    expect_unbind(&first);
    test_set_until(sent, STATUS_SENT);
    test_set_until_state("one", CARRIER_UNUSED);
    int64_t end_us = clock_monotonic_us() + TEST_PATIENCE_US;
    while (test_look_mode(waits, MODE_LIVE).status != STATUS_FAILED) { /* there is no other route */
        atomic_fetch_add(&test_now_us, 100000); /* orphans wait a moment for one */
        usleep(10000);
        assert_true(clock_monotonic_us() < end_us);
    }
    assert_int_equal(test_look_mode(waits, MODE_LIVE).failure, FAILURE_NO_ROUTE);
    assert_int_equal(atomic_load(&port->health), 0); /* and whoever still knows it may look */
}

static void what_comes_back_has_its_old_number(void **state)
{
    one_up();
    unsigned number = test_set_number(0);
    test_set_up_to(0);
    test_set_up_to(1); /* while it unbinds */
    expect_unbind(&first);
    bind_next(&first, "one");
    assert_int_equal(test_set_number(0), number);
    send_through(&first, 0);
    test_set_up_to(0);
    expect_unbind(&first);
    test_set_until_state("one", CARRIER_UNUSED);
    test_set_up_to(1); /* and when it has */
    bind_next(&first, "one");
    assert_int_equal(test_set_number(0), number);
    send_through(&first, 0);
    test_session_close(&first);
}

static void changes_of_mind_while_it_unbinds(void **state)
{
    one_up();
    for (int i = 0; i < 4; i++) {
        test_sections[0].window = 2 + i;
        test_set_up_to(1);
    }
    expect_unbind(&first);
    bind_next(&first, "one"); /* once */
    assert_true(test_smsc_is_alone(&test_smsc, SHORT_MS));
    send_through(&first, 0);
    test_session_close(&first);
}

static void a_fault_changes_nothing(void **state)
{
    one_up();
    test_sections[0].window = 3;
    test_sections[1].statuses = "0x45=whatever";
    assert_int_equal(test_set_update(2), -EINVAL);
    assert_non_null(strstr(test_why, "[carrier two] statuses"));
    assert_null(carrier_set_find(test_set, "two"));
    send_through(&first, 0);
    test_session_close(&first);
}

/* ---- draining ---- */

static void drained_and_enabled_while_it_runs(void **state)
{
    one_up();
    struct carrier *port = carrier_set_find(test_set, "one");
    carrier_set_drain(test_set, port->number, true);
    assert_int_equal(atomic_load(&port->health), 0);
    int64_t id = test_set_send(port->number, "Hello");
    assert_false(test_session_next(&first, SHORT_MS));
    test_set_until_state("one", CARRIER_DRAINED);
    carrier_set_drain(test_set, port->number, false);
    test_set_take(&first, "Hello", "1");
    test_set_until(id, STATUS_SENT);
    carrier_set_drain(test_set, 4711, true); /* whoever that is */
    test_session_close(&first);
}

static struct write_job drain_job;
static unsigned drain_number;

static int apply_drain(struct write_job *job, struct store *s)
{
    return store_carrier_drain(s, drain_number, true);
}

static void drain_done(struct write_job *job, int result)
{
    assert_int_equal(result, 0);
}

static void drain_in_store(unsigned number)
{
    drain_number = number;
    drain_job = (struct write_job){.apply = apply_drain, .done = drain_done};
    assert_int_equal(writer_post(test_writer, &drain_job), 0);
    test_wait_for_writer();
}

static void what_the_store_says_holds_at_each_update(void **state)
{
    one_up();
    drain_in_store(test_set_number(0));
    test_set_up_to(1);
    assert_int_equal(atomic_load(&carrier_set_find(test_set, "one")->health), 0);
    test_session_close(&first);
}

static void what_the_store_says_holds_at_the_start(void **state)
{
    one_up();
    test_session_close(&first);
    drain_in_store(test_set_number(0));
    test_set_restart();
    test_set_up_to(1);
    bind_next(&first, "one");
    test_set_until_state("one", CARRIER_DRAINED);
    assert_int_equal(atomic_load(&carrier_set_find(test_set, "one")->health), 0);
    test_session_close(&first);
}

/* ---- what the store is told ---- */

static void states_are_noted(void **state)
{
    one_up();
    test_set_until_state("one", CARRIER_BOUND);
    struct carrier_record r = test_set_record("one");
    assert_int_equal(r.binds, 1);
    assert_int_equal(r.binds_up, 1);
    assert_int_equal(r.told_us, atomic_load(&test_now_us));
    test_session_close(&first);
    test_session_accept(&first, &test_smsc);
    test_set_until_state("one", CARRIER_DOWN);
    assert_true(test_set_record("one").note[0] != '\0');
    test_session_close(&first);
}

static void a_note_never_gets_old(void **state)
{
    one_up();
    test_set_until_state("one", CARRIER_BOUND);
    int64_t now_us = atomic_fetch_add(&test_now_us, INT64_C(31000000)) + INT64_C(31000000);
    int64_t end_us = clock_monotonic_us() + TEST_PATIENCE_US;
    while (test_set_record("one").told_us != now_us)
        assert_true(clock_monotonic_us() < end_us);
    test_session_close(&first);
}

static void counts_go_on_after_a_restart(void **state)
{
    for (int run = 1; run <= 2; run++) {
        one_up();
        send_through(&first, 0);
        int64_t end_us = clock_monotonic_us() + TEST_PATIENCE_US;
        while (test_set_record("one").taken != run)
            assert_true(clock_monotonic_us() < end_us);
        assert_int_equal(test_set_record("one").submitted, run);
        test_session_close(&first);
        if (run == 1)
            test_set_restart();
    }
}

/* ---- the end ---- */

static struct test_session *unbinding;

static void *unbind_all(void *sessions)
{
    for (int i = 0; i < 2; i++) {
        test_session_expect(&unbinding[i], SMPP_UNBIND);
        test_session_answer(&unbinding[i], 0);
    }
    return NULL;
}

static void all_unbind_in_the_end(void **state)
{
    struct test_session sessions[2];
    pthread_t smsc;

    test_set_up_to(1);
    bind_next(&sessions[0], "one");
    test_set_up_to(2);
    bind_next(&sessions[1], "two");
    test_set_until_state("two", CARRIER_BOUND);
    unbinding = sessions;
    assert_int_equal(pthread_create(&smsc, NULL, unbind_all, NULL), 0);
    assert_true(carrier_set_stop(test_set, STOP_MS));
    pthread_join(smsc, NULL);
    assert_int_equal(test_set_record("one").state, CARRIER_UNUSED);
    assert_int_equal(test_set_record("two").state, CARRIER_UNUSED);
    assert_true(test_smsc_is_alone(&test_smsc, SHORT_MS));
    test_session_close(&sessions[0]);
    test_session_close(&sessions[1]);
}

static void the_end_does_not_lose_what_waits(void **state)
{
    test_sections[0].window = 1;
    one_up();
    int64_t out = test_set_send(test_set_number(0), "1");
    int64_t waits = test_set_send(test_set_number(0), "2");
    test_session_expect(&first, SMPP_SUBMIT_SM);
    assert_true(carrier_set_stop(test_set, STOP_MS)); /* the SMSC says nothing more */
    test_session_close(&first);
    test_set_restart();
    assert_int_equal(test_look_mode(out, MODE_LIVE).status, STATUS_QUEUED);
    assert_int_equal(test_look_mode(waits, MODE_LIVE).status, STATUS_QUEUED);
    assert_false(test_look_mode(waits, MODE_LIVE).handed);
    test_set_up_to(1);
    bind_next(&first, "one");
    test_session_expect(&first, SMPP_SUBMIT_SM);
    test_session_answer_id(&first, "1");
    test_session_expect(&first, SMPP_SUBMIT_SM);
    test_session_answer_id(&first, "2");
    test_set_until(out, STATUS_SENT);
    test_set_until(waits, STATUS_SENT);
    test_session_close(&first);
}

static void the_end_of_nothing(void **state)
{
    assert_true(carrier_set_stop(test_set, STOP_MS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SET_TEST(from_queued_to_delivered),
        SET_TEST(what_a_lost_window_held_goes_again),
        SET_TEST(a_window_of_messages_and_no_more),
        SET_TEST(what_did_not_change_stays_bound),
        SET_TEST(what_changed_is_bound_anew),
        SET_TEST(what_is_gone_unbinds_and_its_messages_fail),
        SET_TEST(what_comes_back_has_its_old_number),
        SET_TEST(changes_of_mind_while_it_unbinds),
        SET_TEST(a_fault_changes_nothing),
        SET_TEST(drained_and_enabled_while_it_runs),
        SET_TEST(what_the_store_says_holds_at_each_update),
        SET_TEST(what_the_store_says_holds_at_the_start),
        SET_TEST(states_are_noted),
        SET_TEST(a_note_never_gets_old),
        SET_TEST(counts_go_on_after_a_restart),
        SET_TEST(all_unbind_in_the_end),
        SET_TEST(the_end_does_not_lose_what_waits),
        SET_TEST(the_end_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
