/* What a carrier does with messages when all goes well: windows, parts, rates, binds. */
#include "carriers/test_port.h"

#include <errno.h>

enum { SHORT_MS = 60 };

/* ---- one message ---- */

static void is_sent_and_taken(void **state)
{
    test_port_up();
    int p = test_port_submit("Hello");
    test_expect_submit(&test_session, "Hello");
    assert_true(str_is(test_session.pdu.source.digits, "18005551234"));
    assert_true(str_is(test_session.pdu.destination.digits, "15551234567"));
    test_session_answer_id(&test_session, "A001");
    test_port_assert_outcome(p, CARRIER_TOOK);
    assert_int_equal(test_port.parcels[p].parts, 1);
    assert_string_equal(test_port.parcels[p].ids[0], "a001");
}

static void an_empty_id_is_taken_too(void **state)
{
    test_port_up();
    int p = test_port_submit("Hello");
    test_expect_submit(&test_session, "Hello");
    test_session_answer_id(&test_session, "");
    test_port_assert_outcome(p, CARRIER_TOOK);
    assert_string_equal(test_port.parcels[p].ids[0], "");
}

static void what_cannot_be_written_is_refused(void **state)
{
    struct message m;

    test_port_up();
    m = test_port_message("A picture");
    m.kind = KIND_MMS;
    int picture = test_port_submit_message(&m), text = test_port_submit("Hello");
    test_port_assert_outcome(picture, CARRIER_REFUSED);
    assert_int_equal(test_port.parcels[picture].failure, FAILURE_CARRIER_REJECTED);
    test_expect_submit(&test_session, "Hello"); /* and the next goes its way */
    test_session_answer_id(&test_session, "1");
    test_port_assert_outcome(text, CARRIER_TOOK);
    test_port_until_room(10);
}

static void takes_nothing_while_it_is_not_bound(void **state)
{
    test_port_start();
    assert_int_equal(test_port_submit("Hello"), -EAGAIN);
    assert_int_equal(test_port_room(), 0);
    assert_int_equal(test_port_health(), 0);
    test_session_bind(&test_session, &test_smsc);
    test_port_until_room(10);
    assert_int_equal(test_port_health(), CARRIER_HEALTH_FULL);
    assert_true(test_port.ready > 0); /* dispatch was told */
}

/* ---- the window ---- */

static void never_more_are_out_than_the_window_has_places(void **state)
{
    static const char *const texts[] = {"0", "1", "2", "3", "4"};

    test_port.config.window = 3;
    test_port.settle = false;
    test_port_up();
    for (int i = 0; i < 5; i++)
        assert_int_equal(test_port_submit(texts[i]), i);
    test_expect_submit(&test_session, "0");
    test_session_answer_id(&test_session, "a");
    test_expect_submit(&test_session, "1");
    test_expect_submit(&test_session, "2");
    test_port_until_answered(0);
    assert_int_equal(test_port_room(), 0);
    test_expect_nothing(&test_session, SHORT_MS); /* the answer is not on disk */
    test_port_settle(0);
    test_expect_submit(&test_session, "3");
    test_expect_nothing(&test_session, SHORT_MS);
    assert_int_equal(test_port.answers, 1);
}

static void room_is_what_the_window_leaves(void **state)
{
    test_port.settle = false;
    test_port_up();
    assert_int_equal(test_port_room(), 10);
    for (int i = 0; i < 4; i++)
        test_port_submit("Hello");
    assert_int_equal(test_port_room(), 6);
    test_expect_submit(&test_session, "Hello");
    test_session_answer_id(&test_session, "1");
    test_port_until_answered(0);
    assert_int_equal(test_port_room(), 6);
    int told = test_port.ready;
    test_port_settle(0);
    assert_int_equal(test_port_room(), 7);
    assert_true(test_port.ready > told);
}

/* ---- parts ---- */

/* 153 of each letter are a part. */
static const char *long_text(unsigned parts)
{
    static char text[CARRIER_PARTS_MAX * 153 + 1];

    memset(text, 0, sizeof text);
    for (unsigned i = 0; i < parts; i++)
        memset(text + (size_t)i * 153, 'a' + (int)i, 153);
    return text;
}

static void expect_part(unsigned part, unsigned parts)
{
    test_session_expect(&test_session, SMPP_SUBMIT_SM);
    const unsigned char *p = (const unsigned char *)test_session.pdu.short_message.p;
    assert_int_equal(test_session.pdu.esm_class & 0x40, 0x40);
    assert_int_equal(p[4], parts);
    assert_int_equal(p[5], part + 1);
    assert_int_equal(p[6], 'a' + part);
    assert_int_equal(test_session.pdu.registered_delivery, 1);
}

static void parts_go_in_order_and_are_one_answer(void **state)
{
    test_port_up();
    int p = test_port_submit(long_text(3));
    for (unsigned i = 0; i < 3; i++) {
        char id[2] = {(char)('1' + i)};
        expect_part(i, 3);
        assert_int_equal(test_port.answers, 0);
        test_session_answer_id(&test_session, id);
    }
    test_port_assert_outcome(p, CARRIER_TOOK);
    assert_int_equal(test_port.parcels[p].parts, 3);
    assert_string_equal(test_port.parcels[p].ids[0], "1");
    assert_string_equal(test_port.parcels[p].ids[2], "3");
}

static void every_part_takes_a_place_until_it_is_settled(void **state)
{
    test_port.settle = false;
    test_port_up();
    int p = test_port_submit(long_text(3));
    for (unsigned i = 0; i < 3; i++) {
        expect_part(i, 3);
        test_session_answer_id(&test_session, "1");
    }
    test_port_until_answered(p);
    assert_int_equal(test_port_room(), 7);
    test_port_settle(p);
    assert_int_equal(test_port_room(), 10);
}

static void more_parts_than_the_window_go_piece_by_piece(void **state)
{
    test_port.config.window = 2;
    test_port.settle = false;
    test_port_up();
    int p = test_port_submit(long_text(4)), next = test_port_submit("Hello");
    expect_part(0, 4);
    struct smpp_pdu first = test_session.pdu;
    expect_part(1, 4);
    test_expect_nothing(&test_session, SHORT_MS);
    test_session_answer_id(&test_session, "2");
    expect_part(2, 4);
    test_session.pdu.sequence = first.sequence; /* out of order */
    test_session_answer_id(&test_session, "1");
    expect_part(3, 4);
    test_session_answer_id(&test_session, "4");
    test_session.pdu.sequence--;
    test_session_answer_id(&test_session, "3");
    test_port_assert_outcome(p, CARRIER_TOOK);
    assert_string_equal(test_port.parcels[p].ids[1], "2");
    test_expect_nothing(&test_session, SHORT_MS);
    test_port_settle(p);
    test_expect_submit(&test_session, "Hello");
    test_session_answer_id(&test_session, "5");
    test_port_assert_outcome(next, CARRIER_TOOK);
}

static unsigned char reference_of_next(void)
{
    test_session_expect(&test_session, SMPP_SUBMIT_SM);
    unsigned char reference = (unsigned char)test_session.pdu.short_message.p[3];
    test_session_answer_id(&test_session, "1");
    return reference;
}

static void texts_to_one_handset_have_different_references(void **state)
{
    unsigned char references[3];

    test_port_up();
    for (int i = 0; i < 3; i++) {
        test_port_submit(long_text(2));
        references[i] = reference_of_next();
        assert_int_equal(reference_of_next(), references[i]);
    }
    assert_int_equal((unsigned char)(references[1] - references[0]), 1);
    assert_int_equal((unsigned char)(references[2] - references[1]), 1);
}

/* ---- the rate ---- */

static void keeps_its_rate(void **state)
{
    test_port.config.rate = 50;
    test_port_start();
    test_session_bind(&test_session, &test_smsc);
    test_port_until_room(10);
    int64_t begin_us = clock_monotonic_us();
    for (int i = 0; i < 30; i++) {
        while (test_port_room() == 0)
            ;
        test_port_submit("Hello");
        test_expect_submit(&test_session, "Hello");
        test_session_answer_id(&test_session, "1");
    }
    int64_t took_ms = (clock_monotonic_us() - begin_us) / 1000;
    assert_in_range(took_ms, 490, 8000); /* 5 at once, 25 of 50 a second */
}

static void takes_no_more_than_goes_in_a_second(void **state)
{
    test_port.config.rate = 1;
    test_port_start();
    test_session_bind(&test_session, &test_smsc);
    test_port_until_room(1);
    test_port_submit("1");
    test_expect_submit(&test_session, "1");
    assert_int_equal(test_port_room(), 1);
    test_port_submit("2");
    assert_int_equal(test_port_room(), 0);
    int told = test_port.ready;
    test_expect_submit(&test_session, "2");
    assert_int_equal(test_port_room(), 1);
    assert_true(test_port.ready > told);
}

/* ---- binds ---- */

static void several_binds_share_the_work(void **state)
{
    struct test_session second;

    test_port.config.binds = 2;
    test_port.config.window = 2;
    test_port_start();
    test_session_bind(&test_session, &test_smsc);
    test_session_bind(&second, &test_smsc);
    test_port_until_room(4);
    for (int i = 0; i < 4; i++)
        test_port_submit("Hello");
    for (int i = 0; i < 2; i++) {
        test_expect_submit(&test_session, "Hello");
        test_expect_submit(&second, "Hello");
    }
    assert_int_equal(test_port_state().binds_up, 2);
    assert_int_equal(test_port_state().in_flight, 4);
    test_session_close(&second);
}

static void parts_stay_on_one_bind(void **state)
{
    struct test_session second;

    test_port.config.binds = 2;
    test_port_start();
    test_session_bind(&test_session, &test_smsc);
    test_session_bind(&second, &test_smsc);
    test_port_until_room(20);
    int p = test_port_submit(long_text(3));
    struct test_session *which =
        test_session_next(&test_session, SHORT_MS) ? &test_session : &second;
    struct test_session *other = which == &second ? &test_session : &second;
    if (which == &second)
        test_session_expect(which, SMPP_SUBMIT_SM);
    test_session_answer_id(which, "1");
    for (int i = 0; i < 2; i++) {
        test_session_expect(which, SMPP_SUBMIT_SM);
        test_session_answer_id(which, "2");
    }
    test_port_assert_outcome(p, CARRIER_TOOK);
    test_expect_nothing(other, SHORT_MS);
    test_session_close(&second);
}

static void a_transmitter_sends_and_a_receiver_hears(void **state)
{
    struct test_session sessions[2], *out, *in;
    uint32_t commands[2];

    test_port.config.bind = CONFIG_BIND_SEPARATE;
    test_port_start();
    for (int i = 0; i < 2; i++) {
        test_session_accept(&sessions[i], &test_smsc);
        assert_true(test_session_next(&sessions[i], TEST_PEER_PATIENCE_MS));
        commands[i] = sessions[i].pdu.command;
        test_session_answer(&sessions[i], 0);
    }
    assert_int_equal(commands[0] + commands[1], SMPP_BIND_TRANSMITTER + SMPP_BIND_RECEIVER);
    out = &sessions[commands[0] == SMPP_BIND_TRANSMITTER ? 0 : 1];
    in = &sessions[commands[0] == SMPP_BIND_TRANSMITTER ? 1 : 0];
    test_port_until_room(10);
    int p = test_port_submit("Hello");
    test_expect_submit(out, "Hello");
    test_session_answer_id(out, "9");
    test_port_assert_outcome(p, CARRIER_TOOK);
    test_session_send(in, (struct smpp_pdu){.command = SMPP_DELIVER_SM,
                                            .sequence = 1,
                                            .esm_class = 4,
                                            .short_message = STR("id:9 stat:DELIVRD err:000")});
    test_port_until_deliveries(1);
    test_port_written(0, 0);
    test_session_expect(in, SMPP_DELIVER_SM | SMPP_RESPONSE);
    test_session_close(out);
    test_port_until_room(0); /* a receiver alone takes nothing */
    assert_int_equal(test_port_health(), 0);
    test_session_close(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(is_sent_and_taken),
        PORT_TEST(an_empty_id_is_taken_too),
        PORT_TEST(what_cannot_be_written_is_refused),
        PORT_TEST(takes_nothing_while_it_is_not_bound),
        PORT_TEST(never_more_are_out_than_the_window_has_places),
        PORT_TEST(room_is_what_the_window_leaves),
        PORT_TEST(parts_go_in_order_and_are_one_answer),
        PORT_TEST(every_part_takes_a_place_until_it_is_settled),
        PORT_TEST(more_parts_than_the_window_go_piece_by_piece),
        PORT_TEST(texts_to_one_handset_have_different_references),
        PORT_TEST(keeps_its_rate),
        PORT_TEST(takes_no_more_than_goes_in_a_second),
        PORT_TEST(several_binds_share_the_work),
        PORT_TEST(parts_stay_on_one_bind),
        PORT_TEST(a_transmitter_sends_and_a_receiver_hears),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
