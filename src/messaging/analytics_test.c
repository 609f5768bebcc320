/* Rollups that the test tells, and what they come to. */
#include "messaging/analytics.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define DAY(n) (INT64_C(1762992000000000) + (n)*DAY_US) /* 2025-11-13, a Thursday */

static struct arena arena;
static struct analytics a;

static int set_up(void **state)
{
    arena_init(&arena, 8 << 20);
    a = (struct analytics){
        .range = {DAY(0), DAY(7), INTERVAL_WEEK}, .arena = &arena, .with_times = true};
    assert_true(analytics_init(&a, true));
    return 0;
}

static int tear_down(void **state)
{
    arena_done(&arena);
    return 0;
}

static const struct series_record uk = {.id = 2,
                                        .direction = DIRECTION_OUTBOUND,
                                        .kind = KIND_SMS,
                                        .type = TYPE_OTP,
                                        .number_type = NUMBER_LOCAL,
                                        .country = "GB",
                                        .tags = {"a\nb", 3}};
static const struct series_record us = {.id = 3,
                                        .direction = DIRECTION_OUTBOUND,
                                        .kind = KIND_MMS,
                                        .type = TYPE_OTP,
                                        .number_type = NUMBER_TOLL_FREE,
                                        .country = "US",
                                        .tags = {"b", 1}};
static const struct series_record other = {.id = 4,
                                           .direction = DIRECTION_OUTBOUND,
                                           .kind = KIND_SMS,
                                           .type = TYPE_ALERT,
                                           .number_type = NUMBER_LOCAL,
                                           .other_tags = true};
static const struct series_record inbound = {
    .id = 5, .direction = DIRECTION_INBOUND, .kind = KIND_SMS, .type = TYPE_ALERT, .country = "US"};

static void tell(const struct series_record *s, int64_t at_us, int64_t count)
{
    struct rollup r = {.accepted = count, .segments = 2 * count, .cost_micros = 10 * count};
    analytics_take_rollup(&a, s, at_us, &r);
}

static int64_t messages_of(struct sum_groups *g, const char *name)
{
    size_t before = g->count;
    int64_t messages = sum_groups_get(g, &arena, str_of(name))->sum.messages;

    assert_int_equal(g->count, before); /* it was there */
    return messages;
}

static void rows_in_any_order_are_added_up(void **state)
{
    tell(&uk, DAY(0), 1);
    tell(&us, DAY(0), 10);
    tell(&inbound, DAY(3), 5000);
    tell(&uk, DAY(4), 100); /* a Monday */
    tell(&other, DAY(6), 1000);
    tell(&us, DAY(7) - HOUR_US, 10000);
    assert_true(analytics_end(&a));
    assert_int_equal(a.piece_count, 2);
    assert_int_equal(a.pieces[0].messages, 11);
    assert_int_equal(a.pieces[1].messages, 11100);
    assert_int_equal(a.pieces[0].inbound, 5000);
    assert_int_equal(a.total.messages, 11111);
    assert_int_equal(a.total.segments, 22222);
    assert_int_equal(a.total.cost_micros, 111110);
    assert_int_equal(a.total.sms, 1101);
    assert_int_equal(a.total.mms, 10010);
    assert_int_equal(a.total.inbound, 5000);
}

static void groups_are_of_outbound_messages(void **state)
{
    rows_in_any_order_are_added_up(state);
    assert_int_equal(messages_of(&a.countries, "GB"), 101);
    assert_int_equal(messages_of(&a.countries, "US"), 10010);
    assert_int_equal(messages_of(&a.countries, ""), 1000);
    assert_int_equal(messages_of(&a.types, "otp"), 10111);
    assert_int_equal(messages_of(&a.types, "alert"), 1000);
    assert_int_equal(messages_of(&a.number_types, "local"), 1101);
    assert_int_equal(messages_of(&a.kinds, "mms"), 10010);
    assert_int_equal(messages_of(&a.tags, "a"), 101);
    assert_int_equal(messages_of(&a.tags, "b"), 10111);
    assert_int_equal(a.tags.count, 2);
    assert_int_equal(a.other_tags.messages, 1000);
}

static void calls_are_counted_when_wanted(void **state)
{
    analytics_take_requests(&a, DAY(3), 7);
    analytics_take_requests(&a, DAY(4), 8);
    assert_int_equal(a.pieces[0].requests, 7);
    assert_int_equal(a.pieces[1].requests, 8);
    assert_int_equal(a.total.requests, 15);
    assert_true(analytics_init(&a, false));
    assert_int_equal(a.pieces[1].requests, SUM_NOT_COUNTED);
    assert_int_equal(a.total.requests, SUM_NOT_COUNTED);
}

static int64_t p95_ms(const struct sum *s)
{
    struct figure f = sum_figure(s, MEASURE_P95_SECONDS);
    return f.kind == FIGURE_NONE ? -1 : f.value / 1000;
}

static void tell_times(const struct series_record *s, int64_t at_us, unsigned slot, int64_t count)
{
    static struct rollup r;

    r = (struct rollup){.accepted = count};
    r.statuses[STATUS_DELIVERED] = count;
    r.times[r.time_count++] = (struct rollup_slot){slot, count};
    r.failures[r.failure_count++] = (struct rollup_slot){FAILURE_UNKNOWN, 2};
    analytics_take_rollup(&a, s, at_us, &r);
}

static void times_are_put_together(void **state)
{
    tell_times(&uk, DAY(0), 5, 10);
    tell_times(&us, DAY(0), 9, 1);
    tell_times(&uk, DAY(5), 12, 100);
    assert_true(analytics_end(&a));
    assert_int_equal(p95_ms(&a.pieces[0]), 9);
    assert_int_equal(p95_ms(&a.pieces[1]), 12);
    assert_int_equal(p95_ms(&a.total), 12);
    assert_int_equal(p95_ms(&sum_groups_get(&a.countries, &arena, STR("US"))->sum), 9);
    assert_int_equal(p95_ms(&sum_groups_get(&a.number_types, &arena, STR("local"))->sum), 12);
    assert_int_equal(a.failures[FAILURE_UNKNOWN], 6);
}

static void short_memory_is_told(void **state)
{
    struct arena small;

    arena_init(&small, 4096);
    a.arena = &small;
    tell(&uk, DAY(0), 1);
    tell(&us, DAY(0), 1);
    assert_false(analytics_end(&a));
    arena_done(&small);
    arena_init(&small, 64);
    assert_false(analytics_init(&a, true));
    arena_done(&small);
}

#define ANALYTICS_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ANALYTICS_TEST(rows_in_any_order_are_added_up),
        ANALYTICS_TEST(groups_are_of_outbound_messages),
        ANALYTICS_TEST(calls_are_counted_when_wanted),
        ANALYTICS_TEST(times_are_put_together),
        ANALYTICS_TEST(short_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
