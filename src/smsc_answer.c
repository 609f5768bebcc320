/* What the SMSC says to each PDU. */
#include "smsc_internal.h"

#include <errno.h>
#include <inttypes.h>

enum { VERSION_34 = 0x34 };

enum status {
    OK = 0x00,
    BAD_LENGTH = 0x02,     /* ESME_RINVCMDLEN */
    BAD_COMMAND = 0x03,    /* ESME_RINVCMDID */
    BAD_BIND_STATE = 0x04, /* ESME_RINVBNDSTS */
    ALREADY_BOUND = 0x05,  /* ESME_RALYBND */
    BAD_RECIPIENT = 0x0b,  /* ESME_RINVDSTADR */
    THROTTLED = 0x58,      /* ESME_RTHROTTLED */
};

static void answer(struct session *s, struct smpp_pdu response)
{
    smpp_encode(&response, session_output(s));
}

static void answer_status(struct session *s, const struct smpp_pdu *request, enum status status)
{
    answer(s, (struct smpp_pdu){.command = request->command | SMPP_RESPONSE,
                                .status = status,
                                .sequence = request->sequence});
}

static void refuse(struct session *s, const struct smpp_pdu *request, enum status status)
{
    answer(s, (struct smpp_pdu){
                  .command = SMPP_GENERIC_NACK, .status = status, .sequence = request->sequence});
}

static void bind(struct session *s, const struct smpp_pdu *pdu)
{
    struct buf *tlvs = &s->smsc->scratch;

    if (s->esme) {
        answer_status(s, pdu, ALREADY_BOUND);
        return;
    }
    s->esme = esme_find(s->smsc, pdu->system_id);
    if (!s->esme) {
        session_kill(s);
        return;
    }
    s->may_submit = pdu->command != SMPP_BIND_RECEIVER;
    s->may_receive = pdu->command != SMPP_BIND_TRANSMITTER;
    buf_clear(tlvs);
    smpp_tlv_put_u8(tlvs, SMPP_TAG_SC_INTERFACE_VERSION, VERSION_34);
    answer(s, (struct smpp_pdu){.command = pdu->command | SMPP_RESPONSE,
                                .sequence = pdu->sequence,
                                .system_id = STR("skylark-smsc"),
                                .tlvs = buf_str(tlvs)});
}

static bool is_too_fast(struct session *s)
{
    unsigned most = s->smsc->options.throttle;

    if (most == 0 || s->esme->submits_this_second++ < most)
        return false;
    s->smsc->throttled++;
    return true;
}

/* For people, for the log, and for the answer that somebody may type. */
static void show(struct session *s, const struct smpp_pdu *pdu)
{
    struct smsc *smsc = s->smsc;
    struct smsc_part part;

    if (!smsc->log && smsc->options.quiet)
        return;
    smsc_part_read(smsc, pdu, &part);
    if (smsc->log)
        smsc_log(smsc, &part);
    if (smsc->options.quiet)
        return;
    smsc_typed_note(smsc->typed, s->esme, &part);
    smsc_join_take(smsc->join, &part);
}

static void submit(struct session *s, const struct smpp_pdu *pdu)
{
    char id[MESSAGE_ID_SIZE];

    if (s->smsc->options.silent)
        s->smsc->submits++;
    else if (!s->may_submit)
        answer_status(s, pdu, BAD_BIND_STATE);
    else if (pdu->destination.digits.n == 0)
        answer_status(s, pdu, BAD_RECIPIENT);
    else if (is_too_fast(s))
        answer_status(s, pdu, THROTTLED);
    else {
        str_format(id, sizeof id, "%" PRIX64, ++s->smsc->last_id);
        answer(s, (struct smpp_pdu){.command = pdu->command | SMPP_RESPONSE,
                                    .sequence = pdu->sequence,
                                    .message_id = str_of(id)});
        s->smsc->submits++;
        show(s, pdu);
        receipt_add(s->smsc, s->esme, pdu, id);
    }
}

static void unbind(struct session *s, const struct smpp_pdu *pdu)
{
    answer_status(s, pdu, OK);
    s->closing = true;
}

static void take(struct session *s, const struct smpp_pdu *pdu)
{
    switch (pdu->command) {
    case SMPP_BIND_RECEIVER:
    case SMPP_BIND_TRANSMITTER:
    case SMPP_BIND_TRANSCEIVER:
        bind(s, pdu);
        break;
    case SMPP_SUBMIT_SM:
    case SMPP_DATA_SM:
        submit(s, pdu);
        break;
    case SMPP_DELIVER_SM | SMPP_RESPONSE:
        delivery_answered(s, pdu->sequence, pdu->status);
        break;
    case SMPP_ENQUIRE_LINK:
        answer_status(s, pdu, OK);
        break;
    case SMPP_UNBIND:
        unbind(s, pdu);
        break;
    default:
        if (!(pdu->command & SMPP_RESPONSE))
            refuse(s, pdu, BAD_COMMAND);
    }
}

void session_pdu(struct session *s, struct str bytes)
{
    struct smpp_pdu pdu;
    int failed = smpp_decode(bytes, &pdu);

    if (failed == 0)
        take(s, &pdu);
    else if (!(pdu.command & SMPP_RESPONSE))
        refuse(s, &pdu, failed == -ENOTSUP ? BAD_COMMAND : BAD_LENGTH);
}
