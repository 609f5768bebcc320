#include "base/random.h"

#include "base/id.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_secret(void **state)
{
    unsigned char a[300], b[300];
    unsigned zeros = 0;

    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    random_secret(a, sizeof a);
    random_secret(b, sizeof b - 1);
    assert_memory_not_equal(a, b, 16);
    assert_int_equal(b[299], 0); /* not one byte more than asked for */
    for (size_t i = 0; i < sizeof a; i++)
        zeros += a[i] == 0;
    assert_true(zeros < 30);
    random_secret(a, 0);
}

static void test_base62(void **state)
{
    enum { LETTERS = 62000 };
    static char out[LETTERS + 2];
    unsigned counts[256] = {0};

    out[LETTERS + 1] = 'x';
    random_base62(out, LETTERS);
    assert_int_equal(out[LETTERS], '\0');
    assert_int_equal(out[LETTERS + 1], 'x');
    for (size_t i = 0; i < LETTERS; i++)
        counts[(unsigned char)out[i]]++;
    /* 1000 each; seven standard deviations to either side. */
    for (size_t i = 0; i < 62; i++)
        assert_in_range(counts[(unsigned char)base62_digits[i]], 780, 1220);
    random_base62(out, 0);
    assert_int_equal(out[0], '\0');
}

static void *draw(void *into)
{
    *(uint64_t *)into = random_fast();
    return NULL;
}

static void test_fast_streams_differ(void **state)
{
    uint64_t numbers[8];
    pthread_t threads[8];

    for (size_t i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, draw, &numbers[i]), 0);
    for (size_t i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < 8; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(numbers[i] != numbers[j]);
}

static void test_fast_uses_all_bits(void **state)
{
    unsigned set[64] = {0};

    for (int n = 0; n < 10000; n++) {
        uint64_t number = random_fast();
        for (int bit = 0; bit < 64; bit++)
            set[bit] += number >> bit & 1;
    }
    for (int bit = 0; bit < 64; bit++)
        assert_in_range(set[bit], 4600, 5400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_secret),
        cmocka_unit_test(test_base62),
        cmocka_unit_test(test_fast_streams_differ),
        cmocka_unit_test(test_fast_uses_all_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
