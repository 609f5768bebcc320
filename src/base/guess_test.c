#include "base/guess.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *guess_of(const char *given)
{
    struct guess g = {.given = given};

    guess_try(&g, "listen");
    guess_try(&g, "list");
    guess_try(&g, "max_connections");
    return g.best;
}

static void test_guess(void **state)
{
    assert_string_equal(guess_of("listen"), "listen");
    assert_string_equal(guess_of("lisen"), "listen");
    assert_string_equal(guess_of("lst"), "list");
    assert_string_equal(guess_of("maxconnection"), "max_connections");
    assert_null(guess_of("workers"));
    assert_null(guess_of(""));
    assert_null(guess_of("x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_guess)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
