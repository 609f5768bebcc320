/* An errand: something that dispatch has the writer do and hears of on the engine's thread when it
 * is durable. Errands are owed: the writer does not give them up while the program runs. */
#pragma once

#include "store/writer.h"

struct errand {
    struct write_job job; /* its letter also brings it back */
    struct mailbox *home; /* where it comes back to; the engine empties it */
    int result;           /* 0: durable; negative: the program is stopping, nothing was done */
    void (*back)(struct errand *e); /* on the engine's thread */
};

/* `apply` is the writer's, as in struct write_job. Comes back always, also when the writer takes
 * nothing any more. */
void errand_post(struct errand *e, struct writer *w, struct mailbox *home,
                 int (*apply)(struct write_job *job, struct store *s),
                 void (*back)(struct errand *e));
