#include "messaging/price.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static int64_t sms(const struct price_list *list, const char *to, unsigned segments)
{
    return price_message(list, MODE_LIVE, KIND_SMS, str_of(to), segments);
}

static void builtin_prices(void **state)
{
    const struct price_list *list = &price_list_builtin;

    assert_int_equal(sms(list, "+15551234567", 1), 7500);
    assert_int_equal(sms(list, "+15551234567", 3), 22500);
    assert_int_equal(sms(list, "+447700900123", 1), 45000);
    assert_int_equal(sms(list, "+4915112345678", 2), 160000);
    assert_int_equal(price_message(list, MODE_LIVE, KIND_MMS, STR("+447700900123"), 4), 20000);
}

static void test_messages_are_free(void **state)
{
    assert_int_equal(
        price_message(&price_list_builtin, MODE_TEST, KIND_SMS, STR("+15551234567"), 2), 0);
    assert_int_equal(
        price_message(&price_list_builtin, MODE_TEST, KIND_MMS, STR("+15551234567"), 2), 0);
}

static void longest_prefix_wins(void **state)
{
    struct price_row rows[] = {{"4477", 3}, {"", 9}, {"44", 1}, {"447700900123", 4}, {"4478", 5}};
    struct price_list list;

    assert_int_equal(price_list_init(&list, rows, 5, 7), 0);
    assert_int_equal(sms(&list, "+447700900123", 1), 4);
    assert_int_equal(sms(&list, "+447700900124", 1), 3);
    assert_int_equal(sms(&list, "+447900900124", 1), 1);
    assert_int_equal(sms(&list, "+447800900124", 1), 5);
    assert_int_equal(sms(&list, "+123456789012345", 1), 9);
    assert_int_equal(price_message(&list, MODE_LIVE, KIND_MMS, STR("+15551234567"), 1), 7);
}

static void bad_lists_are_refused(void **state)
{
    struct price_list list;
    struct price_row letters[] = {{"", 1}, {"4a", 1}};
    struct price_row twice[] = {{"", 1}, {"44", 1}, {"44", 2}};
    struct price_row holes[] = {{"44", 1}};
    struct price_row negative[] = {{"", -1}};

    assert_int_equal(price_list_init(&list, letters, 2, 0), -EINVAL);
    assert_int_equal(price_list_init(&list, twice, 3, 0), -EEXIST);
    assert_int_equal(price_list_init(&list, holes, 1, 0), -ENOENT);
    assert_int_equal(price_list_init(&list, holes, 0, 0), -ENOENT);
    assert_int_equal(price_list_init(&list, negative, 1, 0), -EINVAL);
}

static void what_no_carrier_saw_costs_nothing(void **state)
{
    struct message m = {.status = STATUS_QUEUED, .cost_micros = 7500};

    assert_int_equal(message_cost_micros(&m), 7500);
    m.status = STATUS_CANCELLED;
    assert_int_equal(message_cost_micros(&m), 0);
    m.status = STATUS_FAILED;
    m.failure = FAILURE_CARRIER_REJECTED;
    assert_int_equal(message_cost_micros(&m), 7500);
    m.failure = FAILURE_RECIPIENT_OPTED_OUT;
    assert_int_equal(message_cost_micros(&m), 0);
    m.failure = FAILURE_VALIDITY_EXPIRED;
    assert_int_equal(message_cost_micros(&m), 0);
    m.sent_us = 1;
    assert_int_equal(message_cost_micros(&m), 7500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builtin_prices),
        cmocka_unit_test(test_messages_are_free),
        cmocka_unit_test(longest_prefix_wins),
        cmocka_unit_test(what_no_carrier_saw_costs_nothing),
        cmocka_unit_test(bad_lists_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
