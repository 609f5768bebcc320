#include "json/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char answer[] =
    "{\"data\":[{\"id\":\"a\",\"cost\":{\"amount\":0.0075}},{\"id\":\"b\"}],"
    "\"page\":{\"more\":true,\"next\":null,\"total\":2}}";

static void check_text(const struct json_node *root, const char *path, const char *want)
{
    struct buf b BUF_CLEANUP;
    char text[256];

    buf_init(&b, 4096);
    json_node_text(json_node_at(root, path), &b);
    snprintf(text, sizeof text, "%.*s", STR_FMT(buf_str(&b)));
    assert_string_equal(text, want);
}

static void test_walk(void **state)
{
    struct json_node *root = json_tree_parse(str_of(answer));
    assert_non_null(root);
    const struct json_node *data = json_node_at(root, "data");

    assert_int_equal(json_node_count(data), 2);
    check_text(json_node_item(data, 0), "cost.amount", "0.0075");
    check_text(json_node_item(data, 1), "id", "b");
    check_text(root, "data.1.id", "b");
    check_text(root, "data.2.id", "");
    check_text(root, "page.0", "");
    check_text(root, "page.more", "true");
    check_text(root, "page.total", "2");
    check_text(root, "page.next", "");
    check_text(root, "page.nothing.at.all", "");
    assert_null(json_node_item(data, 2));
    assert_int_equal(json_node_count(root), 0);
    assert_null(json_node_string(data).p);
    json_tree_free(root);
}

static void add_member(void *context, struct str name, const struct json_node *value)
{
    buf_printf(context, "%.*s=", STR_FMT(name));
    json_node_text(value, context);
    buf_text(context, ";");
}

static void test_members(void **state)
{
    struct json_node *root JSON_TREE_CLEANUP =
        json_tree_parse(STR("{\"z\":\"1\",\"a\":{\"b\":2},\"m\":null}"));
    struct buf b BUF_CLEANUP;

    buf_init(&b, 4096);
    json_node_each(root, add_member, &b);
    assert_true(str_is(buf_str(&b), "z=1;a={\"b\":2};m=;"));
    json_node_each(json_node_at(root, "z"), add_member, &b);
    json_node_each(NULL, add_member, &b);
    assert_int_equal(b.n, strlen("z=1;a={\"b\":2};m=;"));
}

static void test_write(void **state)
{
    struct json_node *root = json_tree_parse(str_of(answer));
    struct buf b BUF_CLEANUP;

    buf_init(&b, 4096);
    json_node_write(root, false, &b);
    assert_int_equal(b.n, strlen(answer));
    assert_memory_equal(b.p, answer, b.n);
    json_tree_free(root);
}

static void test_malformed(void **state)
{
    assert_null(json_tree_parse(STR("{")));
    assert_null(json_tree_parse((struct str){NULL, 0}));
    json_tree_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
