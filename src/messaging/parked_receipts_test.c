#include "messaging/parked_receipts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BITS = 6, ROOM = 1 << BITS };

static struct parked_receipts *parked;
static struct receipt_job *taken[PARKED_TAKEN_MAX];

static int set_up(void **state)
{
    return parked_receipts_new(&parked, BITS);
}

static int tear_down(void **state)
{
    parked_receipts_free(parked);
    return 0;
}

/* The test holds it, too. */
static struct receipt_job *park(uint64_t first, uint64_t second, uint64_t from, int64_t at_us)
{
    struct receipt_job *j = calloc(1, sizeof *j);

    assert_non_null(j);
    j->holders = 1;
    j->ways[0] = first;
    j->ways[1] = second;
    j->way_count = second ? 2 : 1;
    j->ends.source = from;
    j->at_us = at_us;
    parked_receipts_add(parked, j);
    return j;
}

static void release(struct receipt_job *j, unsigned holders)
{
    assert_int_equal(j->holders, holders);
    while (holders--)
        receipt_job_release(j);
}

static void test_taken_once(void **state)
{
    struct receipt_job *j = park(7, 8, 1, 0);

    assert_int_equal(parked_receipts_take(parked, 9, 1, false, taken), 0);
    assert_int_equal(parked_receipts_take(parked, 7, 1, false, taken), 1);
    assert_ptr_equal(taken[0], j);
    assert_int_equal(parked_receipts_take(parked, 7, 1, false, taken), 0);
    assert_int_equal(parked_receipts_take(parked, 8, 1, false, taken), 0);
    assert_int_equal(parked_receipts_count(parked), 0);
    release(j, 2);
}

static void test_addresses(void **state)
{
    struct receipt_job *j = park(7, 8, 1, 0), *k = park(7, 0, 2, 0);

    assert_int_equal(parked_receipts_take(parked, 7, 3, true, taken), 0);
    assert_int_equal(parked_receipts_take(parked, 8, 3, false, taken), 0);
    assert_int_equal(parked_receipts_take(parked, 7, 2, false, taken), 1);
    assert_ptr_equal(taken[0], k);
    assert_int_equal(parked_receipts_take(parked, 8, 1, false, taken), 1);
    assert_ptr_equal(taken[0], j);
    release(j, 2);
    release(k, 2);
}

static void test_oldest_first(void **state)
{
    struct receipt_job *jobs[3];

    for (int i = 0; i < 3; i++)
        jobs[i] = park(7, 7 + ROOM, 1, i); /* both ways share a slot */
    assert_int_equal(parked_receipts_take(parked, 7, 9, false, taken), 3);
    for (int i = 0; i < 3; i++) {
        assert_ptr_equal(taken[i], jobs[i]);
        release(jobs[i], 2);
    }
}

static void test_the_oldest_make_room(void **state)
{
    struct receipt_job *jobs[3 * ROOM];

    for (size_t i = 0; i < 3 * ROOM; i++)
        jobs[i] = park(1000 + i, 0, 1, 0);
    assert_int_equal(parked_receipts_count(parked), ROOM);
    for (size_t i = 0; i < 3 * ROOM; i++) {
        bool there = i >= 2 * ROOM;
        assert_int_equal(parked_receipts_take(parked, 1000 + i, 1, true, taken), there);
        release(jobs[i], there ? 2 : 1);
    }
}

static void test_time(void **state)
{
    struct receipt_job *old = park(7, 0, 1, 100), *new = park(8, 0, 1, 200);

    parked_receipts_expire(parked, 100);
    assert_int_equal(parked_receipts_count(parked), 2);
    parked_receipts_expire(parked, 101);
    assert_int_equal(parked_receipts_count(parked), 1);
    assert_int_equal(parked_receipts_take(parked, 7, 1, false, taken), 0);
    assert_int_equal(parked_receipts_take(parked, 8, 1, false, taken), 1);
    parked_receipts_expire(parked, 999);
    release(old, 1);
    release(new, 2);
}

static void test_drop(void **state)
{
    struct receipt_job *j = park(7, 0, 1, 0);

    parked_receipts_drop(parked, j);
    parked_receipts_drop(parked, j);
    assert_int_equal(parked_receipts_count(parked), 0);
    assert_int_equal(parked_receipts_take(parked, 7, 1, false, taken), 0);
    release(j, 1);
}

/* What still waits goes with the rest. */
static void test_the_end(void **state)
{
    struct receipt_job *j = park(7, 0, 1, 0);

    parked_receipts_free(parked);
    release(j, 1);
    assert_int_equal(parked_receipts_new(&parked, BITS), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_taken_once),   TEST(test_addresses),
        TEST(test_oldest_first), TEST(test_the_oldest_make_room),
        TEST(test_time),         TEST(test_drop),
        TEST(test_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
