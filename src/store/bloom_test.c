#include "store/bloom.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { KEYS = 100000 };

static uint64_t spread(uint64_t i)
{
    return i * 6364136223846793005u + 1442695040888963407u;
}

/* Keys may be hashes, or plain numbers. */
static void fill_and_ask(uint64_t (*key_of)(uint64_t i))
{
    struct bloom b;
    unsigned mistaken = 0;

    assert_int_equal(bloom_init(&b, KEYS), 0);
    assert_false(bloom_may_have(&b, key_of(0)));
    for (uint64_t i = 0; i < KEYS; i++)
        bloom_add(&b, key_of(i));
    for (uint64_t i = 0; i < KEYS; i++)
        assert_true(bloom_may_have(&b, key_of(i)));
    for (uint64_t i = KEYS; i < 2 * KEYS; i++)
        mistaken += bloom_may_have(&b, key_of(i));
    assert_true(mistaken < KEYS / 100);
    bloom_done(&b);
}

static uint64_t plain(uint64_t i)
{
    return i;
}

static void test_hashes(void **state)
{
    fill_and_ask(spread);
}

static void test_plain_numbers(void **state)
{
    fill_and_ask(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_plain_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
