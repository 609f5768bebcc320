#include "messaging/problem.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void codes_are_the_names_in_small_letters(void **state)
{
    assert_string_equal(problem_entry(PROBLEM_INVALID_JSON)->code, "invalid_json");
    assert_string_equal(problem_entry(PROBLEM_INVALID_PHONE_NUMBER)->code, "invalid_phone_number");
    assert_string_equal(problem_entry(PROBLEM_QUEUE_FULL)->code, "queue_full");
}

static void every_row_is_complete(void **state)
{
    for (int code = PROBLEM_NONE + 1; code < PROBLEM_COUNT; code++) {
        const struct problem_entry *e = problem_entry((enum problem_code)code);
        assert_true(e->status == 400 || e->status == 401 || e->status == 403 || e->status == 404 ||
                    e->status == 429 || e->status == 500 || e->status == 503);
        assert_true(e->code[0] && e->cause[0] && e->fix[0] && e->example[0]);
        for (const char *c = e->code; *c; c++)
            assert_true(islower((unsigned char)*c) || *c == '_');
    }
}

static void set_fills_and_says_false(void **state)
{
    struct problem p = {.retry_after_s = 9};

    assert_false(problem_set(&p, PROBLEM_TEXT_REQUIRED, "text", "Write something."));
    assert_int_equal(p.code, PROBLEM_TEXT_REQUIRED);
    assert_string_equal(p.field, "text");
    assert_string_equal(p.message, "Write something.");
    assert_int_equal(p.retry_after_s, 0);
    assert_false(problem_set(&p, PROBLEM_INTERNAL_ERROR, NULL, NULL));
    assert_string_equal(p.message, problem_entry(PROBLEM_INTERNAL_ERROR)->cause);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_are_the_names_in_small_letters),
        cmocka_unit_test(every_row_is_complete),
        cmocka_unit_test(set_fills_and_says_false),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
