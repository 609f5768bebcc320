/* What is delivered to us: handed to the domain, and answered when it is on disk. The carrier keeps
 * what we do not answer for. */
#include "carriers/smpp_carrier_internal.h"

#include <stdlib.h>

enum { ESME_ROK = 0x00, ESME_RX_T_APPN = 0x64 };

static struct smpp_delivering *note(struct smpp_line *l, uint64_t token, bool is_receipt)
{
    struct smpp_carrier *c = l->carrier;
    struct smpp_delivering *d = malloc(sizeof *d);

    if (!d)
        return NULL;
    *d = (struct smpp_delivering){.next = c->deliveries,
                                  .line = l,
                                  .generation = c->generation,
                                  .token = token,
                                  .is_receipt = is_receipt};
    if (d->next)
        d->next->before = d;
    c->deliveries = d;
    return d;
}

static void forget(struct smpp_carrier *c, struct smpp_delivering *d)
{
    if (d->before)
        d->before->next = d->next;
    else
        c->deliveries = d->next;
    if (d->next)
        d->next->before = d->before;
    free(d);
}

/* The line may have got a new link meanwhile; then the carrier delivers it again. */
static void written(void *context, int result)
{
    struct smpp_delivering *d = context;
    struct smpp_line *l = d->line;
    struct smpp_carrier *c = l->carrier;

    if (result >= 0 && d->is_receipt)
        live_carrier_count_receipt(&c->live, result > 0);
    if (d->generation == c->generation && l->link && !l->gone)
        smpp_link_respond(l->link, d->token, result >= 0 ? ESME_ROK : ESME_RX_T_APPN);
    forget(c, d);
    if (c->stopping)
        live_carrier_wake(&c->live);
}

void smpp_inbox_take(struct smpp_line *l, const struct smpp_pdu *pdu, uint64_t token)
{
    struct smpp_carrier *c = l->carrier;
    struct smpp_delivered *d = &c->delivered;
    bool read = smpp_deliver_read(d, c->settings, c->live.port.number, pdu);
    struct smpp_delivering *noted = read ? note(l, token, d->is_receipt) : NULL;

    if (!noted)
        smpp_link_respond(l->link, token, ESME_RX_T_APPN);
    else if (d->is_receipt)
        receipts_take(c->live.options.receipts, &d->receipt, written, noted);
    else
        arrivals_take(c->live.options.arrivals, &d->arrival, written, noted);
}
