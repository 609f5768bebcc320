#include "carriers/carrier_notes.h"

#include <stdlib.h>

/* Readers take a note that is a minute old for that of a server that died. */
#define FRESH_US (INT64_C(30) * 1000000)

struct noting {
    struct errand errand;
    struct carrier_notes *notes;
    size_t count;
    struct {
        struct carrier_seat *seat;
        struct carrier_record record;
    } items[];
};

static int apply(struct write_job *job, struct store *s)
{
    struct noting *n = (struct noting *)job;
    int failed = 0;

    for (size_t i = 0; i < n->count && !failed; i++)
        failed = store_carrier_note(s, &n->items[i].record);
    return failed;
}

static void back(struct errand *e)
{
    struct noting *n = (struct noting *)e;
    struct carrier_notes *notes = n->notes;
    int result = e->result;

    for (size_t i = 0; i < n->count && result == 0; i++)
        n->items[i].seat->noted = n->items[i].record;
    free(n);
    notes->busy = false;
    notes->done(notes->context, result);
}

static bool is_same(const struct carrier_record *a, const struct carrier_record *b)
{
    return a->state == b->state && a->since_us == b->since_us && a->binds_up == b->binds_up &&
           a->binds == b->binds && a->waiting == b->waiting && a->in_flight == b->in_flight &&
           a->submitted == b->submitted && a->taken == b->taken && a->refused == b->refused &&
           a->throttled == b->throttled && a->receipts == b->receipts && a->strays == b->strays &&
           strcmp(a->note, b->note) == 0;
}

static bool is_news(const struct carrier_record *now, const struct carrier_record *noted)
{
    bool old = now->state != CARRIER_UNUSED && now->told_us - noted->told_us >= FRESH_US;
    return old || !is_same(now, noted);
}

static struct noting *gather(struct carrier_notes *n, struct carrier_seat *seats)
{
    size_t count = 0;

    for (struct carrier_seat *s = seats; s; s = s->next)
        count++;
    struct noting *noting = malloc(sizeof *noting + count * sizeof *noting->items);
    if (!noting)
        return NULL;
    noting->notes = n;
    noting->count = 0;
    for (struct carrier_seat *s = seats; s; s = s->next) {
        struct carrier_record record;
        live_carrier_state(s->carrier, &record);
        record.told_us = clock_now_us(n->clock);
        if (!is_news(&record, &s->noted))
            continue;
        noting->items[noting->count].seat = s;
        noting->items[noting->count++].record = record;
    }
    return noting;
}

bool carrier_notes_write(struct carrier_notes *n, struct carrier_seat *seats)
{
    struct noting *noting = n->busy ? NULL : gather(n, seats);

    if (!noting || noting->count == 0) {
        free(noting);
        return false;
    }
    n->busy = true;
    errand_init(&noting->errand, n->home, apply, back);
    errand_try(&noting->errand, n->writer);
    return true;
}
