#include "messaging/timeline.h"

#include "base/clock.h"
#include "messaging/notice.h"
#include "messaging/words.h"

#include <errno.h>

enum { OWN_ENTRIES_MAX = 8 }; /* what the message's own rows can tell */

const char *timeline_word(enum timeline_type type)
{
    static const char *const words[] = {
#define X(name, word) [TIMELINE_##name] = (word),
        TIMELINE_TYPES(X)
#undef X
    };
    return words[type];
}

struct timeline {
    struct timeline_entry *entries;
    size_t count;
};

static void add(struct timeline *t, enum timeline_type type, int64_t at_us, struct str description)
{
    t->entries[t->count++] = (struct timeline_entry){
        .type = type, .at_us = at_us, .description = description, .failure = FAILURE_NONE};
}

static void add_schedule(struct timeline *t, const struct message *m, struct arena *a)
{
    char until[RFC3339_SIZE];

    rfc3339_format(m->scheduled_us, until);
    char *text = arena_printf(a, "The message waits until %s.", until);
    add(t, TIMELINE_SCHEDULED, m->created_us, str_of(text ? text : "The message waits."));
}

/* When it was queued, or 0. What moved on since does not tell it; it was due then. */
static int64_t queued_us(const struct message *m)
{
    if (m->scheduled_us == 0)
        return m->created_us;
    if (m->status == STATUS_SCHEDULED || (m->cancelled_us && m->cancelled_us < m->scheduled_us))
        return 0;
    return m->status == STATUS_QUEUED ? m->updated_us : m->scheduled_us;
}

static void add_outbound(struct timeline *t, const struct message *m, struct arena *a)
{
    char *route = arena_printf(a, "%.*s was chosen to send it.", STR_FMT(m->from));

    add(t, TIMELINE_ACCEPTED, m->created_us, STR("The message was accepted and stored."));
    add(t, TIMELINE_ROUTED, m->created_us, str_of(route ? route : "A sender was chosen."));
    if (m->scheduled_us)
        add_schedule(t, m, a);
    if (queued_us(m))
        add(t, TIMELINE_QUEUED, queued_us(m), STR("The message waits for the carrier."));
    if (m->sent_us)
        add(t, TIMELINE_SENT, m->sent_us, STR("The carrier took the message."));
    if (m->delivered_us)
        add(t, TIMELINE_DELIVERED, m->delivered_us, STR("The handset has the message."));
    if (m->cancelled_us)
        add(t, TIMELINE_CANCELLED, m->cancelled_us,
            STR("The message was called back before a carrier had it."));
    if (m->failed_us) {
        add(t, TIMELINE_FAILED, m->failed_us, str_of(failure_text(m->failure)));
        t->entries[t->count - 1].failure = m->failure;
    }
}

static enum timeline_type event_type(enum event_kind kind)
{
    switch (kind) {
    case EVENT_OPTED_OUT:
        return TIMELINE_OPTED_OUT;
    case EVENT_OPTED_IN:
        return TIMELINE_OPTED_IN;
    case EVENT_LATE_RECEIPT:
        break;
    case EVENT_CARRIER_ANSWER:
        return TIMELINE_CARRIER_ANSWER;
    case EVENT_RETRY:
        return TIMELINE_RETRY;
    case EVENT_FAILOVER:
        return TIMELINE_FAILOVER;
    case EVENT_POSSIBLE_DUPLICATE:
        return TIMELINE_POSSIBLE_DUPLICATE;
    case EVENT_RECEIPT:
        return TIMELINE_RECEIPT;
    case EVENT_MEDIA:
        return TIMELINE_MEDIA;
    }
    return TIMELINE_LATE_RECEIPT;
}

/* By time; of what happened in the same moment the cause comes first, which is the order of types.
 */
static bool is_later(const struct timeline_entry *a, const struct timeline_entry *b)
{
    return a->at_us != b->at_us ? a->at_us > b->at_us : a->type > b->type;
}

static void sort(struct timeline *t)
{
    for (size_t i = 1; i < t->count; i++) {
        struct timeline_entry e = t->entries[i];
        size_t at = i;
        for (; at > 0 && is_later(&t->entries[at - 1], &e); at--)
            t->entries[at] = t->entries[at - 1];
        t->entries[at] = e;
    }
}

static void add_try(struct timeline *t, const struct timeline_try *tried, struct arena *a)
{
    const struct attempt_record *attempt = &tried->attempt;
    const char *word = notice_word(tried->kind);
    bool delivered = attempt->status / 100 == 2;
    char *text;

    if (delivered)
        text = arena_printf(a, "%s was delivered to the webhook, which answered %u.", word,
                            attempt->status);
    else if (attempt->status)
        text = arena_printf(a, "%s was not delivered: the webhook answered %u.", word,
                            attempt->status);
    else
        text = arena_printf(a, "%s was not delivered. %.*s", word, STR_FMT(attempt->error));
    add(t, delivered ? TIMELINE_WEBHOOK_DELIVERED : TIMELINE_WEBHOOK_FAILED, attempt->at_us,
        str_of(text ? text : word));
    t->entries[t->count - 1].tried = tried;
}

int timeline_make(const struct timeline_sources *from, struct arena *a, struct timeline_entry **ret,
                  size_t *ret_count)
{
    const struct message *m = from->message;
    size_t most = OWN_ENTRIES_MAX + from->event_count + from->try_count;
    struct timeline t = {.entries = arena_alloc(a, most * sizeof *t.entries)};

    if (!t.entries)
        return -ENOMEM;
    if (m->direction == DIRECTION_INBOUND)
        add(&t, TIMELINE_RECEIVED, m->created_us, STR("The message came in."));
    else
        add_outbound(&t, m, a);
    for (size_t i = 0; i < from->event_count; i++)
        add(&t, event_type(from->events[i].kind), from->events[i].at_us, from->events[i].detail);
    for (size_t i = 0; i < from->try_count; i++)
        add_try(&t, &from->tries[i], a);
    sort(&t);
    *ret = t.entries;
    *ret_count = t.count;
    return 0;
}
