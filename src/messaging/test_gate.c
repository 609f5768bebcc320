#include "messaging/test_gate.h"

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

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
    /* A gate takes no place from those that a test counts; whoever only waits does not stay with
     * what is owed while the store fails. */
    if (is_gate || writer_post(test_writer, &b->job) < 0)
        assert_int_equal(writer_post_owed(test_writer, &b->job), 0);
}

static void barrier_wait(struct barrier *b)
{
    sem_wait(&b->done);
    sem_destroy(&b->reached);
    sem_destroy(&b->open);
    sem_destroy(&b->done);
}

void test_wait_for_writer(void)
{
    struct barrier b;

    barrier_post(&b, false);
    barrier_wait(&b);
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
