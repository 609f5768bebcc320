#include "messaging/routing.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { A, B, C, CARRIERS };

static struct carrier carriers[CARRIERS];
static struct carrier_route routes[16];
static struct routing routing;

/* `weight` and `priority` of routes that are not told otherwise. */
static struct carrier_route way(const char *prefix, unsigned carrier)
{
    struct carrier_route r = {
        .name = str_of(prefix), .carrier = carrier, .priority = 10, .weight = 1};

    str_format(r.prefix, sizeof r.prefix, "%s", prefix);
    return r;
}

static void set_routes(const struct carrier_route *list, size_t count)
{
    memcpy(routes, list, count * sizeof *list);
    routing_sort(&routing, routes, count);
}
#define ROUTES(...)                                                                                \
    set_routes((const struct carrier_route[]){__VA_ARGS__},                                        \
               sizeof((const struct carrier_route[]){__VA_ARGS__}) / sizeof(struct carrier_route))

static int set_up(void **state)
{
    static const char *const names[] = {"a", "b", "c"};

    routing = (struct routing){.carrier_count = CARRIERS};
    for (unsigned i = 0; i < CARRIERS; i++) {
        carriers[i] =
            (struct carrier){.name = names[i], .number = 10 + i, .health = CARRIER_HEALTH_FULL};
        routing.carriers[i] = &carriers[i];
    }
    return 0;
}

static bool failed_over;

static int choose_with(const struct sender *sender, const char *to, enum message_type type,
                       uint32_t dice)
{
    const struct carrier_route *route =
        routing_choose(&routing, sender, str_of(to), KIND_SMS, type, dice, &failed_over);

    return route ? (int)route->carrier : -1;
}

static int choose(const char *to)
{
    return choose_with(NULL, to, TYPE_ALERT, 0);
}

static void the_longest_prefix_comes_first(void **state)
{
    ROUTES(way("", A), way("44", B), way("447400", C), way("1", A));
    assert_int_equal(choose("+447400123456"), C);
    assert_int_equal(choose("+447500123456"), B);
    assert_int_equal(choose("+4474001"), C);
    assert_int_equal(choose("+4915112345678"), A);
    ROUTES(way("44", B), way("447400123456789", C), way("45", A));
    assert_int_equal(choose("+447400123456789"), C);
    assert_int_equal(choose("+447400123456788"), B);
    assert_int_equal(choose("+4915112345678"), -1);
    ROUTES(way("", A));
    routing_sort(&routing, NULL, 0);
    assert_int_equal(choose("+447400123456"), -1);
}

static void then_the_least_priority(void **state)
{
    struct carrier_route first = way("44", B), second = way("44", A);

    first.priority = 1;
    ROUTES(way("", C), second, first);
    for (uint64_t dice = 0; dice <= UINT32_MAX; dice += UINT32_MAX / 8)
        assert_int_equal(choose_with(NULL, "+447400123456", TYPE_OTP, (uint32_t)dice), B);
}

static void check_shares(const double *want)
{
    enum { DRAWS = 20000 };
    unsigned count[CARRIERS] = {0};

    for (int i = 0; i < DRAWS; i++) {
        int carrier = choose_with(NULL, "+447400123456", TYPE_OTP, (uint32_t)random_fast());
        assert_in_range(carrier, 0, CARRIERS - 1);
        count[carrier]++;
    }
    for (int i = 0; i < CARRIERS; i++) {
        double share = (double)count[i] / DRAWS;
        if (share < want[i] - 0.02 || share > want[i] + 0.02)
            fail_msg("carrier %d: %.3f instead of %.3f", i, share, want[i]);
    }
}

static void among_equals_weight_and_health_decide(void **state)
{
    struct carrier_route a = way("44", A), b = way("44", B), c = way("44", C);

    a.weight = 1;
    b.weight = 2;
    c.weight = 5;
    ROUTES(a, b, c);
    check_shares((const double[]){0.125, 0.25, 0.625});
    carriers[C].health = CARRIER_HEALTH_FULL / 5;
    check_shares((const double[]){0.25, 0.5, 0.25});
    carriers[C].health = 0;
    check_shares((const double[]){0.3333, 0.6667, 0});
    carriers[A].health = 0;
    check_shares((const double[]){0, 1, 0});
    carriers[B].health = 0; /* all are down: each gets what is due to it */
    check_shares((const double[]){0.125, 0.25, 0.625});
}

/* Only what would have gone to the carrier that is down is a failover. */
static void failovers_among_equals(void **state)
{
    unsigned count = 0;

    ROUTES(way("44", A), way("44", B));
    for (int i = 0; i < 10000; i++) {
        choose_with(NULL, "+447400123456", TYPE_OTP, (uint32_t)random_fast());
        count += failed_over;
    }
    assert_int_equal(count, 0);
    carriers[A].health = 0;
    for (int i = 0; i < 10000; i++) {
        assert_int_equal(choose_with(NULL, "+447400123456", TYPE_OTP, (uint32_t)random_fast()), B);
        count += failed_over;
    }
    assert_in_range(count, 4700, 5300);
}

static void carriers_that_are_down_are_passed_over(void **state)
{
    struct carrier_route second = way("44", B);

    second.priority = 20;
    ROUTES(way("44", A), second, way("", C));
    assert_int_equal(choose("+447400123456"), A);
    assert_false(failed_over);
    carriers[A].health = 0;
    assert_int_equal(choose("+447400123456"), B);
    assert_true(failed_over);
    carriers[B].health = 0;
    assert_int_equal(choose("+447400123456"), C);
    assert_true(failed_over);
    carriers[C].health = 0;
    assert_int_equal(choose("+447400123456"), A); /* where it waits */
    assert_false(failed_over);
    carriers[A].health = 1;
    assert_int_equal(choose("+447400123456"), A);
    assert_false(failed_over);
}

static void last_resorts_come_last(void **state)
{
    struct carrier_route dear = way("447400", A), cheap = way("447400", B);

    dear.weight = cheap.weight = 0;
    dear.cost_micros = 20;
    cheap.cost_micros = 10;
    ROUTES(dear, cheap, way("", C));
    assert_int_equal(choose("+447400123456"), C);
    carriers[C].health = 0;
    assert_int_equal(choose("+447400123456"), B);
    assert_true(failed_over);
    carriers[B].health = 0;
    assert_int_equal(choose("+447400123456"), A);
    carriers[A].health = 0;
    assert_int_equal(choose("+447400123456"), C);
    ROUTES(dear, cheap);
    for (uint64_t dice = 0; dice <= UINT32_MAX; dice += UINT32_MAX / 8)
        assert_int_equal(choose_with(NULL, "+447400123456", TYPE_OTP, (uint32_t)dice), B);
}

static void types_and_kinds(void **state)
{
    struct carrier_route codes = way("44", A), media = way("4474", B);
    bool failover;

    codes.types = 1 << TYPE_OTP | 1 << TYPE_ALERT;
    media.kinds = 1 << KIND_MMS;
    ROUTES(codes, media, way("", C));
    assert_int_equal(choose_with(NULL, "+447400123456", TYPE_OTP, 0), A);
    assert_int_equal(choose_with(NULL, "+447400123456", TYPE_ALERT, 0), A);
    assert_int_equal(choose_with(NULL, "+447400123456", TYPE_MARKETING, 0), C);
    assert_int_equal(
        routing_choose(&routing, NULL, STR("+447400123456"), KIND_MMS, TYPE_OTP, 0, &failover)
            ->carrier,
        B);
    assert_int_equal(routing_carriers(&routing, STR("+447400123456"), KIND_SMS, TYPE_OTP),
                     1 << A | 1 << C);
    assert_int_equal(routing_carriers(&routing, STR("+447400123456"), KIND_MMS, TYPE_MARKETING),
                     1 << B | 1 << C);
    routing.carrier_count = 0;
    assert_true(routing_carriers(&routing, STR("+1"), KIND_SMS, TYPE_OTP) == UINT64_MAX);
}

static void senders_have_carriers(void **state)
{
    struct sender only = {.carriers = 1 << B}, any = {0};

    ROUTES(way("44", A), way("", B), way("", C));
    assert_int_equal(choose_with(&any, "+447400123456", TYPE_OTP, 0), A);
    assert_int_equal(choose_with(&only, "+447400123456", TYPE_OTP, 0), B);
    only.carriers = 1 << 5;
    assert_int_equal(choose_with(&only, "+447400123456", TYPE_OTP, 0), -1);
}

static int next(const char *from, uint64_t tried)
{
    struct message m = {
        .to = STR("+447400123456"), .from = str_of(from), .kind = KIND_SMS, .type = TYPE_OTP};
    const struct carrier_route *route = routing_next(&routing, &m, tried, 7);

    return route ? (int)route->carrier : -1;
}

static void the_next_one(void **state)
{
    const struct sender senders[] = {{.address = STR("+441"), .carriers = 1 << A | 1 << C},
                                     {.address = STR("+442")}};
    struct carrier_route last = way("447", C);

    last.priority = 20;
    ROUTES(way("447", A), way("44", B), last);
    routing.senders = (struct sender_table){senders, 2, NULL};
    assert_int_equal(next("+442", 0), A);
    assert_int_equal(next("+442", 1 << A), C);
    assert_int_equal(next("+442", 1 << A | 1 << C), B);
    assert_int_equal(next("+442", 1 << A | 1 << B | 1 << C), -1);
    assert_int_equal(next("+441", 1 << A), C);
    assert_int_equal(next("+441", 1 << A | 1 << C), -1);
    assert_int_equal(next("gone", 1 << A | 1 << C), B); /* a sender that is gone goes anywhere */
    carriers[C].health = 0;
    assert_int_equal(next("+442", 1 << A), B);
    carriers[B].health = 0; /* better to wait than to fail */
    assert_int_equal(next("+442", 1 << A), C);
}

static void places(void **state)
{
    assert_int_equal(routing_place(&routing, 11), 1);
    assert_int_equal(routing_place(&routing, 0), -1);
    assert_int_equal(routing_place(&routing, 9), -1);
}

static void senders_by_address(void **state)
{
    const struct sender senders[] = {
        {.address = STR("+442")}, {.address = STR("Zoo")}, {.address = STR("+44")}};
    const uint16_t order[] = {2, 0, 1};
    const struct sender_table plain = {senders, 3, NULL}, sorted = {senders, 3, order};
    static const char *const absent[] = {"", "+4", "+441", "+4422", "Zo", "Zop", "a"};

    for (size_t i = 0; i < 3; i++) {
        assert_ptr_equal(sender_find(&plain, senders[i].address), &senders[i]);
        assert_ptr_equal(sender_find(&sorted, senders[i].address), &senders[i]);
    }
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        assert_null(sender_find(&plain, str_of(absent[i])));
        assert_null(sender_find(&sorted, str_of(absent[i])));
    }
}

static void steps_in_order(void **state)
{
    struct carrier_route resort = way("447400", A), codes = way("44", B), second = way("44", C);
    struct sender sender = {.address = STR("+44"), .carriers = 1 << A | 1 << B};
    struct routing_step steps[8];
    struct arena arena;

    arena_init(&arena, 1 << 16);
    resort.weight = 0;
    resort.name = STR("resort");
    codes.types = 1 << TYPE_OTP;
    codes.name = STR("codes");
    second.priority = 20;
    second.name = STR("second");
    ROUTES(resort, second, way("", A), codes, way("45", A));
    size_t n =
        routing_steps(&routing, &sender, STR("+447400123456"), KIND_SMS, TYPE_ALERT, &arena, steps);
    assert_int_equal(n, 4);
    assert_true(str_is(steps[0].route->name, "codes"));
    assert_string_equal(steps[0].why, "It takes no messages of the type alert.");
    assert_true(str_is(steps[1].route->name, "second"));
    assert_string_equal(steps[1].why, "The sender does not go over the carrier c.");
    assert_true(str_is(steps[2].route->name, ""));
    assert_null(steps[2].why);
    assert_true(str_is(steps[3].route->name, "resort"));
    for (size_t i = 0; i + 1 < n; i++)
        assert_true(route_before(steps[i].route, steps[i + 1].route));
    arena_done(&arena);
}

#define TEST(function) cmocka_unit_test_setup(function, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_longest_prefix_comes_first),
        TEST(then_the_least_priority),
        TEST(among_equals_weight_and_health_decide),
        TEST(failovers_among_equals),
        TEST(carriers_that_are_down_are_passed_over),
        TEST(last_resorts_come_last),
        TEST(types_and_kinds),
        TEST(senders_have_carriers),
        TEST(the_next_one),
        TEST(places),
        TEST(senders_by_address),
        TEST(steps_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
