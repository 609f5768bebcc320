#include "messaging/sum.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void assert_figure(const struct sum *s, enum measure m, enum figure_kind kind, int64_t value)
{
    struct figure f = sum_figure(s, m);

    if (f.kind != kind || f.value != value)
        fail_msg("%s is %d %lld", measure_word(m), (int)f.kind, (long long)f.value);
}

static void counts_are_told_as_they_are(void **state)
{
    struct sum s = {.messages = 10,
                    .sms = 7,
                    .mms = 3,
                    .segments = 15,
                    .inbound = 4,
                    .requests = 20,
                    .cost_micros = 123456,
                    .statuses = {[STATUS_SCHEDULED] = 1,
                                 [STATUS_QUEUED] = 2,
                                 [STATUS_SENT] = 3,
                                 [STATUS_DELIVERED] = 5,
                                 [STATUS_FAILED] = 6,
                                 [STATUS_CANCELLED] = 7}};
    static const struct {
        enum measure measure;
        int64_t value;
    } counts[] = {
        {MEASURE_MESSAGES, 10}, {MEASURE_TOTAL, 10},    {MEASURE_SMS, 7},
        {MEASURE_MMS, 3},       {MEASURE_SEGMENTS, 15}, {MEASURE_INBOUND, 4},
        {MEASURE_REQUESTS, 20}, {MEASURE_SCHEDULED, 1}, {MEASURE_QUEUED, 2},
        {MEASURE_SENT, 3},      {MEASURE_DELIVERED, 5}, {MEASURE_FAILED, 6},
        {MEASURE_CANCELLED, 7},
    };

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        assert_figure(&s, counts[i].measure, FIGURE_COUNT, counts[i].value);
    assert_figure(&s, MEASURE_COST, FIGURE_MONEY, 123456);
    assert_figure(&s, MEASURE_AMOUNT, FIGURE_DECIMAL, 123456);
    s.requests = SUM_NOT_COUNTED;
    assert_figure(&s, MEASURE_REQUESTS, FIGURE_NONE, 0);
}

static void of_nothing_there_is_no_part(void **state)
{
    static const enum measure parts[] = {MEASURE_DELIVERY_RATE,   MEASURE_FAILURE_RATE,
                                         MEASURE_AVERAGE_SECONDS, MEASURE_P95_SECONDS,
                                         MEASURE_PER_MESSAGE,     MEASURE_PER_SEGMENT};
    struct sum s = {0};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_figure(&s, parts[i], FIGURE_NONE, 0);
    s.messages = s.statuses[STATUS_QUEUED] = 1; /* under way: in neither rate */
    assert_figure(&s, MEASURE_DELIVERY_RATE, FIGURE_NONE, 0);
    assert_figure(&s, MEASURE_PER_MESSAGE, FIGURE_DECIMAL, 0);
}

static void parts_are_rounded_to_the_nearest(void **state)
{
    struct sum s = {.messages = 3, .segments = 7, .cost_micros = 100, .delivery_ms = 1001};

    s.statuses[STATUS_DELIVERED] = 2;
    s.statuses[STATUS_FAILED] = 1;
    assert_figure(&s, MEASURE_DELIVERY_RATE, FIGURE_DECIMAL, 666700);
    assert_figure(&s, MEASURE_FAILURE_RATE, FIGURE_DECIMAL, 333300);
    assert_figure(&s, MEASURE_AVERAGE_SECONDS, FIGURE_DECIMAL, 501000); /* 500.5 ms */
    assert_figure(&s, MEASURE_PER_MESSAGE, FIGURE_DECIMAL, 33);
    assert_figure(&s, MEASURE_PER_SEGMENT, FIGURE_DECIMAL, 14);
    s.messages = 200; /* half of a millionth */
    assert_figure(&s, MEASURE_PER_MESSAGE, FIGURE_DECIMAL, 1);
    s.messages = 201;
    assert_figure(&s, MEASURE_PER_MESSAGE, FIGURE_DECIMAL, 0);
    s.messages = 1;
    s.cost_micros = INT64_MAX - 1;
    assert_figure(&s, MEASURE_PER_MESSAGE, FIGURE_DECIMAL, INT64_MAX - 1);
}

static void rollups_are_added_by_direction_and_kind(void **state)
{
    struct series_record sms = {.direction = DIRECTION_OUTBOUND, .kind = KIND_SMS};
    struct series_record mms = {.direction = DIRECTION_OUTBOUND, .kind = KIND_MMS};
    struct series_record inbound = {.direction = DIRECTION_INBOUND, .kind = KIND_SMS};
    struct rollup r = {.accepted = 5,
                       .segments = 6,
                       .cost_micros = 7,
                       .delivery_ms = 8,
                       .statuses = {[STATUS_DELIVERED] = 4, [STATUS_FAILED] = 1}};
    struct sum s = {0}, twice = {0};

    sum_add_rollup(&s, &sms, &r);
    sum_add_rollup(&s, &mms, &r);
    sum_add_rollup(&s, &mms, &r);
    sum_add_rollup(&s, &inbound, &r);
    sum_add(&twice, &s);
    sum_add(&twice, &s);
    assert_int_equal(twice.messages, 30);
    assert_int_equal(twice.sms, 10);
    assert_int_equal(twice.mms, 20);
    assert_int_equal(twice.inbound, 10);
    assert_int_equal(twice.segments, 36);
    assert_int_equal(twice.cost_micros, 42);
    assert_int_equal(twice.delivery_ms, 48);
    assert_int_equal(twice.statuses[STATUS_DELIVERED], 24);
    assert_int_equal(twice.statuses[STATUS_FAILED], 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_told_as_they_are),
        cmocka_unit_test(of_nothing_there_is_no_part),
        cmocka_unit_test(parts_are_rounded_to_the_nearest),
        cmocka_unit_test(rollups_are_added_by_direction_and_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
