#include "carriers/test_smsc.h"

#include "base/clock.h"

#include <poll.h>

void test_smsc_init(struct test_smsc *s, struct tls_context *tls)
{
    test_listen(&s->listener, tls);
}

void test_smsc_done(struct test_smsc *s)
{
    test_listen_done(&s->listener);
}

bool test_smsc_is_alone(const struct test_smsc *s, int for_ms)
{
    struct pollfd p = {.fd = s->listener.fd, .events = POLLIN};
    return poll(&p, 1, for_ms) == 0;
}

void test_session_accept(struct test_session *x, const struct test_smsc *s)
{
    memset(x, 0, sizeof *x);
    assert_true(test_peer_accept(&x->peer, &s->listener, TEST_PEER_PATIENCE_MS));
}

void test_session_bind(struct test_session *x, const struct test_smsc *s)
{
    test_session_accept(x, s);
    assert_true(test_session_next(x, TEST_PEER_PATIENCE_MS));
    assert_true(x->pdu.command == SMPP_BIND_TRANSCEIVER ||
                x->pdu.command == SMPP_BIND_TRANSMITTER || x->pdu.command == SMPP_BIND_RECEIVER);
    test_session_answer(x, 0);
}

void test_session_close(struct test_session *x)
{
    test_peer_close(&x->peer);
}

/* What was read is forgotten first: the last PDU's views end here. */
static struct str unread(struct test_session *x)
{
    struct buf *in = &x->peer.in;

    in->n -= x->used;
    if (in->n)
        memmove(in->p, in->p + x->used, in->n);
    x->used = 0;
    return buf_str(in);
}

bool test_session_next(struct test_session *x, int patience_ms)
{
    int64_t until_us = clock_monotonic_us() + patience_ms * INT64_C(1000);

    for (;;) {
        struct str bytes = unread(x);
        size_t length;
        assert_int_equal(smpp_frame(bytes, &length), 0);
        if (length) {
            x->bytes = (struct str){bytes.p, length};
            assert_int_equal(smpp_decode(x->bytes, &x->pdu), 0);
            x->used = length;
            return true;
        }
        int64_t left_us = until_us - clock_monotonic_us();
        if (left_us < 0 || !test_peer_read(&x->peer, (int)(left_us / 1000)))
            return false;
    }
}

void test_session_expect(struct test_session *x, uint32_t command)
{
    assert_true(test_session_next(x, TEST_PEER_PATIENCE_MS));
    if (x->pdu.command != command)
        fail_msg("%s in place of %s", smpp_command_name(x->pdu.command),
                 smpp_command_name(command));
}

void test_session_send(struct test_session *x, struct smpp_pdu pdu)
{
    struct buf out BUF_CLEANUP;

    buf_init(&out, SMPP_PDU_MAX);
    assert_int_equal(smpp_encode(&pdu, &out), 0);
    test_peer_send(&x->peer, buf_str(&out));
}

void test_session_answer(struct test_session *x, uint32_t status)
{
    test_session_send(x, (struct smpp_pdu){.command = x->pdu.command | SMPP_RESPONSE,
                                           .status = status,
                                           .sequence = x->pdu.sequence});
}

void test_session_answer_id(struct test_session *x, const char *message_id)
{
    test_session_send(x, (struct smpp_pdu){.command = x->pdu.command | SMPP_RESPONSE,
                                           .sequence = x->pdu.sequence,
                                           .message_id = str_of(message_id)});
}

void test_session_ends(struct test_session *x)
{
    assert_true(test_peer_ends(&x->peer));
}
