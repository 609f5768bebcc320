#include "messaging/receipts.h"

#include "base/metric.h"
#include "messaging/parked_receipts.h"
#include "messaging/receipt_apply.h"
#include "messaging/receipt_finder.h"

#include <errno.h>
#include <stdlib.h>

enum { REFERENCE_BITS = 16, PARKED_BITS = 14 };
#define PARKED_US INT64_C(60000000)

struct receipts {
    struct receipts_options options;
    struct receipt_finder finder;
    struct reference_table *references;
    struct parked_receipts *parked;
    struct receipts_counts counts;
};

int receipts_new(struct receipts **ret, const struct receipts_options *options)
{
    struct receipts *r = calloc(1, sizeof *r);

    *ret = NULL;
    if (!r)
        return -ENOMEM;
    r->options = *options;
    int failed = reference_table_new(&r->references, REFERENCE_BITS, store_secret(options->store));
    if (!failed)
        failed = parked_receipts_new(&r->parked, PARKED_BITS);
    if (!failed)
        failed = receipt_finder_init(&r->finder, options->store, r->references);
    if (failed) {
        receipts_free(r);
        return failed;
    }
    *ret = r;
    return 0;
}

void receipts_free(struct receipts *r)
{
    if (!r)
        return;
    receipt_finder_done(&r->finder);
    parked_receipts_free(r->parked);
    reference_table_free(r->references);
    free(r);
}

struct receipts_counts receipts_counts(const struct receipts *r)
{
    return r->counts;
}

void receipts_tick(struct receipts *r)
{
    parked_receipts_expire(r->parked, clock_now_us(r->options.clock) - PARKED_US);
}

/* ---- errands ---- */

static int apply_word(struct receipt_job *j, struct store *s)
{
    struct receipt_word_on w = {.matches = j->matches,
                                .count = j->match_count,
                                .word = j->word,
                                .failure = j->failure,
                                .detail = j->detail,
                                .at_us = j->at_us};
    return receipt_apply(s, &w, &j->repeated);
}

static int apply_stray(struct write_job *job, struct store *s)
{
    struct receipt_job *j = (struct receipt_job *)job;
    struct stray_record stray = {.carrier = j->carrier,
                                 .reference = j->reference,
                                 .source = j->source,
                                 .destination = j->destination,
                                 .raw = j->raw};
    int failed = store_stray_add(s, &stray);

    j->stray = stray.id;
    return failed;
}

/* Messages that are past their time may still be known here by their references. */
static int forget_gone(struct receipt_job *j, struct store *s)
{
    int64_t edge;
    size_t kept = 0;
    int failed = store_edge(s, &edge);

    for (size_t i = 0; i < j->match_count && !failed; i++)
        if (j->matches[i].message >= edge)
            j->matches[kept++] = j->matches[i];
    if (!failed)
        j->match_count = kept;
    return failed;
}

/* Without a message it is a stray after all. */
static int apply_matched(struct write_job *job, struct store *s)
{
    struct receipt_job *j = (struct receipt_job *)job;
    int failed = forget_gone(j, s);

    if (failed)
        return failed;
    return j->match_count ? apply_word(j, s) : apply_stray(job, s);
}

static void count_applied(struct receipts *r, const struct receipt_job *j)
{
    if (j->repeated)
        r->counts.repeated++;
    else
        r->counts.matched++;
    metric_add(METRIC_RECEIPTS, j->repeated ? METRIC_RECEIPT_REPEATED : METRIC_RECEIPT_MATCHED, 1);
}

static void count_stray(struct receipts *r)
{
    r->counts.strays++;
    metric_add(METRIC_RECEIPTS, METRIC_RECEIPT_STRAY, 1);
}

static void matched_back(struct errand *e)
{
    struct receipt_job *j = (struct receipt_job *)e;
    bool stray = j->match_count == 0;

    if (e->result == 0 && stray)
        count_stray(j->receipts);
    else if (e->result == 0)
        count_applied(j->receipts, j);
    j->done(j->context, e->result == 0 && stray ? 1 : e->result);
    receipt_job_release(j);
}

static void stray_back(struct errand *e)
{
    struct receipt_job *j = (struct receipt_job *)e;

    if (e->result == 0)
        count_stray(j->receipts);
    else
        parked_receipts_drop(j->receipts->parked, j); /* it comes again */
    j->done(j->context, e->result ? e->result : 1);
    receipt_job_release(j);
}

void receipts_take(struct receipts *r, const struct carrier_receipt *receipt,
                   void (*done)(void *context, int result), void *context)
{
    struct receipt_job *j = receipt_job_new(receipt, clock_now_us(r->options.clock));

    if (!j) {
        done(context, -ENOMEM);
        return;
    }
    j->receipts = r;
    j->done = done;
    j->context = context;
    int failed = receipt_find(&r->finder, receipt, j);
    if (failed) {
        receipt_job_release(j);
        done(context, failed);
        return;
    }
    if (j->match_count == 0) {
        errand_init(&j->errand, r->options.home, apply_stray, stray_back);
        parked_receipts_add(r->parked, j);
    } else {
        errand_init(&j->errand, r->options.home, apply_matched, matched_back);
    }
    errand_try(&j->errand, r->options.writer);
}

/* ---- the carrier's answer ---- */

static struct receipt_job *job_of_again(struct errand *e)
{
    return (struct receipt_job *)((char *)e - offsetof(struct receipt_job, again));
}

static int apply_again(struct write_job *job, struct store *s)
{
    struct receipt_job *j = job_of_again((struct errand *)job);
    int failed = apply_word(j, s);

    /* It may not be there: then the carrier was told so. */
    int removed = failed ? failed : store_stray_remove(s, j->stray);
    return removed < 0 ? removed : 0;
}

static void again_back(struct errand *e)
{
    struct receipt_job *j = job_of_again(e);

    if (e->result == 0) {
        count_applied(j->receipts, j);
        j->receipts->counts.early += !j->repeated;
    }
    receipt_job_release(j);
}

/* The engine has posted by now what it was about to post when the answer came. The carrier will not
 * send the receipt again, so it is owed. */
static void post_again(struct errand *e)
{
    struct receipt_job *j = job_of_again(e);
    struct writer *writer = j->receipts->options.writer;

    errand_init(e, j->receipts->options.home, apply_again, again_back);
    if (writer_post_owed(writer, &e->job) < 0)
        receipt_job_release(j); /* the program is stopping; it stays a stray */
}

static void apply_parked(struct receipts *r, uint64_t id, uint64_t destination)
{
    bool strict = reference_table_repeats(r->references, id);
    struct receipt_job *jobs[PARKED_TAKEN_MAX];
    size_t count = parked_receipts_take(r->parked, id, destination, strict, jobs);

    for (size_t i = 0; i < count; i++) {
        struct receipt_job *j = jobs[i];
        j->match_count = reference_table_find(r->references, id, &j->ends, strict, j->matches);
        errand_init(&j->again, r->options.home, NULL, post_again);
        mailbox_post(r->options.home, &j->again.job.letter);
    }
}

/* The next part that the carrier gave an id for, from `at` on; false when there is none. */
static bool next_named(const struct str *ids, unsigned parts, unsigned *at)
{
    while (*at < parts && ids[*at].n == 0)
        ++*at;
    return *at < parts;
}

/* How many receipts there will be, as far as one can know. */
static unsigned count_named(const struct str *ids, unsigned parts)
{
    unsigned count = 0;

    for (unsigned at = 0; next_named(ids, parts, &at); at++)
        count++;
    return count;
}

void receipts_expect(struct receipts *r, unsigned carrier, const struct message *m,
                     const struct str *ids, unsigned parts)
{
    unsigned named = count_named(ids, parts);
    uint64_t to = reference_address(r->references, m->to);

    for (unsigned at = 0; next_named(ids, parts, &at); at++)
        reference_table_add(r->references,
                            &(struct reference_entry){
                                .id = reference_hash(r->references, carrier, ids[at]),
                                .destination = to,
                                .message = m->id,
                                .part = named > 1 ? at + 1 : 0,
                            });
    if (parked_receipts_count(r->parked) == 0)
        return;
    for (unsigned at = 0; next_named(ids, parts, &at); at++)
        apply_parked(r, reference_hash(r->references, carrier, ids[at]), to);
}

int receipts_keep(struct store *s, unsigned carrier, const struct message *m, const struct str *ids,
                  unsigned parts)
{
    unsigned named = count_named(ids, parts);
    int failed = named > 1 ? store_parts_open(s, m->id, named) : 0;

    for (unsigned at = 0; !failed && next_named(ids, parts, &at); at++) {
        struct reference_record ref = {
            .carrier = carrier, .id = ids[at], .message = m->id, .part = named > 1 ? at + 1 : 0};
        failed = store_reference_add(s, &ref);
    }
    return failed;
}
