#include "api/accept.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* `lines`: the header lines, each with its end. */
static bool rather(const char *lines, const char *type)
{
    char text[1024];
    struct http_head head;

    snprintf(text, sizeof text, "GET / HTTP/1.1\r\nHost: x\r\n%s\r\n", lines);
    assert_null(http_head_parse(str_of(text), &head));
    return accepts_rather(&head, type);
}

static bool csv(const char *value)
{
    char line[512];

    snprintf(line, sizeof line, "Accept: %s\r\n", value);
    return rather(line, "text/csv");
}

static void who_asks_gets_it(void **state)
{
    static const char *const values[] = {
        "text/csv",
        "TEXT/CSV",
        "text/csv; charset=utf-8",
        "text/csv;header=present;q=0.3",
        " text/csv ; Q=1.000 ",
        "text/csv, */*",
        "text/csv, application/json;q=0.9",
        "application/json;q=0.9, text/csv",
        "application/json, text/csv",
        "text/csv;q=0.001",
        "text/*",
        "text/*;q=0.5, */*;q=0.1",
        "text/html, text/csv",
        "*/*, application/json;q=0",
        ",,text/csv,",
        "nonsense, text/csv",
        "text/csv;q=high, text/*",
    };

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!csv(values[i]))
            fail_msg("%s asks for CSV", values[i]);
}

static void others_get_json(void **state)
{
    static const char *const values[] = {
        "",
        "*/*",
        "application/json",
        "application/*",
        "application/json, text/plain, */*",
        "text/csv;q=0",
        "text/csv;q=0.0",
        "text/csv;q=0, */*",
        "text/csv;q=0.5, application/json",
        "text/csv;q=0.5, */*",
        "text/*;q=0.5, */*;q=0.8",
        "text/csv;q=2",
        "text/csv;q=0.1234",
        "text/csv;q=1.001",
        "text/csv;q=",
        "text/csv;q=.5",
        "text/csvx",
        "xtext/csv",
        "text/",
        "text",
        "*",
        "*/csv",
        "text/html",
        "image/png",
    };

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (csv(values[i]))
            fail_msg("%s does not ask for CSV", values[i]);
    assert_false(rather("", "text/csv"));
}

static void several_headers_are_one_list(void **state)
{
    assert_true(rather("Accept: text/html\r\naccept: text/csv\r\n", "text/csv"));
    assert_false(rather("Accept: application/json\r\nAccept: text/csv;q=0.1\r\n", "text/csv"));
    assert_false(rather("Accept-Language: text/csv\r\n", "text/csv"));
}

static void any_type_can_be_asked_for(void **state)
{
    assert_true(rather("Accept: text/event-stream\r\n", "text/event-stream"));
    assert_true(rather("Accept: text/event-stream, application/json\r\n", "text/event-stream"));
    assert_false(rather("Accept: text/event-stream\r\n", "text/csv"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_asks_gets_it),
        cmocka_unit_test(others_get_json),
        cmocka_unit_test(several_headers_are_one_list),
        cmocka_unit_test(any_type_can_be_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
