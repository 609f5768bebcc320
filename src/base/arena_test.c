#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_zeroed_and_aligned(void **state)
{
    struct arena a;

    arena_init(&a, 1 << 20);
    for (size_t n = 1; n < 300; n++) {
        memset(arena_bytes(&a, n), 0xff, n); /* puts the next one off its alignment */
        unsigned char *p = arena_alloc(&a, n);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xee, n);
    }
    arena_done(&a);
}

/* Pieces taken earlier stay as they are when the arena grows. */
static void test_pieces_stay(void **state)
{
    struct arena a;
    char *pieces[500];

    arena_init(&a, 4 << 20);
    for (size_t i = 0; i < 500; i++) {
        pieces[i] = arena_bytes(&a, i * 7 + 1);
        assert_non_null(pieces[i]);
        memset(pieces[i], (int)(i % 251), i * 7 + 1);
    }
    for (size_t i = 0; i < 500; i++)
        for (size_t j = 0; j < i * 7 + 1; j++)
            assert_int_equal((unsigned char)pieces[i][j], i % 251);
    arena_done(&a);
}

static void test_ceiling(void **state)
{
    struct arena a;
    size_t taken = 0;

    arena_init(&a, 100000);
    assert_null(arena_alloc(&a, 100001));
    assert_true(a.failed && a.full);
    assert_null(arena_alloc(&a, SIZE_MAX));
    assert_null(arena_bytes(&a, SIZE_MAX - 64));
    assert_non_null(arena_alloc(&a, 100));
    while (arena_bytes(&a, 1000))
        taken += 1000;
    assert_in_range(taken, 50000, 100000);
    assert_true(a.total <= a.max);
    assert_null(arena_copy(&a, (struct str){"", 99999}).p);
    assert_null(arena_printf(&a, "%2000d", 1));
    /* After a reset there is room again, and again. */
    for (int round = 0; round < 100; round++) {
        arena_reset(&a);
        assert_false(a.failed || a.full);
        assert_true(a.total <= a.max);
        assert_non_null(arena_bytes(&a, 50000));
    }
    arena_done(&a);
}

static void test_what_is_spared(void **state)
{
    struct arena a;

    arena_init(&a, 10000);
    assert_true(arena_spares(&a, 10000));
    assert_false(arena_spares(&a, 10001));
    assert_non_null(arena_bytes(&a, 100)); /* the chunk has room for more than that */
    assert_true(arena_spares(&a, a.size - a.used));
    assert_true(arena_spares(&a, a.max - a.total));
    assert_false(arena_spares(&a, a.max));
    assert_null(arena_bytes(&a, 20000));
    assert_false(arena_spares(&a, 0)); /* something is missing already */
    arena_reset(&a);
    assert_true(arena_spares(&a, 0));
    arena_done(&a);
}

static void test_reset_keeps_the_first_chunk(void **state)
{
    struct arena a;

    arena_init(&a, 1 << 20);
    char *first = arena_bytes(&a, 10);
    assert_non_null(arena_bytes(&a, 100000));
    arena_reset(&a);
    assert_ptr_equal(arena_bytes(&a, 10), first);
    assert_true(a.total < 5000);
    arena_done(&a);
    assert_null(a.chunks);
    assert_int_equal(a.total, 0);
    assert_non_null(arena_bytes(&a, 10)); /* and may be used again */
    arena_done(&a);
    arena_reset(&a);
    assert_null(a.chunks);
}

static void test_texts(void **state)
{
    struct arena a;

    arena_init(&a, 1 << 16);
    struct str copy = arena_copy(&a, STR("a\0b"));
    assert_true(str_eq(copy, STR("a\0b")));
    assert_int_equal(copy.p[3], '\0');
    copy = arena_copy(&a, (struct str){NULL, 0});
    assert_string_equal(copy.p, "");
    assert_string_equal(arena_printf(&a, "%s=%d", "x", 5), "x=5");
    assert_int_equal(strlen(arena_printf(&a, "%9000d", 1)), 9000);
    arena_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zeroed_and_aligned),
        cmocka_unit_test(test_pieces_stay),
        cmocka_unit_test(test_ceiling),
        cmocka_unit_test(test_what_is_spared),
        cmocka_unit_test(test_reset_keeps_the_first_chunk),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
