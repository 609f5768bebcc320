#include "mm7/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* The notes tell more than the class: what is to be tried again, and what was taken. */
static enum mm7_class class_of_fact(struct str word)
{
    if (str_is(word, "accepted") || str_is(word, "accepted-partial"))
        return MM7_CLASS_OK;
    return str_is(word, "temporary") ? MM7_CLASS_RETRY : MM7_CLASS_PERMANENT;
}

static void codes_are_those_of_the_facts(void **state)
{
    static char line[512];
    char path[512];
    unsigned rows = 0, ours = 0;

    snprintf(path, sizeof path, "%s/tests/data/mm7/status_codes.csv", getenv("SKYLARK_SOURCE"));
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f)); /* the headings */
    while (fgets(line, sizeof line, f)) {
        struct str rest = str_trim(str_of(line));
        unsigned code = (unsigned)strtoul(str_cut(&rest, ',').p, NULL, 10);
        struct str text = str_cut(&rest, ',');
        if (!mm7_status_text(code) || !str_is(text, mm7_status_text(code)))
            fail_msg("%u is not '%.*s'", code, STR_FMT(text));
        assert_int_equal(mm7_status_verdict(code).class, class_of_fact(str_cut(&rest, ',')));
        rows++;
    }
    fclose(f);
    for (unsigned code = 0; code < 10000; code++)
        ours += mm7_status_text(code) != NULL;
    assert_int_equal(rows, ours);
}

static void three_codes_are_tried_again(void **state)
{
    for (unsigned code = 0; code < 10000; code++)
        assert_int_equal(mm7_status_verdict(code).class == MM7_CLASS_RETRY,
                         code == 3000 || code == 4000 || code == 4006);
}

static void what_is_ok_has_no_fault(void **state)
{
    for (unsigned code = 0; code < 10000; code++) {
        struct mm7_verdict v = mm7_status_verdict(code);
        assert_int_equal(v.class == MM7_CLASS_OK, code / 1000 == 1);
        assert_int_equal(v.class == MM7_CLASS_OK, v.fail == MM7_FAIL_NONE);
    }
}

static void faults_are_told_apart(void **state)
{
    static const struct {
        unsigned code;
        enum mm7_fail fail;
    } rows[] = {
        {2001, MM7_FAIL_REFUSED}, {2002, MM7_FAIL_ADDRESS}, {2003, MM7_FAIL_ADDRESS},
        {2004, MM7_FAIL_CONTENT}, {2007, MM7_FAIL_CONTENT}, {3002, MM7_FAIL_REFUSED},
        {3003, MM7_FAIL_MANY},    {4001, MM7_FAIL_ACCOUNT}, {4005, MM7_FAIL_CARRIER},
        {2999, MM7_FAIL_REFUSED}, {4999, MM7_FAIL_CARRIER}, {0, MM7_FAIL_REFUSED},
        {6001, MM7_FAIL_REFUSED},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(mm7_status_verdict(rows[i].code).fail, rows[i].fail);
    assert_null(mm7_status_text(2999));
}

/* ---- MMStatus ---- */

static void words_are_read_as_they_are_written(void **state)
{
    for (int i = 0; i <= MM7_MM_STRANGE; i++)
        assert_int_equal(mm7_mm_status_of(str_of(mm7_mm_status_word((enum mm7_mm_status)i))), i);
}

static void words_have_other_forms(void **state)
{
    assert_int_equal(mm7_mm_status_of(STR("Unrecognized")), MM7_MM_UNRECOGNISED);
    assert_int_equal(mm7_mm_status_of(STR("Unrecognised")), MM7_MM_UNRECOGNISED);
    assert_int_equal(mm7_mm_status_of(STR("RETRIEVED")), MM7_MM_RETRIEVED);
    assert_int_equal(mm7_mm_status_of(STR("unreachable")), MM7_MM_UNREACHABLE);
    assert_int_equal(mm7_mm_status_of(STR("Retrieve")), MM7_MM_STRANGE);
    assert_int_equal(mm7_mm_status_of(STR("")), MM7_MM_STRANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_are_those_of_the_facts),
        cmocka_unit_test(three_codes_are_tried_again),
        cmocka_unit_test(what_is_ok_has_no_fault),
        cmocka_unit_test(faults_are_told_apart),
        cmocka_unit_test(words_are_read_as_they_are_written),
        cmocka_unit_test(words_have_other_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
