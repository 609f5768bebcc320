/* A carrier's SMPP server, played by the test itself: it accepts, reads PDUs one by one, and
 * answers as it is told. Calls wait for some seconds at most. */
#pragma once

#include "net/test_peer.h"
#include "smpp/pdu.h"

struct test_smsc {
    struct test_listener listener;
};
void test_smsc_init(struct test_smsc *s, struct tls_context *tls); /* NULL: plain */
void test_smsc_done(struct test_smsc *s);
/* Whether nobody connects for so long. */
bool test_smsc_is_alone(const struct test_smsc *s, int for_ms);

/* One connection. */
struct test_session {
    struct test_peer peer;
    size_t used;         /* of peer.in: PDUs that were read */
    struct smpp_pdu pdu; /* the one read last; lives until the next is read */
    struct str bytes;    /* the same as it came */
};
/* The next one who connects. */
void test_session_accept(struct test_session *x, const struct test_smsc *s);
/* The same, and its bind, which is answered with status 0. */
void test_session_bind(struct test_session *x, const struct test_smsc *s);
void test_session_close(struct test_session *x);

/* Reads the next PDU; false when the connection ends, or none comes. */
bool test_session_next(struct test_session *x, int patience_ms);
/* The next PDU is this one. */
void test_session_expect(struct test_session *x, uint32_t command);
void test_session_send(struct test_session *x, struct smpp_pdu pdu);
/* Answers the PDU that was read last, with a status, or with status 0 and a message id. */
void test_session_answer(struct test_session *x, uint32_t status);
void test_session_answer_id(struct test_session *x, const char *message_id);
/* The other side closes the connection; what comes before is passed over. */
void test_session_ends(struct test_session *x);
