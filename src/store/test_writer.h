/* What the tests of the writer share: a writer over a store whose begin, commit and house the test
 * watches and breaks. A gate holds the writer's thread so that jobs can pile up. */
#pragma once

#include "store/writer.h"

#include <errno.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <unistd.h>

#include <cmocka.h>

enum { MANY = 3000, PATIENCE_S = 10 };

extern struct writer *writer;
extern _Atomic int commits, begins, begin_error, commit_error;
extern _Atomic int told; /* of commits */

/* The house has `pieces` to do; the gate, if any, holds the writer at each. */
extern _Atomic int pieces, busy_calls, idle_calls;
extern sem_t *house_gate;

/* What was applied and done, in order; the writer's thread writes, the test reads under the lock or
 * when the writer rests. */
extern pthread_mutex_t lock;
extern int applied[4 * MANY], finished[4 * MANY];
extern size_t applied_count, finished_count;
void assert_order(const int *names, size_t count, const int *wanted);
/* "x" for each failure, "." for each recovery, "-" for each job given up; waits until it is so. */
void assert_health(const char *wanted);

struct test_job {
    struct write_job job;
    int name;
    int error; /* of apply */
    int result;
    sem_t *gate;       /* apply waits for it */
    _Atomic int *wish; /* of the rider: set when this is done */
    sem_t done;
};

struct test_job *job_init(struct test_job *t, int name);
int result_of(struct test_job *t); /* waits for it */
bool is_done(struct test_job *t);

/* Notes itself among the jobs under this name. */
enum { RIDER = 9999 };

struct test_rider {
    _Atomic int wish;  /* what it wants to write: 1 now, 2 when it is the last time */
    int error, result; /* 1 = none, not called */
    bool wrote_last;
    sem_t done;
};
extern struct test_rider rider;
void wait_for_rider(void);

/* Keeps the writer busy until it is let go; the gate can hold other jobs as well. */
extern sem_t gate;
extern struct test_job blocker;
void hold_writer(void);
void let_writer_go(void);

int writer_set_up(void **state);
/* Starts another in its place, with this patience. */
void writer_be_patient(int64_t patience_us);
int writer_tear_down(void **state);

#define WRITER_TEST(function)                                                                      \
    cmocka_unit_test_setup_teardown(function, writer_set_up, writer_tear_down)
