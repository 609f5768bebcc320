/* Bodies by a table: formats, the order of faults, and bodies that may be left out. */
#include "api/test_api.h"

struct sample {
    struct str name;
    int64_t hours;
    bool has_name, has_hours;
};

static const struct json_field fields[] = {
    JSON_FIELD(struct sample, name, JSON_TEXT, "name", NULL),
    JSON_FIELD(struct sample, hours, JSON_INT64, "hours", NULL),
};

static const struct body_table named = BODY_TABLE(fields, 1);
static const struct body_table optional = BODY_TABLE(fields, 0);
static const struct body_table json_only = {fields, 2, 0, true};

static const struct body_table *table;
static struct sample sample;

static void decode(struct http_request *r)
{
    struct call c = {.http = r, .api = test_api, .worker = test_worker};
    struct problem p = {0};

    sample = (struct sample){0};
    call_read_headers(&c);
    if (body_decode(&c, table, &sample, &p))
        answer_json(&c, 200);
    else
        answer_problem(&c, &p);
}

#define JSON "POST /x\nContent-Type: application/json"
#define FORM "POST /x\nContent-Type: application/x-www-form-urlencoded"

static void assert_decoded(const struct body_table *t, const char *head, const char *body)
{
    table = t;
    assert_int_equal(test_run(decode, head, body)->status, 200);
}

static void assert_refused(const struct body_table *t, const char *head, const char *body,
                           const char *code, const char *field)
{
    table = t;
    test_run(decode, head, body);
    test_assert_problem(400, code, field);
}

static void both_formats(void **state)
{
    assert_decoded(&named, JSON, "{\"hours\":5,\"name\":\"x\"}");
    assert_true(sample.has_hours && sample.hours == 5 && str_is(sample.name, "x"));
    assert_decoded(&named, FORM, "hours=5&name=x");
    assert_true(sample.has_hours && sample.hours == 5 && str_is(sample.name, "x"));
}

static void a_body_can_be_left_out_where_nothing_is_required(void **state)
{
    assert_decoded(&optional, "POST /x", "");
    assert_decoded(&optional, JSON, " \n");
    assert_decoded(&optional, FORM, "");
    assert_false(sample.has_name || sample.has_hours);
    assert_refused(&named, "POST /x", "", "invalid_json", NULL);
    assert_refused(&named, FORM, "", "missing_required_field", "name");
}

static void faults_in_order(void **state)
{
    assert_refused(&named, "POST /x\nContent-Type: text/plain", "{", "unsupported_content_type",
                   NULL);
    assert_refused(&named, JSON "\nContent-Type: application/json", "{", "unsupported_content_type",
                   NULL);
    assert_refused(&named, JSON, "{\"hours\":\"x\"", "invalid_json", NULL);
    assert_refused(&named, FORM, "hours=x&%", "invalid_json", NULL);
    assert_refused(&named, JSON, "{\"hours\":\"x\"}", "missing_required_field", "name");
    assert_string_equal(test_member("message"), "The field 'name' is required.");
    assert_refused(&named, FORM, "hours=x", "missing_required_field", "name");
    assert_refused(&named, JSON, "{\"hours\":\"x\",\"name\":5}", "invalid_parameter", "name");
    assert_refused(&named, JSON, "{\"hours\":\"x\",\"name\":\"x\"}", "invalid_parameter", "hours");
    assert_string_equal(test_member("message"), "The field 'hours' must be a whole number.");
    assert_refused(&named, FORM, "hours=x&name=x", "invalid_parameter", "hours");
}

static void a_type_that_cannot_be_shown_is_cut(void **state)
{
    assert_refused(&named, "POST /x\nContent-Type: text/\xff", "{}", "unsupported_content_type",
                   NULL);
    assert_non_null(strstr(test_member("message"), "'text/'"));
}

static void where_only_json_will_do(void **state)
{
    assert_decoded(&json_only, JSON, "{\"hours\":5}");
    assert_refused(&json_only, FORM, "hours=5", "unsupported_content_type", NULL);
    assert_null(strstr(test_member("message"), "urlencoded."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(both_formats),
        API_TEST(a_body_can_be_left_out_where_nothing_is_required),
        API_TEST(faults_in_order),
        API_TEST(a_type_that_cannot_be_shown_is_cut),
        API_TEST(where_only_json_will_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
