#include "cli/csv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct arena memory;
static struct csv csv;
static struct csv_record record;
static const char *why;

static int setup(void **state)
{
    arena_init(&memory, 1 << 20);
    return 0;
}

static int teardown(void **state)
{
    arena_done(&memory);
    return 0;
}

static void begin(const char *text)
{
    why = NULL;
    csv_init(&csv, str_of(text), &memory);
}

/* The next record has these fields and begins on this line. */
static void expect(unsigned line, const char *const *fields)
{
    size_t count = 0;

    assert_int_equal(csv_next(&csv, &record, &why), 1);
    assert_int_equal(record.line, line);
    for (; fields[count]; count++) {
        assert_true(count < record.count);
        assert_int_equal(record.fields[count].n, strlen(fields[count]));
        assert_memory_equal(record.fields[count].p, fields[count], record.fields[count].n);
    }
    assert_int_equal(record.count, count);
}
#define EXPECT(line, ...) expect(line, (const char *const[]){__VA_ARGS__, NULL})

static void expect_end(void)
{
    assert_int_equal(csv_next(&csv, &record, &why), 0);
}

static void plain_records(void **state)
{
    begin("a,b,c\n1,,3\n");
    EXPECT(1, "a", "b", "c");
    EXPECT(2, "1", "", "3");
    expect_end();
    begin("a,b\r\n1,2");
    EXPECT(1, "a", "b");
    EXPECT(2, "1", "2");
    expect_end();
    begin("a,b\n1,\n,2\n");
    EXPECT(1, "a", "b");
    EXPECT(2, "1", "");
    EXPECT(3, "", "2");
    expect_end();
}

static void empty_lines_are_passed_over(void **state)
{
    begin("\n\r\na,b\n\n\n1,2\n\n");
    EXPECT(3, "a", "b");
    EXPECT(6, "1", "2");
    expect_end();
    begin("");
    expect_end();
    begin("\r\n\n");
    expect_end();
}

static void separator_is_the_commonest_of_the_first_line(void **state)
{
    begin("\xef\xbb\xbfprefix;price\n44;0,045\n");
    EXPECT(1, "prefix", "price");
    EXPECT(2, "44", "0,045");
    begin("a\tb\n1\t2,3\n");
    EXPECT(1, "a", "b");
    EXPECT(2, "1", "2,3");
    begin("alone\n1\n");
    EXPECT(1, "alone");
    EXPECT(2, "1");
}

static void quotes_hold_anything(void **state)
{
    begin("\"a\",\"b,c\",\"say \"\"hi\"\"\"\n\"two\nlines\r\n\",x,\"\"\nlast,\"\"\"\",z\n");
    EXPECT(1, "a", "b,c", "say \"hi\"");
    EXPECT(2, "two\nlines\r\n", "x", "");
    EXPECT(5, "last", "\"", "z");
    expect_end();
    begin("a,5\" disk\n");
    EXPECT(1, "a", "5\" disk");
}

static void faults_have_a_line(void **state)
{
    begin("a,b\n1,\"open\n2,3\n");
    EXPECT(1, "a", "b");
    assert_int_equal(csv_next(&csv, &record, &why), -EBADMSG);
    assert_int_equal(record.line, 2);
    assert_string_equal(why, "a quote begins here and does not end");
    begin("a,b\n\"1\"x,2\n");
    EXPECT(1, "a", "b");
    assert_int_equal(csv_next(&csv, &record, &why), -EBADMSG);
    assert_int_equal(record.line, 2);
    assert_string_equal(why, "something stands behind the closing quote of a field");
    begin(",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,");
    assert_int_equal(csv_next(&csv, &record, &why), -EBADMSG);
    assert_string_equal(why, "the line has more than 64 fields");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plain_records, setup, teardown),
        cmocka_unit_test_setup_teardown(empty_lines_are_passed_over, setup, teardown),
        cmocka_unit_test_setup_teardown(separator_is_the_commonest_of_the_first_line, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(quotes_hold_anything, setup, teardown),
        cmocka_unit_test_setup_teardown(faults_have_a_line, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
