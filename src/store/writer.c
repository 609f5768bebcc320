#include "store/writer.h"

#include <errno.h>
#include <stdlib.h>

enum { BATCH_MAX = 1024, LOOK_US = 100000 };

struct writer {
    struct writer_options options;
    struct mailbox requests; /* from clients: bounded, refused when full */
    pthread_t thread;
    bool failing;
};

static struct write_job *job_of(struct letter *l)
{
    return (struct write_job *)l;
}

static int apply_all(struct writer *w, struct letter *first, struct letter *end)
{
    for (struct letter *l = first; l != end; l = l->next) {
        int failed = job_of(l)->apply(job_of(l), w->options.store);
        if (failed < 0)
            return failed;
    }
    return 0;
}

static int write_batch(struct writer *w, struct letter *first, struct letter *end)
{
    int failed = store_begin(w->options.store);

    if (failed)
        return failed;
    failed = apply_all(w, first, end);
    if (failed) {
        store_rollback(w->options.store);
        return failed;
    }
    return store_commit(w->options.store);
}

static void report_health(struct writer *w, int result)
{
    if ((result < 0) == w->failing)
        return;
    w->failing = result < 0;
    if (w->options.health)
        w->options.health(w->options.context, result < 0 ? store_error(w->options.store) : NULL);
}

static void finish_all(struct letter *first, struct letter *end, int result)
{
    while (first != end) {
        struct letter *next = first->next; /* the job is gone once it is done */
        job_of(first)->done(job_of(first), result);
        first = next;
    }
}

static struct letter *batch_end(struct letter *first)
{
    for (int i = 0; first && i < BATCH_MAX; i++)
        first = first->next;
    return first;
}

static void *writer_main(void *argument)
{
    struct writer *w = argument;
    int64_t next_look_us = 0;

    pthread_setname_np(pthread_self(), "writer");
    for (;;) {
        struct letter *first = mailbox_wait(&w->requests, LOOK_US);
        if (!first && mailbox_is_closed(&w->requests))
            return NULL;
        while (first) {
            struct letter *end = batch_end(first);
            int result = write_batch(w, first, end);
            report_health(w, result);
            finish_all(first, end, result);
            first = end;
        }
        int64_t now_us = clock_monotonic_us();
        if (now_us >= next_look_us) {
            store_look_elsewhere(w->options.store);
            next_look_us = now_us + LOOK_US;
        }
        store_tidy(w->options.store);
    }
}

int writer_start(struct writer **ret, const struct writer_options *options)
{
    struct writer *w = calloc(1, sizeof *w);

    *ret = NULL;
    if (!w)
        return -ENOMEM;
    w->options = *options;
    mailbox_init(&w->requests, options->max_waiting, NULL, NULL);
    int failed = -pthread_create(&w->thread, NULL, writer_main, w);
    if (failed) {
        mailbox_done(&w->requests);
        free(w);
        return failed;
    }
    *ret = w;
    return 0;
}

int writer_post(struct writer *w, struct write_job *job)
{
    return mailbox_post(&w->requests, &job->letter);
}

int writer_post_own(struct writer *w, struct write_job *job)
{
    return mailbox_push(&w->requests, &job->letter);
}

void writer_stop(struct writer *w)
{
    mailbox_close(&w->requests);
    pthread_join(w->thread, NULL);
}

void writer_free(struct writer *w)
{
    mailbox_done(&w->requests);
    free(w);
}
