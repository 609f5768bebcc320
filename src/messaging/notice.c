#include "messaging/notice.h"

/* X(name, what it means) */
#define MEANINGS(X)                                                                                \
    X(SCHEDULED, "The message was accepted and waits for its time.")                               \
    X(QUEUED, "The message was accepted, or its time has come; it goes to a carrier next.")        \
    X(SENT, "A carrier took the message.")                                                         \
    X(DELIVERED, "The carrier reports that the handset has the message.")                          \
    X(FAILED, "The message was not delivered; errorCode says why.")                                \
    X(CANCELLED, "The message was called back before a carrier had it.")                           \
    X(RECEIVED, "A handset wrote to one of your senders.")                                         \
    X(OPT_OUT, "A handset wrote a word like STOP: it is not written to any more.")                 \
    X(OPT_IN, "A handset wrote a word like START: it may be written to again.")                    \
    X(TEST, "You asked for it, to try the endpoint.")

static const struct kind {
    const char *word, *meaning;
} kinds[] = {
#define X(name, number, type) [NOTICE_##name].word = (type),
    NOTICE_KINDS(X)
#undef X
#define X(name, text) [NOTICE_##name].meaning = (text),
        MEANINGS(X)
#undef X
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool is_known(enum notice_kind kind)
{
    return kind > 0 && (int)kind < KINDS;
}

const char *notice_word(enum notice_kind kind)
{
    return is_known(kind) ? kinds[kind].word : "unknown";
}

const char *notice_meaning(enum notice_kind kind)
{
    return is_known(kind) ? kinds[kind].meaning : "";
}

bool notice_from_word(struct str word, enum notice_kind *ret)
{
    for (int i = 1; i < KINDS; i++)
        if (str_is(word, kinds[i].word)) {
            *ret = (enum notice_kind)i;
            return true;
        }
    return false;
}

uint32_t notice_default_kinds(void)
{
    return notice_bit(NOTICE_SENT) | notice_bit(NOTICE_DELIVERED) | notice_bit(NOTICE_FAILED);
}

/* From its kind, because there is only one way to each: scheduled, queued, sent, delivered. */
unsigned notice_sequence(const struct notice_record *n, const struct message *m)
{
    unsigned queued = m->scheduled_us ? 2 : 1;

    switch (n->kind) {
    case NOTICE_SCHEDULED:
    case NOTICE_RECEIVED:
    case NOTICE_TEST:
        return 1;
    case NOTICE_QUEUED:
        return queued;
    case NOTICE_SENT:
        return queued + 1;
    case NOTICE_DELIVERED:
        return queued + 2;
    case NOTICE_FAILED:
        return n->sent_us ? queued + 2 : queued + 1;
    case NOTICE_CANCELLED: /* a message that was still scheduled never was queued */
        return m->scheduled_us && n->at_us < m->scheduled_us ? 2 : queued + 1;
    case NOTICE_OPT_OUT:
    case NOTICE_OPT_IN:
        return 2;
    }
    return 1;
}
