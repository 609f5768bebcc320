#include "messaging/delivery_times.h"

#include <assert.h>

/* The middle of a slot: each millisecond has one below 16, then sixteen share each octave. */
static int64_t slot_ms(unsigned slot)
{
    unsigned octave = slot / TIMES_PAGE;

    if (octave <= 1)
        return slot;
    return ((int64_t)(TIMES_PAGE + slot % TIMES_PAGE) << (octave - 1)) +
           (INT64_C(1) << (octave - 1)) / 2;
}

void delivery_times_add(struct delivery_times *t, struct arena *a, unsigned slot, int64_t count)
{
    assert(slot < TIMES_SLOTS);
    int64_t **page = &t->pages[slot / TIMES_PAGE];

    if (!*page)
        *page = arena_alloc(a, TIMES_PAGE * sizeof **page);
    if (*page)
        (*page)[slot % TIMES_PAGE] += count;
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
    for (unsigned slot = 0; slot < TIMES_SLOTS; slot++) {
        seen += delivery_times_count(t, slot);
        if (seen >= rank) {
            *ret_ms = slot_ms(slot);
            return true;
        }
    }
    return false;
}
