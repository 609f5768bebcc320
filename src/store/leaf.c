#include "store/leaf.h"

#include "store/varint.h"

#include <errno.h>

void leaf_begin(struct leaf_writer *w, int64_t base)
{
    w->base = base;
    w->count = 0;
    w->last = (struct entry){0, 0, 0};
    w->size = (size_t)(varint_put(w->bytes, (uint64_t)base) - w->bytes);
}

static uint8_t *put_group(const struct leaf_writer *w, uint8_t *to, const struct entry *e)
{
    if (w->count)
        *to++ = 0;
    to = varint_put(to, (uint64_t)(e->owner - w->last.owner));
    to = varint_put(to, (uint64_t)(e->owner == w->last.owner ? e->term - w->last.term : e->term));
    return varint_put(to, (uint64_t)(e->id - w->base) + 1);
}

bool leaf_add(struct leaf_writer *w, const struct entry *e)
{
    uint8_t bytes[1 + 3 * VARINT_MAX], *end;

    if (w->count && entry_compare_terms(e, &w->last) == 0)
        end = varint_put(bytes, (uint64_t)(e->id - w->last.id));
    else
        end = put_group(w, bytes, e);
    size_t n = (size_t)(end - bytes);
    if (n > LEAF_SIZE - w->size)
        return false;
    for (size_t i = 0; i < n; i++)
        w->bytes[w->size + i] = bytes[i];
    w->size += n;
    if (w->count++ == 0)
        w->first = *e;
    w->last = *e;
    return true;
}

static void give_up(struct leaf_reader *r)
{
    r->at = r->end;
    r->damaged = true;
}

static uint64_t get(struct leaf_reader *r)
{
    uint64_t number = 0;

    if (!varint_get(&r->at, r->end, &number))
        give_up(r);
    return number;
}

void leaf_read(struct leaf_reader *r, const uint8_t *bytes, size_t n)
{
    *r = (struct leaf_reader){.at = bytes, .end = bytes + n};
    r->base = (int64_t)get(r);
}

static void next_group(struct leaf_reader *r)
{
    uint64_t owner = get(r), term = get(r), id = get(r);

    r->entry.owner = (int64_t)((uint64_t)r->entry.owner + owner);
    r->entry.term = (int64_t)(owner ? term : (uint64_t)r->entry.term + term);
    r->entry.id = (int64_t)((uint64_t)r->base + id - 1);
    if (id == 0)
        give_up(r);
}

bool leaf_next(struct leaf_reader *r)
{
    uint64_t step = 0;

    if (r->at == r->end)
        return false;
    if (r->started)
        step = get(r);
    r->started = true;
    if (step)
        r->entry.id = (int64_t)((uint64_t)r->entry.id + step);
    else
        next_group(r);
    return !r->damaged;
}

int leaf_find(const uint8_t *bytes, size_t n, int64_t owner, int64_t term, struct leaf_group *ret)
{
    const struct entry wanted = {owner, term, 0};
    struct leaf_reader r;
    int order = -1;

    ret->count = 0;
    ret->before = 0;
    leaf_read(&r, bytes, n);
    while (order <= 0 && leaf_next(&r)) {
        order = entry_compare_terms(&r.entry, &wanted);
        if (order < 0)
            ret->before++;
        else if (order == 0 && ret->count < LEAF_IDS_MAX)
            ret->ids[ret->count++] = r.entry.id;
    }
    ret->may_go_on = order <= 0;
    return r.damaged ? -EBADMSG : 0;
}
