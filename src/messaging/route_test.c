#include "messaging/route.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct number_place place(const char *number)
{
    struct number_place p;

    number_place(str_of(number), &p);
    return p;
}

static void check_test_route(const char *to, const char *from, enum coverage coverage,
                             enum route_reason reason)
{
    struct number_place p = place(to);
    struct problem problem;
    struct route r;

    assert_true(route_choose(&senders_test, &p, &r, NULL, &problem));
    assert_true(str_is(r.sender->address, from));
    assert_int_equal(r.coverage, coverage);
    assert_int_equal(r.reason, reason);
    assert_true(r.sender->messages_per_minute > 0);
}

static void test_mode_routes(void **state)
{
    check_test_route("+15551234567", "+18005551234", COVERAGE_HIGH, REASON_SMART);
    check_test_route("+1234567890", "+18005551234", COVERAGE_HIGH, REASON_SMART);
    check_test_route("+18765550123", "+18005551234", COVERAGE_HIGH, REASON_SMART);
    check_test_route("+447400123456", "+447700900123", COVERAGE_HIGH, REASON_LOCAL);
    check_test_route("+4915112345678", "+447700900123", COVERAGE_MEDIUM, REASON_INTERNATIONAL);
    check_test_route("+9991234567", "+447700900123", COVERAGE_MEDIUM, REASON_INTERNATIONAL);
}

static void reach_of_sender_types(void **state)
{
    const struct sender toll_free = {STR("+18005551234"), NUMBER_TOLL_FREE, 1, 1};
    const struct sender name = {STR("Acme"), NUMBER_ALPHANUMERIC, 0, 1};
    const struct sender code = {STR("60123"), NUMBER_SHORT_CODE, 44, 1};
    struct number_place us = place("+12025550123"), gb = place("+447400123456");

    assert_true(sender_reaches(&toll_free, &us));
    assert_false(sender_reaches(&toll_free, &gb));
    assert_false(sender_reaches(&name, &us));
    assert_true(sender_reaches(&name, &gb));
    assert_false(sender_reaches(&code, &us));
    assert_true(sender_reaches(&code, &gb));
}

static void a_name_is_taken_when_nothing_else_reaches(void **state)
{
    const struct sender senders[] = {
        {STR("+18005551234"), NUMBER_TOLL_FREE, 1, 1},
        {STR("Acme"), NUMBER_ALPHANUMERIC, 0, 1},
    };
    const struct sender_table table = {senders, 2};
    struct number_place nowhere = place("+9991234567"), de = place("+4915112345678");
    struct problem problem;
    struct route r;

    assert_true(route_choose(&table, &de, &r, NULL, &problem));
    assert_int_equal(r.sender->type, NUMBER_ALPHANUMERIC);
    assert_int_equal(r.coverage, COVERAGE_MEDIUM);
    /* a code that is not assigned and a sender without a home are not "the same zone" */
    assert_true(route_choose(&table, &nowhere, &r, NULL, &problem));
    assert_int_equal(r.coverage, COVERAGE_MEDIUM);
    assert_int_equal(r.reason, REASON_INTERNATIONAL);
}

static void without_senders_it_says_so(void **state)
{
    struct arena a;
    struct number_place gb = place("+447400123456"), nowhere = place("+9991234567");
    struct problem problem;
    struct route r;

    arena_init(&a, 4096);
    assert_false(route_choose(&senders_none, &gb, &r, &a, &problem));
    assert_int_equal(problem.code, PROBLEM_UNSUPPORTED_DESTINATION);
    assert_string_equal(problem.field, "to");
    assert_non_null(strstr(problem.message, "+44…"));
    assert_non_null(strstr(problem.message, "test key"));
    assert_null(strstr(problem.message, "7400123456"));
    assert_false(route_choose(&senders_none, &nowhere, &r, &a, &problem));
    assert_non_null(strstr(problem.message, "calling code"));
    arena_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mode_routes),
        cmocka_unit_test(reach_of_sender_types),
        cmocka_unit_test(a_name_is_taken_when_nothing_else_reaches),
        cmocka_unit_test(without_senders_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
