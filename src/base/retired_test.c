#include "base/retired.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static int released;

static void release(void *number)
{
    released += *(int *)number;
    free(number);
}

static int *number(int value)
{
    int *n = malloc(sizeof *n);

    assert_non_null(n);
    *n = value;
    return n;
}

static void they_go_when_their_time_is_over(void **state)
{
    struct retired *list = NULL;

    retire(&list, NULL, release, 1);
    assert_null(list);
    retire(&list, number(1), release, 10);
    retire(&list, number(2), release, 20);
    retire(&list, number(4), release, 15); /* clocks may go back */
    retired_free(&list, 10);
    assert_int_equal(released, 0);
    retired_free(&list, 16);
    assert_int_equal(released, 5);
    retired_free(&list, INT64_MAX);
    assert_int_equal(released, 7);
    assert_null(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(they_go_when_their_time_is_over)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
