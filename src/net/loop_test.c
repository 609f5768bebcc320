#include "net/loop.h"

#include "base/clock.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

struct called {
    _Atomic int times;
    pthread_t thread;
    char name[16];
    sem_t once;
};

static void called_init(struct called *c)
{
    memset(c, 0, sizeof *c);
    sem_init(&c->once, 0, 0);
}

static void call(void *context)
{
    struct called *c = context;

    c->thread = pthread_self();
    pthread_getname_np(c->thread, c->name, sizeof c->name);
    atomic_fetch_add(&c->times, 1);
    sem_post(&c->once);
}

static bool wait_for(struct called *c)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    return sem_timedwait(&c->once, &until) == 0;
}

static void test_signal(void **state)
{
    struct loop *l;
    struct called c;

    called_init(&c);
    assert_int_equal(loop_new(&l), 0);
    struct loop_signal *s = loop_signal_new(l, call, &c);
    assert_non_null(s);
    loop_signal_raise(s); /* before the start: it is not lost */
    assert_int_equal(loop_start(l, "loop-test"), 0);
    assert_true(wait_for(&c));
    loop_signal_raise(s);
    assert_true(wait_for(&c));
    assert_string_equal(c.name, "loop-test");
    loop_stop(l);
    int times = atomic_load(&c.times);
    assert_int_equal(times, 2);
    loop_signal_raise(s); /* ignored */
    loop_free(l);
    assert_int_equal(atomic_load(&c.times), times);
}

static void *raise_often(void *signal)
{
    for (int i = 0; i < 20000; i++)
        loop_signal_raise(signal);
    return NULL;
}

/* Several raises may count as one, but the last is never lost. */
static void test_raises_from_many_threads(void **state)
{
    struct loop *l;
    struct called c;
    pthread_t threads[4];

    called_init(&c);
    assert_int_equal(loop_new(&l), 0);
    struct loop_signal *s = loop_signal_new(l, call, &c);
    assert_int_equal(loop_start(l, "loop-test"), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, raise_often, s), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_true(wait_for(&c));
    usleep(50000);
    while (sem_trywait(&c.once) == 0) {
    }
    loop_signal_raise(s);
    assert_true(wait_for(&c));
    assert_in_range(atomic_load(&c.times), 2, 80001);
    loop_free(l);
}

struct told {
    struct loop_signal *signal;
    _Atomic int said, heard;
    sem_t heard_all;
};

enum { TELLS = 20000 };

static void hear(void *context)
{
    struct told *t = context;
    int said = atomic_load(&t->said);

    if (atomic_exchange(&t->heard, said) != TELLS && said == TELLS)
        sem_post(&t->heard_all);
}

static void *tell(void *context)
{
    struct told *t = context;

    for (int i = 1; i <= TELLS; i++) {
        atomic_store(&t->said, i);
        loop_signal_raise(t->signal);
    }
    return NULL;
}

/* Whatever was said before a raise is heard, also when others wake the loop at the same moment. */
static void test_no_raise_is_lost_beside_others(void **state)
{
    enum { TELLERS = 4 };
    struct loop *l;
    struct told told[TELLERS] = {0};
    pthread_t threads[TELLERS];
    struct timespec until;

    assert_int_equal(loop_new(&l), 0);
    for (int i = 0; i < TELLERS; i++) {
        sem_init(&told[i].heard_all, 0, 0);
        told[i].signal = loop_signal_new(l, hear, &told[i]);
        assert_non_null(told[i].signal);
    }
    assert_int_equal(loop_start(l, "loop-test"), 0);
    for (int i = 0; i < TELLERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, tell, &told[i]), 0);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 30;
    for (int i = 0; i < TELLERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(sem_timedwait(&told[i].heard_all, &until), 0);
    }
    loop_free(l);
}

static void test_starts_again(void **state)
{
    struct loop *l;
    struct called c;

    called_init(&c);
    assert_int_equal(loop_new(&l), 0);
    struct loop_signal *s = loop_signal_new(l, call, &c);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(loop_start(l, "loop-test"), 0);
        loop_signal_raise(s);
        assert_true(wait_for(&c));
        loop_stop(l);
    }
    loop_free(l);
}

struct stopped_timer {
    struct called called;
    struct loop_timer *timer;
};

static void call_three_times(void *context)
{
    struct stopped_timer *t = context;

    call(&t->called);
    if (atomic_load(&t->called.times) == 3)
        loop_timer_stop(t->timer);
}

static void test_timers(void **state)
{
    struct loop *l;
    struct called once;
    struct stopped_timer often;

    called_init(&once);
    called_init(&often.called);
    assert_int_equal(loop_new(&l), 0);
    struct loop_timer *t = loop_timer_new(l, call, &once);
    often.timer = loop_timer_new(l, call_three_times, &often);
    assert_non_null(t);
    loop_timer_start(t, 100000, 0);
    loop_timer_start(t, 30, 0); /* in place of the first */
    loop_timer_start(often.timer, 1, 5);
    int64_t start_us = clock_monotonic_us();
    assert_int_equal(loop_start(l, "loop-test"), 0);
    assert_true(wait_for(&once));
    assert_true(clock_monotonic_us() - start_us >= 20000);
    for (int i = 0; i < 3; i++)
        assert_true(wait_for(&often.called));
    usleep(50000);
    loop_free(l); /* stops it as well */
    assert_int_equal(atomic_load(&once.times), 1);
    assert_int_equal(atomic_load(&often.called.times), 3);
}

struct passing {
    struct called called;
    struct loop_timer *timer;
};

static void free_timer(void *context)
{
    struct passing *p = context;

    loop_timer_free(p->timer);
    call(&p->called);
}

/* One that ends itself, one that is freed while it waits, and one that never ran. */
static void test_timers_are_freed_one_by_one(void **state)
{
    struct loop *l;
    struct called waiting;
    struct passing passing;

    called_init(&waiting);
    called_init(&passing.called);
    assert_int_equal(loop_new(&l), 0);
    passing.timer = loop_timer_new(l, free_timer, &passing);
    struct loop_timer *middle = loop_timer_new(l, call, &waiting);
    struct loop_timer *idle = loop_timer_new(l, call, &waiting);
    loop_timer_start(passing.timer, 1, 1);
    loop_timer_start(middle, 10, 0);
    loop_timer_free(middle);
    assert_int_equal(loop_start(l, "loop-test"), 0);
    assert_true(wait_for(&passing.called));
    usleep(30000);
    loop_stop(l);
    loop_timer_free(idle);
    loop_timer_free(NULL);
    loop_free(l);
    assert_int_equal(atomic_load(&passing.called.times), 1);
    assert_int_equal(atomic_load(&waiting.times), 0);
}

static void test_unused(void **state)
{
    struct loop *l;
    struct called c;

    called_init(&c);
    assert_int_equal(loop_new(&l), 0);
    loop_free(l);
    assert_int_equal(loop_new(&l), 0);
    assert_non_null(loop_signal_new(l, call, &c));
    assert_non_null(loop_timer_new(l, call, &c));
    loop_stop(l);
    loop_free(l);
    assert_int_equal(atomic_load(&c.times), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signal),
        cmocka_unit_test(test_raises_from_many_threads),
        cmocka_unit_test(test_no_raise_is_lost_beside_others),
        cmocka_unit_test(test_starts_again),
        cmocka_unit_test(test_timers),
        cmocka_unit_test(test_timers_are_freed_one_by_one),
        cmocka_unit_test(test_unused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
