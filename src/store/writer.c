#include "store/writer.h"

#include "base/metric.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { BATCH_MAX = 1024, FEW = 64, LOOK_US = 100000 };

struct writer {
    struct writer_options options;
    struct mailbox jobs;
    _Atomic size_t waiting; /* jobs of clients, from the post until they are done */
    pthread_t thread;
    bool failing;
    bool aboard[WRITER_SEATS]; /* who has written in this transaction */
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

static bool rider_wants(const struct writer_rider *r, bool last)
{
    return r->wants && r->wants(r->context, last);
}

static bool riders_want(const struct writer *w, bool last)
{
    for (size_t i = 0; i < WRITER_SEATS; i++)
        if (rider_wants(&w->options.riders[i], last))
            return true;
    return false;
}

static int write_riders(struct writer *w, bool last)
{
    int failed = 0;

    for (size_t i = 0; i < WRITER_SEATS && !failed; i++) {
        const struct writer_rider *r = &w->options.riders[i];
        w->aboard[i] = rider_wants(r, last);
        if (w->aboard[i])
            failed = r->write(r->context, w->options.store);
    }
    return failed;
}

static void finish_riders(struct writer *w, int result)
{
    for (size_t i = 0; i < WRITER_SEATS; i++)
        if (w->aboard[i]) {
            w->aboard[i] = false;
            w->options.riders[i].done(w->options.riders[i].context, result);
        }
}

enum riding { ALONE, WITH_RIDERS, WITH_RIDERS_AT_LAST };

static unsigned weight_of(struct letter *l)
{
    return job_of(l)->weight ? job_of(l)->weight : 1;
}

static int64_t rows_of(struct letter *first)
{
    int64_t rows = 0;

    for (struct letter *l = first; l; l = l->next)
        rows += weight_of(l);
    return rows;
}

static void count_batch(struct letter *first, int result, int64_t begun_us, int64_t applied_us)
{
    int64_t now_us = clock_monotonic_us();

    if (result) {
        metric_add(METRIC_TRANSACTIONS, METRIC_TRANSACTION_BAD, 1);
        return;
    }
    metric_add(METRIC_TRANSACTIONS, METRIC_TRANSACTION_GOOD, 1);
    metric_observe(METRIC_COMMIT_SECONDS, 0, now_us - applied_us);
    metric_observe(METRIC_TRANSACTION_SECONDS, 0, now_us - begun_us);
    metric_observe(METRIC_TRANSACTION_ROWS, 0, rows_of(first));
}

/* One transaction: these jobs, which may be none, and what rides along. */
static int write_batch(struct writer *w, struct letter *first, enum riding riding)
{
    int64_t begun_us = clock_monotonic_us();
    int result = store_begin(w->options.store);

    if (result) {
        metric_add(METRIC_TRANSACTIONS, METRIC_TRANSACTION_BAD, 1);
        return result;
    }
    result = apply_all(w, first);
    if (!result && riding != ALONE)
        result = write_riders(w, riding == WITH_RIDERS_AT_LAST);
    int64_t applied_us = clock_monotonic_us();
    result = store_end(w->options.store, result);
    count_batch(first, result, begun_us, applied_us);
    finish_riders(w, result);
    if (!result && w->options.committed)
        w->options.committed(w->options.context);
    return result;
}

static void report_health(struct writer *w, int result)
{
    if ((result < 0) == w->failing)
        return;
    w->failing = result < 0;
    metric_add(METRIC_STORE_FAILING, 0, w->failing ? 1 : -1);
    if (w->options.health)
        w->options.health(w->options.context, result < 0 ? store_error(w->options.store) : NULL);
}

/* The job is gone once it is done. */
static void finish(struct writer *w, struct write_job *job, int result)
{
    if (!job->owed)
        atomic_fetch_sub(&w->waiting, 1);
    job->done(job, result);
}

static void finish_all(struct writer *w, struct letter *first, int result)
{
    mailbox_hold_wakes();
    while (first) {
        struct letter *next = first->next;
        finish(w, job_of(first), result);
        first = next;
    }
    mailbox_release_wakes();
}

/* After a batch that failed: requests are told, what is owed stays in front of what comes next. */
static struct letter *keep_owed(struct writer *w, struct letter *first, int result)
{
    struct letter *kept = NULL, **last = &kept;

    while (first) {
        struct letter *next = first->next;
        if (job_of(first)->owed) {
            *last = first;
            last = &first->next;
            *last = NULL;
        } else {
            finish(w, job_of(first), result);
        }
        first = next;
    }
    return kept;
}

/* ---- a job that cannot be written ---- */

/* Whether the fault is in what was to be written, not in the store: it will never be any better. */
static bool is_hopeless(int result)
{
    return result == -EEXIST || result == -ENOENT || result == -ERANGE || result == -EINVAL;
}

/* Cuts the list in the middle and returns the second half. */
static struct letter *halve(struct letter *first)
{
    struct letter *middle = first;

    for (struct letter *end = first->next; end && end->next; end = end->next->next)
        middle = middle->next;
    struct letter *second = middle->next;
    middle->next = NULL;
    return second;
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

/* Writes these jobs, which are owed, but for those that never can be, by halves until they are
 * found; what could not be written for another reason is returned. */
static struct letter *write_good(struct writer *w, struct letter *jobs)
{
    int result = jobs ? write_batch(w, jobs, ALONE) : 0;

    if (result == 0) {
        finish_all(w, jobs, 0);
        return NULL;
    }
    if (!is_hopeless(result))
        return jobs;
    if (!jobs->next) {
        if (w->options.given_up)
            w->options.given_up(w->options.context, store_error(w->options.store));
        finish(w, job_of(jobs), result);
        return NULL;
    }
    struct letter *second = halve(jobs), *left = write_good(w, jobs);
    return left ? join(left, second) : write_good(w, second);
}

/* ---- batches ---- */

/* Cuts the list where a transaction has enough and returns the rest. */
static struct letter *cut_batch(struct letter *first)
{
    uint64_t weight = weight_of(first);

    while (first->next && (weight += weight_of(first->next)) <= BATCH_MAX)
        first = first->next;
    struct letter *rest = first->next;
    first->next = NULL;
    return rest;
}

/* Writes a list of jobs batch by batch; what could not be written and is owed is returned. */
static struct letter *write_all(struct writer *w, struct letter *jobs)
{
    while (jobs) {
        struct letter *rest = cut_batch(jobs);
        int result = write_batch(w, jobs, WITH_RIDERS);
        if (is_hopeless(result)) {
            jobs = write_good(w, keep_owed(w, jobs, result));
            result = jobs ? -EIO : 0;
        }
        report_health(w, result);
        if (result < 0)
            return keep_owed(w, join(jobs, rest), result);
        finish_all(w, jobs, 0);
        jobs = rest;
    }
    return NULL;
}

static int write_nothing(struct store *s)
{
    int failed = store_begin(s);
    return failed ? failed : store_end(s, store_touch(s));
}

/* Ten times a second, besides the jobs. */
static void look_around(struct writer *w, bool wrote)
{
    store_look_elsewhere(w->options.store);
    if (wrote)
        return;
    /* A server that is not ready may be sent nothing to try with: it tries by itself. */
    if (w->failing)
        report_health(w, write_nothing(w->options.store));
    else if (riders_want(w, false))
        report_health(w, write_batch(w, NULL, WITH_RIDERS));
}

/* All are owed, and together they are few. */
static bool can_wait(struct letter *jobs)
{
    unsigned weight = 0;

    for (struct letter *l = jobs; l; l = l->next)
        if (!job_of(l)->owed || (weight += weight_of(l)) > FEW)
            return false;
    return jobs != NULL;
}

/* Waits for more, if that is better; never longer than the patience lasts. */
static struct letter *gather(struct writer *w, struct letter *jobs)
{
    int64_t patience_us = w->options.patience_us;
    int64_t now_us = patience_us ? clock_monotonic_us() : 0, end_us = now_us + patience_us;

    while (now_us < end_us && can_wait(jobs) && !mailbox_is_closed(&w->jobs)) {
        jobs = join(jobs, mailbox_wait(&w->jobs, end_us - now_us));
        now_us = clock_monotonic_us();
    }
    return jobs;
}

static void *writer_main(void *argument)
{
    struct writer *w = argument;
    struct letter *owed = NULL;
    int64_t next_look_us = 0;
    bool closed = false, more = false; /* more to do in the house */

    pthread_setname_np(pthread_self(), "writer");
    while (!closed) {
        struct letter *jobs = gather(w, mailbox_wait(&w->jobs, more ? 0 : LOOK_US));
        bool wrote = jobs || owed;
        closed = !jobs && mailbox_is_closed(&w->jobs);
        owed = write_all(w, join(owed, jobs));
        int64_t now_us = clock_monotonic_us();
        if (now_us >= next_look_us) {
            look_around(w, wrote);
            next_look_us = now_us + LOOK_US;
        }
        more = !w->failing && store_housekeep(w->options.store, !wrote) && !wrote;
        store_tidy(w->options.store);
    }
    if (riders_want(w, true))
        write_batch(w, NULL, WITH_RIDERS_AT_LAST);
    finish_all(w, owed, -EIO);
    return NULL;
}

int writer_start(struct writer **ret, const struct writer_options *options)
{
    struct writer *w = calloc(1, sizeof *w);

    *ret = NULL;
    if (!w)
        return -ENOMEM;
    w->options = *options;
    mailbox_init(&w->jobs, NULL, NULL);
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
    int failed = atomic_fetch_add(&w->waiting, 1) < w->options.max_waiting
                     ? mailbox_post(&w->jobs, &job->letter)
                     : -EAGAIN;
    if (failed)
        atomic_fetch_sub(&w->waiting, 1);
    return failed;
}

int writer_post_owed(struct writer *w, struct write_job *job)
{
    job->owed = true;
    return mailbox_post(&w->jobs, &job->letter);
}

size_t writer_waiting(const struct writer *w)
{
    return atomic_load_explicit(&w->waiting, memory_order_relaxed);
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
