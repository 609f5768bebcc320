#include "store/rollup.h"

#include "base/test_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct arena arena;

static int set_up(void **state)
{
    arena_init(&arena, 64 << 20);
    return 0;
}

static int tear_down(void **state)
{
    arena_done(&arena);
    return 0;
}

static void check_time(int64_t ms)
{
    unsigned slot = rollup_time_slot(ms);
    int64_t middle = rollup_slot_middle_ms(slot), off = llabs(middle - ms);

    assert_in_range(slot, 0, ROLLUP_TIME_SLOTS - 1);
    assert_true(rollup_slot_low_ms(slot) <= ms);
    if (slot + 1 < ROLLUP_TIME_SLOTS) {
        assert_true(ms < rollup_slot_low_ms(slot + 1));
        assert_true(off * 1000 <= ms * 63);
    }
}

static void test_slots(void **state)
{
    uint64_t seed = 1;

    for (int64_t ms = 0; ms < 100000; ms++)
        check_time(ms);
    for (int i = 0; i < 100000; i++) {
        uint64_t number = (uint64_t)test_random(&seed) << 32 | test_random(&seed);
        check_time((int64_t)(number >> (1 + test_random(&seed) % 63)));
    }
    for (unsigned slot = 0; slot < ROLLUP_TIME_SLOTS; slot++) {
        assert_int_equal(rollup_time_slot(rollup_slot_low_ms(slot)), slot);
        assert_int_equal(rollup_time_slot(rollup_slot_middle_ms(slot)), slot);
    }
    assert_true(rollup_slot_low_ms(ROLLUP_TIME_SLOTS - 1) > INT64_C(183) * 24 * 3600 * 1000);
    assert_int_equal(rollup_time_slot(INT64_MAX), ROLLUP_TIME_SLOTS - 1);
    assert_int_equal(rollup_time_slot(-5), 0);
}

static void test_times(void **state)
{
    assert_int_equal(rollup_time_ms(1000000, 1001999), 1);
    assert_int_equal(rollup_time_ms(1000000, 1000999), 0);
    assert_int_equal(rollup_time_ms(1000000, 5), 0);
}

static int64_t random_time(uint64_t *seed)
{
    return test_random(seed) >> (test_random(seed) % 32);
}

static void count_one(struct rollup *r, uint64_t *seed, int64_t ms)
{
    r->accepted++;
    r->statuses[1 + test_random(seed) % 7]++;
    r->segments += test_random(seed) % 5;
    r->cost_micros += test_random(seed);
    r->delivery_ms += ms;
    assert_true(rollup_slot_add(&r->times, rollup_time_slot(ms), 1, &arena));
    if (test_random(seed) % 3 == 0)
        assert_true(rollup_slot_add(&r->failures, 1 + test_random(seed) % 19, 1, &arena));
}

static void test_added_is_counted_together(void **state)
{
    for (uint64_t round = 1; round <= 200; round++) {
        struct rollup parts[4] = {0}, all = {0}, sum = {0};
        uint64_t seed = round;
        unsigned count = test_random(&seed) % 200;
        for (unsigned i = 0; i < count; i++) {
            int64_t ms = random_time(&seed);
            uint64_t again = seed;
            unsigned part = (unsigned)(round + i * i) % 4;
            count_one(&parts[part], &seed, ms);
            count_one(&all, &again, ms);
        }
        for (unsigned i = 0; i < 4; i++)
            assert_true(rollup_add(&sum, &parts[(i + round) % 4], &arena));
        assert_true(rollup_same(&sum, &all));
        arena_reset(&arena);
    }
}

static int by_number(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void test_quantiles(void **state)
{
    uint64_t seed = 7;

    for (size_t count = 1; count <= 300; count++) {
        struct rollup r = {0};
        int64_t times[300];
        for (size_t i = 0; i < count; i++) {
            times[i] = random_time(&seed);
            assert_true(rollup_slot_add(&r.times, rollup_time_slot(times[i]), 1, &arena));
        }
        qsort(times, count, sizeof *times, by_number);
        for (unsigned percent = 1; percent <= 100; percent += 3) {
            size_t rank = (count * percent + 99) / 100;
            assert_int_equal(rollup_quantile_ms(&r, percent),
                             rollup_slot_middle_ms(rollup_time_slot(times[rank - 1])));
        }
        assert_int_equal(rollup_timed(&r), count);
        arena_reset(&arena);
    }
    assert_int_equal(rollup_quantile_ms(&(struct rollup){0}, 95), -1);
}

static void test_same(void **state)
{
    struct rollup a = {.accepted = 1}, b = a;

    assert_true(rollup_slot_add(&a.times, 5, 2, &arena) && rollup_slot_add(&b.times, 5, 2, &arena));
    assert_true(rollup_same(&a, &b));
    a.times.at[0].count++;
    assert_false(rollup_same(&a, &b));
    a.times.at[0].count--;
    assert_true(rollup_slot_add(&a.failures, 3, 1, &arena));
    assert_false(rollup_same(&a, &b));
    b.failures = a.failures;
    a.statuses[STATUS_SENT]--;
    assert_false(rollup_same(&a, &b));
}

static void test_short_memory(void **state)
{
    struct rollup_slots slots = {0};
    struct arena none;

    arena_init(&none, 0);
    assert_false(rollup_slot_add(&slots, 1, 1, &none));
    assert_int_equal(slots.count, 0);
    arena_done(&none);
}

/* Every failure, so that a new one is thought of. */
static void test_free_messages(void **state)
{
    static const enum failure before[] = {
        FAILURE_INVALID_DESTINATION, FAILURE_RECIPIENT_OPTED_OUT,   FAILURE_NO_ROUTE,
        FAILURE_NO_SENDER,           FAILURE_VALIDITY_EXPIRED,      FAILURE_MEDIA_UNREACHABLE,
        FAILURE_MEDIA_TOO_LARGE,     FAILURE_UNSUPPORTED_MEDIA_TYPE};
    static const enum failure all[] = {
#define X(name, number, code, text) FAILURE_##name,
        FAILURES(X)
#undef X
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool free = false;
        for (size_t j = 0; j < sizeof before / sizeof *before; j++)
            free |= all[i] == before[j];
        assert_int_equal(message_is_free(STATUS_FAILED, all[i], 0), free);
        assert_false(message_is_free(STATUS_FAILED, all[i], 1));
    }
    assert_true(message_is_free(STATUS_CANCELLED, FAILURE_NONE, 0));
    assert_false(message_is_free(STATUS_DELIVERED, FAILURE_NONE, 1));
    assert_false(message_is_free(STATUS_QUEUED, FAILURE_NONE, 0));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_slots),         TEST(test_times), TEST(test_added_is_counted_together),
        TEST(test_quantiles),     TEST(test_same),  TEST(test_short_memory),
        TEST(test_free_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
