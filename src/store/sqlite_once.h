/* What the writing connection remembers of the requests that are answered once. */
#pragma once

#include "store/once_filter.h"
#include "store/pending.h"
#include "store/recent.h"
#include "store/sqlite_posting.h"
#include "store/sqlite_volume.h"

struct once {
    bool loaded;  /* the following are as the tables are */
    int64_t last; /* number of the newest row */
    struct recent recent;
    struct pending pending; /* the same rows */
    struct shelf shelf;
    struct once_filters filters;
    struct posting posting;
    int64_t expiry_us; /* no row is past its time before */
};

void once_init(struct sqlite_store *s);
void once_done(struct once *o);
/* Nothing remembered is certain any more. */
void once_forget(struct once *o);
/* Reads anew what is remembered; inside a transaction. */
int once_load(struct sqlite_store *s);

/* Tells the keys of some rows behind *after, which follows; how many there were. */
int once_each_key(struct sqlite_store *s, int64_t *after, int limit,
                  int (*tell)(struct sqlite_store *s, int64_t id, int64_t term));

/* Chores, see sqlite_housekeep.c. */
bool once_wants_rows(struct sqlite_store *s, bool idle);
int once_read_rows(struct sqlite_store *s, bool idle);
bool once_wants_volume(struct sqlite_store *s, bool idle);
int once_write_volume(struct sqlite_store *s, bool idle);
bool once_wants_filter(struct sqlite_store *s, bool idle);
int once_fill_filter(struct sqlite_store *s, bool idle);
bool once_wants_expiry(struct sqlite_store *s, bool idle);
int once_expire(struct sqlite_store *s, bool idle);
