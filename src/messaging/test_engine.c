#include "messaging/test_engine.h"

#include "messaging/errand.h"
#include "store/engine.h"

#include <errno.h>
#include <semaphore.h>

_Atomic int64_t test_now_us;
struct store *test_store;
struct store_reader *test_reader;
struct writer *test_writer;
struct mailbox test_home;
struct arena test_arena;
static _Atomic int failing;
static struct store_engine engine;
static const struct store_engine *beneath;

static int64_t tell_time(const struct clock *c)
{
    return atomic_load(&test_now_us);
}

const struct clock test_clock = {tell_time};

static int commit(struct store *s)
{
    if (atomic_load(&failing) == 0)
        return beneath->commit(s);
    atomic_fetch_sub(&failing, 1);
    beneath->rollback(s);
    return store_fail(s, -EIO, "the test wants it so");
}

void test_fail_commits(int count)
{
    atomic_store(&failing, count);
}

void test_engine_start(void)
{
    atomic_store(&test_now_us, 1763168523004005); /* 2025-11-15T01:02:03.004005Z */
    atomic_store(&failing, 0);
    arena_init(&test_arena, 64 << 20);
    mailbox_init(&test_home, NULL, NULL);
    test_store = test_store_open(&test_clock);
    beneath = test_store->engine;
    engine = *beneath;
    engine.commit = commit;
    test_store->engine = &engine;
    assert_int_equal(store_reader_open(test_store, &test_reader), 0);
    struct writer_options w = {.store = test_store, .max_waiting = TEST_WAITING_MAX};
    assert_int_equal(writer_start(&test_writer, &w), 0);
}

bool test_bring_home(void)
{
    struct letter *l = mailbox_take(&test_home);
    bool any = l;

    while (l) {
        struct letter *next = l->next;
        struct errand *e = (struct errand *)l;
        e->back(e);
        l = next;
    }
    return any;
}

void test_engine_stop(void)
{
    writer_stop(test_writer);
    test_bring_home();
    writer_free(test_writer);
    store_reader_close(test_reader);
    test_store_close(test_store);
    mailbox_done(&test_home);
    arena_done(&test_arena);
}

/* ---- the writer ---- */

/* A job of our own: when it is done, all before it are. With a gate it waits to be let through. */
struct barrier {
    struct write_job job;
    bool is_gate;
    sem_t reached, open, done;
};

static int apply_barrier(struct write_job *job, struct store *s)
{
    struct barrier *b = (struct barrier *)job;

    if (b->is_gate) {
        b->is_gate = false; /* once, also when it is written again */
        sem_post(&b->reached);
        sem_wait(&b->open);
    }
    return 0;
}

static void barrier_done(struct write_job *job, int result)
{
    sem_post(&((struct barrier *)job)->done);
}

static void barrier_post(struct barrier *b, bool is_gate)
{
    *b =
        (struct barrier){.job = {.apply = apply_barrier, .done = barrier_done}, .is_gate = is_gate};
    sem_init(&b->reached, 0, 0);
    sem_init(&b->open, 0, 0);
    sem_init(&b->done, 0, 0);
    assert_int_equal(writer_post_owed(test_writer, &b->job), 0);
}

static void barrier_wait(struct barrier *b)
{
    sem_wait(&b->done);
    sem_destroy(&b->reached);
    sem_destroy(&b->open);
    sem_destroy(&b->done);
}

void test_settle(void)
{
    do {
        struct barrier b;
        barrier_post(&b, false);
        barrier_wait(&b);
    } while (test_bring_home());
}

static struct barrier gate;

void test_close_gate(void)
{
    barrier_post(&gate, true);
    sem_wait(&gate.reached);
}

void test_open_gate(void)
{
    sem_post(&gate.open);
    barrier_wait(&gate);
}

void test_note_answer(void *answer, int result)
{
    struct test_answer *a = answer;

    a->count++;
    a->result = result;
}
