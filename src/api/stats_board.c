#include "api/stats_board.h"

#include <errno.h>
#include <stdlib.h>

enum { OWNERS_MAX = 64 }; /* 100 KB each */

#define MINUTE_US INT64_C(60000000)

struct owner {
    int64_t account;
    enum mode mode;
    struct pulse_ring *ring; /* NULL: nobody's place */
    struct queue_state queue;
    uint64_t commits; /* of the store when both were read */
    int64_t minute;   /* in which they were */
    bool read;
    uint64_t asked; /* the board's count when it was asked about last */
};

struct stats_board {
    struct store *store;
    uint64_t asked;
    struct owner owners[OWNERS_MAX];
};

struct stats_board *stats_board_new(struct store *store)
{
    struct stats_board *b = calloc(1, sizeof *b);

    if (b)
        b->store = store;
    return b;
}

void stats_board_free(struct stats_board *b)
{
    for (size_t i = 0; b && i < OWNERS_MAX; i++)
        pulse_ring_free(b->owners[i].ring);
    free(b);
}

/* The owner's place; or, for a new one, a free place or that of who was not asked about for the
 * longest time. */
static struct owner *find_place(struct stats_board *b, int64_t account, enum mode mode)
{
    struct owner *oldest = &b->owners[0];

    for (size_t i = 0; i < OWNERS_MAX; i++) {
        struct owner *o = &b->owners[i];
        if (o->ring && o->account == account && o->mode == mode)
            return o;
        if (o->asked < oldest->asked)
            oldest = o;
    }
    return oldest;
}

static struct owner *find(struct stats_board *b, int64_t account, enum mode mode)
{
    struct owner *o = find_place(b, account, mode);

    if (!o->ring || o->account != account || o->mode != mode) {
        pulse_ring_free(o->ring);
        *o =
            (struct owner){.account = account, .mode = mode, .ring = pulse_ring_new(account, mode)};
    }
    o->asked = o->ring ? ++b->asked : 0;
    return o->ring ? o : NULL;
}

/* As long as nothing is committed only time goes on. */
static int read_owner(struct owner *o, struct store_reader *r, uint64_t commits, int64_t now_us)
{
    if (o->read && o->commits == commits && o->minute == now_us / MINUTE_US)
        return 0;
    int failed = pulse_ring_read(o->ring, r, now_us);
    if (!failed)
        failed = store_queue_state(r, o->account, o->mode, &o->queue);
    o->read = !failed;
    o->commits = commits;
    o->minute = now_us / MINUTE_US;
    return failed;
}

int stats_read(struct stats_board *b, struct store_reader *r, int64_t account, enum mode mode,
               int64_t now_us, struct stats *ret)
{
    uint64_t commits = store_commits(b->store); /* before reading: none is missed */
    struct owner *o = find(b, account, mode);

    if (!o)
        return -ENOMEM;
    int failed = read_owner(o, r, commits, now_us);
    if (failed)
        return failed;
    ret->now_us = now_us;
    ret->mode = mode;
    ret->queue = o->queue;
    pulse_ring_view(o->ring, now_us, &ret->pulse);
    return 0;
}
