#include "store/once_filter.h"

static void drop_oldest(struct once_filters *f, size_t n)
{
    for (size_t i = 0; i < n; i++)
        bloom_done(&f->filters[i].bloom);
    for (size_t i = n; i < f->count; i++)
        f->filters[i - n] = f->filters[i];
    f->count -= n;
}

void once_filters_done(struct once_filters *f)
{
    drop_oldest(f, f->count);
}

static struct once_filter *find(const struct once_filters *f, int64_t generation)
{
    for (size_t i = f->count; i-- > 0;)
        if (f->filters[i].generation == generation)
            return (struct once_filter *)&f->filters[i];
    return NULL;
}

/* NULL without memory: this generation then goes without. */
static struct once_filter *append(struct once_filters *f, int64_t generation)
{
    struct once_filter filter = {.generation = generation, .read = generation * f->rows};

    if (bloom_init(&filter.bloom, (size_t)f->rows) != 0)
        return NULL;
    if (f->count == ONCE_FILTERS_MAX)
        drop_oldest(f, 1);
    f->filters[f->count] = filter;
    return &f->filters[f->count++];
}

void once_filters_add(struct once_filters *f, int64_t id, uint64_t term)
{
    int64_t generation = once_generation(f, id);
    struct once_filter *filter = find(f, generation);

    if (!filter && id == generation * f->rows + 1) {
        filter = append(f, generation);
        if (filter)
            filter->complete = true;
    }
    if (filter)
        bloom_add(&filter->bloom, term);
}

bool once_filters_may_have(const struct once_filters *f, int64_t generation, uint64_t term)
{
    const struct once_filter *filter = find(f, generation);

    return !filter || !filter->complete || bloom_may_have(&filter->bloom, term);
}

void once_filters_expect(struct once_filters *f, int64_t first, int64_t last)
{
    int64_t newest = once_generation(f, last), generation = once_generation(f, first);

    if (generation <= newest - ONCE_FILTERS_MAX)
        generation = newest - ONCE_FILTERS_MAX + 1;
    for (; generation <= newest; generation++)
        if (!f->count || f->filters[f->count - 1].generation < generation)
            append(f, generation);
}

void once_filters_forget(struct once_filters *f, int64_t number)
{
    size_t n = 0;

    while (n < f->count && f->filters[n].generation < once_generation(f, number))
        n++;
    drop_oldest(f, n);
}

struct once_filter *once_filters_incomplete(struct once_filters *f)
{
    for (size_t i = f->count; i-- > 0;)
        if (!f->filters[i].complete)
            return &f->filters[i];
    return NULL;
}

void once_filter_note_read(const struct once_filters *f, struct once_filter *filter, int64_t id,
                           int64_t last)
{
    filter->read = id;
    filter->complete = id >= last || id >= (filter->generation + 1) * f->rows;
}
