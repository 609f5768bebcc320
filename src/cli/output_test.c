#include "cli/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct column columns[] = {
    {.title = "ID", .name = "id"},
    {.title = "TEXT", .name = "text", .widest = 6},
    {.name = "count", .bare = true},
    {.title = "END"},
};

static void fill(struct table *t)
{
    static const char *const cells[2][4] = {{"a", "short", "1", "x"},
                                            {"bcd", "größer, \"1\"", NULL, "y"}};

    table_init(t, columns, 4);
    for (size_t i = 0; i < 2; i++)
        memcpy(table_add(t), cells[i], sizeof cells[i]);
}

static void check(enum output_format format, bool one, const char *want)
{
    struct table t TABLE_CLEANUP;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    fill(&t);
    if (one)
        t.count = 1;
    (one ? table_print_one : table_print)(&t, format, out);
    fclose(out);
    assert_string_equal(text, want);
    free(text);
}

static void test_table(void **state)
{
    check(OUTPUT_TABLE, false,
          "ID   TEXT    END\n"
          "a    short   x\n"
          "bcd  größe…  y\n");
    check(OUTPUT_TABLE, true, "ID    a\nTEXT  short\nEND   x\n");
}

static void test_right_edge(void **state)
{
    static const struct column figures[] = {
        {.title = "DAY"}, {.title = "COUNT", .right = true}, {.title = "N", .right = true}};
    static const char *const cells[3][3] = {{"a", "1", "1234"}, {"b", NULL, "5"}, {"c", "123456"}};
    struct table t TABLE_CLEANUP;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    table_init(&t, figures, 3);
    for (size_t i = 0; i < 3; i++)
        memcpy(table_add(&t), cells[i], sizeof cells[i]);
    table_print(&t, OUTPUT_TABLE, out);
    fclose(out);
    assert_string_equal(text, "DAY   COUNT     N\n"
                              "a         1  1234\n"
                              "b               5\n"
                              "c    123456\n");
    free(text);
}

static void test_terminal(void **state)
{
    FILE *out = fopen("/dev/null", "w");

    setenv("COLUMNS", "132", 1);
    assert_int_equal(output_width(out), 132);
    setenv("COLUMNS", "none", 1);
    assert_int_equal(output_width(out), 80);
    unsetenv("COLUMNS");
    assert_int_equal(output_width(out), 80);
    fclose(out);
    setenv("LANG", "en_US.UTF-8", 1);
    unsetenv("LC_ALL");
    unsetenv("LC_CTYPE");
    assert_true(output_is_utf8());
    setenv("LC_CTYPE", "de_DE.utf8", 1);
    assert_true(output_is_utf8());
    setenv("LC_ALL", "C", 1);
    assert_false(output_is_utf8());
}

static void test_empty_cells(void **state)
{
    struct table t TABLE_CLEANUP;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    fill(&t);
    t.cells[1] = t.cells[5] = ""; /* a whole column */
    t.cells[3] = NULL;            /* the end of the first row */
    table_print(&t, OUTPUT_TABLE, out);
    fclose(out);
    assert_string_equal(text, "ID   END\na\nbcd  y\n");
    free(text);
}

static void test_json(void **state)
{
    check(OUTPUT_JSON, false,
          "[{\"id\":\"a\",\"text\":\"short\",\"count\":1},"
          "{\"id\":\"bcd\",\"text\":\"größer, \\\"1\\\"\",\"count\":null}]\n");
    check(OUTPUT_JSON, true, "{\"id\":\"a\",\"text\":\"short\",\"count\":1}\n");
    check(OUTPUT_JSONL, false,
          "{\"id\":\"a\",\"text\":\"short\",\"count\":1}\n"
          "{\"id\":\"bcd\",\"text\":\"größer, \\\"1\\\"\",\"count\":null}\n");
}

static void test_csv(void **state)
{
    check(OUTPUT_CSV, false, "id,text,count\na,short,1\nbcd,\"größer, \"\"1\"\"\",\n");
}

/* A message's text must not steer the terminal of whoever lists it. */
static void test_no_control_characters(void **state)
{
    struct table t TABLE_CLEANUP;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    table_init(&t, columns, 4);
    const char **row = table_add(&t);
    row[0] = "a\033[31m\n\x7f\xc2\x9b"
             "b\xc2\xa0";
    table_print(&t, OUTPUT_TABLE, out);
    fclose(out);
    assert_non_null(strstr(text, "a [31m   b\xc2\xa0"));
    free(text);
}

static void test_formats(void **state)
{
    enum output_format format;

    assert_true(output_format_parse(NULL, &format));
    assert_int_equal(format, OUTPUT_TABLE);
    assert_true(output_format_parse("jsonl", &format));
    assert_int_equal(format, OUTPUT_JSONL);
    assert_false(output_format_parse("xml", &format));
}

static void test_time(void **state)
{
    char out[24];

    output_time(STR("2026-11-15T01:02:03.004Z"), out);
    assert_string_equal(out, "2026-11-15 01:02:03");
    output_time((struct str){NULL, 0}, out);
    assert_string_equal(out, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_right_edge),
        cmocka_unit_test(test_terminal),
        cmocka_unit_test(test_empty_cells),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_no_control_characters),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
