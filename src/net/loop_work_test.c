#include "net/loop_work.h"

#include "net/test_peer.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

/* What a piece of work saw. */
struct seen {
    sem_t begin, end; /* raised when it has begun; lets it end */
    pthread_t worker, teller;
    _Atomic int worked, told;
    int failed;
};

static void seen_init(struct seen *s)
{
    *s = (struct seen){0};
    sem_init(&s->begin, 0, 0);
    sem_init(&s->end, 0, 0);
}

static void seen_done(struct seen *s)
{
    sem_destroy(&s->begin);
    sem_destroy(&s->end);
}

static void work(void *context)
{
    struct seen *s = context;

    s->worker = pthread_self();
    sem_post(&s->begin);
    sem_wait(&s->end);
    s->worked++;
}

static void done(void *context)
{
    struct seen *s = context;

    assert_int_equal(s->worked, 1);
    s->teller = pthread_self();
    s->told++;
}

static void start(void *context)
{
    struct seen *s = context;
    s->failed = loop_work(test_loop, work, done, s);
}

static void note_thread(void *context)
{
    *(pthread_t *)context = pthread_self();
}

static bool is_told(void *context)
{
    return ((struct seen *)context)->told > 0;
}

static void test_the_loop_goes_on_meanwhile(void **state)
{
    struct seen s;
    pthread_t loop;

    seen_init(&s);
    test_loop_do(start, &s);
    assert_int_equal(s.failed, 0);
    sem_wait(&s.begin);
    test_loop_settle(); /* it turns while the work is under way */
    assert_int_equal(s.told, 0);
    sem_post(&s.end);
    test_loop_until(is_told, &s);
    test_loop_do(note_thread, &loop);
    assert_true(pthread_equal(s.teller, loop));
    assert_false(pthread_equal(s.worker, loop));
    test_loop_settle();
    assert_int_equal(s.told, 1);
    seen_done(&s);
}

static void *let_end(void *context)
{
    sem_post(&((struct seen *)context)->end);
    return NULL;
}

static void test_a_loop_that_ends_waits_and_tells_nobody(void **state)
{
    struct loop *l;
    struct seen s;
    pthread_t other;

    seen_init(&s);
    assert_int_equal(loop_new(&l), 0);
    assert_int_equal(loop_work(l, work, done, &s), 0);
    sem_wait(&s.begin); /* so it must be waited for */
    assert_int_equal(pthread_create(&other, NULL, let_end, &s), 0);
    loop_free(l);
    assert_int_equal(s.worked, 1);
    assert_int_equal(s.told, 0);
    pthread_join(other, NULL);
    seen_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_loop_goes_on_meanwhile, test_loop_set_up,
                                        test_loop_tear_down),
        cmocka_unit_test(test_a_loop_that_ends_waits_and_tells_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
