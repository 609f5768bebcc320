#include "store/recent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MIN = 1024 };

void recent_done(struct recent *r)
{
    free(r->slots);
    *r = (struct recent){0};
}

/* Terms are hashes already; the odd factor serves those that are not. */
static size_t place(const struct recent *r, uint64_t term)
{
    return (size_t)((term * 0x9e3779b97f4a7c15u) >> 20) & (r->size - 1);
}

static void put(struct recent *r, struct recent_slot slot)
{
    size_t at = place(r, slot.term);

    while (r->slots[at].id)
        at = (at + 1) & (r->size - 1);
    r->slots[at] = slot;
    r->count++;
}

/* Moves those above `upto` into a table of another size. */
static int rebuild(struct recent *r, size_t size, int64_t upto)
{
    struct recent next = {.slots = calloc(size, sizeof *next.slots), .size = size};

    if (!next.slots)
        return -ENOMEM;
    for (size_t i = 0; i < r->size; i++)
        if (r->slots[i].id > upto)
            put(&next, r->slots[i]);
    free(r->slots);
    *r = next;
    return 0;
}

int recent_add(struct recent *r, uint64_t term, int64_t id)
{
    if (r->count * 2 >= r->size) {
        int failed = rebuild(r, r->size ? r->size * 2 : SIZE_MIN, 0);
        if (failed)
            return failed;
    }
    put(r, (struct recent_slot){term, id});
    return 0;
}

int recent_find(const struct recent *r, uint64_t term, int (*look)(void *context, int64_t id),
                void *context)
{
    int found = -ENOENT;

    if (!r->count)
        return found;
    for (size_t at = place(r, term); found == -ENOENT && r->slots[at].id;
         at = (at + 1) & (r->size - 1))
        if (r->slots[at].term == term)
            found = look(context, r->slots[at].id);
    return found;
}

void recent_forget(struct recent *r, int64_t upto)
{
    size_t left = 0;

    if (r->size == 0 || r->count == 0)
        return;
    for (size_t i = 0; i < r->size; i++)
        left += r->slots[i].id > upto;
    if (left == 0) {
        memset(r->slots, 0, r->size * sizeof *r->slots);
        r->count = 0;
    } else if (left < r->count) {
        rebuild(r, r->size, upto); /* without memory it stays as it is: more than it needs */
    }
}
