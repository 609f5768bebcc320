/* Metrics: what the program counts for its operator. All of them stand in metrics.def.
 *
 * Each thread counts for itself, in a stripe that only it writes, without locks and without
 * waiting: some nanoseconds. Whoever reads adds the stripes up. A stripe outlives its thread,
 * because what was counted stays counted; a later thread goes on with it. */
#pragma once

#include "base/str.h"

#include <assert.h>
#include <stdatomic.h>

/* The words of labels: METRIC_MODE_LIVE; and how many a label has: METRIC_WORDS_MODE. */
#define WORD(word, text)          METRIC_##word,
#define LABEL(label, name, words) enum { words METRIC_WORDS_##label };
#include "base/metrics.def"

/* Buckets: those that have an end, and the one that has none. */
#define BOUNDS(bounds, unit, ...)                                                                  \
    enum { METRIC_BUCKETS_##bounds = sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t) + 1 };
#include "base/metrics.def"

enum metric {
#define COUNTER(id, ...)   METRIC_##id,
#define GAUGE(id, ...)     METRIC_##id,
#define HISTOGRAM(id, ...) METRIC_##id,
#define SAMPLE(id, ...)    METRIC_##id,
#include "base/metrics.def"
    METRIC_COUNT
};

/* A histogram has its buckets and then its sum, for each word of its label. */
struct metric_stripe {
#define COUNTER(id, name, a, b, help)                                                              \
    _Atomic int64_t id[(int)METRIC_WORDS_##a * (int)METRIC_WORDS_##b];
#define GAUGE COUNTER
#define HISTOGRAM(id, name, a, b, bounds, help)                                                    \
    _Atomic int64_t                                                                                \
        id[(int)METRIC_WORDS_##a * (int)METRIC_WORDS_##b * ((int)METRIC_BUCKETS_##bounds + 1)];
#include "base/metrics.def"
    struct metric_stripe *next; /* in the list of all, which never gets shorter */
    bool free;                  /* its thread has ended; under the list's lock */
};

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

struct metric_label {
    const char *name; /* "" = there is none */
    const char *const *words;
    unsigned count;
};

struct metric_row {
    const char *name;
    enum metric_type type;
    bool sampled;                  /* not counted: read when somebody asks */
    const char *sample_labels;     /* of one that is sampled: names, separated by spaces */
    struct metric_label labels[2]; /* of one that is counted */
    const int64_t *bounds;         /* of a histogram, ascending */
    unsigned bound_count;
    int64_t unit;    /* so many of what is counted make one of what is shown */
    unsigned series; /* combinations of words */
    unsigned first;  /* cell of the stripe, in units of 8 bytes */
    const char *help;
};

extern const struct metric_row metric_rows[METRIC_COUNT];
extern _Thread_local struct metric_stripe *metric_own; /* NULL: this thread has counted nothing */

/* Gives this thread its stripe. */
struct metric_stripe *metric_begin(void);

static inline _Atomic int64_t *metric_cells(enum metric m)
{
    struct metric_stripe *s = metric_own ? metric_own : metric_begin();
    return (_Atomic int64_t *)s + metric_rows[m].first;
}

/* Nobody else writes it, so this needs no locked instruction. */
static inline void metric_bump(_Atomic int64_t *cell, int64_t n)
{
    atomic_store_explicit(cell, atomic_load_explicit(cell, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

/* A counter goes up; a gauge goes up and down, also on another thread than before. `word`: of its
 * label, METRIC_…; 0 when it has none. With two labels: metric_pair. */
static inline void metric_add(enum metric m, unsigned word, int64_t n)
{
    assert(word < metric_rows[m].series);
    metric_bump(metric_cells(m) + word, n);
}

static inline unsigned metric_pair(enum metric m, unsigned first, unsigned second)
{
    return first * metric_rows[m].labels[1].count + second;
}

/* In which bucket a value belongs. */
unsigned metric_bucket(enum metric m, int64_t value);
void metric_observe(enum metric m, unsigned word, int64_t value);

/* ---- what is counted when it has become true for good: gathered, then added or forgotten ---- */

enum { METRIC_BUCKETS_MAX = 20 };

/* A histogram of one word, aside. Zeroed: empty. */
struct metric_tally {
    unsigned count;
    unsigned buckets[METRIC_BUCKETS_MAX];
    int64_t sum;
};

void metric_tally_note(struct metric_tally *t, enum metric m, int64_t value);
/* Adds it, and empties it. */
void metric_tally_add(struct metric_tally *t, enum metric m, unsigned word);

/* ---- reading ---- */

/* The sum over all threads, of a counter or gauge. */
int64_t metric_read(enum metric m, unsigned word);
/* The buckets one by one, not added up; returns how many. *ret_sum: of all values. */
unsigned metric_read_histogram(enum metric m, unsigned word, int64_t *ret_buckets,
                               int64_t *ret_sum);
