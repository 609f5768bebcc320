/* Changes of status: what carriers report, and what dispatch itself decides, on the way to the
 * store and back. */
#include "messaging/dispatch_internal.h"
#include "messaging/status.h"

#include <stdlib.h>

struct move {
    struct errand errand;
    struct dispatch *dispatch;
    struct message_move move;
    struct parcel *parcel; /* given back when the move is durable, or NULL */
    bool receipt;          /* worth a note even when it changes nothing any more */
    bool refund;           /* no carrier saw the message */
};

int dispatch_refund(struct store *s, int64_t account, enum mode mode, int64_t micros)
{
    if (mode != MODE_LIVE || micros == 0)
        return 0;
    int taken = store_account_charge(s, account, -micros);
    return taken < 0 ? taken : 0;
}

static int note_late_receipt(const struct move *m, struct store *s)
{
    struct event_record e = {
        .message = m->move.id,
        .at_us = m->move.at_us,
        .kind = EVENT_LATE_RECEIPT,
        .detail = m->move.to == STATUS_DELIVERED
                      ? STR("The carrier reported a delivery after the message had ended.")
                      : STR("The carrier reported a failure after the message had ended."),
    };
    return store_event_add(s, &e);
}

static int apply_move(struct write_job *job, struct store *s)
{
    struct move *m = (struct move *)job;
    int moved = store_move(s, &m->move);

    if (moved == 0 && m->receipt)
        return note_late_receipt(m, s);
    if (moved == 1 && m->refund)
        return dispatch_refund(s, m->parcel->message.account, m->parcel->message.mode,
                               m->parcel->message.cost_micros);
    return moved < 0 ? moved : 0; /* 0: a final state stands; nothing to do */
}

static void move_back(struct errand *e)
{
    struct move *m = (struct move *)e;

    if (m->parcel)
        dispatch_release(m->dispatch, m->parcel);
    free(m);
}

static void make_move(struct dispatch *d, struct move move, int64_t message, enum message_status to,
                      enum failure failure)
{
    struct move *m = malloc(sizeof *m);

    if (!m)
        abort(); /* out of memory for 100 bytes: the store is safe, start again */
    *m = move;
    m->dispatch = d;
    message_move_to(&m->move, message, to, failure, clock_now_us(d->options.clock));
    errand_init(&m->errand, &d->written, apply_move, move_back);
    errand_owe(&m->errand, d->options.writer);
}

void dispatch_answered(struct dispatch *d, struct parcel *p, const struct carrier_answer *answer)
{
    make_move(d, (struct move){.parcel = p}, p->message.id,
              answer->failure ? STATUS_FAILED : STATUS_SENT, answer->failure);
}

void dispatch_fail(struct dispatch *d, struct parcel *p, enum failure failure)
{
    make_move(d, (struct move){.parcel = p, .refund = true}, p->message.id, STATUS_FAILED, failure);
}

void dispatch_receipt(struct dispatch *d, int64_t message, enum failure failure)
{
    make_move(d, (struct move){.receipt = true}, message,
              failure ? STATUS_FAILED : STATUS_DELIVERED, failure);
}
