/* The API's description, the table of routes, the table of problems and the error page know the
 * same paths and the same codes. */
#include "api/call.h"
#include "api/errors_page.h"
#include "base/file.h"
#include "json/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include <cmocka.h>

static struct json_node *description;

static int read_description(void **state)
{
    struct buf file BUF_CLEANUP;
    char name[4096];

    snprintf(name, sizeof name, "%s/api/openapi.json", getenv("SKYLARK_SOURCE"));
    buf_init(&file, 4 << 20);
    if (file_read(name, &file) != 0)
        return -1;
    description = json_tree_parse(buf_str(&file));
    return description ? 0 : -1;
}

static int free_description(void **state)
{
    json_tree_free(description);
    return 0;
}

/* ---- paths ---- */

/* Calls `see` for every path and method in the JSON text of `paths`. Names stand at depth 1 and 2,
 * in front of a colon; everything deeper is passed over. */
static void walk_paths(struct str json, void (*see)(const char *path, const char *method))
{
    char path[128] = "", name[128] = "";
    int depth = 0;

    for (size_t i = 0; i < json.n; i++) {
        char c = json.p[i];
        if (c == '"') {
            size_t start = ++i;
            for (; json.p[i] != '"'; i++)
                i += json.p[i] == '\\';
            snprintf(name, sizeof name, "%.*s", (int)(i - start), json.p + start);
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            depth--;
        } else if (c == ':' && depth == 1) {
            memcpy(path, name, sizeof path);
        } else if (c == ':' && depth == 2) {
            see(path, name);
        }
    }
}

enum { MOST_OPERATIONS = 100 };

static struct operation {
    char method[16], path[128];
} operations[MOST_OPERATIONS];
static size_t operation_count;

static void keep_operation(const char *path, const char *method)
{
    assert_true(operation_count < MOST_OPERATIONS);
    struct operation *o = &operations[operation_count++];
    snprintf(o->method, sizeof o->method, "%s", method);
    snprintf(o->path, sizeof o->path, "%s", path);
}

static bool is_described(const char *method, const char *path)
{
    for (size_t i = 0; i < operation_count; i++)
        if (strcasecmp(operations[i].method, method) == 0 && strcmp(operations[i].path, path) == 0)
            return true;
    return false;
}

static bool is_routed(const struct operation *o)
{
    const char *method, *path;

    for (size_t i = 0; route_at(i, &method, &path); i++)
        if (strcasecmp(o->method, method) == 0 && strcmp(o->path, path) == 0)
            return true;
    return false;
}

static void the_routes_are_those_of_the_description(void **state)
{
    struct buf paths BUF_CLEANUP;
    const char *method, *path;
    size_t routes = 0;

    buf_init(&paths, 4 << 20);
    json_node_write(json_node_at(description, "paths"), false, &paths);
    operation_count = 0;
    walk_paths(buf_str(&paths), keep_operation);
    for (; route_at(routes, &method, &path); routes++)
        if (!is_described(method, path))
            fail_msg("%s %s is not in api/openapi.json", method, path);
    for (size_t i = 0; i < operation_count; i++)
        if (!is_routed(&operations[i]))
            fail_msg("%s %s is not in the table of routes", operations[i].method,
                     operations[i].path);
    assert_int_equal(routes, operation_count); /* none of them twice */
}

/* ---- codes ---- */

static void assert_text(const char *path, const char *text)
{
    struct str found = json_node_string(json_node_at(description, path));

    if (!str_is(found, text))
        fail_msg("%s is '%.*s' in api/openapi.json, but should be '%s'", path, STR_FMT(found),
                 text);
}

static void the_codes_are_those_of_the_description(void **state)
{
    const struct json_node *codes = json_node_at(description, "components.schemas.ErrorCode.enum");

    assert_int_equal(json_node_count(codes), PROBLEM_COUNT - 1);
    for (size_t i = 1; i < PROBLEM_COUNT; i++)
        assert_true(str_is(json_node_string(json_node_item(codes, i - 1)),
                           problem_entry((enum problem_code)i)->code));
}

/* The examples of the description say what the table says, so that people read the same twice. */
static void the_examples_are_those_of_the_table(void **state)
{
    char path[128];

    for (int i = PROBLEM_NONE + 1; i < PROBLEM_COUNT; i++) {
        const struct problem_entry *e = problem_entry((enum problem_code)i);
        snprintf(path, sizeof path, "components.examples.%s.summary", e->code);
        assert_text(path, e->cause);
        snprintf(path, sizeof path, "components.examples.%s.value.message", e->code);
        assert_text(path, e->example);
        snprintf(path, sizeof path, "components.examples.%s.value.error", e->code);
        assert_text(path, error_type(e->status));
    }
}

static size_t count_of(struct str page, const char *text)
{
    size_t count = 0;

    for (const char *at = page.p;
         (at = memmem(at, page.n - (size_t)(at - page.p), text, strlen(text))); at++)
        count++;
    return count;
}

/* errors_page_test has it that each code of the table is on the page. */
static void the_page_has_no_other_codes(void **state)
{
    struct buf page BUF_CLEANUP;

    buf_init(&page, 256 * 1024);
    errors_page_write(&page);
    assert_int_equal(count_of(buf_str(&page), "<section id=\""), PROBLEM_COUNT - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_routes_are_those_of_the_description),
        cmocka_unit_test(the_codes_are_those_of_the_description),
        cmocka_unit_test(the_examples_are_those_of_the_table),
        cmocka_unit_test(the_page_has_no_other_codes),
    };
    return cmocka_run_group_tests(tests, read_description, free_description);
}
