#include "messaging/parcel.h"

#include "base/id.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

const struct message *parcel_message(const struct parcel *p)
{
    return &p->message;
}

void parcel_set_note(struct parcel *p, void *note)
{
    p->note = note;
}

void *parcel_note(const struct parcel *p)
{
    return p->note;
}

static char *keep(char *at, struct str *s)
{
    if (s->n)
        memcpy(at, s->p, s->n);
    s->p = at;
    return at + s->n;
}

/* What only the client asked for and no carrier needs to know stays out. */
static void forget_rest(struct message *m)
{
    m->tags = m->metadata = (struct str){"", 0};
    m->webhook_url = m->webhook_failover_url = (struct str){"", 0};
}

struct parcel *parcel_new(const struct message *m)
{
    struct parcel *p =
        malloc(sizeof *p + m->from.n + m->to.n + m->text.n + m->media.n + m->subject.n);

    if (!p)
        return NULL;
    *p = (struct parcel){.tries = m->retry_count < UINT8_MAX ? (uint8_t)m->retry_count : UINT8_MAX,
                         .failover_us = FAILOVER_UNKNOWN,
                         .message = *m};
    forget_rest(&p->message);
    char *at = (char *)(p + 1);
    at = keep(at, &p->message.from);
    at = keep(at, &p->message.to);
    at = keep(at, &p->message.text);
    at = keep(at, &p->message.media);
    keep(at, &p->message.subject);
    return p;
}

/* ---- queues ---- */

static void link_between(struct parcel_queue *q, struct parcel *previous, struct parcel *p,
                         struct parcel *next)
{
    assert(!p->queue);
    p->queue = q;
    p->previous = previous;
    p->letter.next = next ? &next->letter : NULL;
    if (previous)
        previous->letter.next = &p->letter;
    else
        q->first = p;
    if (next)
        next->previous = p;
    else
        q->last = p;
    q->count++;
}

void parcel_queue_add(struct parcel_queue *q, struct parcel *p)
{
    link_between(q, q->last, p, NULL);
}

void parcel_queue_put_back(struct parcel_queue *q, struct parcel *p)
{
    link_between(q, NULL, p, q->first);
}

void parcel_queue_remove(struct parcel *p)
{
    struct parcel_queue *q = p->queue;
    struct parcel *next = parcel_next(p);

    if (p->previous)
        p->previous->letter.next = p->letter.next;
    else
        q->first = next;
    if (next)
        next->previous = p->previous;
    else
        q->last = p->previous;
    p->queue = NULL;
    q->count--;
}

struct parcel *parcel_queue_take(struct parcel_queue *q)
{
    struct parcel *p = q->first;

    if (p)
        parcel_queue_remove(p);
    return p;
}

/* ---- the index ---- */

enum { SLOTS_MAX = 1 << 18 };

int parcel_index_init(struct parcel_index *x, size_t expected)
{
    size_t slots = 64;

    while (slots < expected && slots < SLOTS_MAX)
        slots *= 2;
    x->slots = calloc(slots, sizeof(struct parcel *));
    x->mask = slots - 1;
    return x->slots ? 0 : -ENOMEM;
}

void parcel_index_done(struct parcel_index *x)
{
    for (size_t i = 0; x->slots && i <= x->mask; i++)
        while (x->slots[i]) {
            struct parcel *p = x->slots[i];
            x->slots[i] = p->next_in_slot;
            free(p);
        }
    free(x->slots);
}

/* Messages that come one after the other lie side by side, as they are looked for. */
static struct parcel **slot_of(const struct parcel_index *x, int64_t message)
{
    uint64_t ms = (uint64_t)message >> ID_TIME_SHIFT, sequence = (uint64_t)message & 0xfff;

    return &x->slots[(ms * 61 + sequence) & x->mask];
}

void parcel_index_add(struct parcel_index *x, struct parcel *p)
{
    struct parcel **slot = slot_of(x, p->message.id);

    p->next_in_slot = *slot;
    *slot = p;
}

void parcel_index_remove(struct parcel_index *x, struct parcel *p)
{
    struct parcel **at = slot_of(x, p->message.id);

    while (*at != p)
        at = &(*at)->next_in_slot;
    *at = p->next_in_slot;
}

struct parcel *parcel_index_find(const struct parcel_index *x, int64_t message)
{
    struct parcel *p = *slot_of(x, message);

    while (p && p->message.id != message)
        p = p->next_in_slot;
    return p;
}
