/* Rollups as they are written: the counts of each series, by hour and by day, changed in the
 * transaction of what they count. */
#pragma once

#include "store/sqlite_internal.h"
#include "store/sqlite_work.h"

/* A new message: finds its series, or makes it, and counts. *ret: the series. */
int rollup_accepted(struct sqlite_store *s, const struct message *m, int64_t *ret);
/* A message whose row of `work` was `was` has moved. */
int rollup_moved(struct sqlite_store *s, const struct message_move *move, const struct work *was);
/* Before the commit: writes what has changed. */
int rollup_flush(struct sqlite_store *s);
/* After a rollback, or when another process wrote: what is remembered may not be so. */
void rollup_forget(struct sqlite_store *s);
