#include "base/metric.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static bool is_word(const char *text, const char *extra)
{
    for (; *text; text++)
        if (!(*text >= 'a' && *text <= 'z') && !strchr(extra, *text))
            return false;
    return true;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* What Prometheus asks of names, and we of ourselves. */
static void test_names(void **state)
{
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        const struct metric_row *row = &metric_rows[i];
        assert_true(is_word(row->name, "_"));
        assert_true(strncmp(row->name, "skylark_", 8) == 0 ||
                    strncmp(row->name, "process_", 8) == 0);
        assert_int_equal(row->type == METRIC_COUNTER, ends_with(row->name, "_total"));
        if (row->type == METRIC_HISTOGRAM && row->unit == 1000000)
            assert_true(ends_with(row->name, "_seconds"));
        assert_true(ends_with(row->help, "."));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(row->name, metric_rows[j].name);
    }
}

/* Words, never numbers or ids: at least two letters and no more digits than a class of codes. */
static void test_labels(void **state)
{
    for (size_t i = 0; i < METRIC_COUNT; i++)
        for (size_t l = 0; l < 2 && !metric_rows[i].sampled; l++) {
            const struct metric_label *label = &metric_rows[i].labels[l];
            for (unsigned w = 0; label->name[0] && w < label->count; w++)
                if (strcmp(label->name, "code") == 0)
                    assert_true(ends_with(label->words[w], "xx"));
                else
                    assert_true(is_word(label->words[w], "_") && strlen(label->words[w]) >= 2);
        }
}

static void test_bounds_ascend(void **state)
{
    for (size_t i = 0; i < METRIC_COUNT; i++)
        for (unsigned b = 1; b < metric_rows[i].bound_count; b++)
            assert_true(metric_rows[i].bounds[b] > metric_rows[i].bounds[b - 1]);
}

/* Every cell belongs to one series of one metric. */
static void test_cells_apart(void **state)
{
    unsigned next = 0;

    for (size_t i = 0; i < METRIC_COUNT; i++) {
        const struct metric_row *row = &metric_rows[i];
        if (row->sampled)
            continue;
        assert_int_equal(row->first, next);
        next += row->series * (row->bounds ? row->bound_count + 2 : 1);
    }
    assert_int_equal(next * sizeof(int64_t), offsetof(struct metric_stripe, next));
}

static void test_counter(void **state)
{
    int64_t before = metric_read(METRIC_SENT, METRIC_MODE_LIVE);
    int64_t other = metric_read(METRIC_SENT, METRIC_MODE_TEST);

    metric_add(METRIC_SENT, METRIC_MODE_LIVE, 3);
    metric_add(METRIC_SENT, METRIC_MODE_LIVE, 4);
    assert_int_equal(metric_read(METRIC_SENT, METRIC_MODE_LIVE), before + 7);
    assert_int_equal(metric_read(METRIC_SENT, METRIC_MODE_TEST), other);
}

static void test_two_labels(void **state)
{
    unsigned place = metric_pair(METRIC_HTTP_REQUESTS, METRIC_HANDLER_SERVICE, METRIC_CODE_5);

    assert_int_equal(place, metric_rows[METRIC_HTTP_REQUESTS].series - 1);
    metric_add(METRIC_HTTP_REQUESTS, place, 1);
    assert_int_equal(metric_read(METRIC_HTTP_REQUESTS, place), 1);
    assert_int_equal(metric_read(METRIC_HTTP_REQUESTS, place - 1), 0);
}

static void test_buckets(void **state)
{
    assert_int_equal(metric_bucket(METRIC_TRANSACTION_ROWS, 0), 0);
    assert_int_equal(metric_bucket(METRIC_TRANSACTION_ROWS, 1), 0);
    assert_int_equal(metric_bucket(METRIC_TRANSACTION_ROWS, 2), 1);
    assert_int_equal(metric_bucket(METRIC_TRANSACTION_ROWS, 3), 2);
    assert_int_equal(metric_bucket(METRIC_TRANSACTION_ROWS, 1024), 10);
    assert_int_equal(metric_bucket(METRIC_TRANSACTION_ROWS, 1025), 11);
}

/* Just below, at and above each bound of each histogram. */
static void test_every_bucket(void **state)
{
    for (unsigned m = 0; m < METRIC_COUNT; m++)
        for (unsigned b = 0; b < metric_rows[m].bound_count; b++) {
            int64_t bound = metric_rows[m].bounds[b];
            assert_int_equal(metric_bucket(m, bound), b);
            assert_int_equal(metric_bucket(m, bound + 1), b + 1);
            if (b == 0)
                assert_int_equal(metric_bucket(m, bound - 1), 0);
        }
}

static void test_histogram(void **state)
{
    int64_t buckets[METRIC_BUCKETS_MAX], sum;

    metric_observe(METRIC_TRANSACTION_ROWS, 0, 3);
    metric_observe(METRIC_TRANSACTION_ROWS, 0, 4);
    metric_observe(METRIC_TRANSACTION_ROWS, 0, 5000);
    metric_observe(METRIC_TRANSACTION_ROWS, 0, -5); /* counts as 0 */
    assert_int_equal(metric_read_histogram(METRIC_TRANSACTION_ROWS, 0, buckets, &sum), 12);
    assert_int_equal(buckets[0], 1);
    assert_int_equal(buckets[1], 0);
    assert_int_equal(buckets[2], 2);
    assert_int_equal(buckets[11], 1);
    assert_int_equal(sum, 5007);
}

static void test_tally(void **state)
{
    int64_t buckets[METRIC_BUCKETS_MAX], sum;
    struct metric_tally t = {0};

    metric_tally_note(&t, METRIC_DELIVERY_SECONDS, 1000000);
    metric_tally_note(&t, METRIC_DELIVERY_SECONDS, 2000000);
    metric_read_histogram(METRIC_DELIVERY_SECONDS, METRIC_MODE_LIVE, buckets, &sum);
    assert_int_equal(sum, 0); /* not yet */
    metric_tally_add(&t, METRIC_DELIVERY_SECONDS, METRIC_MODE_LIVE);
    metric_tally_add(&t, METRIC_DELIVERY_SECONDS, METRIC_MODE_LIVE); /* empty by now */
    metric_read_histogram(METRIC_DELIVERY_SECONDS, METRIC_MODE_LIVE, buckets, &sum);
    assert_int_equal(sum, 3000000);
    assert_int_equal(buckets[5], 1);
    assert_int_equal(buckets[6], 1);
    metric_read_histogram(METRIC_DELIVERY_SECONDS, METRIC_MODE_TEST, buckets, &sum);
    assert_int_equal(sum, 0);
}

enum { THREADS = 8, ADDS = 20000, ROUNDS = 50 };

static void *count(void *unused)
{
    for (int i = 0; i < ADDS; i++) {
        metric_add(METRIC_HANDED, METRIC_MODE_TEST, 1);
        metric_add(METRIC_EVENT_STREAMS, 0, i % 2 ? -1 : 1);
        metric_observe(METRIC_HTTP_SECONDS, METRIC_HANDLER_SEND, i);
    }
    return NULL;
}

static int64_t histogram_count(enum metric m, unsigned word)
{
    int64_t buckets[METRIC_BUCKETS_MAX], sum, all = 0;
    unsigned n = metric_read_histogram(m, word, buckets, &sum);

    for (unsigned i = 0; i < n; i++)
        all += buckets[i];
    return all;
}

/* Nothing is lost, also not what ended threads have counted; a reader sees it grow. */
static void test_threads(void **state)
{
    pthread_t threads[THREADS];
    int64_t seen = 0;

    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count, NULL), 0);
    for (int i = 0; i < 1000; i++) {
        int64_t now = metric_read(METRIC_HANDED, METRIC_MODE_TEST);
        assert_true(now >= seen);
        seen = now;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(metric_read(METRIC_HANDED, METRIC_MODE_TEST), THREADS * ADDS);
    assert_int_equal(metric_read(METRIC_EVENT_STREAMS, 0), 0);
    assert_int_equal(histogram_count(METRIC_HTTP_SECONDS, METRIC_HANDLER_SEND), THREADS * ADDS);
}

static void *own_stripe(void *unused)
{
    metric_add(METRIC_RETRIED, 0, 1);
    return metric_own;
}

/* Threads that come and go do not fill memory. */
static void test_stripes_used_again(void **state)
{
    void *first = NULL;

    for (int i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        void *stripe;
        assert_int_equal(pthread_create(&thread, NULL, own_stripe, NULL), 0);
        pthread_join(thread, &stripe);
        assert_true(!first || stripe == first);
        first = stripe;
    }
    assert_int_equal(metric_read(METRIC_RETRIED, 0), ROUNDS);
}

static int64_t thread_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* An alarm: it should be some nanoseconds, and with sanitizers not a hundred times that. */
static void test_cost(void **state)
{
    enum { CALLS = 1000000 };
    int64_t begun_ns = thread_ns();

    for (int i = 0; i < CALLS; i++) {
        metric_add(METRIC_EXPIRED, 0, 1);
        __asm__ volatile("" ::: "memory");
    }
    int64_t add_ns = thread_ns() - begun_ns;
    for (int i = 0; i < CALLS; i++)
        metric_observe(METRIC_HTTP_SECONDS, METRIC_HANDLER_KEYS, 100 + (i & 1023));
    int64_t observe_ns = thread_ns() - begun_ns - add_ns;
    print_message("add %.1f ns, observe %.1f ns\n", (double)add_ns / CALLS,
                  (double)observe_ns / CALLS);
    assert_true(add_ns / CALLS < 500 && observe_ns / CALLS < 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),         cmocka_unit_test(test_labels),
        cmocka_unit_test(test_bounds_ascend), cmocka_unit_test(test_cells_apart),
        cmocka_unit_test(test_counter),       cmocka_unit_test(test_two_labels),
        cmocka_unit_test(test_buckets),       cmocka_unit_test(test_every_bucket),
        cmocka_unit_test(test_histogram),     cmocka_unit_test(test_tally),
        cmocka_unit_test(test_threads),       cmocka_unit_test(test_stripes_used_again),
        cmocka_unit_test(test_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
