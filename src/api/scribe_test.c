#include "api/scribe.h"

#include <errno.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { LETTERS = SCRIBE_MAX };

static struct note {
    struct letter letter;
    int number;
} notes[LETTERS + 1];
static int taken[LETTERS], taken_count;
static pthread_t taker;
static sem_t gate;

static void take(struct letter *letter)
{
    if (taken_count == 0)
        sem_wait(&gate);
    taker = pthread_self();
    taken[taken_count++] = ((struct note *)letter)->number;
}

static int set_up(void **state)
{
    taken_count = 0;
    return sem_init(&gate, 0, 0);
}

static int tear_down(void **state)
{
    return sem_destroy(&gate);
}

static struct scribe *start_with(int count)
{
    struct scribe *s;

    assert_int_equal(scribe_start(&s, take), 0);
    for (int i = 0; i < count; i++) {
        notes[i].number = i;
        assert_int_equal(scribe_post(s, &notes[i].letter), 0);
    }
    return s;
}

/* All that waits is done before the end, while others come. */
static void all_are_taken_in_their_order(void **state)
{
    struct scribe *s = start_with(LETTERS);

    sem_post(&gate);
    scribe_stop(s);
    assert_int_equal(taken_count, LETTERS);
    for (int i = 0; i < LETTERS; i++)
        assert_int_equal(taken[i], i);
    assert_false(pthread_equal(taker, pthread_self()));
    scribe_free(s);
}

static void more_than_so_many_do_not_wait(void **state)
{
    struct scribe *s = start_with(LETTERS);

    assert_int_equal(scribe_post(s, &notes[LETTERS].letter), -EAGAIN);
    sem_post(&gate);
    scribe_stop(s);
    assert_int_equal(taken_count, LETTERS);
    scribe_free(s);
}

static void none_is_taken_after_the_end(void **state)
{
    struct scribe *s = start_with(0);

    scribe_stop(s);
    assert_int_equal(scribe_post(s, &notes[0].letter), -ESHUTDOWN);
    scribe_stop(s);
    assert_int_equal(taken_count, 0);
    scribe_free(s);
    scribe_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_are_taken_in_their_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(more_than_so_many_do_not_wait, set_up, tear_down),
        cmocka_unit_test_setup_teardown(none_is_taken_after_the_end, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
