/* Query strings by a table, and the parameters that all lists share. */
#include "api/test_api.h"

struct sample {
    struct page_query page;
    struct str name;
};

static struct sample sample;

static bool read_name(struct call *c, struct str value, void *out, struct problem *p)
{
    ((struct sample *)out)->name = value;
    return value.n > 0 || problem_set(p, PROBLEM_INVALID_PARAMETER, "name", "name is empty.");
}

static bool read_cursor(struct call *c, struct str value, void *out, struct problem *p)
{
    return page_read_cursor(c, value, KEY_ID_PREFIX, &((struct page_query *)out)->cursor, p);
}

static const struct query_field fields[] = {
    {"limit", page_read_limit}, {"cursor", read_cursor}, {"name", read_name}};

static void query(struct http_request *r)
{
    struct call c = {.http = r, .api = test_api, .worker = test_worker};
    struct problem p = {0};

    sample = (struct sample){.page = {.limit = PAGE_LIMIT_DEFAULT}};
    if (query_read(&c, fields, 3, &sample, &p)) {
        struct json_writer w = answer_json(&c, 200);
        json_begin_object(&w);
        page_put(&w, &c, KEY_ID_PREFIX, 7, 0, 42);
        json_end(&w);
    } else {
        answer_problem(&c, &p);
    }
}

static void assert_read(const char *head)
{
    assert_int_equal(test_run(query, head, NULL)->status, 200);
}

static void assert_refused(const char *head, const char *code, const char *field)
{
    test_run(query, head, NULL);
    test_assert_problem(400, code, field);
}

static void what_is_not_given_is_as_it_was(void **state)
{
    assert_read("GET /x");
    assert_read("GET /x?");
    assert_read("GET /x?&&");
    assert_int_equal(sample.page.limit, 50);
    assert_int_equal(sample.page.cursor, 0);
    assert_null(sample.name.p);
}

static void parameters_are_decoded(void **state)
{
    assert_read("GET /x?n%61me=a+b%2Bc%26&limit=%37");
    assert_true(str_is(sample.name, "a b+c&"));
    assert_int_equal(sample.page.limit, 7);
}

static void unknown_ones_are_refused(void **state)
{
    assert_refused("GET /x?limits=5", "invalid_parameter", "limits");
    assert_non_null(strstr(test_member("message"), "did you mean 'limit'?"));
    assert_refused("GET /x?other=5", "invalid_parameter", "other");
    assert_refused("GET /x?=5", "invalid_parameter", NULL);
    assert_refused("GET /x?Limit=5", "invalid_parameter", "Limit");
    assert_refused("GET /x?limit%00=5", "invalid_parameter", "limit");
    assert_refused("GET /x?01234567890123456789012345678901234567890123456789", "invalid_parameter",
                   "0123456789012345678901234567890123456789");
}

static void twice_is_refused(void **state)
{
    assert_refused("GET /x?limit=5&limit=5", "invalid_parameter", "limit");
    assert_refused("GET /x?name=a&limit=5&n%61me=b", "invalid_parameter", "name");
}

static void tricks_are_refused(void **state)
{
    assert_refused("GET /x?name=%", "invalid_parameter", NULL);
    assert_refused("GET /x?name=%zz", "invalid_parameter", NULL);
    assert_refused("GET /x?name=%c0%80", "invalid_parameter", NULL);
    assert_refused("GET /x?name=%ed%a0%80", "invalid_parameter", NULL);
    assert_refused("GET /x?name=a%00b", "invalid_parameter", "name");
    assert_refused("GET /x?name=", "invalid_parameter", "name");
}

static void limits_and_cursors(void **state)
{
    char head[64] = "GET /x?cursor=";

    public_id_format(api_ids(test_api), KEY_ID_PREFIX, 12345, head + strlen(head));
    assert_read(head);
    assert_int_equal(sample.page.cursor, 12345);
    memcpy(head + 14, "msg_", 4);
    assert_refused(head, "invalid_cursor", "cursor");
    assert_refused("GET /x?cursor=", "invalid_cursor", "cursor");
    assert_refused("GET /x?limit=0", "invalid_limit", "limit");
    assert_refused("GET /x?limit=101", "invalid_limit", "limit");
    assert_refused("GET /x?limit=1.0", "invalid_limit", "limit");
}

static void the_envelope(void **state)
{
    int64_t id;

    assert_read("GET /x");
    assert_string_equal(test_member("pagination.hasMore"), "true");
    assert_string_equal(test_member("pagination.totalCount"), "42");
    assert_non_null(strstr(test_body(), "\"previousCursor\":null"));
    assert_true(public_id_parse(api_ids(test_api), KEY_ID_PREFIX,
                                str_of(test_member("pagination.nextCursor")), &id));
    assert_int_equal(id, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(what_is_not_given_is_as_it_was),
        API_TEST(parameters_are_decoded),
        API_TEST(unknown_ones_are_refused),
        API_TEST(twice_is_refused),
        API_TEST(tricks_are_refused),
        API_TEST(limits_and_cursors),
        API_TEST(the_envelope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
