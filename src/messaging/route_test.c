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

static struct route_query query(const struct routing *routing, const char *to,
                                enum message_kind kind, const char *from)
{
    return (struct route_query){.routing = routing,
                                .account = 7,
                                .number = str_of(to),
                                .to = place(to),
                                .kind = kind,
                                .type = TYPE_OTP,
                                .from = str_of(from)};
}

static bool choose(const struct routing *routing, const char *to, enum message_kind kind,
                   const char *from)
{
    struct route_query q = query(routing, to, kind, from);

    problem = (struct problem){0};
    return route_choose(&q, &chosen, &arena, &problem);
}

static void check_test_route(const char *to, const char *from, enum coverage coverage,
                             enum route_reason reason)
{
    assert_true(choose(&routing_test, to, KIND_SMS, NULL));
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
    const struct routing table = {.senders = {senders, 2, NULL}};

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
    assert_false(choose(&routing_none, "+447400123456", KIND_SMS, NULL));
    assert_int_equal(problem.code, PROBLEM_UNSUPPORTED_DESTINATION);
    assert_string_equal(problem.field, "to");
    assert_non_null(strstr(problem.message, "+44…"));
    assert_non_null(strstr(problem.message, "test key"));
    assert_null(strstr(problem.message, "7400123456"));
    assert_false(choose(&routing_none, "+9991234567", KIND_SMS, NULL));
    assert_non_null(strstr(problem.message, "calling code"));
}

static void a_sender_can_be_asked_for(void **state)
{
    assert_true(choose(&routing_test, "+15551234567", KIND_SMS, "+447700900123"));
    assert_true(str_is(chosen.sender->address, "+447700900123"));
    assert_int_equal(chosen.reason, REASON_USER);
    assert_int_equal(chosen.coverage, COVERAGE_MEDIUM);
    assert_true(choose(&routing_test, "+447400123456", KIND_SMS, "Skylark"));
    assert_int_equal(chosen.reason, REASON_USER);
    assert_true(choose(&routing_test, "+15551234567", KIND_MMS, "+18005551234"));
    assert_int_equal(chosen.coverage, COVERAGE_HIGH);
}

static void check_refused(const char *to, enum message_kind kind, const char *from,
                          enum problem_code code, const char *field, const char *said)
{
    assert_false(choose(&routing_test, to, kind, from));
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
    const struct routing only_names = {.senders = {names, 1, NULL}};

    assert_true(choose(&routing_test, "+4915112345678", KIND_MMS, NULL));
    assert_int_equal(chosen.sender->type, NUMBER_LOCAL);
    assert_true(choose(&only_names, "+4915112345678", KIND_SMS, NULL));
    assert_false(choose(&only_names, "+4915112345678", KIND_MMS, NULL));
    assert_int_equal(problem.code, PROBLEM_MMS_NOT_SUPPORTED);
    assert_string_equal(problem.field, "mediaUrls");
    assert_false(choose(&only_names, "+15551234567", KIND_MMS, NULL)); /* nor without media */
    assert_int_equal(problem.code, PROBLEM_UNSUPPORTED_DESTINATION);
}

/* ---- why not ---- */

static void check_explained(const struct routing *routing, const char *to, enum message_kind kind,
                            const char *from, const char *const *why)
{
    struct route_refusal refusals[8];
    struct route_query q = query(routing, to, kind, from);

    assert_true(route_choose(&q, &chosen, &arena, &problem));
    size_t n = route_explain(&q, chosen.sender->address, 0, &arena, refusals);
    assert_int_equal(n, routing->senders.count - 1);
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
    const struct routing table = {.senders = {senders, 6, NULL}};
    const char home[] = "A sender of the destination's own zone comes first.";
    const char toll_free[] = "A toll-free number reaches only +1.";
    const char code[] = "A short code reaches only +33.";
    const char asked[] = "Another sender was asked for.";

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
                    (const char *[]){asked, code, "A name takes no media.", asked, toll_free});
}

/* The senders may have changed since. */
static void a_sender_that_is_gone(void **state)
{
    struct route_refusal refusals[3];
    struct route_query q = query(&routing_test, "+15551234567", KIND_SMS, NULL);

    assert_int_equal(route_explain(&q, STR("+18005550000"), 0, &arena, refusals), 3);
}

/* ---- with carriers ---- */

static struct carrier acme = {.name = "acme", .number = 3, .health = CARRIER_HEALTH_FULL};
static struct carrier other = {.name = "other", .number = 5, .health = CARRIER_HEALTH_FULL};

enum { OTP = 1 << TYPE_OTP, SMS = 1 << KIND_SMS };

static const struct sender live_senders[] = {
    {.address = STR("+18005551234"), .type = NUMBER_TOLL_FREE, .calling_code = 1, .carriers = 1},
    {.address = STR("+447700900001"), .type = NUMBER_LOCAL, .calling_code = 44, .carriers = 2},
    {.address = STR("+447700900002"), .type = NUMBER_LOCAL, .calling_code = 44, .account = 8},
    {.address = STR("+447700900003"), .type = NUMBER_LOCAL, .calling_code = 44, .no_sms = true},
    {.address = STR("Acme"), .type = NUMBER_ALPHANUMERIC, .carriers = 1},
};
static const struct carrier_route live_routes[] = {
    {.name = STR("acme-all"), .prefix = "", .kinds = SMS, .carrier = 0, .weight = 1},
    {.name = STR("acme-last"), .prefix = "", .kinds = SMS, .carrier = 0, .weight = 0},
    {.name = STR("codes"), .prefix = "44", .kinds = SMS, .types = OTP, .carrier = 1, .weight = 1},
};

/* The tables of the tests stand in order. */
static struct routing live(size_t first, size_t count)
{
    struct routing r = {.senders = {live_senders, 5, NULL},
                        .routes = live_routes + first,
                        .route_count = count,
                        .lengths = 1 << 0 | 1 << 2,
                        .carriers = {&acme, &other},
                        .carrier_count = 2};
    return r;
}

static void check_live(const struct routing *r, const char *to, const char *sender,
                       const char *route)
{
    assert_true(choose(r, to, KIND_SMS, NULL));
    assert_true(str_is(chosen.sender->address, sender));
    assert_true(str_is(chosen.route->name, route));
}

static void only_senders_with_a_route(void **state)
{
    struct routing all = live(0, 3), one = live(0, 1), codes = live(2, 1);

    check_live(&all, "+12025550123", "+18005551234", "acme-all");
    check_live(&all, "+447400123456", "+447700900001", "codes");
    check_live(&one, "+447400123456", "Acme", "acme-all"); /* the numbers do not go over acme */
    assert_int_equal(chosen.coverage, COVERAGE_MEDIUM);
    check_live(&codes, "+447400123456", "+447700900001", "codes");
    assert_int_equal(chosen.coverage, COVERAGE_HIGH);
    assert_int_equal(chosen.reason, REASON_LOCAL);
}

static void check_live_refused(const struct routing *r, const char *to, enum message_kind kind,
                               const char *from, enum problem_code code, const char *said)
{
    assert_false(choose(r, to, kind, from));
    assert_int_equal(problem.code, code);
    if (!strstr(problem.message, said))
        fail_msg("'%s' does not say '%s'", problem.message, said);
}

static void what_is_missing_is_said(void **state)
{
    struct routing all = live(0, 3), codes = live(2, 1), none = live(0, 3);

    check_live_refused(&codes, "+12025550123", KIND_SMS, NULL, PROBLEM_UNSUPPORTED_DESTINATION,
                       "no route leads there for messages of the type otp");
    check_live_refused(&all, "+447400123456", KIND_SMS, "+447700900002",
                       PROBLEM_INVALID_FROM_NUMBER, "not one of your senders");
    check_live_refused(&all, "+447400123456", KIND_SMS, "+447700900003",
                       PROBLEM_INVALID_FROM_NUMBER, "sends only media");
    check_live_refused(&all, "+12025550123", KIND_SMS, "+447700900001",
                       PROBLEM_UNSUPPORTED_DESTINATION,
                       "No route leads to +1… from the sender '+447700900001'");
    check_live_refused(&all, "+12025550123", KIND_MMS, "+18005551234", PROBLEM_MMS_NOT_SUPPORTED,
                       "No MMS goes to +1… from the sender '+18005551234'");
    check_live_refused(&all, "+12025550123", KIND_MMS, NULL, PROBLEM_MMS_NOT_SUPPORTED,
                       "leave mediaUrls out");
    struct sender only_media = {
        .address = STR("+447700900003"), .type = NUMBER_LOCAL, .calling_code = 44, .no_sms = true};
    struct routing media = live(0, 3);
    media.senders = (struct sender_table){.senders = &only_media, .count = 1};
    check_live_refused(&media, "+447400123456", KIND_SMS, NULL, PROBLEM_UNSUPPORTED_DESTINATION,
                       "Those of your senders that reach +44… send only media");
    none.senders.count = 1;
    check_live_refused(&none, "+447400123456", KIND_SMS, NULL, PROBLEM_UNSUPPORTED_DESTINATION,
                       "none of your senders reaches +44…");
}

static void a_carrier_that_is_down(void **state)
{
    struct routing r = live(0, 3);

    other.health = 0;
    check_live(&r, "+447400123456", "+447700900001", "codes"); /* has no other way: it waits */
    assert_int_equal(chosen.reason, REASON_LOCAL);
    struct sender senders[] = {live_senders[1]};
    senders[0].carriers = 0;
    r.senders = (struct sender_table){senders, 1, NULL};
    check_live(&r, "+447400123456", "+447700900001", "acme-all");
    assert_int_equal(chosen.reason, REASON_FAILOVER);
    assert_true(choose(&r, "+447400123456", KIND_SMS, "+447700900001"));
    assert_int_equal(chosen.reason, REASON_FAILOVER);
    other.health = CARRIER_HEALTH_FULL;
    assert_true(choose(&r, "+447400123456", KIND_SMS, "+447700900001"));
    assert_int_equal(chosen.reason, REASON_USER);
}

static void a_last_resort_covers_little(void **state)
{
    struct routing r = live(1, 1);

    check_live(&r, "+12025550123", "+18005551234", "acme-last");
    assert_int_equal(chosen.coverage, COVERAGE_LOW);
}

static void routes_are_explained(void **state)
{
    static const struct sender sender = {
        .address = STR("+447700900001"), .type = NUMBER_LOCAL, .calling_code = 44};
    static const struct {
        enum message_type type;
        unsigned carrier;
        const char *why[3];
    } cases[] = {
        {TYPE_OTP,
         5,
         {"acme-all A route with a longer prefix comes first.", "acme-last It is a last resort."}},
        {TYPE_OTP,
         3,
         {"codes Its carrier could not take the message.", "acme-last It is a last resort."}},
        {TYPE_ALERT,
         3,
         {"codes It takes no messages of the type alert.", "acme-last It is a last resort."}},
        {TYPE_OTP,
         9,
         {"codes Another one was taken.", "acme-all Another one was taken.",
          "acme-last Another one was taken."}},
    };
    struct routing r = live(0, 3);
    struct route_refusal refusals[8];
    char said[128];

    r.senders = (struct sender_table){&sender, 1, NULL};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct route_query q = query(&r, "+447400123456", KIND_SMS, NULL);
        q.type = cases[i].type;
        size_t n = route_explain(&q, sender.address, cases[i].carrier, &arena, refusals);
        for (size_t k = 0; k < n; k++) {
            assert_null(refusals[k].sender);
            str_format(said, sizeof said, "%.*s %s", STR_FMT(refusals[k].route->name),
                       refusals[k].why);
            assert_string_equal(said, cases[i].why[k]);
        }
        assert_true(n == 3 || cases[i].why[n] == NULL);
    }
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
        cmocka_unit_test(only_senders_with_a_route),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(a_carrier_that_is_down),
        cmocka_unit_test(a_last_resort_covers_little),
        cmocka_unit_test(routes_are_explained),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
