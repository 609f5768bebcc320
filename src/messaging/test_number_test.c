#include "messaging/test_number.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void check_delay(const char *number, unsigned delay_ms)
{
    const struct test_number *t = test_number_find(str_of(number));

    assert_int_equal(t->problem, PROBLEM_NONE);
    assert_int_equal(t->failure, FAILURE_NONE);
    assert_int_equal(t->delay_ms, delay_ms);
}

static void delivered(void **state)
{
    check_delay("+15550001234", 0);
    check_delay("+15005550000", 0);
    check_delay("+15550001235", 5000);
    check_delay("+15550001010", 10000);
    check_delay("+15550001030", 30000);
    check_delay("+15550001060", 60000);
}

static void ordinary(void **state)
{
    check_delay("+15551234567", TEST_DELAY_MS);
    check_delay("+447700900123", TEST_DELAY_MS);
    check_delay("+155500012340", TEST_DELAY_MS);
    check_delay("+15550001236", TEST_DELAY_MS);
}

static void refused(void **state)
{
    static const struct {
        const char *number;
        enum problem_code code;
    } rows[] = {
        {"+15550001001", PROBLEM_INVALID_PHONE_NUMBER},
        {"+15550009999", PROBLEM_INVALID_PHONE_NUMBER},
        {"+15005550001", PROBLEM_INVALID_PHONE_NUMBER},
        {"+15550001002", PROBLEM_CARRIER_REJECTED},
        {"+15550009998", PROBLEM_CARRIER_REJECTED},
        {"+15550001003", PROBLEM_RATE_LIMIT_EXCEEDED},
        {"+15550009997", PROBLEM_RATE_LIMIT_EXCEEDED},
        {"+15005550004", PROBLEM_RATE_LIMIT_EXCEEDED},
        {"+15550001004", PROBLEM_INTERNAL_ERROR},
        {"+15550009996", PROBLEM_INTERNAL_ERROR},
        {"+15550009995", PROBLEM_SERVICE_UNAVAILABLE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(test_number_find(str_of(rows[i].number))->problem, rows[i].code);
}

static void failed(void **state)
{
    assert_int_equal(test_number_find(STR("+15005550002"))->failure, FAILURE_NO_ROUTE);
    assert_int_equal(test_number_find(STR("+15005550003"))->failure, FAILURE_QUEUE_FULL);
    assert_int_equal(test_number_find(STR("+15005550006"))->failure, FAILURE_CARRIER_REJECTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delivered),
        cmocka_unit_test(ordinary),
        cmocka_unit_test(refused),
        cmocka_unit_test(failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
