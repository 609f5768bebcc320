#include "messaging/fetch_queue.h"

#include "messaging/https_url.h"

static unsigned number_of(const struct message *m)
{
    struct str lines = m->media;
    unsigned host = url_host_hash(str_cut(&lines, '\n')) % FETCH_HOSTS;
    unsigned account = (unsigned)((uint64_t)m->account % FETCH_ACCOUNTS);

    return host * FETCH_ACCOUNTS + account;
}

/* After each change of a queue. Most are empty most of the time: nobody looks at those. */
static void note_filled(struct fetch_queue *f, unsigned number)
{
    uint64_t bit = UINT64_C(1) << number % 64, *word = &f->filled[number / 64];
    bool was = *word & bit, is = f->queues[number].count > 0;

    if (was == is)
        return;
    *word ^= bit;
    if (is)
        f->filled_count++;
    else
        f->filled_count--;
}

static unsigned next_filled(const struct fetch_queue *f)
{
    enum { WORDS = FETCH_QUEUES / 64 };
    unsigned word = f->turn / 64;
    uint64_t bits = f->filled[word] & UINT64_MAX << f->turn % 64;

    while (!bits) {
        word = (word + 1) % WORDS;
        bits = f->filled[word];
    }
    return word * 64 + (unsigned)__builtin_ctzll(bits);
}

void fetch_queue_add(struct fetch_queue *f, struct parcel *p)
{
    unsigned number = number_of(&p->message);

    parcel_queue_add(&f->queues[number], p);
    note_filled(f, number);
    f->count++;
}

struct parcel *fetch_queue_take(struct fetch_queue *f)
{
    if (f->count == 0)
        return NULL;
    unsigned number = next_filled(f);
    struct parcel *p = parcel_queue_take(&f->queues[number]);
    note_filled(f, number);
    f->turn = (number + 1) % FETCH_QUEUES;
    f->count--;
    return p;
}

void fetch_queue_put_back(struct fetch_queue *f, struct parcel *p)
{
    unsigned number = number_of(&p->message);

    parcel_queue_put_back(&f->queues[number], p);
    note_filled(f, number);
    f->count++;
}

bool fetch_queue_has(const struct fetch_queue *f, const struct parcel *p)
{
    return p->queue == &f->queues[number_of(&p->message)];
}

void fetch_queue_remove(struct fetch_queue *f, struct parcel *p)
{
    unsigned number = number_of(&p->message);

    parcel_queue_remove(p);
    note_filled(f, number);
    f->count--;
}
