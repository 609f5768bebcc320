#include "base/id.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const int64_t now_us = INT64_C(1790000000000000);

static unsigned slot_of(int64_t id)
{
    return (unsigned)(id >> 12) & 1023;
}

static void test_holds_time_and_slot(void **state)
{
    static const uint16_t slots[] = {0, 1, 513, 1023};

    for (size_t i = 0; i < 4; i++) {
        struct id_source s = {.slot = slots[i]};
        int64_t id = id_next(&s, now_us);
        assert_int_equal(id_time_ms(id), now_us / 1000);
        assert_int_equal(slot_of(id), slots[i]);
        assert_int_equal(id & 4095, 0);
        assert_int_equal(id_next(&s, now_us), id + 1);
        assert_int_equal(id_time_ms(id_next(&s, now_us + 1000)), now_us / 1000 + 1);
    }
}

static void test_the_lowest_number_of_a_time(void **state)
{
    struct id_source s = {.slot = 0};
    int64_t id = id_next(&s, now_us);

    assert_int_equal(id_at_ms(now_us / 1000), id);
    assert_int_equal(id_time_ms(id_at_ms(now_us / 1000) - 1), now_us / 1000 - 1);
    assert_int_equal(id_at_ms(0), 0);
    assert_int_equal(id_at_ms(INT64_MIN), 0);
    assert_true(id_at_ms(INT64_MAX) > id);
}

/* A clock that jumps about, and long stands that use up the sequence of a millisecond. */
static void test_never_goes_back(void **state)
{
    static const uint16_t slots[] = {0, 7, 1023};

    for (size_t i = 0; i < 3; i++) {
        struct id_source s = {.slot = slots[i]};
        int64_t before = 0, at_us = now_us;
        for (int n = 0; n < 100000; n++) {
            int64_t id = id_next(&s, at_us);
            assert_true(id > before);
            assert_int_equal(slot_of(id), slots[i]);
            before = id;
            if (n % 5000 == 0)
                at_us += (int64_t)(random_fast() % 20000000) - 10000000;
        }
    }
}

static void test_sequence_borrows_the_next_millisecond(void **state)
{
    struct id_source s = {.slot = 5};
    int64_t first = id_next(&s, now_us), id = first;

    for (int n = 1; n < 4096; n++)
        id = id_next(&s, now_us);
    assert_int_equal(id, first + 4095);
    id = id_next(&s, now_us);
    assert_int_equal(id_time_ms(id), now_us / 1000 + 1);
    assert_int_equal(id & 4095, 0);
    /* When the clock gets there, it goes on behind what was borrowed. */
    assert_int_equal(id_next(&s, now_us + 1000), id + 1);
}

/* A machine that starts without knowing the time. */
static void test_clock_before_the_epoch(void **state)
{
    struct id_source s = {.slot = 3};
    int64_t before = 0;

    for (int n = 0; n < 5000; n++) {
        int64_t id = id_next(&s, n * 1000);
        assert_true(id > before);
        assert_int_equal(slot_of(id), 3);
        before = id;
    }
    assert_int_equal(id_time_ms(id_next(&s, now_us)), now_us / 1000);
}

static struct id_cipher cipher_of(unsigned char first)
{
    struct id_cipher c;
    uint8_t secret[16] = {first, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

    id_cipher_init(&c, secret);
    return c;
}

static void check_round_trip(const struct id_cipher *c, int64_t id)
{
    char text[ID_DIGITS];
    int64_t back = -1;

    id_encode(c, id, text);
    assert_true(id_decode(c, (struct str){text, ID_DIGITS}, &back));
    assert_true(back == id);
}

static void test_cipher_round_trip(void **state)
{
    for (unsigned char key = 0; key < 8; key++) {
        struct id_cipher c = cipher_of(key);
        check_round_trip(&c, 0);
        check_round_trip(&c, 1);
        check_round_trip(&c, INT64_MAX);
        for (int i = 0; i < 20000; i++)
            check_round_trip(&c, (int64_t)(random_fast() >> 1));
    }
}

/* Neighbours look unlike each other, and another secret gives other names. */
static void test_names_tell_nothing(void **state)
{
    struct id_cipher one = cipher_of(1), other = cipher_of(2);
    unsigned same = 0;

    for (int64_t id = 1 << 20; id < (1 << 20) + 1000; id++) {
        char a[ID_DIGITS], b[ID_DIGITS], with_other[ID_DIGITS];
        id_encode(&one, id, a);
        id_encode(&one, id + 1, b);
        id_encode(&other, id, with_other);
        assert_memory_not_equal(a, with_other, ID_DIGITS);
        for (int i = 0; i < ID_DIGITS; i++)
            same += a[i] == b[i];
    }
    assert_true(same < 1000); /* by chance 1 in 62 of 11000, and the first digit more often */
}

static void check_refused(const struct id_cipher *c, struct str text)
{
    int64_t id = -7;

    assert_false(id_decode(c, text, &id));
    assert_int_equal(id, -7);
}

static void test_decode_refusals(void **state)
{
    struct id_cipher c = cipher_of(1);

    check_refused(&c, STR(""));
    check_refused(&c, STR("0123456789"));
    check_refused(&c, STR("012345678901"));
    check_refused(&c, STR("0123456789-"));
    check_refused(&c, STR("0123456789\0"));
    check_refused(&c, STR("0123 567890"));
    check_refused(&c, STR("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"));
    check_refused(&c, STR("zzzzzzzzzzz")); /* above 64 bits */
    check_refused(&c, STR("LygHa16AHYG")); /* 2^64, the first that is */
    /* Half of the permutation leads to negative numbers, which there are none of. */
    unsigned accepted = 0;
    for (int i = 0; i < 10000; i++) {
        char text[ID_DIGITS];
        int64_t id;
        id_encode(&c, (int64_t)random_fast(), text);
        accepted += id_decode(&c, (struct str){text, ID_DIGITS}, &id);
    }
    assert_in_range(accepted, 4000, 6000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holds_time_and_slot),
        cmocka_unit_test(test_the_lowest_number_of_a_time),
        cmocka_unit_test(test_never_goes_back),
        cmocka_unit_test(test_sequence_borrows_the_next_millisecond),
        cmocka_unit_test(test_clock_before_the_epoch),
        cmocka_unit_test(test_cipher_round_trip),
        cmocka_unit_test(test_names_tell_nothing),
        cmocka_unit_test(test_decode_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
