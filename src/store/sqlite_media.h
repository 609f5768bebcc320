/* Media: what the other files of the engine need to know of it. */
#pragma once

#include "store/sqlite_internal.h"

/* After the commit: files that it made needless go. */
void media_drop_spares(struct sqlite_store *s);
/* After a rollback: what was put is as it was. */
void media_forget(struct sqlite_store *s);
/* This transaction may have taken the last use of a content. */
void media_litter_found(struct sqlite_store *s);

/* Chores, see sqlite_housekeep.c. */
bool media_wants_walk(struct sqlite_store *s, bool idle);
int media_walk(struct sqlite_store *s, bool idle);
bool media_wants_removal(struct sqlite_store *s, bool idle);
int media_remove_unused(struct sqlite_store *s, bool idle);
