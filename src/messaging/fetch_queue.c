#include "messaging/fetch_queue.h"

#include "messaging/https_url.h"

static unsigned number_of(const struct message *m)
{
    struct str lines = m->media;
    unsigned host = url_host_hash(str_cut(&lines, '\n')) % FETCH_HOSTS;
    unsigned account = (unsigned)((uint64_t)m->account % FETCH_ACCOUNTS);

    return host * FETCH_ACCOUNTS + account;
}

void fetch_queue_add(struct fetch_queue *f, struct parcel *p)
{
    parcel_queue_add(&f->queues[number_of(&p->message)], p);
    f->count++;
}

struct parcel *fetch_queue_take(struct fetch_queue *f)
{
    struct parcel *p = parcel_queue_take(&f->queues[f->turn]);

    f->turn = (f->turn + 1) % FETCH_QUEUES;
    f->count -= p != NULL;
    return p;
}

void fetch_queue_put_back(struct fetch_queue *f, struct parcel *p)
{
    parcel_queue_put_back(&f->queues[number_of(&p->message)], p);
    f->count++;
}

bool fetch_queue_has(const struct fetch_queue *f, const struct parcel *p)
{
    return p->queue == &f->queues[number_of(&p->message)];
}

void fetch_queue_remove(struct fetch_queue *f, struct parcel *p)
{
    parcel_queue_remove(p);
    f->count--;
}
