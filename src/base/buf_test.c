#include "base/buf.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_builds(void **state)
{
    struct buf b BUF_CLEANUP;

    buf_init(&b, 1000);
    assert_int_equal(buf_str(&b).n, 0);
    buf_text(&b, "a");
    buf_add_char(&b, '\0');
    buf_add(&b, STR("bc"));
    buf_add(&b, (struct str){NULL, 0});
    buf_printf(&b, "-%03d", 7);
    assert_true(str_eq(buf_str(&b), STR("a\0bc-007")));
    assert_false(b.failed);
}

static void test_ceiling_is_exact_and_sticky(void **state)
{
    struct buf b BUF_CLEANUP;

    buf_init(&b, 1000);
    for (int i = 0; i < 1000; i++)
        buf_add_char(&b, 'x');
    assert_false(b.failed);
    assert_int_equal(b.n, 1000);
    buf_add_char(&b, 'x');
    assert_true(b.failed && b.full);
    assert_int_equal(b.n, 1000);
    b.n = 0;
    buf_text(&b, "room, but it failed before");
    assert_int_equal(b.n, 0);
    assert_null(buf_reserve(&b, 1));
    buf_clear(&b);
    buf_text(&b, "new");
    assert_false(b.failed || b.full);
    assert_true(str_is(buf_str(&b), "new"));
    assert_true(b.size <= 1000);
}

/* Sizes so large that counting with them runs over. */
static void test_absurd_sizes(void **state)
{
    static const size_t sizes[] = {SIZE_MAX,         SIZE_MAX - 1,     SIZE_MAX - 300,
                                   SIZE_MAX / 2 + 1, SIZE_MAX / 2 + 2, (size_t)1 << 62};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct buf b BUF_CLEANUP;
        buf_init(&b, 4096);
        buf_text(&b, "abc");
        assert_null(buf_reserve(&b, sizes[i]));
        assert_true(b.failed);
        assert_int_equal(b.n, 3);
    }
}

static void test_reserve(void **state)
{
    struct buf b BUF_CLEANUP;

    buf_init(&b, 1 << 20);
    for (size_t n = 1; n < 5000; n += 37) {
        char *room = buf_reserve(&b, n);
        assert_non_null(room);
        assert_ptr_equal(room, b.p + b.n);
        assert_true(b.size - b.n >= n);
        memset(room, 'x', n);
        b.n += n / 2;
    }
    buf_done(&b);
    assert_null(b.p);
    buf_text(&b, "again");
    assert_true(str_is(buf_str(&b), "again"));
}

static void test_shrink(void **state)
{
    struct buf b BUF_CLEANUP;

    buf_init(&b, 1 << 20);
    buf_shrink(&b, 100); /* nothing yet */
    assert_int_equal(b.size, 0);
    assert_non_null(buf_reserve(&b, 50000));
    buf_text(&b, "kept");
    buf_shrink(&b, 100);
    assert_int_equal(b.size, 100);
    buf_shrink(&b, 200);
    assert_int_equal(b.size, 100);
    buf_shrink(&b, 0);
    assert_int_equal(b.size, 4);
    assert_true(str_is(buf_str(&b), "kept"));
}

static void test_numbers(void **state)
{
    static const int64_t values[] = {
        0, 1, -1, 9, 10, -10, 999, 1000, INT32_MAX, INT64_MAX, INT64_MIN + 1, INT64_MIN};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct buf b BUF_CLEANUP;
        char expected[32];
        buf_init(&b, 64);
        buf_add_i64(&b, values[i]);
        snprintf(expected, sizeof expected, "%" PRId64, values[i]);
        assert_true(str_is(buf_str(&b), expected));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builds),       cmocka_unit_test(test_ceiling_is_exact_and_sticky),
        cmocka_unit_test(test_absurd_sizes), cmocka_unit_test(test_reserve),
        cmocka_unit_test(test_shrink),       cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
