/* What the SMSC delivers: receipts and messages from handsets. They wait per system_id, go to any
 * of its sessions that receives, and are kept until they are answered. */
#include "smsc_internal.h"

#include <stdlib.h>

enum {
    ESM_RECEIPT = 0x04,
    STATE_DELIVERED = 2,
    STATE_UNDELIVERABLE = 5,
    SEQUENCE_AT = 12, /* in the header */
    SEQUENCE_MAX = 0x7fffffff,
    SHARE = 64,     /* deliveries to a session before the next gets some */
    ECHOED_MAX = 20 /* characters of the text in a receipt */
};

/* ---- who they are for ---- */

struct esme *esme_find(struct smsc *smsc, struct str system_id)
{
    struct esme *e;

    for (e = smsc->esmes; e; e = e->next)
        if (str_is(system_id, e->system_id))
            return e;
    e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    memcpy(e->system_id, system_id.p, system_id.n);
    e->next = smsc->esmes;
    return smsc->esmes = e;
}

static void queue_push(struct delivery_queue *q, struct delivery *d)
{
    d->next = NULL;
    if (q->last)
        q->last->next = d;
    else
        q->first = d;
    q->last = d;
    q->count++;
}

static struct delivery *queue_pop(struct delivery_queue *q)
{
    struct delivery *d = q->first;

    if (!d)
        return NULL;
    q->first = d->next;
    if (!q->first)
        q->last = NULL;
    q->count--;
    return d;
}

static void queue_clear(struct delivery_queue *q)
{
    for (struct delivery *d; (d = queue_pop(q));)
        free(d);
}

void esme_free(struct esme *e)
{
    queue_clear(&e->waiting);
    queue_clear(&e->refused);
    free(e);
}

/* ---- making them ---- */

void delivery_add(struct smsc *smsc, struct esme *e, const struct smpp_pdu *pdu)
{
    struct buf *bytes = &smsc->encoded;

    buf_clear(bytes);
    smpp_encode(pdu, bytes);
    bool good = bytes->n && !bytes->failed && e->waiting.count < DELIVERIES_MAX;
    struct delivery *d = good ? malloc(sizeof *d + bytes->n) : NULL;
    if (!d) {
        smsc->dropped++;
        return;
    }
    d->size = (uint32_t)bytes->n;
    memcpy(d->bytes, bytes->p, bytes->n);
    queue_push(&e->waiting, d);
}

static bool is_asked_for(const struct smpp_pdu *submit, bool failed)
{
    switch (submit->registered_delivery & 3) {
    case 1:
        return true;
    case 2:
        return failed;
    case 3:
        return !failed;
    default:
        return false;
    }
}

/* The first characters of a text that is ASCII in any alphabet. */
static struct str echoed(const struct smpp_pdu *submit)
{
    struct str text = submit->short_message;
    size_t n = 0;

    if (submit->esm_class & 0x40)
        return STR("");
    while (n < text.n && n < ECHOED_MAX && text.p[n] >= ' ' && text.p[n] < 0x7f)
        n++;
    return (struct str){text.p, n};
}

static bool fails_now(struct smsc *smsc)
{
    smsc->fail_credit += smsc->options.fail_percent;
    if (smsc->fail_credit < 100)
        return false;
    smsc->fail_credit -= 100;
    return true;
}

void receipt_add(struct smsc *smsc, struct esme *e, const struct smpp_pdu *submit, const char *id)
{
    bool failed = fails_now(smsc);
    struct str echo = echoed(submit);
    struct buf *tlvs = &smsc->scratch;
    char text[200];

    if (!is_asked_for(submit, failed))
        return;
    str_format(text, sizeof text,
               "id:%s sub:001 dlvrd:%s submit date:%s done date:%s stat:%s err:%s text:%.*s", id,
               failed ? "000" : "001", smsc->date, smsc->date, failed ? "UNDELIV" : "DELIVRD",
               failed ? "001" : "000", STR_FMT(echo));
    buf_clear(tlvs);
    smpp_tlv_put(tlvs, SMPP_TAG_RECEIPTED_MESSAGE_ID, (struct str){id, strlen(id) + 1});
    smpp_tlv_put_u8(tlvs, SMPP_TAG_MESSAGE_STATE, failed ? STATE_UNDELIVERABLE : STATE_DELIVERED);
    delivery_add(smsc, e,
                 &(struct smpp_pdu){.command = SMPP_DELIVER_SM,
                                    .source = submit->destination,
                                    .destination = submit->source,
                                    .esm_class = ESM_RECEIPT,
                                    .short_message = str_of(text),
                                    .tlvs = buf_str(tlvs)});
    smsc->receipts++;
}

/* ---- handing them out ---- */

static void put_sequence(struct delivery *d)
{
    for (int i = 0; i < 4; i++)
        d->bytes[SEQUENCE_AT + i] = (char)(d->sequence >> (24 - 8 * i));
}

/* How many it took; 0 when its window is full or it does not listen. */
static unsigned deliver(struct session *s)
{
    struct buf *out = session_output(s);
    unsigned n = 0;

    while (n < SHARE && s->esme->waiting.first && out->n < SMSC_OUTPUT_MAX / 4) {
        uint32_t sequence = s->sequence % SEQUENCE_MAX + 1;
        struct delivery **place = &s->window[sequence % DELIVERY_WINDOW];
        if (*place)
            break;
        *place = queue_pop(&s->esme->waiting);
        s->sequence = (*place)->sequence = sequence;
        put_sequence(*place);
        buf_add(out, (struct str){(*place)->bytes, (*place)->size});
        n++;
    }
    return n;
}

void deliveries_send(struct smsc *smsc)
{
    unsigned n;

    do {
        n = 0;
        for (struct session *s = smsc->sessions; s; s = s->next)
            if (s->may_receive && !s->dead && !s->closing)
                n += deliver(s);
    } while (n);
}

void delivery_answered(struct session *s, uint32_t sequence, uint32_t status)
{
    struct delivery **place = &s->window[sequence % DELIVERY_WINDOW];

    if (!*place || (*place)->sequence != sequence)
        return;
    if (status == 0)
        free(*place);
    else
        queue_push(&s->esme->refused, *place);
    *place = NULL;
}

void deliveries_give_back(struct session *s)
{
    for (size_t i = 0; i < DELIVERY_WINDOW; i++)
        if (s->window[i])
            queue_push(&s->esme->waiting, s->window[i]);
}

void deliveries_retry(struct smsc *smsc)
{
    for (struct esme *e = smsc->esmes; e; e = e->next)
        for (struct delivery *d; (d = queue_pop(&e->refused));)
            queue_push(&e->waiting, d);
}
