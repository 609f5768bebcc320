/* The index of messages: what they can be found by, at a distance. */
#pragma once

#include "store/pending.h"
#include "store/sqlite_volume.h"

struct message;

/* Owned by the writing thread. */
struct message_index {
    struct shelf shelf;
    struct pending pending; /* of the rows that follow the shelf */
    bool whole;             /* of all of them: what is accepted may be added */
};

void index_init(struct message_index *x);
void index_done(struct message_index *x);
/* Nothing remembered is certain any more. */
void index_forget(struct message_index *x);
/* A message that was written. */
void index_note(struct sqlite_store *s, const struct message *m);

/* Chores, see sqlite_housekeep.c. */
bool index_wants_rows(struct sqlite_store *s, bool idle);
int index_read_rows(struct sqlite_store *s, bool idle);
bool index_wants_volume(struct sqlite_store *s, bool idle);
int index_write_volume(struct sqlite_store *s, bool idle);
