#include "store/sqlite_work.h"

#include <string.h>

static uint64_t offset_of(int64_t id)
{
    return (uint64_t)id & ((UINT64_C(1) << ID_TIME_SHIFT) - 1);
}

static size_t time_slot(int64_t id)
{
    return (uint64_t)id >> ID_TIME_SHIFT & (WORK_TIMES - 1);
}

static size_t slot_of(const struct work_time *t, int64_t id)
{
    return (t->begin + offset_of(id)) & (WORK_SLOTS - 1);
}

const struct work *work_find(const struct work_memory *m, int64_t id)
{
    const struct work_time *t = &m->times[time_slot(id)];
    const struct work_slot *slot = &m->slots[slot_of(t, id)];

    bool known = slot->work.id == id && slot->stamp == t->stamp && t->stamp;
    return known ? &slot->work : NULL;
}

void work_remember(struct work_memory *m, const struct work *work)
{
    int64_t ms = work->id >> ID_TIME_SHIFT;
    struct work_time *t = &m->times[time_slot(work->id)];

    if (t->stamp == 0 || t->ms != ms)
        *t = (struct work_time){ms, m->next - offset_of(work->id), ++m->stamp};
    m->slots[slot_of(t, work->id)] = (struct work_slot){*work, t->stamp};
    int64_t ahead = (int64_t)(t->begin + offset_of(work->id) - m->next);
    if (ahead >= 0) /* numbers may be left out */
        m->next += (uint64_t)ahead + 1;
}

void work_forget(struct work_memory *m, int64_t id)
{
    if (work_find(m, id))
        m->slots[slot_of(&m->times[time_slot(id)], id)].stamp = 0;
}

void work_forget_all(struct work_memory *m)
{
    memset(m, 0, sizeof *m);
}
