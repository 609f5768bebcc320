#include "store/pulse_pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct pulse_counts counts, read_back;
static uint8_t bytes[PULSE_PACK_SIZE];

static void assert_comes_back(void)
{
    size_t n = pulse_pack(&counts, bytes);

    assert_true(n <= sizeof bytes);
    assert_true(pulse_unpack(&read_back, bytes, n));
    assert_memory_equal(read_back.at, counts.at, sizeof counts.at);
}

static void test_what_went_in_comes_out(void **state)
{
    memset(&counts, 0, sizeof counts);
    assert_comes_back();
    pulse_add(&counts, 0, PULSE_QUEUED, 1);
    pulse_add(&counts, 59, PULSE_hook_failures, 127);
    pulse_add(&counts, 59, PULSE_accepted, 128);
    pulse_add(&counts, 30, PULSE_delivered, UINT32_MAX);
    assert_comes_back();
    assert_int_equal(read_back.at[30][PULSE_delivered], UINT32_MAX);

    srand(1);
    for (int i = 0; i < 1000; i++) {
        memset(&counts, 0, sizeof counts);
        for (int n = rand() % 200; n > 0; n--)
            pulse_add(&counts, (unsigned)rand() % PULSE_SECONDS,
                      (enum pulse_slot)((unsigned)rand() % PULSE_SLOTS), rand() >> rand() % 31);
        assert_comes_back();
    }
}

/* A minute with all that it may have has room; a usual one takes little. */
static void test_room(void **state)
{
    for (unsigned second = 0; second < PULSE_SECONDS; second++)
        for (unsigned slot = 0; slot < PULSE_SLOTS; slot++)
            pulse_add(&counts, second, (enum pulse_slot)slot, UINT32_MAX);
    assert_int_equal(pulse_pack(&counts, bytes), PULSE_PACK_SIZE);
    assert_comes_back();

    memset(&counts, 0, sizeof counts);
    pulse_add(&counts, 17, PULSE_accepted, 100);
    pulse_add(&counts, 17, PULSE_sent, 100);
    pulse_add(&counts, 18, PULSE_delivered, 100);
    assert_int_equal(pulse_pack(&counts, bytes), 4 + 3);
}

/* Counts that came to nothing take no room, and are not told as if something had happened. */
static void test_nothing_is_left_of_nothing(void **state)
{
    memset(&counts, 0, sizeof counts);
    assert_int_equal(pulse_add(&counts, 5, PULSE_QUEUED, 2), 2);
    assert_int_equal(pulse_queued(&counts), 2);
    assert_int_equal(pulse_add(&counts, 5, PULSE_QUEUED, -2), -2);
    assert_int_equal(pulse_add(&counts, 5, PULSE_QUEUED, -1), 0);
    assert_int_equal(pulse_queued(&counts), 0);
    assert_int_equal(pulse_pack(&counts, bytes), 0);
    assert_int_equal(pulse_add(&counts, 5, PULSE_sent, UINT32_MAX), UINT32_MAX);
    assert_int_equal(pulse_add(&counts, 5, PULSE_sent, 1), 0);
}

static void test_telling(void **state)
{
    struct pulse_minute m;

    memset(&counts, 0, sizeof counts);
    pulse_add(&counts, 3, PULSE_QUEUED, 9);
#define X(member) pulse_add(&counts, 3, PULSE_##member, PULSE_##member);
    PULSE_COUNTS(X)
#undef X
    pulse_tell(&counts, 77, &m);
    assert_int_equal(m.minute, 77);
    for (unsigned second = 0; second < PULSE_SECONDS; second++) {
#define X(member)                                                                                  \
    assert_int_equal(m.seconds[second].member, second == 3 ? (int64_t)PULSE_##member : 0);
        PULSE_COUNTS(X)
#undef X
    }
}

static void assert_damaged(const char *text, size_t n)
{
    memset(&read_back, 1, sizeof read_back);
    assert_false(pulse_unpack(&read_back, (const uint8_t *)text, n));
    assert_int_equal(read_back.seconds, 0);
    assert_int_equal(read_back.at[1][1], 0);
}

#define DAMAGED(text) assert_damaged(text, sizeof text - 1)

static void test_damaged_packs(void **state)
{
    DAMAGED("\x3c\x01\x01");                 /* no such second */
    DAMAGED("\x05\x01\x01\x05\x01\x01");     /* twice */
    DAMAGED("\x05\x01\x01\x04\x01\x01");     /* backwards */
    DAMAGED("\x05\x00");                     /* nothing in it */
    DAMAGED("\x05");                         /* cut off */
    DAMAGED("\x05\x03\x01");                 /* cut off */
    DAMAGED("\x05\x01\x80");                 /* cut off */
    DAMAGED("\x05\x01\x00");                 /* a count of nothing */
    DAMAGED("\x05\x01\x80\x80\x80\x80\x10"); /* too great */
    assert_true(pulse_unpack(&read_back, (const uint8_t *)"\x05\x01\x7f", 3));
    assert_int_equal(read_back.at[5][PULSE_QUEUED], 0x7f);
}

/* Whatever is turned over, reading ends inside the bytes (the sanitizers see), and what it takes
 * for a pack can be packed. */
static void test_any_bytes(void **state)
{
    uint8_t noise[64];
    unsigned whole = 0;

    srand(2);
    for (int i = 0; i < 100000; i++) {
        size_t n = (size_t)rand() % sizeof noise;
        for (size_t at = 0; at < n; at++)
            noise[at] = (uint8_t)(rand() % 4 ? rand() % 16 : rand());
        if (!pulse_unpack(&read_back, noise, n))
            continue;
        whole++;
        counts = read_back;
        assert_comes_back();
    }
    assert_true(whole > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_went_in_comes_out),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_nothing_is_left_of_nothing),
        cmocka_unit_test(test_telling),
        cmocka_unit_test(test_damaged_packs),
        cmocka_unit_test(test_any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
