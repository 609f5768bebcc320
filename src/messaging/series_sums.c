#include "messaging/series_sums.h"

enum { SLOTS_FIRST = 128 };

static struct series_sum **find(const struct series_sums *s, int64_t series)
{
    size_t at = (size_t)((uint64_t)series * 0x9e3779b97f4a7c15 >> 32) & (s->slot_count - 1);

    while (s->slots[at] && s->slots[at]->series != series)
        at = (at + 1) & (s->slot_count - 1);
    return &s->slots[at];
}

/* Twice the room: half of the slots stay free. */
static bool grow(struct series_sums *s, struct arena *a)
{
    size_t slot_count = s->slot_count ? s->slot_count * 2 : SLOTS_FIRST;
    struct series_sums wide = {.slots = arena_alloc(a, slot_count * sizeof *wide.slots),
                               .slot_count = slot_count,
                               .count = s->count};

    if (!wide.slots)
        return false;
    for (size_t i = 0; i < s->slot_count; i++)
        if (s->slots[i])
            *find(&wide, s->slots[i]->series) = s->slots[i];
    *s = wide;
    return true;
}

struct series_sum *series_sums_get(struct series_sums *s, struct arena *a, int64_t series)
{
    if (s->last && s->last->series == series)
        return s->last;
    if (s->count == s->slot_count / 2 && !grow(s, a))
        return NULL;
    struct series_sum **slot = find(s, series);
    if (!*slot) {
        if (!(*slot = arena_new(a, struct series_sum)))
            return NULL;
        (*slot)->series = series;
        s->count++;
    }
    return s->last = *slot;
}
