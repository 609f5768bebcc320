#include "store/writer.h"

#include <errno.h>
#include <stdlib.h>

enum { BATCH_MAX = 1024, LOOK_US = 100000 };

struct writer {
    struct writer_options options;
    struct mailbox jobs; /* requests of clients, refused when it is full, and what is owed */
    pthread_t thread;
    bool failing;
};

static struct write_job *job_of(struct letter *l)
{
    return (struct write_job *)l;
}

static int apply_all(struct writer *w, struct letter *first)
{
    for (struct letter *l = first; l; l = l->next) {
        int failed = job_of(l)->apply(job_of(l), w->options.store);
        if (failed < 0)
            return failed;
    }
    return 0;
}

static int write_batch(struct writer *w, struct letter *first)
{
    int failed = store_begin(w->options.store);
    return failed ? failed : store_end(w->options.store, apply_all(w, first));
}

static void report_health(struct writer *w, int result)
{
    if ((result < 0) == w->failing)
        return;
    w->failing = result < 0;
    if (w->options.health)
        w->options.health(w->options.context, result < 0 ? store_error(w->options.store) : NULL);
}

static void finish_all(struct letter *first, int result)
{
    mailbox_hold_wakes();
    while (first) {
        struct letter *next = first->next; /* the job is gone once it is done */
        job_of(first)->done(job_of(first), result);
        first = next;
    }
    mailbox_release_wakes();
}

/* After a batch that failed: requests are told, what is owed stays in front of what comes next. */
static struct letter *keep_owed(struct letter *first, int result)
{
    struct letter *kept = NULL, **last = &kept;

    while (first) {
        struct letter *next = first->next;
        if (job_of(first)->owed) {
            *last = first;
            last = &first->next;
            *last = NULL;
        } else {
            job_of(first)->done(job_of(first), result);
        }
        first = next;
    }
    return kept;
}

/* Cuts the list after BATCH_MAX jobs and returns the rest. */
static struct letter *cut_batch(struct letter *first)
{
    for (int i = 1; i < BATCH_MAX && first->next; i++)
        first = first->next;
    struct letter *rest = first->next;
    first->next = NULL;
    return rest;
}

static struct letter *join(struct letter *first, struct letter *second)
{
    struct letter *end = first;

    if (!first)
        return second;
    while (end->next)
        end = end->next;
    end->next = second;
    return first;
}

/* Writes a list of jobs batch by batch; what could not be written and is owed is returned. */
static struct letter *write_all(struct writer *w, struct letter *jobs)
{
    while (jobs) {
        struct letter *rest = cut_batch(jobs);
        int result = write_batch(w, jobs);
        report_health(w, result);
        if (result < 0)
            return keep_owed(join(jobs, rest), result);
        finish_all(jobs, 0);
        jobs = rest;
    }
    return NULL;
}

static int write_nothing(struct store *s)
{
    int failed = store_begin(s);
    return failed ? failed : store_end(s, store_touch(s));
}

static void *writer_main(void *argument)
{
    struct writer *w = argument;
    struct letter *owed = NULL;
    int64_t next_look_us = 0;
    bool closed = false;

    pthread_setname_np(pthread_self(), "writer");
    while (!closed) {
        struct letter *jobs = mailbox_wait(&w->jobs, LOOK_US);
        closed = !jobs && mailbox_is_closed(&w->jobs);
        /* A server that is not ready may be sent nothing to try with: it tries by itself. */
        if (w->failing && !jobs && !owed)
            report_health(w, write_nothing(w->options.store));
        owed = write_all(w, join(owed, jobs));
        int64_t now_us = clock_monotonic_us();
        if (now_us >= next_look_us) {
            store_look_elsewhere(w->options.store);
            next_look_us = now_us + LOOK_US;
        }
        store_tidy(w->options.store);
    }
    finish_all(owed, -EIO);
    return NULL;
}

int writer_start(struct writer **ret, const struct writer_options *options)
{
    struct writer *w = calloc(1, sizeof *w);

    *ret = NULL;
    if (!w)
        return -ENOMEM;
    w->options = *options;
    mailbox_init(&w->jobs, options->max_waiting, NULL, NULL);
    int failed = -pthread_create(&w->thread, NULL, writer_main, w);
    if (failed) {
        mailbox_done(&w->jobs);
        free(w);
        return failed;
    }
    *ret = w;
    return 0;
}

int writer_post(struct writer *w, struct write_job *job)
{
    job->owed = false;
    return mailbox_post(&w->jobs, &job->letter);
}

int writer_post_owed(struct writer *w, struct write_job *job)
{
    job->owed = true;
    return mailbox_push(&w->jobs, &job->letter);
}

void writer_stop(struct writer *w)
{
    mailbox_close(&w->jobs);
    pthread_join(w->thread, NULL);
}

void writer_free(struct writer *w)
{
    mailbox_done(&w->jobs);
    free(w);
}
