#include "messaging/sum_group.h"

#include <stdlib.h>

enum { SLOTS_FIRST = 64 };

/* FNV-1a. Names are an account's own: who makes them collide slows himself, within the bounds of
 * how many sets of tags are told apart. */
static uint64_t hash_of(struct str name)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (size_t i = 0; i < name.n; i++)
        hash = (hash ^ (unsigned char)name.p[i]) * 0x100000001b3;
    return hash ^ hash >> 32;
}

static struct sum_group **find(const struct sum_groups *g, struct str name, uint64_t hash)
{
    size_t at = hash & (g->slot_count - 1);

    while (g->slots[at] && !(g->slots[at]->hash == hash && str_eq(g->slots[at]->name, name)))
        at = (at + 1) & (g->slot_count - 1);
    return &g->slots[at];
}

/* Twice the room: half of the slots stay free. */
static bool grow(struct sum_groups *g, struct arena *a)
{
    size_t slot_count = g->slot_count ? g->slot_count * 2 : SLOTS_FIRST;
    struct sum_groups wide = {.items = arena_alloc(a, slot_count / 2 * sizeof *wide.items),
                              .slots = arena_alloc(a, slot_count * sizeof *wide.slots),
                              .count = g->count,
                              .slot_count = slot_count};

    if (!wide.items || !wide.slots)
        return false;
    for (size_t i = 0; i < g->count; i++) {
        wide.items[i] = g->items[i];
        *find(&wide, g->items[i]->name, g->items[i]->hash) = g->items[i];
    }
    *g = wide;
    return true;
}

struct sum_group *sum_groups_get(struct sum_groups *g, struct arena *a, struct str name)
{
    uint64_t hash = hash_of(name);

    if (g->count == g->slot_count / 2 && !grow(g, a))
        return NULL;
    struct sum_group **slot = find(g, name, hash), *made;
    if (*slot || !(made = arena_new(a, struct sum_group)))
        return *slot;
    *made = (struct sum_group){.name = arena_copy(a, name), .hash = hash};
    if (!made->name.p)
        return NULL;
    g->items[g->count++] = made;
    return *slot = made;
}

static int by_name(struct str a, struct str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, n) : 0;

    return order ? order : (a.n > b.n) - (a.n < b.n);
}

static int by_measure(const void *a, const void *b, void *measure)
{
    const struct sum_group *const *x = a, *const *y = b;
    const enum measure *by = measure;
    int64_t first = sum_figure(&(*x)->sum, *by).value, second = sum_figure(&(*y)->sum, *by).value;

    return first != second ? (first < second) - (first > second) : by_name((*x)->name, (*y)->name);
}

void sum_groups_sort(struct sum_groups *g, enum measure by)
{
    if (g->count)
        qsort_r(g->items, g->count, sizeof *g->items, by_measure, &by);
}
