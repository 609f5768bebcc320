#include "base/metric.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

/* ---- the table ---- */

#define WORD(word, text) text,
#define LABEL(label, label_name, words)                                                            \
    static const char name_of_##label[] = label_name;                                              \
    static const char *const words_of_##label[] = {words};
#include "base/metrics.def"

#define BOUNDS(bounds, unit, ...)                                                                  \
    static const int64_t bounds_##bounds[] = {__VA_ARGS__};                                        \
    enum { UNIT_##bounds = (unit) };                                                               \
    _Static_assert((int)METRIC_BUCKETS_##bounds <= (int)METRIC_BUCKETS_MAX, "room in a tally");
#include "base/metrics.def"

#define CELL_OF(id) ((unsigned)(offsetof(struct metric_stripe, id) / sizeof(int64_t)))
#define LABEL_ROW(label)                                                                           \
    {                                                                                              \
        name_of_##label, words_of_##label, METRIC_WORDS_##label                                    \
    }
#define COUNTED(id, metric_type, metric_name, a, b, text)                                          \
    .name = metric_name, .type = metric_type, .labels = {LABEL_ROW(a), LABEL_ROW(b)}, .unit = 1,   \
    .series = (unsigned)METRIC_WORDS_##a * (unsigned)METRIC_WORDS_##b, .first = CELL_OF(id),       \
    .help = text, .sample_labels = ""

const struct metric_row metric_rows[METRIC_COUNT] = {
#define COUNTER(id, name, a, b, help)                                                              \
    [METRIC_##id] = {COUNTED(id, METRIC_COUNTER, name, a, b, help)},
#define GAUGE(id, name, a, b, help) [METRIC_##id] = {COUNTED(id, METRIC_GAUGE, name, a, b, help)},
#define HISTOGRAM(id, metric_name, a, b, bounds_id, text)                                          \
    [METRIC_##id] = {                                                                              \
        .name = metric_name,                                                                       \
        .type = METRIC_HISTOGRAM,                                                                  \
        .labels = {LABEL_ROW(a), LABEL_ROW(b)},                                                    \
        .unit = UNIT_##bounds_id,                                                                  \
        .series = (unsigned)METRIC_WORDS_##a * (unsigned)METRIC_WORDS_##b,                         \
        .first = CELL_OF(id),                                                                      \
        .bounds = bounds_##bounds_id,                                                              \
        .bound_count = METRIC_BUCKETS_##bounds_id - 1,                                             \
        .help = text,                                                                              \
        .sample_labels = "",                                                                       \
    },
#define SAMPLE(id, metric_name, metric_type, label_names, text)                                    \
    [METRIC_##id] = {                                                                              \
        .name = metric_name,                                                                       \
        .type = METRIC_##metric_type,                                                              \
        .sampled = true,                                                                           \
        .sample_labels = label_names,                                                              \
        .unit = 1,                                                                                 \
        .help = text,                                                                              \
    },
#include "base/metrics.def"
};

/* ---- stripes ---- */

_Thread_local struct metric_stripe *metric_own;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list, for those who change it */
static _Atomic(struct metric_stripe *) stripes;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_end;

static void leave_stripe(void *stripe)
{
    struct metric_stripe *s = stripe;

    pthread_mutex_lock(&lock);
    s->free = true;
    pthread_mutex_unlock(&lock);
    metric_own = NULL;
}

static void make_key(void)
{
    if (pthread_key_create(&thread_end, leave_stripe) != 0)
        abort(); /* at the very start of the program, or never */
}

static struct metric_stripe *take_stripe(void)
{
    struct metric_stripe *s = atomic_load_explicit(&stripes, memory_order_relaxed);

    while (s && !s->free)
        s = s->next;
    if (s) {
        s->free = false;
        return s;
    }
    s = calloc(1, sizeof *s);
    if (!s)
        abort(); /* out of memory for some KB as a thread starts: the store is safe, start again */
    s->next = atomic_load_explicit(&stripes, memory_order_relaxed);
    atomic_store_explicit(&stripes, s, memory_order_release);
    return s;
}

struct metric_stripe *metric_begin(void)
{
    pthread_once(&key_once, make_key);
    pthread_mutex_lock(&lock);
    metric_own = take_stripe();
    pthread_mutex_unlock(&lock);
    pthread_setspecific(thread_end, metric_own);
    return metric_own;
}

/* ---- counting ---- */

/* How many bounds are less, by halves: whether to take a step is a sum, not a branch, because
 * nobody could foresee it. */
unsigned metric_bucket(enum metric m, int64_t value)
{
    const struct metric_row *row = &metric_rows[m];
    unsigned less = 0, left = row->bound_count;

    while (left > 1) {
        unsigned half = left / 2;
        less += half & -(unsigned)(row->bounds[less + half - 1] < value);
        left -= half;
    }
    return less + (left && row->bounds[less] < value);
}

static _Atomic int64_t *histogram_cells(enum metric m, unsigned word)
{
    assert(metric_rows[m].bounds && word < metric_rows[m].series);
    return metric_cells(m) + word * (metric_rows[m].bound_count + 2);
}

void metric_observe(enum metric m, unsigned word, int64_t value)
{
    _Atomic int64_t *cells = histogram_cells(m, word);

    if (value < 0) /* a clock was put back */
        value = 0;
    metric_bump(cells + metric_bucket(m, value), 1);
    metric_bump(cells + metric_rows[m].bound_count + 1, value);
}

void metric_tally_note(struct metric_tally *t, enum metric m, int64_t value)
{
    if (value < 0)
        value = 0;
    t->buckets[metric_bucket(m, value)]++;
    t->sum += value;
    t->count++;
}

void metric_tally_add(struct metric_tally *t, enum metric m, unsigned word)
{
    if (t->count == 0)
        return;
    _Atomic int64_t *cells = histogram_cells(m, word);
    unsigned buckets = metric_rows[m].bound_count + 1;

    for (unsigned i = 0; i < buckets; i++)
        if (t->buckets[i])
            metric_bump(cells + i, t->buckets[i]);
    metric_bump(cells + buckets, t->sum);
    *t = (struct metric_tally){0};
}

/* ---- reading ---- */

static int64_t sum_cell(unsigned cell)
{
    int64_t sum = 0;

    for (struct metric_stripe *s = atomic_load_explicit(&stripes, memory_order_acquire); s;
         s = s->next)
        sum += atomic_load_explicit((_Atomic int64_t *)s + cell, memory_order_relaxed);
    return sum;
}

int64_t metric_read(enum metric m, unsigned word)
{
    assert(!metric_rows[m].sampled && word < metric_rows[m].series);
    return sum_cell(metric_rows[m].first + word);
}

unsigned metric_read_histogram(enum metric m, unsigned word, int64_t *ret_buckets, int64_t *ret_sum)
{
    const struct metric_row *row = &metric_rows[m];
    unsigned buckets = row->bound_count + 1, first = row->first + word * (buckets + 1);

    assert(row->bounds && word < row->series);
    for (unsigned i = 0; i < buckets; i++)
        ret_buckets[i] = sum_cell(first + i);
    *ret_sum = sum_cell(first + buckets);
    return buckets;
}
