/* A leaf of an index: sorted entries in the bytes of one page.
 *
 *   leaf   = base, group…
 *   group  = owner, term, id…, 0      (the 0 only when another group follows)
 *
 * All numbers are in groups of seven bits, the lowest first. The owner is told as the difference to
 * the group before, the term too when the owner is the same; the first id of a group as the
 * difference to base, plus one; each further one as the difference to the one before. */
#pragma once

#include "store/entry.h"

#include <stdbool.h>

/* With its columns beside it, a row that fits into a page of 4096 bytes. */
enum { LEAF_SIZE = 3980 };
/* An id takes a byte at least. */
enum { LEAF_IDS_MAX = LEAF_SIZE };

struct leaf_writer {
    uint8_t bytes[LEAF_SIZE];
    size_t size;
    unsigned count; /* entries so far */
    int64_t base;
    struct entry first, last;
};

/* An empty leaf; no id that is added may be below `base`. */
void leaf_begin(struct leaf_writer *w, int64_t base);
/* Entries come in order. False: it is full, and as before. */
bool leaf_add(struct leaf_writer *w, const struct entry *e);

struct leaf_reader {
    const uint8_t *at, *end;
    int64_t base;
    struct entry entry;
    bool started, damaged;
};

void leaf_read(struct leaf_reader *r, const uint8_t *bytes, size_t n);
/* The next entry is in r->entry; false at the end, and where the bytes make no sense (then
 * r->damaged is true). */
bool leaf_next(struct leaf_reader *r);

/* What a leaf has under one term. */
struct leaf_group {
    int64_t ids[LEAF_IDS_MAX]; /* ascending */
    size_t count;
    unsigned before; /* entries of the leaf that stand before them */
    bool may_go_on;  /* no entry of the leaf stands behind them: the next leaf may have more */
};

/* -EBADMSG: the leaf is damaged. */
int leaf_find(const uint8_t *bytes, size_t n, int64_t owner, int64_t term, struct leaf_group *ret);
