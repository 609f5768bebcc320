#include "carriers/smpp_window.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

enum { NOBODY = UINT16_MAX };
_Static_assert(SMPP_WINDOW_MAX < UINT16_MAX, "entries are numbered in 16 bits");

struct smpp_window_entry {
    int64_t deadline_us;
    void *request;
    uint32_t sequence;
    uint16_t chain;        /* the next with the same low bits, or the next that is unused */
    uint16_t older, newer; /* in the order they were put */
};

int smpp_window_init(struct smpp_window *w, unsigned size)
{
    unsigned chains = 1;

    assert(size > 0 && size <= SMPP_WINDOW_MAX);
    while (chains < 2 * size)
        chains *= 2;
    *w = (struct smpp_window){.size = size, .mask = chains - 1};
    w->entries = calloc(size, sizeof *w->entries);
    w->chains = calloc(chains, sizeof *w->chains);
    if (!w->entries || !w->chains) {
        smpp_window_done(w);
        return -ENOMEM;
    }
    for (unsigned i = 0; i < chains; i++)
        w->chains[i] = NOBODY;
    for (unsigned i = 0; i < size; i++)
        w->entries[i].chain = i + 1 < size ? (uint16_t)(i + 1) : NOBODY;
    w->oldest = w->newest = NOBODY;
    return 0;
}

void smpp_window_done(struct smpp_window *w)
{
    free(w->entries);
    free(w->chains);
    *w = (struct smpp_window){.size = 0};
}

void smpp_window_begin(struct smpp_window *w)
{
    assert(w->count == 0);
    w->sequence = 0;
}

/* The link to the entry with this number, or the end of its chain. */
static uint16_t *find(struct smpp_window *w, uint32_t sequence)
{
    uint16_t *link = &w->chains[sequence & w->mask];

    while (*link != NOBODY && w->entries[*link].sequence != sequence)
        link = &w->entries[*link].chain;
    return link;
}

uint32_t smpp_window_sequence(struct smpp_window *w)
{
    do
        w->sequence = w->sequence < SMPP_SEQUENCE_MAX ? w->sequence + 1 : 1;
    while (*find(w, w->sequence) != NOBODY);
    return w->sequence;
}

void smpp_window_put(struct smpp_window *w, uint32_t sequence, void *request, int64_t deadline_us)
{
    assert(w->count < w->size);
    uint16_t at = w->unused, *end = find(w, sequence);
    struct smpp_window_entry *e = &w->entries[at];
    assert(*end == NOBODY);

    w->unused = e->chain;
    *e = (struct smpp_window_entry){.deadline_us = deadline_us,
                                    .request = request,
                                    .sequence = sequence,
                                    .chain = NOBODY,
                                    .older = w->newest,
                                    .newer = NOBODY};
    *end = at;
    *(w->newest == NOBODY ? &w->oldest : &w->entries[w->newest].newer) = at;
    w->newest = at;
    w->count++;
}

bool smpp_window_take(struct smpp_window *w, uint32_t sequence, void **ret_request)
{
    uint16_t *link = find(w, sequence), at = *link;

    if (at == NOBODY)
        return false;
    struct smpp_window_entry *e = &w->entries[at];
    *link = e->chain;
    *(e->older == NOBODY ? &w->oldest : &w->entries[e->older].newer) = e->newer;
    *(e->newer == NOBODY ? &w->newest : &w->entries[e->newer].older) = e->older;
    e->chain = w->unused;
    w->unused = at;
    w->count--;
    *ret_request = e->request;
    return true;
}

bool smpp_window_take_oldest(struct smpp_window *w, void **ret_request)
{
    return w->count > 0 && smpp_window_take(w, w->entries[w->oldest].sequence, ret_request);
}

bool smpp_window_is_late(const struct smpp_window *w, int64_t now_us)
{
    return w->count > 0 && w->entries[w->oldest].deadline_us <= now_us;
}
