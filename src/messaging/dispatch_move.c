/* Changes of status: what carriers report, and what dispatch itself decides, on the way to the
 * store and back. */
#include "base/metric.h"
#include "messaging/dispatch_internal.h"
#include "messaging/price.h"
#include "messaging/status.h"

#include <stdlib.h>

struct move {
    struct errand errand;
    struct dispatch *dispatch;
    struct message_move move;
    struct parcel *parcel; /* given back when the move is durable, or NULL */
    struct note *notes;
    bool receipt; /* worth a note even when it changes nothing any more */
    bool refund;
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
    int failed, moved = store_move(s, &m->move);

    if (moved < 0)
        return moved;
    if (moved == 0 && m->receipt)
        return note_late_receipt(m, s);
    if (!m->parcel)
        return 0;
    /* Also when a final state stands: what a carrier said belongs into the history. */
    failed = note_write(m->notes, s, &m->parcel->message, m->move.at_us);
    if (!failed && moved == 1 && m->refund)
        failed = dispatch_refund(s, m->parcel->message.account, m->parcel->message.mode,
                                 m->parcel->message.cost_micros);
    return failed;
}

static void move_back(struct errand *e)
{
    struct move *m = (struct move *)e;

    if (m->parcel) {
        dispatch_settle(m->dispatch, m->parcel);
        dispatch_release(m->dispatch, m->parcel);
    }
    note_free(m->notes);
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

void dispatch_sent(struct dispatch *d, struct parcel *p, struct note *notes)
{
    make_move(d, (struct move){.parcel = p, .notes = notes}, p->message.id, STATUS_SENT,
              FAILURE_NONE);
}

/* What such a message is said to cost is what was paid for it. */
static bool is_free(const struct message *m, enum failure failure)
{
    struct message failed = *m;

    failed.status = STATUS_FAILED;
    failed.failure = failure;
    return message_cost_micros(&failed) == 0;
}

void dispatch_fail(struct dispatch *d, struct parcel *p, enum failure failure, struct note *notes)
{
    struct move move = {.parcel = p, .notes = notes, .refund = is_free(&p->message, failure)};

    p->place = PARCEL_LEAVING;
    if (failure == FAILURE_VALIDITY_EXPIRED) {
        p->lane->counts.expired++;
        metric_add(METRIC_EXPIRED, 0, 1);
    }
    make_move(d, move, p->message.id, STATUS_FAILED, failure);
}

void dispatch_receipt(struct dispatch *d, int64_t message, enum failure failure)
{
    make_move(d, (struct move){.receipt = true}, message,
              failure ? STATUS_FAILED : STATUS_DELIVERED, failure);
}
