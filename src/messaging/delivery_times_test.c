#include "messaging/delivery_times.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct arena arena;

static int set_up(void **state)
{
    arena_init(&arena, 1 << 20);
    return 0;
}

static int tear_down(void **state)
{
    arena_done(&arena);
    return 0;
}

static void add(struct delivery_times *t, struct arena *a, unsigned slot, int64_t count)
{
    struct rollup_slot one = {slot, count};

    delivery_times_add(t, a, &(struct rollup_slots){&one, 1, 1});
}

static int64_t p95(const struct delivery_times *t)
{
    int64_t ms = -1;

    return delivery_times_within(t, 95, &ms) ? ms : -1;
}

static void the_rank_is_rounded_up(void **state)
{
    struct delivery_times t = {0};

    assert_int_equal(p95(&t), -1);
    add(&t, &arena, 3, 1);
    assert_int_equal(p95(&t), 3);
    add(&t, &arena, 5, 18); /* the 19th of 19 */
    assert_int_equal(p95(&t), 5);
    add(&t, &arena, 9, 1); /* the 19th of 20 */
    assert_int_equal(p95(&t), 5);
    add(&t, &arena, 9, 1); /* the 20th of 21 */
    assert_int_equal(p95(&t), 9);
}

static void slots_stand_for_their_middle(void **state)
{
    struct delivery_times low = {0}, high = {0};

    add(&low, &arena, 8 * 3, 1); /* 32 to 35 ms */
    assert_int_equal(p95(&low), 33);
    add(&high, &arena, 8 * 8, 1); /* 1024 to 1151 ms */
    assert_int_equal(p95(&high), 1024 + 63);
    add(&high, &arena, TIMES_SLOTS - 1, 100);
    assert_true(p95(&high) > INT64_C(183) * 86400000);
}

static void counts_are_kept_apart(void **state)
{
    struct delivery_times t = {0};

    for (unsigned slot = 0; slot < TIMES_SLOTS; slot += 3)
        add(&t, &arena, slot, slot + 1);
    for (unsigned slot = 0; slot < TIMES_SLOTS; slot++)
        assert_int_equal(delivery_times_count(&t, slot), slot % 3 ? 0 : slot + 1);
}

static void many_are_added_at_once(void **state)
{
    struct rollup_slot some[] = {{3, 1}, {4, 2}, {200, 5}};
    struct delivery_times t = {0}, more = {0};

    delivery_times_add(&t, &arena, &(struct rollup_slots){some, 3, 3});
    delivery_times_add(&more, &arena, &(struct rollup_slots){some + 1, 2, 2});
    add(&more, &arena, 100, 7);
    delivery_times_merge(&t, &arena, &more);
    assert_int_equal(delivery_times_count(&t, 3), 1);
    assert_int_equal(delivery_times_count(&t, 4), 4);
    assert_int_equal(delivery_times_count(&t, 100), 7);
    assert_int_equal(delivery_times_count(&t, 200), 10);
    assert_int_equal(delivery_times_count(&more, 3), 0);
}

static void short_memory_shows(void **state)
{
    struct delivery_times t = {0}, more = {0};
    struct arena small;

    arena_init(&small, 0);
    add(&t, &small, 1, 1);
    assert_true(small.failed);
    small.failed = false;
    add(&more, &arena, 1, 1);
    delivery_times_merge(&t, &small, &more);
    assert_true(small.failed);
    assert_int_equal(p95(&t), -1);
    arena_done(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_rank_is_rounded_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(slots_stand_for_their_middle, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counts_are_kept_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_are_added_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(short_memory_shows, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
