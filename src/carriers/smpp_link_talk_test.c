/* What a link says and hears, PDU by PDU. */
#include "carriers/test_link.h"

#include "base/clock.h"

#include <errno.h>
#include <stdio.h>

/* The connection is as it was: nothing was lost, and the next PDU is answered. */
static void assert_goes_on(void)
{
    test_session_send(&test_session,
                      (struct smpp_pdu){.command = SMPP_ENQUIRE_LINK, .sequence = 4711});
    test_session_expect(&test_session, SMPP_ENQUIRE_LINK | SMPP_RESPONSE);
    assert_int_equal(test_session.pdu.sequence, 4711);
    test_loop_settle();
    assert_int_equal(test_link.lost, 0);
}

/* ---- requests of ours ---- */

static void test_answers_in_any_order(void **state)
{
    uint32_t sequences[10];

    test_link_up();
    for (int i = 0; i < 10; i++)
        assert_int_equal(test_link_send(i), 0);
    assert_int_equal(test_link_room(), 0);
    assert_int_equal(test_link_send(10), -EAGAIN);
    for (int i = 0; i < 10; i++) {
        test_session_expect(&test_session, SMPP_SUBMIT_SM);
        sequences[i] = test_session.pdu.sequence;
        assert_int_equal(sequences[i], i + 2); /* the bind was 1 */
    }
    for (int i = 9; i >= 0; i--) {
        char id[8];
        snprintf(id, sizeof id, "id%d", i);
        test_session_send(&test_session,
                          (struct smpp_pdu){.command = SMPP_SUBMIT_SM | SMPP_RESPONSE,
                                            .sequence = sequences[i],
                                            .message_id = str_of(id)});
    }
    test_link_until_answers(10);
    for (int i = 0; i < 10; i++) {
        char id[16];
        snprintf(id, sizeof id, "id%d", 9 - i);
        assert_int_equal(test_link.answered[i].request, 9 - i);
        assert_string_equal(test_link.answered[i].message_id, id);
        assert_int_equal(test_link.answered[i].status, 0);
        assert_true(test_link.answered[i].has_body);
    }
    assert_int_equal(test_link_room(), 10);
}

static void send_more(struct test_link *t)
{
    test_link_send_now(t, 100, 0);
}

static void fill(struct test_link *t)
{
    for (int i = 0; i < 10; i++)
        test_link_send_now(t, i, 0);
    test_link_send_now(t, 10, -EAGAIN);
}

static void test_send_from_callbacks(void **state)
{
    test_link_when(&test_link.on_bound, fill);
    test_link_when(&test_link.on_answered, send_more);
    test_link_up();
    for (int i = 0; i < 10; i++)
        test_session_expect(&test_session, SMPP_SUBMIT_SM);
    test_session_answer(&test_session, 0);
    test_session_expect(&test_session, SMPP_SUBMIT_SM); /* in place of the answered one */
    test_session_answer_id(&test_session, "more");
    test_link_until_answers(2);
    assert_int_equal(test_link.answered[1].request, 100);
}

static void test_refusals_without_body(void **state)
{
    static const uint32_t statuses[] = {0x58, 0x14, 0x0b, 0x400};

    test_link_up();
    for (int i = 0; i < 4; i++) {
        assert_int_equal(test_link_send(i), 0);
        test_session_expect(&test_session, SMPP_SUBMIT_SM);
        test_session_answer(&test_session, statuses[i]);
        test_link_until_answers(i + 1);
        assert_int_equal(test_link.answered[i].status, statuses[i]);
        assert_false(test_link.answered[i].has_body);
    }
    assert_goes_on();
}

/* The message was taken, though nobody can tell under which id. */
static void test_answer_with_a_broken_body(void **state)
{
    test_link_up();
    assert_int_equal(test_link_send(1), 0);
    test_session_expect(&test_session, SMPP_SUBMIT_SM);
    assert_int_equal(test_session.pdu.sequence, 2);
    test_peer_send(&test_session.peer, STR("\0\0\0\x14\x80\0\0\x04\0\0\0\0\0\0\0\x02"
                                           "abcd")); /* no NUL */
    test_link_until_answers(1);
    assert_int_equal(test_link.answered[0].status, 0);
    assert_false(test_link.answered[0].has_body);
    assert_string_equal(test_link.answered[0].message_id, "");
    assert_goes_on();
}

static void test_nack_answers_its_request(void **state)
{
    test_link_up();
    assert_int_equal(test_link_send(1), 0);
    test_session_expect(&test_session, SMPP_SUBMIT_SM);
    test_session_send(&test_session, (struct smpp_pdu){.command = SMPP_GENERIC_NACK,
                                                       .status = 0x03,
                                                       .sequence = test_session.pdu.sequence});
    test_link_until_answers(1);
    assert_int_equal(test_link.answered[0].command, SMPP_GENERIC_NACK);
    assert_int_equal(test_link.answered[0].status, 0x03);
    assert_goes_on();
}

static void test_answers_to_nobody(void **state)
{
    static const uint32_t commands[] = {
        SMPP_GENERIC_NACK, SMPP_SUBMIT_SM | SMPP_RESPONSE, SMPP_UNBIND | SMPP_RESPONSE,
        SMPP_BIND_TRANSCEIVER | SMPP_RESPONSE, SMPP_QUERY_SM | SMPP_RESPONSE};

    test_link_up();
    assert_int_equal(test_link_send(1), 0);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        test_session_send(&test_session, (struct smpp_pdu){.command = commands[i], .sequence = 99});
    /* An unknown response, too. */
    test_peer_send(&test_session.peer, STR("\0\0\0\x10\x80\0\x0f\xff\0\0\0\0\0\0\0\x63"));
    test_session_expect(&test_session, SMPP_SUBMIT_SM);
    assert_goes_on();
    assert_int_equal(test_link.answers, 0);
    assert_int_equal(test_link.bound, 1);
}

struct attempt {
    struct smpp_pdu pdu;
    int result;
};

static void send_it(void *context)
{
    struct attempt *a = context;
    a->result = smpp_link_send(test_link.link, &a->pdu, NULL);
}

static void test_requests_that_cannot_be_encoded(void **state)
{
    struct attempt a = {
        .pdu = {.command = SMPP_SUBMIT_SM, .destination.digits = STR("123456789012345678901")}};

    test_link_up();
    test_loop_do(send_it, &a);
    assert_int_equal(a.result, -EINVAL);
    assert_int_equal(test_link_room(), 10);
    assert_goes_on();
}

/* ---- requests of the peer ---- */

static void test_enquiries_are_answered(void **state)
{
    test_link_up();
    for (uint32_t sequence = 0; sequence < 3; sequence++) {
        test_session_send(&test_session,
                          (struct smpp_pdu){.command = SMPP_ENQUIRE_LINK, .sequence = sequence});
        test_session_expect(&test_session, SMPP_ENQUIRE_LINK | SMPP_RESPONSE);
        assert_int_equal(test_session.pdu.sequence, sequence);
        assert_int_equal(test_session.pdu.status, 0);
    }
}

static void test_enquiries_are_answered_before_it_is_bound(void **state)
{
    test_link_start();
    test_session_accept(&test_session, &test_smsc);
    test_session_expect(&test_session, SMPP_BIND_TRANSCEIVER);
    assert_goes_on();
}

static void test_unbind_is_answered(void **state)
{
    test_link_up();
    assert_int_equal(test_link_send(1), 0);
    test_session_expect(&test_session, SMPP_SUBMIT_SM);
    test_session_send(&test_session, (struct smpp_pdu){.command = SMPP_UNBIND, .sequence = 5});
    test_session_expect(&test_session, SMPP_UNBIND | SMPP_RESPONSE);
    assert_int_equal(test_session.pdu.sequence, 5);
    test_session_ends(&test_session);
    test_link_until_lost(1);
    assert_string_equal(test_link.why, "the carrier unbound");
    assert_true(test_link.answered[0].is_nothing);
    test_session_close(&test_session);
    test_session_bind(&test_session, &test_smsc);
    test_link_until_bound(2);
}

static void expect_nack(uint32_t sequence, uint32_t status)
{
    test_session_expect(&test_session, SMPP_GENERIC_NACK);
    assert_int_equal(test_session.pdu.sequence, sequence);
    assert_int_equal(test_session.pdu.status, status);
}

/* Known, but nothing that a carrier may ask of us. */
static const uint32_t not_ours[] = {
    SMPP_BIND_RECEIVER, SMPP_BIND_TRANSMITTER,   SMPP_BIND_TRANSCEIVER,    SMPP_SUBMIT_SM,
    SMPP_SUBMIT_MULTI,  SMPP_QUERY_SM,           SMPP_REPLACE_SM,          SMPP_CANCEL_SM,
    SMPP_BROADCAST_SM,  SMPP_QUERY_BROADCAST_SM, SMPP_CANCEL_BROADCAST_SM,
};

static void test_unknown_commands(void **state)
{
    test_link_up();
    test_peer_send(&test_session.peer, STR("\0\0\0\x14\0\0\x0f\xff\0\0\0\0\0\0\0\x07"
                                           "what"));
    expect_nack(7, 0x03);
    for (uint32_t i = 0; i < sizeof not_ours / sizeof *not_ours; i++) {
        test_session_send(&test_session,
                          (struct smpp_pdu){.command = not_ours[i], .sequence = 8 + i});
        expect_nack(8 + i, 0x03);
    }
    assert_goes_on();
}

static void test_broken_body(void **state)
{
    test_link_up();
    test_peer_send(&test_session.peer, STR("\0\0\0\x14\0\0\0\x05\0\0\0\0\0\0\0\x08"
                                           "abcd"));
    expect_nack(8, 0x02);
    assert_goes_on();
    assert_int_equal(test_link.deliveries, 0);
}

static void test_broken_framing(void **state)
{
    static const struct str lengths[] = {
        STR("\0\0\0\x0f\0\0\0\x15\0\0\0\0\0\0\0\x01"), STR("\0\0\0\0\0\0\0\x15\0\0\0\0\0\0\0\x01"),
        STR("\0\x01\0\x11\0\0\0\x15\0\0\0\0\0\0\0\x01"), STR("HTTP/1.1 400 Bad Request\r\n\r\n")};

    test_link_up();
    for (int i = 0; i < 4; i++) {
        test_peer_send(&test_session.peer, lengths[i]);
        assert_false(test_session_next(&test_session, TEST_PEER_PATIENCE_MS));
        test_link_until_lost(i + 1);
        assert_string_equal(test_link.why, "what it sends is no SMPP: a length that no PDU has");
        test_session_close(&test_session);
        test_session_bind(&test_session, &test_smsc);
        test_link_until_bound(i + 2);
    }
}

static void test_longest_pdu(void **state)
{
    static char payload[65000];
    struct buf tlvs BUF_CLEANUP = {.max = 70000};

    test_link_up();
    smpp_tlv_put(&tlvs, SMPP_TAG_MESSAGE_PAYLOAD, (struct str){payload, sizeof payload});
    for (int i = 0; i < 5; i++)
        test_session_send(
            &test_session,
            (struct smpp_pdu){.command = SMPP_DELIVER_SM, .sequence = 1, .tlvs = buf_str(&tlvs)});
    test_link_until_deliveries(5);
    assert_goes_on();
}

static void test_what_needs_no_answer(void **state)
{
    test_link_up();
    test_session_send(&test_session,
                      (struct smpp_pdu){.command = SMPP_ALERT_NOTIFICATION, .sequence = 1});
    test_session_send(&test_session, (struct smpp_pdu){.command = SMPP_OUTBIND, .sequence = 2});
    /* Answers to what was never asked. */
    for (uint32_t i = 0; i < sizeof not_ours / sizeof *not_ours; i++)
        test_session_send(&test_session, (struct smpp_pdu){.command = not_ours[i] | SMPP_RESPONSE,
                                                           .sequence = 1000 + i});
    assert_goes_on();
}

/* ---- deliveries ---- */

static void deliver(uint32_t command, uint32_t sequence, const char *text)
{
    test_session_send(
        &test_session,
        (struct smpp_pdu){.command = command, .sequence = sequence, .short_message = str_of(text)});
}

/* Answered when the owner says so, in its order, with the sequence number as it came. */
static void test_deliveries(void **state)
{
    test_link_up();
    deliver(SMPP_DELIVER_SM, 0, "one");
    deliver(SMPP_DATA_SM, 0xffffffff, "");
    deliver(SMPP_DELIVER_SM, 17, "three");
    test_link_until_deliveries(3);
    assert_string_equal(test_link.texts[0], "one");
    assert_string_equal(test_link.texts[2], "three");
    test_link_respond(test_link.tokens[2], 0x64);
    test_link_respond(test_link.tokens[1], 0);
    test_link_respond(test_link.tokens[0], 0);

    test_session_expect(&test_session, SMPP_DELIVER_SM | SMPP_RESPONSE);
    assert_int_equal(test_session.pdu.sequence, 17);
    assert_int_equal(test_session.pdu.status, 0x64);
    assert_int_equal(test_session.bytes.n, 16);
    test_session_expect(&test_session, SMPP_DATA_SM | SMPP_RESPONSE);
    assert_int_equal(test_session.pdu.sequence, 0xffffffff);
    test_session_expect(&test_session, SMPP_DELIVER_SM | SMPP_RESPONSE);
    assert_int_equal(test_session.pdu.sequence, 0);
    assert_int_equal(test_session.pdu.status, 0);
    assert_int_equal(test_session.bytes.n, 17); /* a message_id of one octet */
}

static void test_late_response_is_dropped(void **state)
{
    test_link_up();
    deliver(SMPP_DELIVER_SM, 1, "of the first connection");
    test_link_until_deliveries(1);
    test_session_close(&test_session);
    test_link_until_lost(1);
    test_link_respond(test_link.tokens[0], 0); /* while there is none */
    test_session_bind(&test_session, &test_smsc);
    test_link_until_bound(2);
    test_link_respond(test_link.tokens[0], 0);
    deliver(SMPP_DELIVER_SM, 1, "of the second");
    test_link_until_deliveries(2);
    test_link_respond(test_link.tokens[1], 0x64);
    test_session_expect(&test_session, SMPP_DELIVER_SM | SMPP_RESPONSE);
    assert_int_equal(test_session.pdu.status, 0x64); /* and not the first one's */
}

static void test_delivery_before_it_is_bound(void **state)
{
    test_link_start();
    test_session_accept(&test_session, &test_smsc);
    test_session_expect(&test_session, SMPP_BIND_TRANSCEIVER);
    deliver(SMPP_DELIVER_SM, 3, "too early");
    test_session_expect(&test_session, SMPP_DELIVER_SM | SMPP_RESPONSE);
    assert_int_equal(test_session.pdu.status, 0x04);
    assert_int_equal(test_link.deliveries, 0);
}

/* What was delivered before may still be answered; what comes now comes again another time. */
static void test_deliveries_while_it_unbinds(void **state)
{
    test_link_up();
    deliver(SMPP_DELIVER_SM, 3, "in time");
    test_link_until_deliveries(1);
    test_link_stop();
    test_session_expect(&test_session, SMPP_UNBIND);
    test_link_respond(test_link.tokens[0], 0);
    test_session_expect(&test_session, SMPP_DELIVER_SM | SMPP_RESPONSE);
    assert_int_equal(test_session.pdu.status, 0);
    deliver(SMPP_DELIVER_SM, 4, "too late");
    test_session_expect(&test_session, SMPP_DELIVER_SM | SMPP_RESPONSE);
    assert_int_equal(test_session.pdu.status, 0x64);
    assert_int_equal(test_link.deliveries, 1);
}

static void respond_at_once(struct test_link *t)
{
    smpp_link_respond(t->link, t->tokens[0], 0);
}

static void test_responses_and_ends_from_deliveries(void **state)
{
    test_link_up();
    test_link_when(&test_link.on_delivered, respond_at_once);
    deliver(SMPP_DELIVER_SM, 1, "");
    test_session_expect(&test_session, SMPP_DELIVER_SM | SMPP_RESPONSE);
    test_loop_settle();
    test_link_when(&test_link.on_delivered, test_link_rebind_now);
    deliver(SMPP_DELIVER_SM, 2, "");
    test_link_until_lost(1);
    test_session_close(&test_session);
    test_session_bind(&test_session, &test_smsc);
    test_link_until_bound(2);
    test_link_when(&test_link.on_delivered, test_link_stop_now);
    deliver(SMPP_DELIVER_SM, 3, "");
    test_session_expect(&test_session, SMPP_UNBIND);
}

/* ---- and ---- */

/* A peer that asks and asks and reads nothing. */
static void test_peer_that_does_not_read(void **state)
{
    enum { MANY = 4096, PIECES = 1000 };
    static char bytes[16 * MANY];

    test_link_up();
    for (int i = 0; i < MANY; i++)
        memcpy(bytes + 16 * (size_t)i, "\0\0\0\x10\0\0\0\x15\0\0\0\0\0\0\0\x01", 16);
    for (int i = 0; i < PIECES && test_link_room(); i++)
        test_peer_send(&test_session.peer, (struct str){bytes, sizeof bytes});
    test_link_until_lost(1);
    assert_string_equal(test_link.why, "it does not read what it is sent");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LINK_TEST(test_answers_in_any_order),
        LINK_TEST(test_send_from_callbacks),
        LINK_TEST(test_refusals_without_body),
        LINK_TEST(test_answer_with_a_broken_body),
        LINK_TEST(test_nack_answers_its_request),
        LINK_TEST(test_answers_to_nobody),
        LINK_TEST(test_requests_that_cannot_be_encoded),
        LINK_TEST(test_enquiries_are_answered),
        LINK_TEST(test_enquiries_are_answered_before_it_is_bound),
        LINK_TEST(test_unbind_is_answered),
        LINK_TEST(test_unknown_commands),
        LINK_TEST(test_broken_body),
        LINK_TEST(test_broken_framing),
        LINK_TEST(test_longest_pdu),
        LINK_TEST(test_what_needs_no_answer),
        LINK_TEST(test_deliveries),
        LINK_TEST(test_late_response_is_dropped),
        LINK_TEST(test_delivery_before_it_is_bound),
        LINK_TEST(test_deliveries_while_it_unbinds),
        LINK_TEST(test_responses_and_ends_from_deliveries),
        LINK_TEST(test_peer_that_does_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
