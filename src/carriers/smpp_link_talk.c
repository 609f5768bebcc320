/* What a link says and hears: PDUs, each with the one function that answers it. */
#include "base/clock.h"
#include "base/log.h"
#include "carriers/smpp_link_internal.h"

#include <errno.h>

enum status {
    INVALID_LENGTH = 0x02,     /* ESME_RINVCMDLEN */
    INVALID_COMMAND = 0x03,    /* ESME_RINVCMDID */
    INVALID_BIND_STATE = 0x04, /* ESME_RINVBNDSTS */
    COME_BACK_LATER = 0x64,    /* ESME_RX_T_APPN */
};

static void log_pdu(struct smpp_link *l, const char *direction, const struct smpp_pdu *pdu)
{
    if (!log_wants(LOG_DEBUG))
        return;
    buf_clear(&l->out);
    smpp_print(pdu, &l->out);
    log_debug("smpp", "%s %s %.*s", l->options.name, direction, STR_FMT(buf_str(&l->out)));
}

/* ---- saying ---- */

int smpp_link_say(struct smpp_link *l, const struct smpp_pdu *pdu)
{
    log_pdu(l, "->", pdu);
    buf_clear(&l->out);
    int r = smpp_encode(pdu, &l->out);
    if (r < 0)
        return r == -ENOMEM ? -EAGAIN : -EINVAL;
    return loop_tcp_write(l->tcp, buf_str(&l->out)) ? 0 : -EAGAIN;
}

void smpp_link_ask(struct smpp_link *l, uint32_t command)
{
    /* If it cannot be said now, the answer is missed, and that is seen. */
    smpp_link_say(
        l, &(struct smpp_pdu){.command = command, .sequence = smpp_window_sequence(&l->window)});
}

int smpp_link_say_bind(struct smpp_link *l)
{
    static const uint32_t commands[] = {[SMPP_BIND_TRX] = SMPP_BIND_TRANSCEIVER,
                                        [SMPP_BIND_TX] = SMPP_BIND_TRANSMITTER,
                                        [SMPP_BIND_RX] = SMPP_BIND_RECEIVER};
    const struct smpp_link_options *o = &l->options;

    return smpp_link_say(l, &(struct smpp_pdu){.command = commands[o->bind],
                                               .sequence = smpp_window_sequence(&l->window),
                                               .system_id = str_of(o->system_id),
                                               .password = str_of(o->password),
                                               .system_type = str_of(o->system_type),
                                               .interface_version = o->interface_version});
}

int smpp_link_send(struct smpp_link *l, struct smpp_pdu *pdu, void *request)
{
    if (smpp_link_room(l) == 0)
        return -EAGAIN;
    pdu->sequence = smpp_window_sequence(&l->window);
    int r = smpp_link_say(l, pdu);
    if (r == 0)
        smpp_window_put(&l->window, pdu->sequence, request,
                        clock_monotonic_us() + (int64_t)l->options.response_timeout_ms * 1000);
    return r;
}

/* A peer whose answers cannot be written reads nothing: 4 MiB wait for it. */
static void reply(struct smpp_link *l, uint32_t command, uint32_t sequence, uint32_t status)
{
    const struct smpp_pdu pdu = {.command = command, .status = status, .sequence = sequence};

    if (smpp_link_say(l, &pdu) < 0)
        smpp_link_rebind(l, "it does not read what it is sent");
}

/* ---- deliveries: the token is the connection, the command and its sequence number ---- */

static uint64_t token_of(const struct smpp_link *l, const struct smpp_pdu *pdu)
{
    uint64_t is_data = pdu->command == SMPP_DATA_SM;
    return (uint64_t)l->generation << 33 | is_data << 32 | pdu->sequence;
}

void smpp_link_respond(struct smpp_link *l, uint64_t token, uint32_t status)
{
    bool is_data = token >> 32 & 1;

    if (l->tcp && token >> 33 == l->generation)
        reply(l, (is_data ? SMPP_DATA_SM : SMPP_DELIVER_SM) | SMPP_RESPONSE, (uint32_t)token,
              status);
}

static void on_delivery(struct smpp_link *l, const struct smpp_pdu *pdu)
{
    if (l->state == SMPP_LINK_BOUND)
        l->options.delivered(l->options.context, pdu, token_of(l, pdu));
    else
        smpp_link_respond(l, token_of(l, pdu),
                          l->state == SMPP_LINK_BINDING ? INVALID_BIND_STATE : COME_BACK_LATER);
}

/* ---- hearing ---- */

static void on_enquire(struct smpp_link *l, const struct smpp_pdu *pdu)
{
    reply(l, SMPP_ENQUIRE_LINK | SMPP_RESPONSE, pdu->sequence, 0);
}

static void on_unbind(struct smpp_link *l, const struct smpp_pdu *pdu)
{
    reply(l, SMPP_UNBIND | SMPP_RESPONSE, pdu->sequence, 0);
    smpp_link_lose(l, "the carrier unbound");
}

static void on_nothing_to_say(struct smpp_link *l, const struct smpp_pdu *pdu)
{
}

static void on_bind_answer(struct smpp_link *l, const struct smpp_pdu *pdu)
{
    uint32_t version = 0;

    if (l->state != SMPP_LINK_BINDING)
        return;
    smpp_tlv_number(pdu, SMPP_TAG_SC_INTERFACE_VERSION, &version);
    if (pdu->status)
        smpp_link_refused(l, pdu->status);
    else
        smpp_link_bound(l, (uint8_t)version);
}

static void on_unbind_answer(struct smpp_link *l, const struct smpp_pdu *pdu)
{
    if (l->state == SMPP_LINK_UNBINDING)
        smpp_link_unbound(l);
}

/* One that nobody waits for any more is passed over. */
static bool give_answer(struct smpp_link *l, const struct smpp_pdu *pdu)
{
    void *request;
    bool known = smpp_window_take(&l->window, pdu->sequence, &request);

    if (known)
        l->options.answered(l->options.context, request, pdu);
    return known;
}

static void on_answer(struct smpp_link *l, const struct smpp_pdu *pdu)
{
    give_answer(l, pdu);
}

static void on_nack(struct smpp_link *l, const struct smpp_pdu *pdu)
{
    if (l->state == SMPP_LINK_BINDING) {
        smpp_link_refused(l, pdu->status);
    } else if (!give_answer(l, pdu) && !l->nack_logged) {
        l->nack_logged = true; /* once for each connection is enough */
        log_warning("carrier", "%s: a generic_nack 0x%08x for number %u, which was no request",
                    l->options.name, pdu->status, pdu->sequence);
    }
}

static void on_other(struct smpp_link *l, const struct smpp_pdu *pdu)
{
    if (pdu->command & SMPP_RESPONSE)
        give_answer(l, pdu);
    else
        reply(l, SMPP_GENERIC_NACK, pdu->sequence, INVALID_COMMAND);
}

static const struct {
    uint32_t command;
    void (*hear)(struct smpp_link *l, const struct smpp_pdu *pdu);
} hearings[] = {
    {SMPP_SUBMIT_SM | SMPP_RESPONSE, on_answer},
    {SMPP_DELIVER_SM, on_delivery},
    {SMPP_DATA_SM, on_delivery},
    {SMPP_ENQUIRE_LINK, on_enquire},
    {SMPP_ENQUIRE_LINK | SMPP_RESPONSE, on_nothing_to_say},
    {SMPP_UNBIND, on_unbind},
    {SMPP_UNBIND | SMPP_RESPONSE, on_unbind_answer},
    {SMPP_BIND_TRANSCEIVER | SMPP_RESPONSE, on_bind_answer},
    {SMPP_BIND_TRANSMITTER | SMPP_RESPONSE, on_bind_answer},
    {SMPP_BIND_RECEIVER | SMPP_RESPONSE, on_bind_answer},
    {SMPP_GENERIC_NACK, on_nack},
    {SMPP_ALERT_NOTIFICATION, on_nothing_to_say},
    {SMPP_OUTBIND, on_nothing_to_say}, /* a wish to be called: we have called */
};

static void hear(struct smpp_link *l, struct str bytes)
{
    enum { COUNT = sizeof hearings / sizeof *hearings };
    struct smpp_pdu pdu;
    size_t i = 0;

    int r = smpp_decode(bytes, &pdu);
    log_pdu(l, "<-", &pdu);
    if (r == -EBADMSG && !(pdu.command & SMPP_RESPONSE)) {
        reply(l, SMPP_GENERIC_NACK, pdu.sequence, INVALID_LENGTH);
        return;
    }
    /* Of a response with a broken body the header still says what became of the request. */
    while (i < COUNT && hearings[i].command != pdu.command)
        i++;
    (i < COUNT ? hearings[i].hear : on_other)(l, &pdu);
}

size_t smpp_link_hear(void *link, struct str bytes)
{
    struct smpp_link *l = link;
    struct str rest = bytes;
    size_t length = 0;
    int64_t alive_us = clock_monotonic_us();

    while (l->tcp) { /* callbacks may end it */
        if (smpp_frame(rest, &length) < 0) {
            smpp_link_lose(l, "what it sends is no SMPP: a length that no PDU has");
            break;
        }
        if (length == 0)
            break;
        l->enquiries = 0;
        l->alive_us = alive_us;
        hear(l, (struct str){rest.p, length});
        rest = str_skip(rest, length);
    }
    return bytes.n - rest.n;
}
