#include "messaging/parcel.h"

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
    p->note = NULL;
    p->message = *m;
    forget_rest(&p->message);
    char *at = (char *)(p + 1);
    at = keep(at, &p->message.from);
    at = keep(at, &p->message.to);
    at = keep(at, &p->message.text);
    at = keep(at, &p->message.media);
    keep(at, &p->message.subject);
    return p;
}

void parcel_queue_init(struct parcel_queue *q)
{
    q->first = NULL;
    q->last = &q->first;
}

void parcel_queue_add(struct parcel_queue *q, struct parcel *p)
{
    p->letter.next = NULL;
    *q->last = &p->letter;
    q->last = &p->letter.next;
}

struct parcel *parcel_queue_take(struct parcel_queue *q)
{
    struct letter *l = q->first;

    if (!l)
        return NULL;
    q->first = l->next;
    if (!q->first)
        q->last = &q->first;
    return (struct parcel *)l;
}

void parcel_queue_put_back(struct parcel_queue *q, struct parcel *p)
{
    p->letter.next = q->first;
    if (!q->first)
        q->last = &p->letter.next;
    q->first = &p->letter;
}

void parcel_queue_pick(struct parcel_queue *q, bool (*wanted)(void *context, struct parcel *p),
                       void *context)
{
    struct letter **at = &q->first;

    while (*at) {
        struct letter *l = *at, *next = l->next;
        if (wanted(context, (struct parcel *)l))
            *at = next;
        else
            at = &l->next;
    }
    q->last = at;
}

void parcel_queue_free(struct parcel_queue *q)
{
    while (q->first) {
        struct letter *next = q->first->next;
        free(q->first);
        q->first = next;
    }
    parcel_queue_init(q);
}
