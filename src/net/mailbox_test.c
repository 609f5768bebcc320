#include "net/mailbox.h"

#include "base/clock.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { POSTERS = 4, PER_POSTER = 20000 };

struct note {
    struct letter letter; /* first, so that a letter is a note */
    int poster, number;
};

static void count_wakes(void *context)
{
    ++*(int *)context;
}

static void test_order(void **state)
{
    struct mailbox m;
    struct note notes[4] = {{.number = 0}, {.number = 1}, {.number = 2}, {.number = 3}};
    int wakes = 0;

    mailbox_init(&m, count_wakes, &wakes);
    assert_null(mailbox_take(&m));
    for (int i = 0; i < 3; i++)
        assert_int_equal(mailbox_post(&m, &notes[i].letter), 0);
    assert_int_equal(wakes, 1);

    int expected = 0;
    for (struct letter *l = mailbox_take(&m); l; l = l->next)
        assert_int_equal(((struct note *)l)->number, expected++);
    assert_int_equal(expected, 3);
    assert_null(mailbox_take(&m));
    assert_int_equal(mailbox_post(&m, &notes[3].letter), 0);
    assert_int_equal(wakes, 2);
    mailbox_done(&m);
}

static void test_close(void **state)
{
    struct mailbox m;
    struct note a = {.number = 1}, b = {.number = 2};
    int wakes = 0;

    mailbox_init(&m, count_wakes, &wakes);
    assert_int_equal(mailbox_post(&m, &a.letter), 0);
    assert_false(mailbox_is_closed(&m));
    mailbox_close(&m);
    assert_true(mailbox_is_closed(&m));
    assert_int_equal(wakes, 2);
    assert_int_equal(mailbox_post(&m, &b.letter), -ESHUTDOWN);
    assert_ptr_equal(mailbox_wait(&m, -1), &a.letter);
    assert_null(a.letter.next);
    assert_null(mailbox_wait(&m, -1));
    mailbox_done(&m);
}

static void test_wait_times_out(void **state)
{
    struct mailbox m;

    mailbox_init(&m, NULL, NULL);
    int64_t start = clock_monotonic_us();
    assert_null(mailbox_wait(&m, 20000));
    assert_true(clock_monotonic_us() - start >= 20000);
    assert_null(mailbox_wait(&m, 0));
    assert_false(mailbox_is_closed(&m));
    mailbox_done(&m);
}

static void *close_later(void *box)
{
    usleep(20000);
    mailbox_close(box);
    return NULL;
}

static void test_close_wakes_the_taker(void **state)
{
    struct mailbox m;
    pthread_t thread;

    mailbox_init(&m, NULL, NULL);
    assert_int_equal(pthread_create(&thread, NULL, close_later, &m), 0);
    assert_null(mailbox_wait(&m, -1));
    assert_true(mailbox_is_closed(&m));
    pthread_join(thread, NULL);
    mailbox_done(&m);
}

struct poster {
    struct mailbox *box;
    struct note *notes;
    pthread_t thread;
};

static void *post_all(void *context)
{
    struct poster *p = context;

    for (int i = 0; i < PER_POSTER; i++)
        assert_int_equal(mailbox_post(p->box, &p->notes[i].letter), 0);
    return NULL;
}

/* Takes until every note has come; each poster's notes must come in its order. */
static int take_in_order(struct mailbox *m)
{
    int next[POSTERS] = {0}, taken = 0;

    while (taken < POSTERS * PER_POSTER) {
        struct letter *l = mailbox_wait(m, 10000000);
        if (!l)
            break;
        for (struct letter *following; l; l = following) {
            const struct note *n = (struct note *)l;
            following = l->next;
            assert_int_equal(n->number, next[n->poster]++);
            taken++;
        }
    }
    return taken;
}

static void test_many_posters(void **state)
{
    struct poster posters[POSTERS];
    struct mailbox m;

    mailbox_init(&m, NULL, NULL);
    for (int i = 0; i < POSTERS; i++) {
        posters[i] = (struct poster){&m, calloc(PER_POSTER, sizeof(struct note)), 0};
        for (int j = 0; j < PER_POSTER; j++)
            posters[i].notes[j] = (struct note){.poster = i, .number = j};
        assert_int_equal(pthread_create(&posters[i].thread, NULL, post_all, &posters[i]), 0);
    }
    assert_int_equal(take_in_order(&m), POSTERS * PER_POSTER);
    for (int i = 0; i < POSTERS; i++) {
        pthread_join(posters[i].thread, NULL);
        free(posters[i].notes);
    }
    assert_null(mailbox_take(&m));
    mailbox_done(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),          cmocka_unit_test(test_close),
        cmocka_unit_test(test_wait_times_out), cmocka_unit_test(test_close_wakes_the_taker),
        cmocka_unit_test(test_many_posters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
