/* The numbers that stand under one term in one volume. */
#pragma once

#include "store/leaf.h"

#include <sqlite3.h>

/* Owned by the thread of the connection. */
struct posting {
    sqlite3_stmt *seek, *get; /* leaf_seek and leaf_get of the connection */
    int64_t volume, owner, term;
    int64_t leaf;                  /* whose group it has; 0 = none */
    int64_t from;                  /* from this number on, no leaf before that one has any */
    int64_t rank;                  /* of the leaf */
    size_t at;                     /* place in the group that was found last */
    int64_t none_up_to, none_from; /* where it is known that there is nothing */
    struct leaf_group group;
};

/* In which volume to look from now on. */
void posting_open(struct posting *p, int64_t volume);

/* The nearest number that is not above, or not below, this one: 1 found, 0 there is none, or a
 * negative errno. */
int posting_at_most(struct posting *p, int64_t number, int64_t *ret);
int posting_at_least(struct posting *p, int64_t number, int64_t *ret);
/* How many entries stand in the volume before the one of this number, which need not be there. */
int posting_rank(struct posting *p, int64_t number, int64_t *ret);
