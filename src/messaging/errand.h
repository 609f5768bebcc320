/* An errand: something that a loop's thread (dispatch on the engine's, the sender of webhooks on
 * its own) has the writer do, and hears of there when it is durable. It comes back always, also
 * when the writer takes nothing any more. */
#pragma once

#include "store/writer.h"

struct errand {
    struct write_job job;           /* its letter also brings it back */
    struct mailbox *home;           /* where it comes back to; its thread empties it */
    int result;                     /* 0: durable; negative: nothing was done */
    void (*back)(struct errand *e); /* on that thread */
    /* On the writer's thread, when it is durable, before it comes back. NULL: nothing. */
    void (*durable)(struct errand *e);
};

/* What the errand does on the writer's thread (`apply`, as in struct write_job), where it comes
 * back to, and what happens then. */
void errand_init(struct errand *e, struct mailbox *home,
                 int (*apply)(struct write_job *job, struct store *s),
                 void (*back)(struct errand *e));
/* Owed: the writer does not give it up before the program ends. */
void errand_owe(struct errand *e, struct writer *w);
/* Tried once: refused when too much waits, lost when the store cannot be written. */
void errand_try(struct errand *e, struct writer *w);
/* What mailbox_take gave of a home: each is told that it is back. On its thread. */
void errands_back(struct letter *first);
