#include "store/deeds.h"

_Static_assert(METRIC_MODE_TEST == (int)MODE_TEST && METRIC_MODE_LIVE == (int)MODE_LIVE,
               "modes are the words of their label");
#define X(name, number, code, text)                                                                \
    _Static_assert(METRIC_FAILURE_##name == (number), "failures are the words of their label");
FAILURES(X)
#undef X

void deeds_forget(struct deeds *d)
{
    if (d->any)
        *d = (struct deeds){.any = false};
}

void deeds_accepted(struct deeds *d, const struct message *m)
{
    d->any = true;
    if (m->direction == DIRECTION_INBOUND) {
        d->modes[m->mode].received++;
        return;
    }
    d->modes[m->mode].accepted++;
    d->modes[m->mode].segments += m->segments;
}

void deeds_moved(struct deeds *d, enum mode mode, const struct message_move *move,
                 int64_t queued_us, int64_t sent_us)
{
    d->any = true;
    d->modes[mode].moved[move->to]++;
    if (move->to == STATUS_FAILED)
        d->failures[(unsigned)move->failure < DEEDS_FAILURES ? move->failure : FAILURE_UNKNOWN]++;
    if (move->to == STATUS_SENT && queued_us)
        metric_tally_note(&d->modes[mode].sends, METRIC_SEND_SECONDS, move->at_us - queued_us);
    if (move->to == STATUS_DELIVERED && sent_us)
        metric_tally_note(&d->modes[mode].delivers, METRIC_DELIVERY_SECONDS, move->at_us - sent_us);
}

static void count_mode(struct deeds *d, unsigned mode)
{
    const unsigned *moved = d->modes[mode].moved;

    metric_add(METRIC_ACCEPTED, mode, d->modes[mode].accepted);
    metric_add(METRIC_RECEIVED, mode, d->modes[mode].received);
    metric_add(METRIC_SEGMENTS, mode, d->modes[mode].segments);
    metric_add(METRIC_SENT, mode, moved[STATUS_SENT]);
    metric_add(METRIC_DELIVERED, mode, moved[STATUS_DELIVERED]);
    metric_add(METRIC_FAILED, mode, moved[STATUS_FAILED]);
    metric_add(METRIC_CANCELLED, mode, moved[STATUS_CANCELLED]);
    metric_tally_add(&d->modes[mode].sends, METRIC_SEND_SECONDS, mode);
    metric_tally_add(&d->modes[mode].delivers, METRIC_DELIVERY_SECONDS, mode);
}

void deeds_count(struct deeds *d)
{
    if (!d->any)
        return;
    for (unsigned mode = 0; mode < DEEDS_MODES; mode++)
        count_mode(d, mode);
    for (unsigned i = 0; i < DEEDS_FAILURES; i++)
        if (d->failures[i])
            metric_add(METRIC_FAILURES, i, d->failures[i]);
    deeds_forget(d);
}
