#include "store/pending.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void pending_done(struct pending *p)
{
    free(p->entries);
    *p = (struct pending){0};
}

void pending_clear(struct pending *p)
{
    p->count = p->rows = 0;
}

int pending_add(struct pending *p, const struct entry *entries, size_t n)
{
    if (p->room - p->count < n) {
        size_t room = (p->room + n) * 2;
        struct entry *more = realloc(p->entries, room * sizeof *more);
        if (!more)
            return -ENOMEM;
        p->entries = more;
        p->room = room;
    }
    memcpy(&p->entries[p->count], entries, n * sizeof *entries);
    p->count += n;
    p->rows++;
    return 0;
}

size_t pending_front(const struct pending *p, size_t rows)
{
    size_t n = 0;

    if (rows >= p->rows)
        return p->count;
    for (; rows; rows--) {
        int64_t id = p->entries[n].id;
        while (n < p->count && p->entries[n].id == id)
            n++;
    }
    return n;
}

void pending_remove(struct pending *p, size_t rows, size_t entries)
{
    p->rows -= rows;
    p->count -= entries;
    memmove(p->entries, &p->entries[entries], p->count * sizeof *p->entries);
}
