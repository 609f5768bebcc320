#include "store/sqlite_work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct work_memory *memory;

static int64_t number(int64_t ms, int64_t sequence)
{
    return (ms << ID_TIME_SHIFT) + sequence;
}

static struct work open_work(int64_t id, int64_t mark)
{
    return (struct work){.id = id, .owner = 3, .sent_us = mark, .status = STATUS_QUEUED};
}

static void remember(int64_t id, int64_t mark)
{
    struct work w = open_work(id, mark);
    work_remember(memory, &w);
}

static void assert_known(int64_t id, int64_t mark)
{
    const struct work *w = work_find(memory, id);

    assert_non_null(w);
    assert_int_equal(w->id, id);
    assert_int_equal(w->sent_us, mark);
}

static void test_remembers_until_told_to_forget(void **state)
{
    assert_null(work_find(memory, 0));
    assert_null(work_find(memory, number(9, 1)));
    remember(number(9, 1), 10);
    remember(number(9, 2), 20);
    remember(number(10, 0), 30);
    remember(number(9, 1), 11);
    assert_known(number(9, 1), 11);
    assert_known(number(9, 2), 20);
    assert_known(number(10, 0), 30);
    assert_null(work_find(memory, number(9, 3)));
    work_forget(memory, number(9, 2));
    work_forget(memory, number(9, 3));
    assert_null(work_find(memory, number(9, 2)));
    assert_known(number(9, 1), 11);
    work_forget_all(memory);
    assert_null(work_find(memory, number(9, 1)));
}

/* As the writer gives numbers: many in some milliseconds, none in others, some left out. */
static void test_the_latest_are_all_known(void **state)
{
    static int64_t ids[WORK_SLOTS];
    size_t count = 0, lost = 0;

    for (int64_t ms = 1000; count < WORK_SLOTS / 2; ms += 1 + ms % 3)
        for (int64_t i = 0; i < ms % 97 && count < WORK_SLOTS / 2; i++)
            if (i % 50 != 7) {
                ids[count] = number(ms, i);
                remember(ids[count++], ms);
            }
    for (size_t i = 0; i < count; i++)
        lost += !work_find(memory, ids[i]);
    assert_int_equal(lost, 0);
}

/* Whatever is found is what was remembered last, though milliseconds push each other out and come
 * back to other places. */
static void test_never_tells_what_is_past(void **state)
{
    enum { TIMES = 6, NUMBERS = 40, STEPS = 300000 };
    static int64_t truth[TIMES][NUMBERS];
    uint64_t seed = 20251116;
    size_t found = 0;

    for (int64_t i = 1; i <= STEPS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        size_t t = (seed >> 33) % TIMES, n = (seed >> 41) % NUMBERS;
        int64_t id = number(77 + (int64_t)t % 2 + (int64_t)(t / 2) * WORK_TIMES, (int64_t)n);
        const struct work *known = work_find(memory, id);
        found += known != NULL;
        if (known)
            assert_int_equal(known->sent_us, truth[t][n]);
        if ((seed >> 50) % 4 == 0) {
            work_forget(memory, id);
            truth[t][n] = 0;
        } else {
            truth[t][n] = i;
            remember(id, i);
        }
    }
    assert_true(found > STEPS / 100);
}

static int set_up(void **state)
{
    memory = calloc(1, sizeof *memory);
    return memory ? 0 : -1;
}

static int tear_down(void **state)
{
    free(memory);
    return 0;
}

#define WORK_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORK_TEST(test_remembers_until_told_to_forget),
        WORK_TEST(test_the_latest_are_all_known),
        WORK_TEST(test_never_tells_what_is_past),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
