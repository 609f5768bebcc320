/* The scribe: the thread that writes files which come with calls, so that no worker, and with it
 * everybody else's calls, waits for the disk. What it has done goes on to the store's writer. */
#pragma once

#include "net/mailbox.h"

struct scribe;

/* So many letters wait at most: each holds the files of a call in memory, and the end of the
 * program waits for all of them. */
enum { SCRIBE_MAX = 32 };

/* `take` is called on the scribe's thread with each letter, in the order in which they came. */
int scribe_start(struct scribe **ret, void (*take)(struct letter *letter));
/* 0; -EAGAIN: too many wait; -ESHUTDOWN after scribe_stop. Any thread. */
int scribe_post(struct scribe *s, struct letter *letter);
/* Does what waits, then ends the thread; later posts are refused. */
void scribe_stop(struct scribe *s);
/* NULL: nothing to do. */
void scribe_free(struct scribe *s);
