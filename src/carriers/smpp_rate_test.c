#include "carriers/smpp_rate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MS = 1000, SECOND = 1000 * MS };

static int64_t now_us;
static struct smpp_rate rate;

static void start(unsigned per_second)
{
    now_us = 7 * (int64_t)SECOND;
    smpp_rate_init(&rate, per_second, now_us);
}

/* As many as go at this moment, at most 10,000. */
static unsigned take_all(void)
{
    unsigned taken = 0;

    while (taken < 10000 && smpp_rate_take(&rate, now_us))
        taken++;
    return taken;
}

/* All that go in this time, looking every millisecond. */
static unsigned take_for(int64_t us)
{
    unsigned taken = 0;

    for (int64_t end_us = now_us + us; now_us < end_us; now_us += MS)
        taken += take_all();
    return taken;
}

static void any_number_goes_without_a_rate(void **state)
{
    start(0);
    assert_int_equal(take_all(), 10000);
    assert_int_equal(smpp_rate_wait_us(&rate, now_us), 0);
}

static void a_burst_is_a_tenth_of_a_second(void **state)
{
    start(50);
    assert_int_equal(take_all(), 5);
    now_us += 3600 * (int64_t)SECOND; /* nothing is saved up */
    assert_int_equal(take_all(), 5);
}

static void a_burst_is_one_at_least(void **state)
{
    start(2);
    assert_int_equal(take_all(), 1);
    assert_int_equal(smpp_rate_wait_us(&rate, now_us), 500001);
    now_us += 499 * MS;
    assert_int_equal(take_all(), 0);
    now_us += 1 * MS;
    assert_int_equal(smpp_rate_wait_us(&rate, now_us), 0);
    assert_int_equal(take_all(), 1);
}

static void keeps_its_rate(void **state)
{
    start(100);
    take_all();
    now_us += MS;
    assert_in_range(take_for(10 * SECOND), 999, 1000);
}

static void slows_to_half_once_a_second(void **state)
{
    start(100);
    take_all();
    smpp_rate_slow_down(&rate, now_us);
    for (int i = 0; i < 50; i++)
        smpp_rate_slow_down(&rate, now_us + i);
    now_us += MS;
    assert_in_range(take_for(SECOND), 50, 51);
    smpp_rate_slow_down(&rate, now_us);
    assert_in_range(take_for(SECOND), 24, 26);
}

static void is_never_slower_than_one_a_second(void **state)
{
    start(3);
    for (int i = 0; i < 10; i++, now_us += SECOND)
        smpp_rate_slow_down(&rate, now_us);
    take_all();
    now_us += MS;
    assert_in_range(take_for(5 * SECOND), 4, 5);
}

static void recovers_by_a_tenth_each_second(void **state)
{
    start(100);
    take_all();
    smpp_rate_slow_down(&rate, now_us);
    for (unsigned wanted = 50; wanted <= 100; wanted += 10) {
        assert_in_range(take_for(SECOND), wanted - 1, wanted + 1);
        smpp_rate_tick(&rate, now_us);
    }
    assert_in_range(take_for(SECOND), 99, 101); /* and no further */
}

static void starts_from_what_was_measured_when_no_rate_is_known(void **state)
{
    start(0);
    for (int i = 0; i < 400; i++)
        assert_true(smpp_rate_take(&rate, now_us));
    now_us += SECOND + 10 * MS;
    for (int i = 0; i < 3; i++)
        assert_true(smpp_rate_take(&rate, now_us));
    smpp_rate_slow_down(&rate, now_us);
    take_all();
    now_us += MS;
    assert_in_range(take_for(SECOND), 199, 201);
}

static void a_rate_that_nobody_gave_is_lifted_in_the_end(void **state)
{
    start(0);
    for (int i = 0; i < 100; i++)
        assert_true(smpp_rate_take(&rate, now_us));
    smpp_rate_slow_down(&rate, now_us);
    int seconds = 0;
    while (rate.allowed != 0 && seconds < 100) {
        now_us += SECOND;
        smpp_rate_tick(&rate, now_us);
        seconds++;
    }
    assert_in_range(seconds, 35, 37); /* from 50 to 400 by 10 */
    assert_int_equal(take_all(), 10000);
}

static void a_quiet_hour_does_not_make_it_slow_for_long(void **state)
{
    start(0);
    assert_true(smpp_rate_take(&rate, now_us));
    for (int i = 0; i < 5; i++, now_us += SECOND)
        smpp_rate_slow_down(&rate, now_us);
    for (int i = 0; i < 9; i++, now_us += SECOND)
        smpp_rate_tick(&rate, now_us);
    assert_true(rate.allowed >= 9);
}

static void a_throttled_window_is_one_pause(void **state)
{
    struct smpp_pause pause = {0};

    now_us = 7 * (int64_t)SECOND;
    assert_false(smpp_pause_is_on(&pause, now_us));
    assert_true(smpp_pause_begin(&pause, now_us));
    assert_false(smpp_pause_begin(&pause, now_us + 10));
    assert_true(smpp_pause_is_on(&pause, now_us + SECOND - 1));
    assert_false(smpp_pause_is_on(&pause, now_us + SECOND));
}

static int64_t next_pause(struct smpp_pause *pause)
{
    now_us = now_us > pause->until_us ? now_us : pause->until_us;
    assert_true(smpp_pause_begin(pause, now_us));
    return (pause->until_us - now_us) / SECOND;
}

static void pauses_double_while_nothing_is_taken(void **state)
{
    static const int64_t wanted[] = {1, 2, 4, 8, 16, 32, 60, 60};
    struct smpp_pause pause = {0};

    now_us = 7 * (int64_t)SECOND;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_int_equal(next_pause(&pause), wanted[i]);
    smpp_pause_forget(&pause, now_us + MS); /* of before: the pause is on */
    assert_int_equal(next_pause(&pause), 60);
    smpp_pause_forget(&pause, pause.until_us);
    assert_int_equal(next_pause(&pause), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_goes_without_a_rate),
        cmocka_unit_test(a_burst_is_a_tenth_of_a_second),
        cmocka_unit_test(a_burst_is_one_at_least),
        cmocka_unit_test(keeps_its_rate),
        cmocka_unit_test(slows_to_half_once_a_second),
        cmocka_unit_test(is_never_slower_than_one_a_second),
        cmocka_unit_test(recovers_by_a_tenth_each_second),
        cmocka_unit_test(starts_from_what_was_measured_when_no_rate_is_known),
        cmocka_unit_test(a_rate_that_nobody_gave_is_lifted_in_the_end),
        cmocka_unit_test(a_quiet_hour_does_not_make_it_slow_for_long),
        cmocka_unit_test(a_throttled_window_is_one_pause),
        cmocka_unit_test(pauses_double_while_nothing_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
