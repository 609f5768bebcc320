#include "hooks/hook_alarm.h"

#include <assert.h>
#include <stdlib.h>

void hook_alarms_done(struct hook_alarms *all)
{
    free(all->heap);
    *all = (struct hook_alarms){0};
}

bool hook_alarms_reserve(struct hook_alarms *all, size_t count)
{
    if (count <= all->size)
        return true;
    size_t size = count < 2 * all->size ? 2 * all->size : count;
    struct hook_alarm **heap = realloc(all->heap, size * sizeof(struct hook_alarm *));
    if (!heap)
        return false;
    all->heap = heap;
    all->size = size;
    return true;
}

static void put(struct hook_alarms *all, size_t place, struct hook_alarm *a)
{
    all->heap[place - 1] = a;
    a->place = place;
}

static void move_up(struct hook_alarms *all, struct hook_alarm *a)
{
    size_t place = a->place;

    for (; place > 1 && all->heap[place / 2 - 1]->at_us > a->at_us; place /= 2)
        put(all, place, all->heap[place / 2 - 1]);
    put(all, place, a);
}

static void move_down(struct hook_alarms *all, struct hook_alarm *a)
{
    size_t place = a->place;

    for (size_t child; (child = 2 * place) <= all->count; place = child) {
        if (child < all->count && all->heap[child]->at_us < all->heap[child - 1]->at_us)
            child++;
        if (all->heap[child - 1]->at_us >= a->at_us)
            break;
        put(all, place, all->heap[child - 1]);
    }
    put(all, place, a);
}

void hook_alarm_set(struct hook_alarms *all, struct hook_alarm *a, int64_t at_us)
{
    a->at_us = at_us;
    if (!a->place) {
        assert(all->count < all->size);
        put(all, ++all->count, a);
    }
    move_up(all, a);
    move_down(all, a);
}

void hook_alarm_clear(struct hook_alarms *all, struct hook_alarm *a)
{
    if (!a->place)
        return;
    struct hook_alarm *last = all->heap[all->count - 1];
    size_t place = a->place;

    all->count--;
    a->place = 0;
    if (last == a)
        return;
    put(all, place, last);
    move_up(all, last);
    move_down(all, last);
}

struct hook_alarm *hook_alarms_first(const struct hook_alarms *all)
{
    return all->count ? all->heap[0] : NULL;
}
