#include "store/rollup_pack.h"

#include "base/test_random.h"
#include "store/rollup.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MANY = 1 << 16 };

static struct arena arena;

static int set_up(void **state)
{
    arena_init(&arena, 16 << 20);
    return 0;
}

static int tear_down(void **state)
{
    arena_done(&arena);
    return 0;
}

/* Of any size: numbers on disk may need all their bits. */
static int64_t some(uint64_t *seed)
{
    uint64_t number = (uint64_t)test_random(seed) << 32 | test_random(seed);
    return (int64_t)(number >> (test_random(seed) % 64));
}

static void fill(struct rollup_slots *s, unsigned limit, uint64_t *seed)
{
    for (unsigned i = test_random(seed) % 40; i > 0; i--)
        assert_true(rollup_slot_add(s, test_random(seed) % limit, 1 + some(seed) / 64, &arena));
}

static struct rollup random_rollup(uint64_t *seed)
{
    struct rollup r = {.accepted = some(seed), .segments = some(seed)};

    for (unsigned i = 0; i < STATUS_SLOTS; i++)
        r.statuses[i] = test_random(seed) % 2 ? some(seed) : 0;
    r.cost_micros = some(seed);
    r.delivery_ms = some(seed);
    fill(&r.failures, 20, seed);
    fill(&r.times, ROLLUP_TIME_SLOTS, seed);
    return r;
}

/* The same without the times, and on to the next as if they had been read. */
static void assert_counts(struct rollup_unpack u, const struct rollup *wanted)
{
    struct rollup read, without = *wanted;

    without.times = (struct rollup_slots){0};
    u.with_times = false;
    assert_int_equal(rollup_unpack_all(&u, &arena, &read), 0);
    assert_true(rollup_same(&read, &without));
    assert_false(u.damaged);
}

static void test_packed_is_unpacked(void **state)
{
    static uint8_t bytes[MANY], times[MANY];

    for (uint64_t round = 1; round <= 500; round++) {
        struct rollup wanted[ROLLUP_CHUNK] = {0}, read, statuses;
        uint64_t seed = round;
        uint16_t places = (uint16_t)test_random(&seed);
        uint8_t *to = bytes, *times_to = times;
        for (unsigned i = 0; i < ROLLUP_CHUNK; i++)
            if (places & 1u << i) {
                wanted[i] = random_rollup(&seed);
                uint8_t *end = rollup_pack(to, i, &wanted[i]);
                assert_true((size_t)(end - to) <= rollup_pack_room(&wanted[i]));
                to = end;
                end = rollup_pack_times(times_to, &wanted[i]);
                assert_true((size_t)(end - times_to) <= rollup_pack_times_room(&wanted[i]));
                times_to = end;
            }
        struct rollup_unpack u;
        rollup_unpack_begin(&u, bytes, (size_t)(to - bytes));
        rollup_unpack_times(&u, times, (size_t)(times_to - times));
        while (rollup_unpack_next(&u)) {
            struct rollup_unpack again = u;
            assert_int_equal(rollup_unpack_all(&u, &arena, &read), 0);
            assert_true(rollup_same(&read, &wanted[u.place]));
            assert_counts(again, &wanted[u.place]);
            assert_true(rollup_unpack_statuses(&again, &statuses));
            assert_int_equal(statuses.accepted, read.accepted);
            assert_memory_equal(statuses.statuses, read.statuses, sizeof read.statuses);
            places = (uint16_t)(places & ~(1u << u.place));
        }
        assert_false(u.damaged);
        assert_int_equal(places, 0);
        arena_reset(&arena);
    }
}

/* The counts first, and the times from `middle` on. */
static bool is_whole(const uint8_t *bytes, size_t middle, size_t n)
{
    struct rollup_unpack u;
    struct rollup r;
    int failed = 0;

    rollup_unpack_begin(&u, bytes, middle);
    rollup_unpack_times(&u, bytes + middle, n - middle);
    while (!failed && rollup_unpack_next(&u))
        failed = rollup_unpack_all(&u, &arena, &r);
    assert_true(failed == 0 || failed == -EBADMSG);
    assert_true(!failed || u.damaged || failed == -EBADMSG);
    return !failed && !u.damaged;
}

/* Each in memory of its own size, so that the sanitizers see a step too far. */
static void test_damage_is_told(void **state)
{
    static uint8_t bytes[MANY];

    for (uint64_t round = 1; round <= 40; round++) {
        uint64_t seed = round;
        struct rollup r = random_rollup(&seed);
        uint8_t *times = rollup_pack(bytes, 3, &r);
        size_t middle = (size_t)(times - bytes);
        size_t n = (size_t)(rollup_pack_times(times, &r) - bytes);
        assert_true(is_whole(bytes, middle, n));
        for (size_t cut = 1; cut < n; cut++) {
            uint8_t *copy = malloc(cut);
            assert_non_null(copy);
            memcpy(copy, bytes, cut);
            assert_false(is_whole(copy, cut < middle ? cut : middle, cut));
            free(copy);
        }
        uint8_t *copy = malloc(n);
        assert_non_null(copy);
        for (size_t i = 0; i < 8 * n; i++) {
            memcpy(copy, bytes, n);
            copy[i / 8] ^= (uint8_t)(1 << i % 8);
            is_whole(copy, middle, n); /* may make another sense, and goes not too far */
        }
        free(copy);
        arena_reset(&arena);
    }
}

static void test_nonsense_is_told(void **state)
{
    static const struct {
        size_t middle, n;
        uint8_t bytes[16];
    } cases[] = {
        {2, 2, {ROLLUP_CHUNK, 0}},                             /* no such place */
        {2, 2, {0, 0}},                                        /* nothing in it */
        {2, 2, {0, 1}},                                        /* longer than it is */
        {8, 9, {0, 6, 1, 0, 0, 0, 0, 0, 0}},                   /* whole; a byte too many below */
        {9, 10, {0, 7, 1, 0, 0, 0, 0, 0, 0, 0}},               /* among the counts */
        {8, 10, {0, 6, 1, 0, 0, 0, 0, 0, 0, 0}},               /* behind the times */
        {8, 8, {0, 6, 1, 0, 0, 0, 0, 0}},                      /* no times */
        {9, 10, {0, 7, 1, 0, 0, 0, 0, 1, 200, 0}},             /* a failure without a count */
        {12, 13, {0, 10, 1, 0, 0, 0, 0, 2, 3, 1, 0, 1, 0}},    /* the same failure twice */
        {9, 10, {0, 7, 1, 128, 2, 0, 0, 0, 0, 0}},             /* a status above all */
        {8, 10, {0, 6, 1, 0, 0, 0, 0, 0, 1, 0}},               /* a run of no length */
        {8, 11, {0, 6, 1, 0, 0, 0, 0, 0, 2, 0, 0}},            /* of none */
        {8, 13, {0, 6, 1, 0, 0, 0, 0, 0, 4, 0, 128, 2, 1}},    /* a slot above all */
        {8, 14, {0, 6, 1, 0, 0, 0, 0, 0, 5, 0, 255, 1, 1, 1}}, /* the last slot, and one more */
        {8, 10, {0, 6, 1, 0, 0, 0, 0, 0, 1, 128}},             /* half of a count */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(is_whole(cases[i].bytes, cases[i].middle, cases[i].n), i == 3);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_packed_is_unpacked),
        TEST(test_damage_is_told),
        TEST(test_nonsense_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
