#include "store/test_writer.h"

#include "store/engine.h"
#include "store/test_store.h"

#include <string.h>
#include <time.h>

static struct store *store;
static struct store_engine engine;
static const struct store_engine *beneath;
struct writer *writer;
_Atomic int commits, begins, begin_error, commit_error;
_Atomic int told;

static int test_begin(struct store *s)
{
    int error = atomic_load(&begin_error);

    if (error)
        return store_fail(s, error, "the test broke begin");
    atomic_fetch_add(&begins, 1);
    return beneath->begin(s);
}

static int test_commit(struct store *s)
{
    int error = atomic_load(&commit_error);

    if (error) {
        beneath->rollback(s);
        return store_fail(s, error, "the test broke commit");
    }
    atomic_fetch_add(&commits, 1);
    return beneath->commit(s);
}

_Atomic int pieces, busy_calls, idle_calls;
sem_t *house_gate;

static bool test_housekeep(struct store *s, bool idle)
{
    assert_false(s->in_transaction);
    atomic_fetch_add(idle ? &idle_calls : &busy_calls, 1);
    if (!idle || atomic_load(&pieces) == 0)
        return false;
    if (house_gate)
        sem_wait(house_gate);
    return atomic_fetch_sub(&pieces, 1) > 1;
}

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int applied[4 * MANY], finished[4 * MANY];
size_t applied_count, finished_count;
static char health[256];

static int apply_test(struct write_job *job, struct store *s)
{
    struct test_job *t = (struct test_job *)job;

    if (t->gate)
        sem_wait(t->gate);
    pthread_mutex_lock(&lock);
    applied[applied_count++] = t->name;
    pthread_mutex_unlock(&lock);
    return t->error ? store_fail(s, t->error, "the test broke a job") : 0;
}

static void test_done(struct write_job *job, int result)
{
    struct test_job *t = (struct test_job *)job;

    pthread_mutex_lock(&lock);
    finished[finished_count++] = t->name;
    pthread_mutex_unlock(&lock);
    t->result = result;
    if (t->wish)
        atomic_store(t->wish, 1);
    sem_post(&t->done);
}

struct test_job *job_init(struct test_job *t, int name)
{
    *t = (struct test_job){.job = {.apply = apply_test, .done = test_done}, .name = name};
    sem_init(&t->done, 0, 0);
    return t;
}

struct test_rider rider;

static bool rider_wants(void *context, bool last)
{
    return atomic_load(&rider.wish) == 1 || (atomic_load(&rider.wish) == 2 && last);
}

static int rider_write(void *context, struct store *s)
{
    assert_true(s->in_transaction);
    pthread_mutex_lock(&lock);
    applied[applied_count++] = RIDER;
    pthread_mutex_unlock(&lock);
    rider.wrote_last = atomic_load(&rider.wish) == 2;
    atomic_store(&rider.wish, 0);
    return rider.error < 0 ? store_fail(s, rider.error, "the test broke a rider") : 0;
}

static void rider_done(void *context, int result)
{
    pthread_mutex_lock(&lock);
    finished[finished_count++] = RIDER;
    pthread_mutex_unlock(&lock);
    rider.result = result;
    sem_post(&rider.done);
}

static struct timespec patience(void)
{
    struct timespec at;

    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_sec += PATIENCE_S;
    return at;
}

int result_of(struct test_job *t)
{
    struct timespec at = patience();

    if (sem_timedwait(&t->done, &at) < 0)
        fail_msg("job %d was never done", t->name);
    return t->result;
}

bool is_done(struct test_job *t)
{
    int value;
    sem_getvalue(&t->done, &value);
    return value > 0;
}

void wait_for_rider(void)
{
    struct timespec at = patience();
    if (sem_timedwait(&rider.done, &at) < 0)
        fail_msg("the rider was never done");
}

static void note(char sign)
{
    pthread_mutex_lock(&lock);
    size_t n = strlen(health);
    assert_true(n + 1 < sizeof health);
    health[n] = sign;
    pthread_mutex_unlock(&lock);
}

static void note_commit(void *context)
{
    atomic_fetch_add(&told, 1);
}

static void note_health(void *context, const char *why)
{
    assert_true(!why || strlen(why) > 0);
    note(why ? 'x' : '.');
}

static void note_given_up(void *context, const char *why)
{
    assert_string_equal(why, "the test broke a job");
    note('-');
}

void assert_health(const char *wanted)
{
    char seen[sizeof health] = "";

    for (int i = 0; i < PATIENCE_S * 1000 && strcmp(seen, wanted) != 0; i++) {
        pthread_mutex_lock(&lock);
        memcpy(seen, health, sizeof seen);
        pthread_mutex_unlock(&lock);
        usleep(1000);
    }
    assert_string_equal(seen, wanted);
}

static void start_writer(int64_t patience_us)
{
    struct writer_options options = {
        .store = store,
        .max_waiting = MANY,
        .patience_us = patience_us,
        .health = note_health,
        .committed = note_commit,
        .given_up = note_given_up,
        .riders[1] = {.wants = rider_wants, .write = rider_write, .done = rider_done},
    };
    assert_int_equal(writer_start(&writer, &options), 0);
}

void writer_be_patient(int64_t patience_us)
{
    writer_stop(writer);
    writer_free(writer);
    start_writer(patience_us);
}

int writer_set_up(void **state)
{
    store = test_store_open(&clock_real);
    beneath = store->engine;
    engine = *beneath;
    engine.begin = test_begin;
    engine.commit = test_commit;
    engine.housekeep = test_housekeep;
    store->engine = &engine;
    commits = begins = begin_error = commit_error = told = 0;
    pieces = busy_calls = idle_calls = 0;
    house_gate = NULL;
    applied_count = finished_count = 0;
    atomic_store(&rider.wish, 0);
    rider.error = rider.result = 1;
    rider.wrote_last = false;
    sem_init(&rider.done, 0, 0);
    memset(health, 0, sizeof health);
    start_writer(0);
    return 0;
}

int writer_tear_down(void **state)
{
    writer_free(writer);
    test_store_close(store);
    return 0;
}

sem_t gate;
struct test_job blocker;

void hold_writer(void)
{
    int value = 1;

    sem_init(&gate, 0, 0);
    job_init(&blocker, 0)->gate = &gate;
    assert_int_equal(writer_post_owed(writer, &blocker.job), 0);
    while (atomic_load(&begins) == 0 && value++ < 10000)
        usleep(1000);
}

void let_writer_go(void)
{
    sem_post(&gate);
}

void assert_order(const int *names, size_t count, const int *wanted)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(names[i], wanted[i]);
    pthread_mutex_unlock(&lock);
}
