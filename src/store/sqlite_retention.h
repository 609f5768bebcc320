/* Messages that are past their time. They go strictly in the order of their numbers, so one number,
 * the edge, tells which are gone. */
#pragma once

#include "store/sqlite_internal.h"
#include "store/stint.h"

/* Below this number no message is left. */
int retention_edge(struct sqlite_store *s, int64_t *ret);
/* Nothing remembered is certain any more. */
void retention_forget(struct sqlite_store *s);

/* Chores, see sqlite_housekeep.c. */
bool retention_wants_messages(struct sqlite_store *s, bool idle);
int retention_drop_messages(struct sqlite_store *s, bool idle);
bool retention_wants_strays(struct sqlite_store *s, bool idle);
int retention_drop_strays(struct sqlite_store *s, bool idle);
