#include "messaging/receipt_apply.h"

#include "messaging/status.h"

static int note(struct store *s, const struct receipt_word_on *w, int64_t message,
                enum event_kind kind)
{
    struct event_record e = {
        .message = message, .at_us = w->at_us, .kind = kind, .detail = w->detail};

    return store_event_add(s, &e);
}

static int move(struct store *s, const struct receipt_word_on *w, int64_t message,
                enum message_status to, enum failure failure)
{
    struct message_move m;

    message_move_to(&m, message, to, failure, w->at_us);
    return store_move(s, &m);
}

/* 1 ended, 0 it has ended before. A carrier that knows of the message has it, also when its answer
 * was never seen: then it is sent first. */
static int end(struct store *s, const struct receipt_word_on *w, int64_t message,
               enum message_status to, enum failure failure)
{
    int sent = move(s, w, message, STATUS_SENT, FAILURE_NONE);

    return sent < 0 ? sent : move(s, w, message, to, failure);
}

/* 1 one of these parts was not delivered before; *ret_left: how many have not been. */
static int deliver_part(struct store *s, const struct reference_match *m, unsigned *ret_left)
{
    for (uint64_t parts = m->parts; parts; parts &= parts - 1) {
        int delivered =
            store_part_delivered(s, m->message, (unsigned)__builtin_ctzll(parts) + 1, ret_left);
        if (delivered != 0)
            return delivered;
    }
    return 0;
}

static int deliver(struct store *s, const struct receipt_word_on *w,
                   const struct reference_match *m)
{
    unsigned left = 0;
    int delivered = m->parts ? deliver_part(s, m, &left) : 1;

    if (delivered <= 0)
        return delivered;
    if (left == 0)
        return end(s, w, m->message, STATUS_DELIVERED, FAILURE_NONE);
    int failed = note(s, w, m->message, EVENT_RECEIPT);
    return failed ? failed : 1;
}

static int fail(struct store *s, const struct receipt_word_on *w, const struct reference_match *m)
{
    enum failure failure = w->failure ? w->failure : FAILURE_UNKNOWN;
    int ended = end(s, w, m->message, STATUS_FAILED, failure);

    if (ended <= 0)
        return ended;
    int failed = note(s, w, m->message, EVENT_RECEIPT);
    return failed ? failed : 1;
}

/* 1 it changed the message, 0 it did not, or a negative errno. */
static int apply_to(struct store *s, const struct receipt_word_on *w,
                    const struct reference_match *m)
{
    switch (w->word) {
    case RECEIPT_DELIVERED:
        return deliver(s, w, m);
    case RECEIPT_FAILED:
        return fail(s, w, m);
    case RECEIPT_ON_ITS_WAY:
        break;
    }
    int failed = note(s, w, m->message, EVENT_RECEIPT);
    return failed ? failed : 1;
}

int receipt_apply(struct store *s, const struct receipt_word_on *w, bool *ret_repeated)
{
    *ret_repeated = false;
    for (size_t i = 0; i < w->count; i++) {
        int changed = apply_to(s, w, &w->matches[i]);
        if (changed != 0)
            return changed < 0 ? changed : 0;
    }
    *ret_repeated = true;
    return note(s, w, w->matches[0].message, EVENT_LATE_RECEIPT);
}
