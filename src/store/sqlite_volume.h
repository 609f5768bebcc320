/* Indexes that follow their rows at a distance.
 *
 * An index is a shelf of volumes. A volume has the entries of all rows between two numbers, sorted,
 * in leaves; once written it never changes. New rows make a small volume now and then, and when
 * there are enough volumes of one level they are merged into one of the next: an entry is written
 * a handful of times in its life, always in sequence, and a search looks into a few dozen volumes
 * however many rows there are. A leaf knows its rank, so that entries are counted without being
 * read. What no volume covers yet is read from the rows themselves. */
#pragma once

#include "store/leaf.h"
#include "store/pending.h"

#include <sqlite3.h>

struct sqlite_store;

enum shelf_number { SHELF_MESSAGES = 1, SHELF_ONCE = 2 };
/* More than there will be: each is a multiple of the one before. */
enum { LEVELS = 12 };
enum { LEAF_PLACE_BITS = 24 };

struct volume {
    int64_t id, first, last;
    int level;
};

/* A volume that is being made. */
struct volume_writer {
    struct volume volume;
    int64_t leaves, entries; /* written so far */
    struct leaf_writer leaf;
};

struct merge;

/* Owned by the writing thread. */
struct shelf {
    enum shelf_number number;
    int level_max; /* volumes of this level are not merged any more */
    bool loaded;   /* the following are as the tables are */
    bool over;     /* there may be volumes to drop */
    int64_t from;  /* entries below this number lead nowhere: merging leaves them out */
    struct volume *volumes;
    size_t count, room; /* in use, oldest first */
    struct merge *merges[LEVELS];
};

/* All of these inside a transaction; after a rollback, shelf_forget. */
int shelf_load(struct sqlite_store *s, struct shelf *shelf);
void shelf_forget(struct shelf *shelf);
/* The number up to which rows have their entries in volumes. */
int64_t shelf_upto(const struct shelf *shelf);
/* Writes a volume of the first rows that wait, which follow shelf_upto. */
int shelf_add(struct sqlite_store *s, struct shelf *shelf, struct pending *pending);
/* Takes volumes away that end before this number. */
int shelf_drop_before(struct sqlite_store *s, struct shelf *shelf, int64_t number);
/* True when there is something to merge or to drop. */
bool shelf_has_work(const struct sqlite_store *s, const struct shelf *shelf);
/* Merges about so many entries, or drops what takes as long. */
int shelf_work(struct sqlite_store *s, struct shelf *shelf, size_t entries);
