/* The pulse as it is written: what happens to an owner's messages, second by second, and what of
 * each minute is still queued. */
#pragma once

#include "store/sqlite_internal.h"
#include "store/sqlite_work.h"

int pulse_accepted(struct sqlite_store *s, const struct message *m);
int pulse_moved(struct sqlite_store *s, const struct message_move *move, const struct work *was);
/* An attempt to tell a client that did not succeed. */
int pulse_hook_failed(struct sqlite_store *s, int64_t owner, int64_t at_us);
/* Before the commit: writes what has changed. */
int pulse_flush(struct sqlite_store *s);
/* After a rollback, or when another process wrote: what is remembered may not be so. */
void pulse_forget(struct sqlite_store *s);
