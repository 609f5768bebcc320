/* The scribe: the thread that writes files which come with calls, so that no worker, and with it
 * everybody else's calls, waits for the disk. What it has done goes on to the store's writer. */
#pragma once

#include "net/mailbox.h"

struct scribe;

/* `take` is called on the scribe's thread with each letter, in the order in which they came. */
int scribe_start(struct scribe **ret, void (*take)(struct letter *letter));
/* 0, or -ESHUTDOWN after scribe_stop. Any thread. A letter is a call that waits for its answer, so
 * there are no more of them than connections. */
int scribe_post(struct scribe *s, struct letter *letter);
/* Does what waits, then ends the thread; later posts are refused. */
void scribe_stop(struct scribe *s);
/* NULL: nothing to do. */
void scribe_free(struct scribe *s);
