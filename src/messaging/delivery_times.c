#include "messaging/delivery_times.h"

#include <assert.h>

/* The page with this slot; NULL: no memory. */
static int64_t *page_of(struct delivery_times *t, struct arena *a, unsigned slot)
{
    int64_t **page = &t->pages[slot / TIMES_PAGE];

    if (!*page)
        *page = arena_alloc(a, TIMES_PAGE * sizeof **page);
    return *page;
}

void delivery_times_add(struct delivery_times *t, struct arena *a, const struct rollup_slots *more)
{
    for (size_t i = 0; i < more->count; i++) {
        const struct rollup_slot *s = &more->at[i];
        assert(s->slot < TIMES_SLOTS);
        int64_t *page = page_of(t, a, s->slot);
        if (!page)
            return;
        page[s->slot % TIMES_PAGE] += s->count;
    }
}

void delivery_times_merge(struct delivery_times *t, struct arena *a,
                          const struct delivery_times *more)
{
    for (unsigned i = 0; i < TIMES_PAGES; i++) {
        int64_t *page = more->pages[i] ? page_of(t, a, i * TIMES_PAGE) : NULL;
        for (unsigned k = 0; page && k < TIMES_PAGE; k++)
            page[k] += more->pages[i][k];
    }
}

int64_t delivery_times_count(const struct delivery_times *t, unsigned slot)
{
    const int64_t *page = t->pages[slot / TIMES_PAGE];
    return page ? page[slot % TIMES_PAGE] : 0;
}

static int64_t count_all(const struct delivery_times *t)
{
    int64_t all = 0;

    for (int i = 0; i < TIMES_PAGES; i++)
        for (int k = 0; t->pages[i] && k < TIMES_PAGE; k++)
            all += t->pages[i][k];
    return all;
}

bool delivery_times_within(const struct delivery_times *t, unsigned percent, int64_t *ret_ms)
{
    int64_t all = count_all(t), rank = (all * percent + 99) / 100, seen = 0;

    if (all <= 0)
        return false;
    unsigned slot = 0;
    while ((seen += delivery_times_count(t, slot)) < rank)
        slot++;
    *ret_ms = rollup_slot_middle_ms(slot);
    return true;
}
