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

static struct arena arena;
static struct problem problem;
static struct route_choice chosen;

static bool choose(const struct sender_table *table, const char *to, enum message_kind kind,
                   const char *from)
{
    struct route_query q = {.table = table, .to = place(to), .kind = kind, .from = str_of(from)};

    problem = (struct problem){0};
    return route_choose(&q, &chosen, &arena, &problem);
}

static void check_test_route(const char *to, const char *from, enum coverage coverage,
                             enum route_reason reason)
{
    assert_true(choose(&senders_test, to, KIND_SMS, NULL));
    assert_true(str_is(chosen.sender->address, from));
    assert_int_equal(chosen.coverage, coverage);
    assert_int_equal(chosen.reason, reason);
    assert_true(chosen.sender->messages_per_minute > 0);
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
    const struct sender toll_free = {.address = STR("+18005551234"),
                                     .type = NUMBER_TOLL_FREE,
                                     .calling_code = 1,
                                     .messages_per_minute = 1};
    const struct sender name = {.address = STR("Acme"),
                                .type = NUMBER_ALPHANUMERIC,
                                .calling_code = 0,
                                .messages_per_minute = 1};
    const struct sender code = {.address = STR("60123"),
                                .type = NUMBER_SHORT_CODE,
                                .calling_code = 44,
                                .messages_per_minute = 1};
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
        {.address = STR("+18005551234"),
         .type = NUMBER_TOLL_FREE,
         .calling_code = 1,
         .messages_per_minute = 1},
        {.address = STR("Acme"),
         .type = NUMBER_ALPHANUMERIC,
         .calling_code = 0,
         .messages_per_minute = 1},
    };
    const struct sender_table table = {senders, 2};

    assert_true(choose(&table, "+4915112345678", KIND_SMS, NULL));
    assert_int_equal(chosen.sender->type, NUMBER_ALPHANUMERIC);
    assert_int_equal(chosen.coverage, COVERAGE_MEDIUM);
    /* a code that is not assigned and a sender without a home are not "the same zone" */
    assert_true(choose(&table, "+9991234567", KIND_SMS, NULL));
    assert_int_equal(chosen.coverage, COVERAGE_MEDIUM);
    assert_int_equal(chosen.reason, REASON_INTERNATIONAL);
}

static void without_senders_it_says_so(void **state)
{
    assert_false(choose(&senders_none, "+447400123456", KIND_SMS, NULL));
    assert_int_equal(problem.code, PROBLEM_UNSUPPORTED_DESTINATION);
    assert_string_equal(problem.field, "to");
    assert_non_null(strstr(problem.message, "+44…"));
    assert_non_null(strstr(problem.message, "test key"));
    assert_null(strstr(problem.message, "7400123456"));
    assert_false(choose(&senders_none, "+9991234567", KIND_SMS, NULL));
    assert_non_null(strstr(problem.message, "calling code"));
}

static void a_sender_can_be_asked_for(void **state)
{
    assert_true(choose(&senders_test, "+15551234567", KIND_SMS, "+447700900123"));
    assert_true(str_is(chosen.sender->address, "+447700900123"));
    assert_int_equal(chosen.reason, REASON_USER);
    assert_int_equal(chosen.coverage, COVERAGE_MEDIUM);
    assert_true(choose(&senders_test, "+447400123456", KIND_SMS, "Skylark"));
    assert_int_equal(chosen.reason, REASON_USER);
    assert_true(choose(&senders_test, "+15551234567", KIND_MMS, "+18005551234"));
    assert_int_equal(chosen.coverage, COVERAGE_HIGH);
}

static void check_refused(const char *to, enum message_kind kind, const char *from,
                          enum problem_code code, const char *field, const char *said)
{
    assert_false(choose(&senders_test, to, kind, from));
    assert_int_equal(problem.code, code);
    assert_string_equal(problem.field, field);
    assert_non_null(strstr(problem.message, said));
}

static void but_only_ones_own_that_reach(void **state)
{
    check_refused("+15551234567", KIND_SMS, "+18005550000", PROBLEM_INVALID_FROM_NUMBER, "from",
                  "'+18005550000' is not one of your senders");
    check_refused("+15551234567", KIND_SMS, "skylark", PROBLEM_INVALID_FROM_NUMBER, "from",
                  "not one of your senders");
    check_refused("+15551234567", KIND_SMS, "", PROBLEM_INVALID_FROM_NUMBER, "from", "''");
    check_refused("+447400123456", KIND_SMS, "+18005551234", PROBLEM_INVALID_FROM_NUMBER, "from",
                  "A toll-free number reaches only +1.");
    check_refused("+15551234567", KIND_SMS, "Skylark", PROBLEM_INVALID_FROM_NUMBER, "from",
                  "take no names");
    check_refused("+447400123456", KIND_MMS, "Skylark", PROBLEM_MMS_NOT_SUPPORTED, "mediaUrls",
                  "takes no media");
    check_refused("+15551234567", KIND_SMS, "0123456789012345678901234567890123456789",
                  PROBLEM_INVALID_FROM_NUMBER, "from", "'01234567890123456789012345678901…'");
}

static void media_go_where_they_are_taken(void **state)
{
    const struct sender names[] = {{.address = STR("Acme"),
                                    .type = NUMBER_ALPHANUMERIC,
                                    .calling_code = 0,
                                    .messages_per_minute = 1}};
    const struct sender_table only_names = {names, 1};

    assert_true(choose(&senders_test, "+4915112345678", KIND_MMS, NULL));
    assert_int_equal(chosen.sender->type, NUMBER_LOCAL);
    assert_true(choose(&only_names, "+4915112345678", KIND_SMS, NULL));
    assert_false(choose(&only_names, "+4915112345678", KIND_MMS, NULL));
    assert_int_equal(problem.code, PROBLEM_MMS_NOT_SUPPORTED);
    assert_string_equal(problem.field, "mediaUrls");
    assert_false(choose(&only_names, "+15551234567", KIND_MMS, NULL)); /* nor without media */
    assert_int_equal(problem.code, PROBLEM_UNSUPPORTED_DESTINATION);
}

/* ---- why not ---- */

static void check_explained(const struct sender_table *table, const char *to,
                            enum message_kind kind, const char *from, const char *const *why)
{
    struct route_refusal refusals[8];
    struct route_query q = {.table = table, .to = place(to), .kind = kind, .from = str_of(from)};

    assert_true(route_choose(&q, &chosen, &arena, &problem));
    size_t n = route_explain(&q, chosen.sender->address, &arena, refusals);
    assert_int_equal(n, table->count - 1);
    for (size_t i = 0; i < n; i++) {
        assert_ptr_not_equal(refusals[i].sender, chosen.sender);
        assert_string_equal(refusals[i].why, why[i]);
    }
}

static void each_refusal_has_a_reason(void **state)
{
    const struct sender senders[] = {
        {.address = STR("+447700900001"),
         .type = NUMBER_LOCAL,
         .calling_code = 44,
         .messages_per_minute = 1},
        {.address = STR("+447700900002"),
         .type = NUMBER_LOCAL,
         .calling_code = 44,
         .messages_per_minute = 1},
        {.address = STR("60123"),
         .type = NUMBER_SHORT_CODE,
         .calling_code = 33,
         .messages_per_minute = 1},
        {.address = STR("Acme"),
         .type = NUMBER_ALPHANUMERIC,
         .calling_code = 0,
         .messages_per_minute = 1},
        {.address = STR("+12025550100"),
         .type = NUMBER_LOCAL,
         .calling_code = 1,
         .messages_per_minute = 1},
        {.address = STR("+18005551234"),
         .type = NUMBER_TOLL_FREE,
         .calling_code = 1,
         .messages_per_minute = 1},
    };
    const struct sender_table table = {senders, 6};
    const char home[] = "A sender of the destination's own zone comes first.";
    const char toll_free[] = "A toll-free number reaches only +1.";
    const char code[] = "A short code reaches only +33.";
    const char other[] = "Another sender was asked for.";

    check_explained(
        &table, "+447400123456", KIND_SMS, NULL,
        (const char *[]){"An equally good sender comes before it.", code, home, home, toll_free});
    check_explained(&table, "+15551234567", KIND_SMS, NULL,
                    (const char *[]){home, home, code, "Networks of +1 take no names as senders.",
                                     "A toll-free number comes before other numbers of its zone."});
    check_explained(&table, "+4915112345678", KIND_SMS, NULL,
                    (const char *[]){"An equally good sender comes before it.", code,
                                     "A number, which can be answered, comes before a name.",
                                     "An equally good sender comes before it.", toll_free});
    check_explained(&table, "+4915112345678", KIND_MMS, "+447700900002",
                    (const char *[]){other, code, "A name takes no media.", other, toll_free});
}

/* The senders may have changed since. */
static void a_sender_that_is_gone(void **state)
{
    struct route_refusal refusals[3];
    struct route_query q = {.table = &senders_test, .to = place("+15551234567"), .kind = KIND_SMS};

    assert_int_equal(route_explain(&q, STR("+18005550000"), &arena, refusals), 3);
}

static int set_up(void **state)
{
    arena_init(&arena, 1 << 16);
    return 0;
}

static int tear_down(void **state)
{
    arena_done(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mode_routes),
        cmocka_unit_test(reach_of_sender_types),
        cmocka_unit_test(a_name_is_taken_when_nothing_else_reaches),
        cmocka_unit_test(without_senders_it_says_so),
        cmocka_unit_test(a_sender_can_be_asked_for),
        cmocka_unit_test(but_only_ones_own_that_reach),
        cmocka_unit_test(media_go_where_they_are_taken),
        cmocka_unit_test(each_refusal_has_a_reason),
        cmocka_unit_test(a_sender_that_is_gone),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
