/* What carriers say to parcels, and what becomes of those that they say nothing to. */
#include "messaging/dispatch_internal.h"

#include "base/metric.h"
#include "base/utf8.h"

#include <assert.h>

static void took(struct dispatch *d, struct parcel *p, const struct carrier_answer *a)
{
    const struct carrier *c = p->lane->carrier;
    bool spoken = c && (a->parts || a->detail.n); /* the simulator says no more than that */

    dispatch_sent(d, p, spoken ? note_taken(c, a) : NULL);
    /* After the move is posted: a receipt that was here before the answer is written behind it. */
    if (spoken && a->parts && d->receipts)
        receipts_expect(d->receipts, c->number, &p->message, a->ids, a->parts);
}

static struct note *note_answer(const struct carrier_answer *a)
{
    return a->detail.n ? note_new(EVENT_CARRIER_ANSWER, "%.*s", STR_FMT(a->detail)) : NULL;
}

static void later(struct dispatch *d, struct parcel *p, const struct carrier_answer *a)
{
    if (p->tries >= DISPATCH_RETRIES) {
        dispatch_elsewhere(d, p, a);
        return;
    }
    int step = p->tries++;
    p->lane->counts.retried++;
    metric_add(METRIC_RETRIED, 0, 1);
    struct note *note =
        note_new(EVENT_RETRY, "%.*s%sIt is tried again in %lld seconds.", STR_FMT(a->detail),
                 a->detail.n ? " " : "", (long long)(d->options.retry_us[step] / 1000000));
    dispatch_requeue(d, p, p->lane, p->message.retry_count + 1, step, note_partly(a, note));
}

static struct note *note_again(const struct dispatch *d, struct str why, int rest)
{
    if (rest == NO_REST)
        return note_new(EVENT_POSSIBLE_DUPLICATE, "%.*s It is sent again and may arrive twice.",
                        STR_FMT(why));
    return note_new(EVENT_POSSIBLE_DUPLICATE,
                    "%.*s It is sent again in %lld seconds and may arrive twice.", STR_FMT(why),
                    (long long)(d->options.retry_us[rest] / 1000000));
}

/* A message that breaks the carrier's link must not do so for ever: the first time it goes out
 * again at once, then after ever longer rests, and at last another way if there is one. */
static void send_again(struct dispatch *d, struct parcel *p, struct str why)
{
    struct lane *other = NULL;
    int rest = p->tries == 0 ? NO_REST : p->tries - 1;

    if (p->tries >= DISPATCH_RETRIES) {
        failover_tried(d, p);
        other = failover_lane(d, p);
        rest = other ? NO_REST : DISPATCH_RETRIES - 1;
    } else {
        p->tries++;
    }
    struct note *note = note_again(d, why, rest);
    if (other)
        note->next = failover_note(p, other, (struct str){"", 0});
    dispatch_requeue(d, p, other ? other : p->lane, p->message.retry_count + 1, rest, note);
}

void dispatch_unanswered(struct dispatch *d, struct parcel *p, struct str why)
{
    const struct carrier *c = p->lane->carrier;

    if (c && !c->resend)
        dispatch_fail(d, p, FAILURE_UPSTREAM_TIMEOUT,
                      note_new(EVENT_CARRIER_ANSWER,
                               "%.*s Whether the carrier has the message is not known.",
                               STR_FMT(why)));
    else
        send_again(d, p, why);
}

void dispatch_answered(struct dispatch *d, struct parcel *p, const struct carrier_answer *answer)
{
    struct carrier_answer a = *answer;

    a.detail = utf8_shown(a.detail, NOTE_WHY_MAX);
    assert(a.parts <= CARRIER_PARTS_MAX);
    switch (a.outcome) {
    case CARRIER_TOOK:
        took(d, p, &a);
        break;
    case CARRIER_REFUSED:
        dispatch_fail(d, p, a.failure, note_answer(&a));
        break;
    case CARRIER_LATER:
        later(d, p, &a);
        break;
    case CARRIER_ELSEWHERE:
        dispatch_elsewhere(d, p, &a);
        break;
    case CARRIER_SILENT:
        dispatch_unanswered(d, p, a.detail.n ? a.detail : STR("The carrier did not answer."));
        break;
    case CARRIER_UNTRIED:
        dispatch_untried(d, &p, 1);
        break;
    }
}
