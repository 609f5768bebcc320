/* A ring of receipts, and for each of their ids a way to them: lists of those that share a slot,
 * newest first, as in reference_table.c. */
#include "messaging/parked_receipts.h"

#include <errno.h>
#include <stdlib.h>

/* How many of a list are looked at: some carriers give one id to all messages. */
enum { LOOK_MAX = 256 };

struct place {
    struct receipt_job *job; /* NULL: it waits no longer */
    uint64_t turn;           /* under which it came; 0: never used */
    uint64_t next[RECEIPT_WAYS];
};

/* Turns in the lists name the way as well. */
struct parked_receipts {
    struct place *places;
    uint64_t *slots;
    uint64_t mask;
    uint64_t turn;   /* given last */
    uint64_t oldest; /* before this turn nobody waits */
    size_t count;
};

int parked_receipts_new(struct parked_receipts **ret, unsigned bits)
{
    struct parked_receipts *p = calloc(1, sizeof *p);
    size_t size = (size_t)1 << bits;

    *ret = NULL;
    if (!p)
        return -ENOMEM;
    p->mask = size - 1;
    p->oldest = 1;
    p->places = calloc(size, sizeof *p->places);
    p->slots = calloc(size, sizeof *p->slots);
    if (!p->places || !p->slots) {
        parked_receipts_free(p);
        return -ENOMEM;
    }
    *ret = p;
    return 0;
}

static struct place *place_of(const struct parked_receipts *p, uint64_t turn)
{
    return &p->places[turn & p->mask];
}

/* Somebody else's from now on. */
static struct receipt_job *empty(struct parked_receipts *p, struct place *place)
{
    struct receipt_job *j = place->job;

    place->job = NULL;
    if (j) {
        j->turn = 0;
        p->count--;
    }
    return j;
}

static void let_go(struct parked_receipts *p, struct place *place)
{
    struct receipt_job *j = empty(p, place);

    if (j)
        receipt_job_release(j);
}

void parked_receipts_free(struct parked_receipts *p)
{
    if (!p)
        return;
    for (size_t i = 0; p->places && i <= p->mask; i++)
        let_go(p, &p->places[i]);
    free(p->places);
    free(p->slots);
    free(p);
}

size_t parked_receipts_count(const struct parked_receipts *p)
{
    return p->count;
}

void parked_receipts_add(struct parked_receipts *p, struct receipt_job *j)
{
    struct place *place = place_of(p, ++p->turn);

    let_go(p, place);
    if (p->turn - p->oldest > p->mask)
        p->oldest = p->turn - p->mask;
    place->job = j;
    place->turn = j->turn = p->turn;
    j->holders++;
    p->count++;
    for (size_t way = 0; way < j->way_count; way++) {
        uint64_t *slot = &p->slots[j->ways[way] & p->mask];
        place->next[way] = *slot;
        *slot = p->turn * RECEIPT_WAYS + way;
    }
}

void parked_receipts_drop(struct parked_receipts *p, struct receipt_job *j)
{
    if (j->turn)
        let_go(p, place_of(p, j->turn));
}

void parked_receipts_expire(struct parked_receipts *p, int64_t before_us)
{
    for (; p->oldest <= p->turn; p->oldest++) {
        struct place *place = place_of(p, p->oldest);
        if (place->job && place->job->at_us >= before_us)
            return;
        let_go(p, place);
    }
}

/* ---- taking ---- */

static bool fits(const struct receipt_job *j, size_t way, uint64_t address, bool strict)
{
    return (way == 0 && !strict) || j->ends.source == address || j->ends.destination == address;
}

static void turn_round(struct receipt_job **jobs, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct receipt_job *j = jobs[i];
        jobs[i] = jobs[count - 1 - i];
        jobs[count - 1 - i] = j;
    }
}

static size_t take(struct parked_receipts *p, uint64_t id, uint64_t address, bool strict,
                   struct receipt_job *ret[PARKED_TAKEN_MAX])
{
    uint64_t link = p->count ? p->slots[id & p->mask] : 0;
    size_t count = 0;

    for (int looks = 0; link && count < PARKED_TAKEN_MAX && looks < LOOK_MAX; looks++) {
        struct place *place = place_of(p, link / RECEIPT_WAYS);
        size_t way = link % RECEIPT_WAYS;
        if (place->turn != link / RECEIPT_WAYS || place->turn < p->oldest)
            break; /* it made room, and so did all behind it */
        if (place->job && place->job->ways[way] == id && fits(place->job, way, address, strict))
            ret[count++] = empty(p, place);
        link = place->next[way];
    }
    turn_round(ret, count);
    return count;
}

/* Those with the right address first: others may be for a message with the same id. */
size_t parked_receipts_take(struct parked_receipts *p, uint64_t id, uint64_t address, bool strict,
                            struct receipt_job *ret[PARKED_TAKEN_MAX])
{
    size_t count = take(p, id, address, true, ret);

    return count || strict ? count : take(p, id, address, false, ret);
}
