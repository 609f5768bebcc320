/* What a carrier's refusals and silences come to. */
#include "carriers/smpp_carrier_internal.h"
#include "carriers/test_port.h"

enum { SHORT_MS = 60, PAUSE_MS = 1000 };

/* Submitted, seen by the SMSC, and answered with this status. */
static int refuse(const char *text, uint32_t status)
{
    int p = test_port_submit(text);

    test_expect_submit(&test_session, text);
    test_session_answer(&test_session, status);
    return p;
}

/* ---- classes ---- */

static void refusals_by_their_class(void **state)
{
    static const struct {
        uint32_t status;
        enum carrier_outcome outcome;
        enum failure failure;
        const char *detail;
    } cases[] = {
        {0x08, CARRIER_LATER, FAILURE_UPSTREAM_ERROR, "The carrier answered 0x08 (ESME_RSYSERR)."},
        {0x14, CARRIER_LATER, FAILURE_UPSTREAM_ERROR, "The carrier answered 0x14 (ESME_RMSGQFUL)."},
        {0x0a, CARRIER_REFUSED, FAILURE_NO_SENDER, "The carrier answered 0x0a (ESME_RINVSRCADR)."},
        {0x0b, CARRIER_REFUSED, FAILURE_INVALID_DESTINATION,
         "The carrier answered 0x0b (ESME_RINVDSTADR)."},
        {0x101, CARRIER_REFUSED, FAILURE_CARRIER_BLOCKED,
         "The carrier answered 0x101 (ESME_RPROHIBITED)."},
        {0x45, CARRIER_ELSEWHERE, FAILURE_CARRIER_REJECTED,
         "The carrier answered 0x45 (ESME_RSUBMITFAIL)."},
        {0x412, CARRIER_ELSEWHERE, FAILURE_CARRIER_REJECTED, "The carrier answered 0x412."},
    };

    test_port_up();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int p = refuse("Hello", cases[i].status); /* the header alone, as all refusals */
        test_port_assert_outcome(p, cases[i].outcome);
        assert_string_equal(test_port.parcels[p].detail, cases[i].detail);
        if (i + 1 < sizeof cases / sizeof *cases)
            assert_int_equal(test_port.parcels[p].failure, cases[i].failure);
    }
    assert_int_equal(test_port_state().refused, 7);
}

static void a_carrier_may_mean_something_else(void **state)
{
    test_port.config.statuses = "0x45=temporary 0x400-0x4ff=permanent:spam 0x08=unknown";
    test_port_up();
    test_port_assert_outcome(refuse("Hello", 0x45), CARRIER_LATER);
    int spam = refuse("Hello", 0x412);
    test_port_assert_outcome(spam, CARRIER_REFUSED);
    assert_int_equal(test_port.parcels[spam].failure, FAILURE_SPAM_FILTERED);
    test_port_assert_outcome(refuse("Hello", 0x08), CARRIER_ELSEWHERE);
}

static void a_nack_is_an_answer(void **state)
{
    test_port_up();
    int p = test_port_submit("Hello");
    test_expect_submit(&test_session, "Hello");
    test_session_send(&test_session, (struct smpp_pdu){.command = SMPP_GENERIC_NACK,
                                                       .status = 0x0b,
                                                       .sequence = test_session.pdu.sequence});
    test_port_assert_outcome(p, CARRIER_REFUSED);
    p = test_port_submit("Hello");
    test_expect_submit(&test_session, "Hello");
    test_session_send(&test_session, (struct smpp_pdu){.command = SMPP_GENERIC_NACK,
                                                       .sequence = test_session.pdu.sequence});
    test_port_assert_outcome(p, CARRIER_ELSEWHERE); /* which says nothing, and takes nothing */
}

static void a_refused_part_ends_the_message(void **state)
{
    char text[3 * 153 + 1];

    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    test_port.config.window = 2;
    test_port_up();
    int p = test_port_submit(text), next = test_port_submit("Hello");
    test_session_expect(&test_session, SMPP_SUBMIT_SM);
    test_session_answer_id(&test_session, "1");
    test_session_expect(&test_session, SMPP_SUBMIT_SM);
    struct smpp_pdu second = test_session.pdu;
    test_session_expect(&test_session, SMPP_SUBMIT_SM);
    test_session.pdu.sequence = second.sequence;
    test_session_answer(&test_session, 0x45);
    test_loop_settle();
    assert_int_equal(test_port.answers, 0); /* the third is out */
    test_session.pdu.sequence = second.sequence + 1;
    test_session_answer_id(&test_session, "3");
    test_port_assert_outcome(p, CARRIER_ELSEWHERE);
    assert_string_equal(test_port.parcels[p].detail,
                        "The carrier answered 0x45 (ESME_RSUBMITFAIL) to part 2 of 3.");
    test_expect_submit(&test_session, "Hello");
    test_session_answer_id(&test_session, "4");
    test_port_assert_outcome(next, CARRIER_TOOK);
    test_port_until_room(2);
}

/* ---- throttling ---- */

static void a_throttled_bind_pauses_and_sends_again(void **state)
{
    test_port_up();
    int first = test_port_submit("1"), second = test_port_submit("2");
    test_expect_submit(&test_session, "1");
    int64_t begin_us = clock_monotonic_us();
    test_session_answer(&test_session, 0x58);
    test_expect_submit(&test_session, "2");
    test_session_answer(&test_session, 0x58);
    test_port_until_room(0);
    int third = test_port_submit("3");
    test_expect_nothing(&test_session, PAUSE_MS / 2);
    assert_int_equal(test_port.answers, 0);
    static const char *const texts[] = {"1", "2", "3"}; /* in their old order */
    for (int i = 0; i < 3; i++) {
        test_expect_submit(&test_session, texts[i]);
        test_session_answer_id(&test_session, texts[i]);
    }
    assert_true(clock_monotonic_us() - begin_us >= PAUSE_MS * INT64_C(1000));
    test_port_assert_outcome(first, CARRIER_TOOK);
    test_port_assert_outcome(second, CARRIER_TOOK);
    test_port_assert_outcome(third, CARRIER_TOOK);
    assert_int_equal(test_port_state().throttled, 2);
    assert_true(test_port_health() < CARRIER_HEALTH_FULL);
    assert_non_null(strstr(test_port_state().note, "throttled"));
}

static void what_is_throttled_again_goes_back(void **state)
{
    char text[2 * 153 + 1];

    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    test_port_up();
    int whole = test_port_submit("1"), begun = test_port_submit(text);
    test_expect_submit(&test_session, "1");
    test_session_answer(&test_session, 0x58);
    test_session_expect(&test_session, SMPP_SUBMIT_SM);
    test_session_answer_id(&test_session, "first part");
    test_session_expect(&test_session, SMPP_SUBMIT_SM);
    test_session_answer(&test_session, 0x58);
    test_port_until_room(0);
    test_port_tick();
    assert_int_equal(test_port.answers, 0); /* the first pause is short */
    test_expect_submit(&test_session, "1");
    test_session_answer(&test_session, 0x58);
    test_port_until_room(0);
    test_loop_settle();
    int waiting = test_port_submit("2");
    test_port_tick();
    test_port_assert_outcome(whole, CARRIER_UNTRIED);
    test_port_assert_outcome(waiting, CARRIER_UNTRIED);
    assert_int_equal(test_port.answers, 2); /* of the other one the carrier has a part */
    test_session_expect(&test_session, SMPP_SUBMIT_SM);
    test_session_answer_id(&test_session, "second part");
    test_port_assert_outcome(begun, CARRIER_TOOK);
}

static double allowed;

static void look_at_rate(void *unused)
{
    allowed = ((struct smpp_carrier *)test_port.carrier)->rate.allowed;
}

static bool is_told_more(void *told)
{
    return test_port.ready > *(int *)told;
}

static void throttling_halves_the_rate(void **state)
{
    test_port.config.rate = 1000;
    test_port_up();
    test_port_submit("1");
    test_expect_submit(&test_session, "1");
    test_session_answer(&test_session, 0x58);
    test_port_until_room(0);
    test_loop_do(look_at_rate, NULL);
    assert_true(allowed == 500);
    int told = test_port.ready;
    test_port_until_room(9); /* when the pause is over */
    test_loop_until(is_told_more, &told);
}

static void a_congested_carrier_gets_less(void **state)
{
    static const struct {
        uint8_t congestion;
        double allowed;
    } cases[] = {{89, 1000}, {90, 500}};
    struct buf tlvs;

    test_port.config.rate = 1000;
    test_port_up();
    for (size_t i = 0; i < 2; i++) {
        int p = test_port_submit("1");
        test_expect_submit(&test_session, "1");
        buf_init(&tlvs, 64);
        smpp_tlv_put_u8(&tlvs, SMPP_TAG_CONGESTION_STATE, cases[i].congestion);
        test_session_send(&test_session,
                          (struct smpp_pdu){.command = SMPP_SUBMIT_SM | SMPP_RESPONSE,
                                            .sequence = test_session.pdu.sequence,
                                            .message_id = STR("7"),
                                            .tlvs = buf_str(&tlvs)});
        test_port_assert_outcome(p, CARRIER_TOOK);
        test_loop_do(look_at_rate, NULL);
        assert_true(allowed == cases[i].allowed);
        buf_done(&tlvs);
    }
}

static void the_other_bind_goes_on(void **state)
{
    struct test_session second;

    test_port.config.binds = 2;
    test_port.config.window = 1;
    test_port_start();
    test_session_bind(&test_session, &test_smsc);
    test_session_bind(&second, &test_smsc);
    test_port_until_room(2);
    test_port_submit("1");
    test_port_submit("2");
    test_session_expect(&test_session, SMPP_SUBMIT_SM);
    test_session_expect(&second, SMPP_SUBMIT_SM);
    test_session_answer(&test_session, 0x58);
    test_session_answer_id(&second, "2");
    test_port_until_room(1);
    test_port_submit("3");
    test_expect_submit(&second, "3");
    test_session_close(&second);
}

/* ---- the session ---- */

static void out_of_session_is_bound_anew(void **state)
{
    test_port_up();
    int p = refuse("Hello", 0x04);
    test_port_assert_outcome(p, CARRIER_UNTRIED);
    test_session_ends(&test_session);
    test_session_close(&test_session);
    test_session_bind(&test_session, &test_smsc);
    test_port_until_room(10);
}

static void spoil_session(enum carrier_outcome outcome)
{
    test_port_assert_outcome(refuse("Hello", 0x04), outcome);
    test_session_ends(&test_session);
    test_session_close(&test_session);
    test_session_bind(&test_session, &test_smsc);
    test_port_until_room(10);
}

static int take(const char *text)
{
    int p = test_port_submit(text);

    test_expect_submit(&test_session, text);
    test_session_answer_id(&test_session, "1");
    test_port_assert_outcome(p, CARRIER_TOOK);
    return p;
}

static void a_message_that_spoils_every_session_must_wait(void **state)
{
    test_port_up();
    for (int i = 0; i < 3; i++)
        spoil_session(CARRIER_UNTRIED);
    take("Hello"); /* so it is not always so */
    for (int i = 0; i < 3; i++)
        spoil_session(CARRIER_UNTRIED);
    spoil_session(CARRIER_LATER);
}

static void nobody_knows_what_became_of_a_window_that_is_cut(void **state)
{
    test_port.config.window = 3;
    test_port_up();
    for (int i = 0; i < 5; i++)
        test_port_submit("Hello");
    for (int i = 0; i < 3; i++)
        test_session_expect(&test_session, SMPP_SUBMIT_SM);
    test_session_close(&test_session);
    for (int i = 0; i < 3; i++)
        test_port_assert_outcome(i, CARRIER_SILENT);
    for (int i = 3; i < 5; i++)
        test_port_assert_outcome(i, CARRIER_UNTRIED);
    assert_true(test_port.parcels[4].order < test_port.parcels[3].order); /* to the front */
    assert_int_equal(test_port_health(), 0);
    assert_int_equal(test_port_state().state, CARRIER_DOWN);
    assert_non_null(strstr(test_port_state().note, "acme/1: "));
    test_session_bind(&test_session, &test_smsc);
    test_port_until_room(3);
}

static void what_was_throttled_was_not_sent(void **state)
{
    test_port_up();
    int throttled = refuse("Hello", 0x58);
    test_port_until_room(0);
    test_session_close(&test_session);
    test_port_assert_outcome(throttled, CARRIER_UNTRIED);
    test_session_bind(&test_session, &test_smsc);
}

static void parts_that_were_taken_are_not_forgotten(void **state)
{
    char text[2 * 153 + 1];

    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    test_port.config.window = 1;
    test_port_up();
    int p = test_port_submit(text);
    test_session_expect(&test_session, SMPP_SUBMIT_SM);
    test_session_answer_id(&test_session, "1");
    test_session_expect(&test_session, SMPP_SUBMIT_SM);
    test_session_answer(&test_session, 0x58);
    test_port_until_room(0);
    test_loop_settle();
    test_session_close(&test_session);
    test_port_assert_outcome(p, CARRIER_SILENT);
    test_session_bind(&test_session, &test_smsc);
}

/* ---- health ---- */

static void health_follows_the_answers(void **state)
{
    test_port_up();
    for (int i = 0; i < 20; i++) {
        test_port_assert_outcome(refuse("Hello", 0x08), CARRIER_LATER);
        assert_true(test_port_health() < CARRIER_HEALTH_FULL);
    }
    int ill = test_port_health();
    assert_in_range(ill, 50, 600);
    for (int i = 0; i < 20; i++)
        take("Hello");
    int better = test_port_health();
    assert_true(better > ill);
    for (int i = 0; i < 5; i++) /* what is the message's fault is not the carrier's */
        test_port_assert_outcome(refuse("Hello", 0x0b), CARRIER_REFUSED);
    assert_true(test_port_health() > better);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(refusals_by_their_class),
        PORT_TEST(a_carrier_may_mean_something_else),
        PORT_TEST(a_nack_is_an_answer),
        PORT_TEST(a_refused_part_ends_the_message),
        PORT_TEST(a_throttled_bind_pauses_and_sends_again),
        PORT_TEST(what_is_throttled_again_goes_back),
        PORT_TEST(throttling_halves_the_rate),
        PORT_TEST(a_congested_carrier_gets_less),
        PORT_TEST(the_other_bind_goes_on),
        PORT_TEST(out_of_session_is_bound_anew),
        PORT_TEST(a_message_that_spoils_every_session_must_wait),
        PORT_TEST(nobody_knows_what_became_of_a_window_that_is_cut),
        PORT_TEST(what_was_throttled_was_not_sent),
        PORT_TEST(parts_that_were_taken_are_not_forgotten),
        PORT_TEST(health_follows_the_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
