#include "carriers/smpp_backoff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Which of all random numbers makes neither more nor less of it. */
static uint64_t middle(uint64_t ms)
{
    return ms / 4;
}

static void test_doubles_up_to_its_ceiling(void **state)
{
    struct smpp_backoff b = {.min_ms = 1000, .max_ms = 60000};
    static const uint64_t waits[] = {1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000};

    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        assert_int_equal(smpp_backoff_wait_ms(&b, 0, middle(waits[i])), waits[i]);
}

static void test_begins_anew_when_the_link_was_well(void **state)
{
    struct smpp_backoff b = {.min_ms = 1000, .max_ms = 60000};

    for (int i = 0; i < 4; i++)
        smpp_backoff_wait_ms(&b, 0, 0);
    /* Bound and lost at once: a carrier that throws us out is not asked more often. */
    assert_int_equal(smpp_backoff_wait_ms(&b, SMPP_BACKOFF_WELL_MS - 1, middle(16000)), 16000);
    assert_int_equal(smpp_backoff_wait_ms(&b, SMPP_BACKOFF_WELL_MS, middle(1000)), 1000);
    assert_int_equal(smpp_backoff_wait_ms(&b, 0, middle(2000)), 2000);
}

static void test_jitter_is_a_quarter(void **state)
{
    uint64_t least = UINT64_MAX, most = 0;

    for (uint64_t random = 0; random < 5000; random++) {
        uint64_t ms = smpp_backoff_jitter(1000, random * 7919);
        least = ms < least ? ms : least;
        most = ms > most ? ms : most;
    }
    assert_int_equal(least, 750);
    assert_int_equal(most, 1250);
    assert_int_equal(smpp_backoff_jitter(0, 12345), 0);
}

static void test_limits_that_cross(void **state)
{
    struct smpp_backoff b = {.min_ms = 5000, .max_ms = 3000};

    assert_int_equal(smpp_backoff_wait_ms(&b, 0, middle(3000)), 3000);
    assert_int_equal(smpp_backoff_wait_ms(&b, 0, middle(3000)), 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doubles_up_to_its_ceiling),
        cmocka_unit_test(test_begins_anew_when_the_link_was_well),
        cmocka_unit_test(test_jitter_is_a_quarter),
        cmocka_unit_test(test_limits_that_cross),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
