#include "hooks/circuit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define NOW      INT64_C(1795000000000000)
#define MINUTE   INT64_C(60000000)
#define FIVE_DAY (5 * 24 * 60 * MINUTE)

static struct circuit failed_times(unsigned times)
{
    struct circuit c = {0};

    for (unsigned i = 0; i < times; i++)
        circuit_failed(&c, false, NOW);
    return c;
}

static void test_ten_in_a_row(void **state)
{
    struct circuit c = failed_times(9);

    assert_int_equal(circuit_gate(&c, NOW), CIRCUIT_FLOWS);
    assert_int_equal(c.failing_since_us, NOW);
    assert_int_equal(circuit_failed(&c, false, NOW + 7), CIRCUIT_PAUSED);
    assert_int_equal(c.failures, 10);
    assert_int_equal(c.failing_since_us, NOW);
    assert_int_equal(c.paused_until_us, NOW + 7 + 5 * MINUTE);
    assert_int_equal(circuit_gate(&c, NOW + 7), CIRCUIT_RESTS);
    assert_int_equal(circuit_gate(&c, NOW + 6 + 5 * MINUTE), CIRCUIT_RESTS);
    assert_int_equal(circuit_gate(&c, NOW + 7 + 5 * MINUTE), CIRCUIT_PROBES);
}

static void test_a_success_between(void **state)
{
    struct circuit c = failed_times(9);

    assert_true(circuit_wants_success(&c, NOW));
    assert_int_equal(circuit_succeeded(&c, NOW), CIRCUIT_SAME);
    assert_int_equal(c.failures, 0);
    assert_int_equal(c.failing_since_us, 0);
    assert_int_equal(circuit_failed(&c, false, NOW), CIRCUIT_SAME);
    assert_int_equal(c.failures, 1);
}

static void test_probe(void **state)
{
    struct circuit c = failed_times(10), other = c;
    int64_t later = NOW + 5 * MINUTE;

    assert_int_equal(circuit_failed(&c, false, later), CIRCUIT_PAUSED);
    assert_int_equal(c.paused_until_us, later + 5 * MINUTE);
    assert_int_equal(circuit_succeeded(&other, later), CIRCUIT_RECOVERED);
    assert_int_equal(circuit_gate(&other, later), CIRCUIT_FLOWS);
    assert_int_equal(other.last_success_us, later);
}

/* Those that were under way when the pause began. */
static void test_stragglers(void **state)
{
    struct circuit c = failed_times(10);

    assert_int_equal(circuit_failed(&c, false, NOW + MINUTE), CIRCUIT_SAME);
    assert_int_equal(c.paused_until_us, NOW + 5 * MINUTE);
    assert_int_equal(circuit_succeeded(&c, NOW + MINUTE), CIRCUIT_RECOVERED);
}

static void test_five_days(void **state)
{
    struct circuit c = failed_times(3), lasting = c;

    assert_int_equal(circuit_failed(&c, false, NOW + FIVE_DAY - 1), CIRCUIT_SAME);
    assert_int_equal(circuit_failed(&c, false, NOW + FIVE_DAY), CIRCUIT_SWITCHED_OFF);
    assert_int_equal(c.off, ENDPOINT_OFF_FAILING);
    assert_int_equal(c.off_us, NOW + FIVE_DAY);
    assert_int_equal(circuit_gate(&c, NOW + FIVE_DAY), CIRCUIT_OFF);
    assert_int_equal(circuit_failed(&c, false, NOW + FIVE_DAY + 1), CIRCUIT_SAME);
    assert_int_equal(c.off_us, NOW + FIVE_DAY);
    assert_int_equal(circuit_failed(&lasting, true, NOW + 2 * FIVE_DAY), CIRCUIT_SAME);
    assert_int_equal(circuit_gate(&lasting, NOW + 2 * FIVE_DAY), CIRCUIT_FLOWS);
}

/* A success in between makes the five days begin anew. */
static void test_days_begin_anew(void **state)
{
    struct circuit c = failed_times(3);

    circuit_succeeded(&c, NOW + FIVE_DAY - 1);
    assert_int_equal(circuit_failed(&c, false, NOW + FIVE_DAY), CIRCUIT_SAME);
    assert_int_equal(circuit_gate(&c, NOW + FIVE_DAY), CIRCUIT_FLOWS);
}

static void test_gone(void **state)
{
    struct circuit c = failed_times(10);

    assert_int_equal(circuit_gone(&c, NOW), CIRCUIT_SWITCHED_OFF);
    assert_int_equal(c.off, ENDPOINT_OFF_GONE);
    assert_int_equal(c.paused_until_us, 0);
    assert_int_equal(circuit_gone(&c, NOW + 1), CIRCUIT_SAME);
    assert_int_equal(c.off_us, NOW);
    /* A success of what was under way does not switch it on. */
    assert_int_equal(circuit_succeeded(&c, NOW + 2), CIRCUIT_SAME);
    assert_int_equal(circuit_gate(&c, NOW + 2), CIRCUIT_OFF);
}

static void test_what_is_noted(void **state)
{
    struct circuit c = {.last_success_us = NOW};

    assert_false(circuit_wants_success(&c, NOW + CIRCUIT_NOTE_EACH_US - 1));
    assert_true(circuit_wants_success(&c, NOW + CIRCUIT_NOTE_EACH_US));
    circuit_failed(&c, false, NOW);
    assert_true(circuit_wants_success(&c, NOW));
}

static void test_row(void **state)
{
    struct endpoint_record e = {.off = ENDPOINT_OFF_GONE,
                                .off_us = 1,
                                .failures = 2,
                                .failing_since_us = 3,
                                .paused_until_us = 4,
                                .last_success_us = 5,
                                .updated_us = 6},
                           copy = {.updated_us = 6};
    struct circuit c = circuit_of(&e);

    circuit_put(&c, &copy);
    assert_memory_equal(&e, &copy, sizeof e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ten_in_a_row), cmocka_unit_test(test_a_success_between),
        cmocka_unit_test(test_probe),        cmocka_unit_test(test_stragglers),
        cmocka_unit_test(test_five_days),    cmocka_unit_test(test_days_begin_anew),
        cmocka_unit_test(test_gone),         cmocka_unit_test(test_what_is_noted),
        cmocka_unit_test(test_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
