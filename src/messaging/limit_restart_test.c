/* Limits on disk: what was granted before a restart is not granted again. */
#include "messaging/limit.h"

#include "store/test_store.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>

#include <cmocka.h>

#define SECOND  INT64_C(1000000)
#define NOON    (INT64_C(1800000000) / 3600 * 3600 * SECOND) /* the start of an hour */
#define MINUTES (60 * SECOND)

static struct store *store;
static struct store_reader *reader;
static struct limiter *limiter;
static struct writer_rider rider;
static const struct limit_plan plan = {10, 1000};

static int set_up(void **state)
{
    store = test_store_open(&clock_real);
    assert_int_equal(store_reader_open(store, &reader), 0);
    limiter = limiter_new();
    rider = limiter_rider(limiter);
    return 0;
}

static int tear_down(void **state)
{
    limiter_free(limiter);
    store_reader_close(reader);
    test_store_close(store);
    return 0;
}

static unsigned take_many(int64_t key, int64_t at_us, unsigned n)
{
    struct limit_view v;
    unsigned count = 0;

    for (unsigned i = 0; i < n; i++)
        count += limiter_take(limiter, key, plan, at_us, &v);
    return count;
}

/* A transaction as the writer makes them. */
static void save(void)
{
    assert_int_equal(store_begin(store), 0);
    assert_int_equal(rider.write(rider.context, store), 0);
    assert_int_equal(store_commit(store), 0);
    rider.done(rider.context, 0);
}

static bool wants(void)
{
    return rider.wants(rider.context, false);
}

static void restart(int64_t now_us)
{
    limiter_free(limiter);
    limiter = limiter_new();
    rider = limiter_rider(limiter);
    assert_int_equal(limiter_load(limiter, reader, now_us), 0);
}

static void windows_go_on_after_a_restart(void **state)
{
    assert_int_equal(take_many(1, NOON + 5 * MINUTES, 7), 7);
    assert_int_equal(take_many(2, NOON + 5 * MINUTES, 99), 10);
    save();
    restart(NOON + 5 * MINUTES + 30 * SECOND);
    assert_int_equal(take_many(1, NOON + 5 * MINUTES + 30 * SECOND, 99), 3);
    assert_int_equal(take_many(2, NOON + 5 * MINUTES + 30 * SECOND, 99), 0);
    assert_int_equal(take_many(3, NOON + 5 * MINUTES + 30 * SECOND, 99), 10);
    save();
    restart(NOON + 6 * MINUTES); /* the hour runs on */
    struct limit_window w[LIMIT_WINDOWS];
    limiter_peek(limiter, 1, plan, NOON + 6 * MINUTES, w);
    assert_int_equal(w[0].used, 0);
    assert_int_equal(w[1].used, 10);
    restart(NOON + 60 * MINUTES);
    limiter_peek(limiter, 1, plan, NOON + 60 * MINUTES, w);
    assert_int_equal(w[1].used, 0);
}

static void a_clock_set_back_while_it_was_off_reopens_nothing(void **state)
{
    assert_int_equal(take_many(1, NOON + 59 * MINUTES, 99), 10);
    save();
    restart(NOON + 61 * MINUTES);
    assert_int_equal(take_many(1, NOON + 59 * MINUTES, 99), 0);
    restart(NOON + 30 * MINUTES);
    assert_int_equal(take_many(1, NOON + 30 * MINUTES, 99), 0);
}

static void only_what_has_changed_is_written(void **state)
{
    struct limit_view v;

    assert_false(wants());
    assert_int_equal(take_many(1, NOON, 99), 10);
    assert_true(wants());
    save();
    assert_false(wants());
    assert_int_equal(take_many(1, NOON, 99), 0); /* refused: nothing has changed */
    assert_false(wants());
    assert_true(limiter_take(limiter, 2, (struct limit_plan){0, 0}, NOON, &v));
    assert_false(wants()); /* no limit, no count on disk */
}

static void what_was_lost_is_written_again(void **state)
{
    for (int64_t key = 1; key <= 300; key++)
        assert_int_equal(take_many(key, NOON, 4), 4);
    assert_int_equal(store_begin(store), 0);
    assert_int_equal(rider.write(rider.context, store), 0);
    assert_int_equal(take_many(7, NOON, 1), 1); /* meanwhile */
    store_rollback(store);
    rider.done(rider.context, -EIO);
    assert_true(wants());
    save();
    assert_false(wants());
    restart(NOON);
    for (int64_t key = 1; key <= 300; key++)
        assert_int_equal(take_many(key, NOON, 99), key == 7 ? 5 : 6);
}

static void what_comes_while_it_is_written_is_written_next(void **state)
{
    assert_int_equal(take_many(1, NOON, 1), 1);
    assert_int_equal(store_begin(store), 0);
    assert_int_equal(rider.write(rider.context, store), 0);
    assert_int_equal(take_many(1, NOON, 1), 1);
    assert_int_equal(store_commit(store), 0);
    rider.done(rider.context, 0);
    assert_true(wants());
    save();
    restart(NOON);
    assert_int_equal(take_many(1, NOON, 99), 8);
}

/* The table grows and is cleared of past keys between the marks and the writing. */
static void a_table_that_is_rebuilt_loses_no_mark(void **state)
{
    for (int64_t key = 1; key <= 5000; key++)
        assert_int_equal(take_many(key, NOON, 1), 1);
    for (int64_t key = 5001; key <= 9000; key++)
        assert_int_equal(take_many(key, NOON + 70 * MINUTES, 2), 2);
    save();
    restart(NOON + 70 * MINUTES);
    for (int64_t key = 5001; key <= 9000; key++)
        assert_int_equal(take_many(key, NOON + 70 * MINUTES, 99), 8);
    assert_int_equal(take_many(1, NOON + 70 * MINUTES, 99), 10);
}

static void past_keys_are_forgotten_also_when_nothing_can_be_written(void **state)
{
    for (int64_t day = 0; day < 3; day++)
        for (int64_t key = 0; key < 3000; key++)
            assert_int_equal(take_many(day * 3000 + key, NOON + day * 1440 * MINUTES, 1), 1);
    assert_int_equal(store_begin(store), 0);
    assert_int_equal(rider.write(rider.context, store), 0);
    for (int64_t key = 0; key < 9000; key++)
        assert_int_equal(take_many(20000 + key, NOON + 9999 * MINUTES, 1), 1);
    store_rollback(store);
    rider.done(rider.context, -ENOSPC); /* of keys that are not there any more */
    save();
    restart(NOON + 9999 * MINUTES);
    assert_int_equal(take_many(20000, NOON + 9999 * MINUTES, 99), 9);
}

/* ---- beside workers that take ---- */

enum { WORKERS = 3, KEYS = 40, TAKES = 20000 };
static const struct limit_plan roomy = {1000, 900};
static atomic_uint granted[KEYS], working;

static void *work(void *context)
{
    struct limit_view v;

    for (unsigned i = 0; i < TAKES; i++)
        if (limiter_take(limiter, i % KEYS, roomy, NOON, &v))
            atomic_fetch_add(&granted[i % KEYS], 1);
    atomic_fetch_sub(&working, 1);
    return NULL;
}

static void workers_take_while_it_is_written(void **state)
{
    pthread_t threads[WORKERS];
    struct limit_window w[LIMIT_WINDOWS];

    atomic_store(&working, WORKERS);
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, NULL), 0);
    for (int turn = 0; atomic_load(&working) > 0; turn++) {
        assert_int_equal(store_begin(store), 0);
        assert_int_equal(rider.write(rider.context, store), 0);
        int lost = turn % 3 == 0 ? -EIO : 0; /* some are lost */
        assert_int_equal(store_end(store, lost), lost);
        rider.done(rider.context, lost);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    save();
    restart(NOON);
    for (int64_t key = 0; key < KEYS; key++) {
        limiter_peek(limiter, key, roomy, NOON, w);
        assert_int_equal(w[1].used, 900);
        assert_int_equal(atomic_load(&granted[key]), 900);
    }
}

/* ---- with the writer ---- */

struct answer {
    struct write_job job;
    sem_t done;
};

static int apply_nothing(struct write_job *job, struct store *s)
{
    return 0;
}

static void answered(struct write_job *job, int result)
{
    assert_int_equal(result, 0);
    sem_post(&((struct answer *)job)->done);
}

static void what_is_answered_is_counted_on_disk(void **state)
{
    struct writer *writer;
    struct writer_options options = {.store = store, .riders = {rider}, .max_waiting = 1};

    assert_int_equal(writer_start(&writer, &options), 0);
    for (unsigned i = 1; i <= 10; i++) {
        struct answer a = {.job = {.apply = apply_nothing, .done = answered}};
        struct limiter *next = limiter_new();
        struct limit_window w[LIMIT_WINDOWS];
        assert_int_equal(take_many(1, NOON, 1), 1);
        sem_init(&a.done, 0, 0);
        assert_int_equal(writer_post(writer, &a.job), 0);
        sem_wait(&a.done);
        assert_int_equal(limiter_load(next, reader, NOON), 0); /* were it killed now */
        limiter_peek(next, 1, plan, NOON, w);
        assert_int_equal(w[0].used, i);
        limiter_free(next);
    }
    assert_int_equal(take_many(2, NOON, 3), 3); /* reads: nobody waits for the disk */
    writer_stop(writer);
    writer_free(writer);
    restart(NOON);
    assert_int_equal(take_many(1, NOON, 99), 0);
    assert_int_equal(take_many(2, NOON, 99), 7);
}

#define LIMIT_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMIT_TEST(windows_go_on_after_a_restart),
        LIMIT_TEST(a_clock_set_back_while_it_was_off_reopens_nothing),
        LIMIT_TEST(only_what_has_changed_is_written),
        LIMIT_TEST(what_was_lost_is_written_again),
        LIMIT_TEST(what_comes_while_it_is_written_is_written_next),
        LIMIT_TEST(a_table_that_is_rebuilt_loses_no_mark),
        LIMIT_TEST(past_keys_are_forgotten_also_when_nothing_can_be_written),
        LIMIT_TEST(workers_take_while_it_is_written),
        LIMIT_TEST(what_is_answered_is_counted_on_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
