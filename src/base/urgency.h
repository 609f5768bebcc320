/* How soon a thread gets a processor that others want, too. */
#pragma once

/* Makes the calling thread one that gives way to whoever wakes up beside it, for work that nobody
 * waits for by the millisecond. It must also give way by itself now and then (sched_yield). Nothing
 * changes for a thread that somebody has given a policy of its own. 0, or a negative errno. */
int urgency_lower(void);
