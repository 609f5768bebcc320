/* How links end: stopped, given up from inside callbacks, freed. */
#include "base/clock.h"
#include "carriers/test_link.h"

#include <errno.h>

static void test_stop_unbinds(void **state)
{
    test_link_up();
    assert_int_equal(test_link_send(1), 0);
    assert_int_equal(test_link_send(2), 0);
    test_session_expect(&test_session, SMPP_SUBMIT_SM);
    test_link_stop();
    assert_int_equal(test_link_room(), 0);
    assert_int_equal(test_link_send(3), -EAGAIN);
    test_session_answer_id(&test_session, "late"); /* is taken all the same */
    test_session_expect(&test_session, SMPP_SUBMIT_SM);
    test_session_expect(&test_session, SMPP_UNBIND);
    test_session_answer(&test_session, 0);
    test_session_ends(&test_session);
    test_link_until_stopped();
    assert_int_equal(test_link.answers, 2);
    assert_string_equal(test_link.answered[0].message_id, "late");
    assert_true(test_link.answered[1].is_nothing);
    assert_int_equal(test_link.lost, 0);
    assert_true(test_smsc_is_alone(&test_smsc, 40)); /* and stays away */
}

static void test_stop_without_an_answer(void **state)
{
    test_link_up();
    int64_t start_us = clock_monotonic_us();
    test_link_stop();
    test_session_expect(&test_session, SMPP_UNBIND);
    test_link_until_stopped();
    int64_t took_us = clock_monotonic_us() - start_us;
    assert_in_range(took_us, 900000, 5000000);
}

static void test_stop_and_the_peer_goes(void **state)
{
    test_link_up();
    test_link_stop();
    test_session_expect(&test_session, SMPP_UNBIND);
    test_session_close(&test_session);
    test_link_until_stopped();
    assert_int_equal(test_link.lost, 0);
}

static void test_stop_while_it_waits(void **state)
{
    test_link_start();
    test_session_accept(&test_session, &test_smsc);
    test_session_expect(&test_session, SMPP_BIND_TRANSCEIVER);
    test_session_answer(&test_session, 0x0d);
    test_link_until_lost(1);
    test_link_stop();
    test_link_until_stopped();
}

static void test_stop_while_it_binds(void **state)
{
    test_link_start();
    test_session_accept(&test_session, &test_smsc);
    test_session_expect(&test_session, SMPP_BIND_TRANSCEIVER);
    test_link_stop();
    test_session_ends(&test_session);
    test_link_until_stopped();
    assert_int_equal(test_link.lost, 0);
}

static void start_again(struct test_link *t)
{
    smpp_link_start(t->link);
}

static void test_start_after_stop(void **state)
{
    test_link_up();
    test_link_when(&test_link.on_stopped, start_again);
    test_link_stop();
    test_session_expect(&test_session, SMPP_UNBIND);
    test_session_answer(&test_session, 0);
    test_link_until_stopped();
    test_session_close(&test_session);
    test_session_bind(&test_session, &test_smsc);
    test_link_until_bound(2);
}

static void free_it(struct test_link *t)
{
    smpp_link_free(t->link);
    t->link = NULL;
}

static void test_free_when_stopped(void **state)
{
    test_link_up();
    test_link_when(&test_link.on_stopped, free_it);
    test_link_stop();
    test_session_expect(&test_session, SMPP_UNBIND);
    test_session_answer(&test_session, 0);
    test_link_until_stopped();
    test_loop_settle();
    assert_null(test_link.link);
}

/* ---- from inside callbacks ---- */

static void test_rebind_when_bound(void **state)
{
    test_link_when(&test_link.on_bound, test_link_rebind_now);
    test_link_up();
    test_link_until_lost(1);
    test_session_ends(&test_session);
    test_session_close(&test_session);
    test_session_bind(&test_session, &test_smsc);
    test_link_until_bound(2);
}

/* Two answers come in one piece; the first ends the connection. */
static void check_end_when_answered(test_link_hook *how)
{
    struct buf both BUF_CLEANUP = {.max = 1024};

    test_link_up();
    test_link_when(&test_link.on_answered, how);
    assert_int_equal(test_link_send(1), 0);
    assert_int_equal(test_link_send(2), 0);
    for (int i = 0; i < 2; i++) {
        test_session_expect(&test_session, SMPP_SUBMIT_SM);
        const struct smpp_pdu answer = {.command = SMPP_SUBMIT_SM | SMPP_RESPONSE,
                                        .sequence = test_session.pdu.sequence};
        assert_int_equal(smpp_encode(&answer, &both), 0);
    }
    test_peer_send(&test_session.peer, buf_str(&both));
    test_link_until_answers(2);
    assert_false(test_link.answered[0].is_nothing);
}

static void test_rebind_when_answered(void **state)
{
    check_end_when_answered(test_link_rebind_now);
    assert_true(test_link.answered[1].is_nothing);
    test_link_until_lost(1);
}

/* The unbinding link still takes the second answer. */
static void test_stop_when_answered(void **state)
{
    check_end_when_answered(test_link_stop_now);
    assert_false(test_link.answered[1].is_nothing);
    test_session_expect(&test_session, SMPP_UNBIND);
    test_session_answer(&test_session, 0);
    test_link_until_stopped();
}

static void test_stop_when_told_of_nothing(void **state)
{
    test_link_up();
    test_link_when(&test_link.on_answered, test_link_stop_now);
    assert_int_equal(test_link_send(1), 0);
    assert_int_equal(test_link_send(2), 0);
    test_session_close(&test_session);
    test_link_until_stopped();
    assert_int_equal(test_link.answers, 2);
    assert_true(test_smsc_is_alone(&test_smsc, 40));
}

static void test_stop_when_lost(void **state)
{
    test_link_up();
    test_link_when(&test_link.on_lost, test_link_stop_now);
    test_session_close(&test_session);
    test_link_until_stopped();
    assert_true(test_smsc_is_alone(&test_smsc, 40));
}

static void test_rebind_when_lost(void **state)
{
    test_link_up();
    test_link_when(&test_link.on_lost, test_link_rebind_now); /* it is about to, anyway */
    test_session_close(&test_session);
    test_session_bind(&test_session, &test_smsc);
    test_link_until_bound(2);
    assert_int_equal(test_link.lost, 1);
}

/* ---- freed in every state, with nothing told ---- */

static void test_free_in_any_state(void **state)
{
    for (int stage = 0; stage < 5; stage++) {
        assert_int_equal(test_link_set_up(state), 0);
        if (stage > 0)
            test_link_start();
        if (stage > 1) {
            test_session_accept(&test_session, &test_smsc);
            test_session_expect(&test_session, SMPP_BIND_TRANSCEIVER);
        }
        if (stage > 2) {
            test_session_answer(&test_session, 0);
            test_link_until_bound(1);
            assert_int_equal(test_link_send(1), 0);
        }
        if (stage > 3)
            test_link_stop();
        test_link_free();
        test_loop_settle();
        assert_int_equal(test_link.lost + test_link.answers + test_link.stopped, 0);
        assert_int_equal(test_link_tear_down(state), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LINK_TEST(test_stop_unbinds),
        LINK_TEST(test_stop_without_an_answer),
        LINK_TEST(test_stop_and_the_peer_goes),
        LINK_TEST(test_stop_while_it_waits),
        LINK_TEST(test_stop_while_it_binds),
        LINK_TEST(test_start_after_stop),
        LINK_TEST(test_free_when_stopped),
        LINK_TEST(test_rebind_when_bound),
        LINK_TEST(test_rebind_when_answered),
        LINK_TEST(test_stop_when_answered),
        LINK_TEST(test_stop_when_told_of_nothing),
        LINK_TEST(test_stop_when_lost),
        LINK_TEST(test_rebind_when_lost),
        cmocka_unit_test(test_free_in_any_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
