#include "api/stream_seats.h"

#include <pthread.h>
#include <stdlib.h>

struct seats {
    int64_t account;
    unsigned taken;
};

/* Accounts that have streams, in no order. They are few, and begin and end seldom. */
struct stream_seats {
    pthread_mutex_t lock;
    struct seats *rows;
    size_t count, size;
};

struct stream_seats *stream_seats_new(void)
{
    struct stream_seats *s = calloc(1, sizeof *s);

    if (s)
        pthread_mutex_init(&s->lock, NULL);
    return s;
}

void stream_seats_free(struct stream_seats *s)
{
    if (!s)
        return;
    pthread_mutex_destroy(&s->lock);
    free(s->rows);
    free(s);
}

static struct seats *find(struct stream_seats *s, int64_t account)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->rows[i].account == account)
            return &s->rows[i];
    return NULL;
}

static struct seats *add(struct stream_seats *s, int64_t account)
{
    if (s->count == s->size) {
        size_t size = s->size ? 2 * s->size : 16;
        struct seats *rows = realloc(s->rows, size * sizeof *rows);
        if (!rows)
            return NULL;
        s->rows = rows;
        s->size = size;
    }
    s->rows[s->count] = (struct seats){.account = account};
    return &s->rows[s->count++];
}

bool stream_seat_take(struct stream_seats *s, int64_t account)
{
    pthread_mutex_lock(&s->lock);
    struct seats *row = find(s, account);
    if (!row)
        row = add(s, account);
    bool taken = row && row->taken < STREAMS_PER_ACCOUNT;
    if (taken)
        row->taken++;
    pthread_mutex_unlock(&s->lock);
    return taken;
}

void stream_seat_leave(struct stream_seats *s, int64_t account)
{
    pthread_mutex_lock(&s->lock);
    struct seats *row = find(s, account);
    if (row && --row->taken == 0)
        *row = s->rows[--s->count];
    pthread_mutex_unlock(&s->lock);
}
