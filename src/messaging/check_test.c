#include "messaging/check.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct arena arena;
static struct problem problem;

static int set_up(void **state)
{
    arena_init(&arena, 1 << 16);
    problem = (struct problem){0};
    return 0;
}

static int tear_down(void **state)
{
    arena_done(&arena);
    return 0;
}

static void a_number_is_named_with_its_field(void **state)
{
    assert_true(check_number(STR("+15551234567"), "from", &arena, &problem));
    assert_int_equal(problem.code, PROBLEM_NONE);
    assert_false(check_number(STR("0123"), "from", &arena, &problem));
    assert_int_equal(problem.code, PROBLEM_INVALID_PHONE_NUMBER);
    assert_string_equal(problem.field, "from");
    assert_non_null(strstr(problem.message, "'0123'"));
}

static void what_is_shown_of_it_is_short_and_printable(void **state)
{
    assert_false(check_number(STR("012345678901234567890123456789012345"), "to", &arena, &problem));
    assert_non_null(strstr(problem.message, "'01234567890123456789012345678901…'"));
    assert_false(check_number(STR("12\x1b[31m"), "to", &arena, &problem));
    assert_non_null(strstr(problem.message, "'12…'"));
    assert_false(check_number(STR("\xff"), "to", &arena, &problem));
    assert_non_null(strstr(problem.message, "'…'"));
}

static enum problem_code text_problem(struct str text, bool has_media)
{
    problem = (struct problem){0};
    bool good = check_text(text, has_media, &arena, &problem);
    assert_int_equal(good, problem.code == PROBLEM_NONE);
    assert_true(good || strcmp(problem.field, "text") == 0);
    return problem.code;
}

static void a_text_has_1_to_1600_characters(void **state)
{
    static char bytes[2 * TEXT_MAX_POINTS + 2];

    assert_int_equal(text_problem(STR("x"), false), PROBLEM_NONE);
    assert_int_equal(text_problem(STR(""), true), PROBLEM_NONE);
    assert_int_equal(text_problem((struct str){NULL, 0}, true), PROBLEM_NONE);
    assert_int_equal(text_problem(STR(""), false), PROBLEM_TEXT_REQUIRED);
    assert_int_equal(text_problem(STR("\xc3"), false), PROBLEM_INVALID_PARAMETER);
    assert_int_equal(text_problem((struct str){"a\0b", 3}, false), PROBLEM_INVALID_PARAMETER);
    for (size_t i = 0; i < sizeof bytes; i += 2)
        memcpy(bytes + i, "\xc3\xa9", 2);
    assert_int_equal(text_problem((struct str){bytes, sizeof bytes - 2}, false), PROBLEM_NONE);
    assert_int_equal(text_problem((struct str){bytes, sizeof bytes}, false), PROBLEM_TEXT_TOO_LONG);
    assert_non_null(strstr(problem.message, "1601"));
}

static void control_characters_are_seen(void **state)
{
    assert_false(check_has_control(STR("")));
    assert_false(check_has_control(STR("a b\xc3\xa9")));
    assert_true(check_has_control(STR("a\n")));
    assert_true(check_has_control(STR("\x7f")));
    assert_true(check_has_control(STR("a\xc2\x85")));
    assert_false(check_has_control(STR("\xc2\xa0")));
    assert_true(check_has_control((struct str){"a\0", 2}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_number_is_named_with_its_field, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_shown_of_it_is_short_and_printable, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_text_has_1_to_1600_characters, set_up, tear_down),
        cmocka_unit_test(control_characters_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
