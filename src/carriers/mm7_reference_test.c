#include "carriers/mm7_reference.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_as_it_is(void **state)
{
    char room[REFERENCE_MAX], longest[REFERENCE_MAX];
    struct str most = {longest, sizeof longest};

    memset(longest, 'x', sizeof longest);
    assert_true(
        str_is(mm7_reference(STR(" 4-qf2080.3.x531.21@mmsc\n"), room), "4-qf2080.3.x531.21@mmsc"));
    assert_true(str_eq(mm7_reference(most, room), most));
    assert_int_equal(mm7_reference(STR("  "), room).n, 0);
}

/* Different ids stay different, the same one stays the same. */
static void test_too_long(void **state)
{
    char room[2][REFERENCE_MAX], id[REFERENCE_MAX + 3];
    struct str whole = {id + 1, REFERENCE_MAX + 1}, blanks = {id, sizeof id};

    memset(id, 'x', sizeof id);
    id[0] = id[sizeof id - 1] = ' ';
    struct str one = mm7_reference(whole, room[0]);
    assert_int_equal(one.n, 64);
    assert_true(str_eq(mm7_reference(blanks, room[1]), one));
    id[REFERENCE_MAX + 1] = 'y';
    assert_false(str_eq(mm7_reference(whole, room[1]), one));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_it_is),
        cmocka_unit_test(test_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
