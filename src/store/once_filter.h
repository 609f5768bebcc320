/* What is certainly not among the requests answered once: a Bloom filter for each generation of
 * rows, that is, for so many numbers in a row. A filter that is not complete, or not there, rules
 * nothing out. */
#pragma once

#include "store/bloom.h"

enum { ONCE_FILTERS_MAX = 64 };

struct once_filter {
    int64_t generation;
    struct bloom bloom;
    int64_t read; /* rows up to this number have been read into it */
    bool complete;
};

/* Owned by the writing thread; the newest generations, oldest first. */
struct once_filters {
    int64_t rows; /* of a generation */
    struct once_filter filters[ONCE_FILTERS_MAX];
    size_t count;
};

static inline int64_t once_generation(const struct once_filters *f, int64_t id)
{
    return (id - 1) / f->rows;
}

void once_filters_done(struct once_filters *f);
/* A new row. Numbers come in order, though a rollback may step back a little. */
void once_filters_add(struct once_filters *f, int64_t id, uint64_t term);
bool once_filters_may_have(const struct once_filters *f, int64_t generation, uint64_t term);
/* There are rows from `first` to `last`, which their filters may not know. */
void once_filters_expect(struct once_filters *f, int64_t first, int64_t last);
/* Rows below this number are gone. */
void once_filters_forget(struct once_filters *f, int64_t number);

/* The newest filter that is to be completed by reading the rows behind its `read`; NULL if none. */
struct once_filter *once_filters_incomplete(struct once_filters *f);
/* All rows up to this number have been read. */
void once_filter_note_read(const struct once_filters *f, struct once_filter *filter, int64_t id,
                           int64_t last);
