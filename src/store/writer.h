/* The writer: the one thread that writes to the store. It takes all jobs that wait, applies them in
 * one transaction, makes that durable with one sync, and only then tells each job's owner.
 * The more there is to do, the more shares a sync: throughput grows while latency stays. */
#pragma once

#include "net/mailbox.h"
#include "store/store.h"

struct write_job {
    struct letter letter;
    /* On the writer's thread, inside a transaction: negative errno fails the whole batch. */
    int (*apply)(struct write_job *job, struct store *store);
    /* On the writer's thread, when the batch is durable (0) or lost (negative errno). */
    void (*done)(struct write_job *job, int result);
    /* Rows it stands for, 0 counts as 1: a transaction takes so many and no more, but always one
     * job. */
    unsigned weight;
    bool owed; /* the writer's: see writer_post_owed */
};

struct writer;

/* Rides along: what gathers beside the jobs and is written when there is a transaction anyway,
 * after its jobs, or alone, ten times a second, when there is none. All on the writer's thread. */
struct writer_rider {
    /* Whether there is anything to write; `last`: the writer stops, there is no later. NULL: this
     * seat is empty. */
    bool (*wants)(void *context, bool last);
    /* Inside the transaction: negative errno fails the whole batch. */
    int (*write)(void *context, struct store *s);
    /* After each write: it is durable (0) or lost (negative errno). Before the jobs hear of it. */
    void (*done)(void *context, int result);
    void *context;
};

enum { WRITER_SEATS = 4 };

struct writer_options {
    struct store *store;
    struct writer_rider riders[WRITER_SEATS];
    size_t max_waiting; /* jobs of writer_post that are not done yet */
    /* So long a few jobs that are owed wait for one of writer_post, or for more of their like:
     * nobody waits for them, and a transaction costs the same for one as for ten. 0: not at all. */
    int64_t patience_us;
    /* Told on the writer's thread of a job that is owed and never can be written, whatever the
     * store is like: it is done with the errno that says so, and those beside it are written. */
    void (*given_up)(void *context, const char *why);
    /* Told on the writer's thread when writing begins to fail, and when it works again (NULL),
     * which the writer finds out by itself. */
    void (*health)(void *context, const char *why);
    /* Told on the writer's thread after each transaction that is durable; may be NULL. */
    void (*committed)(void *context);
    void *context;
};

int writer_start(struct writer **ret, const struct writer_options *options);
/* 0, -EAGAIN when too many wait, -ESHUTDOWN after writer_stop. The job is the writer's until done.
 */
int writer_post(struct writer *w, struct write_job *job);
/* For what the program owes itself (status changes): not refused for fullness, and when it cannot
 * be written, kept and written later, before anything that was posted after it. Given back
 * unwritten only by a writer that stops, or when the job itself is faulty (`given_up`). */
int writer_post_owed(struct writer *w, struct write_job *job);
/* Jobs of writer_post that are not done yet. Any thread. */
size_t writer_waiting(const struct writer *w);
/* Finishes what waits, then ends the thread; later posts are refused. */
void writer_stop(struct writer *w);
void writer_free(struct writer *w);
