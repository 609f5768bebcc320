/* Entries that wait to be written into a volume, in the order of their rows. */
#pragma once

#include "store/entry.h"

/* Zeroed: empty. Owned by the writing thread. */
struct pending {
    struct entry *entries;
    size_t count, room;
    size_t rows; /* whose entries they are */
};

void pending_done(struct pending *p);
void pending_clear(struct pending *p);
/* The entries of one row, n > 0, all with its number; -ENOMEM: as before. */
int pending_add(struct pending *p, const struct entry *entries, size_t n);
/* How many entries the first rows have. */
size_t pending_front(const struct pending *p, size_t rows);
/* Takes the first rows, with so many entries, away. */
void pending_remove(struct pending *p, size_t rows, size_t entries);
