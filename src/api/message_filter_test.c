/* What may stand in the query of GET /v1/messages, and what it finds. */
#include "api/test_api.h"

#include <stdio.h>

static struct http_request *list(const char *query)
{
    char head[512];

    snprintf(head, sizeof head, "GET /v1/messages?%s", query);
    return test_call(TEST_KEY, head, NULL);
}

static void good_values_are_taken(void **state)
{
    static const char *const queries[] = {
        "",
        "status=queued",
        "status=queued,sent",
        "status=scheduled,queued,sent,delivered,failed,cancelled,received",
        "to=%2B15551234567",
        "to=+15551234567",
        "from=%2B18005551234",
        "from=+18005551234",
        "from=Skylark",
        "from=12345",
        "from=A%20%26%20B._-c",
        "direction=inbound",
        "direction=outbound",
        "tag=clinic-7",
        "tag=%C3%A9t%C3%A9",
        "createdAfter=2026-01-31T09:00:00Z",
        "createdAfter=2026-01-31T09:00:00.5%2B01:00",
        "createdBefore=2026-01-31T09:00:00Z",
        "createdBefore=1970-01-01T00:00:00Z",
        "createdAfter=2026-01-31T09:00:00Z&createdBefore=2026-01-31T09:00:00.000001Z",
        "status=sent&to=%2B15551234567&from=Skylark&direction=outbound&tag=a&limit=1",
    };

    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        if (list(queries[i])->status != 200)
            fail_msg("%s: %s", queries[i], test_body());
}

static void bad_values_are_named(void **state)
{
    static const struct {
        const char *query, *code, *field;
    } table[] = {
        {"status=", "invalid_parameter", "status"},
        {"status=open", "invalid_parameter", "status"},
        {"status=Queued", "invalid_parameter", "status"},
        {"status=queued,", "invalid_parameter", "status"},
        {"status=,queued", "invalid_parameter", "status"},
        {"status=queued,%20sent", "invalid_parameter", "status"},
        {"status=unknown", "invalid_parameter", "status"},
        {"status=queued&status=sent", "invalid_parameter", "status"},
        {"to=", "invalid_parameter", "to"},
        {"to=15551234567", "invalid_parameter", "to"},
        {"to=%2B1555", "invalid_parameter", "to"},
        {"to=%20%2B15551234567", "invalid_parameter", "to"},
        {"to=Skylark", "invalid_parameter", "to"},
        {"from=", "invalid_parameter", "from"},
        {"from=%2B1", "invalid_parameter", "from"},
        {"from=15551234567", "invalid_parameter", "from"},
        {"from=TwelveLetter", "invalid_parameter", "from"},
        {"from=a/b", "invalid_parameter", "from"},
        {"from=%C3%A9", "invalid_parameter", "from"},
        {"direction=", "invalid_parameter", "direction"},
        {"direction=in", "invalid_parameter", "direction"},
        {"tag=", "invalid_parameter", "tag"},
        {"tag=a%0Ab", "invalid_parameter", "tag"},
        {"tag=a%7F", "invalid_parameter", "tag"},
        {"tag=a%00", "invalid_parameter", "tag"},
        {"tag=123456789012345678901234567890123456789012345678901", "invalid_parameter", "tag"},
        {"batchId=", "invalid_parameter", "batchId"},
        {"batchId=bat_", "invalid_parameter", "batchId"},
        {"batchId=msg_0123456789a", "invalid_parameter", "batchId"},
        {"createdAfter=", "invalid_date_range", "createdAfter"},
        {"createdAfter=2026-02-30T00:00:00Z", "invalid_date_range", "createdAfter"},
        {"createdAfter=2026-01-31", "invalid_date_range", "createdAfter"},
        {"createdAfter=2026-01-31T09:00:00+01:00", "invalid_date_range", "createdAfter"},
        {"createdBefore=yesterday", "invalid_date_range", "createdBefore"},
        {"createdBefore=1763168523", "invalid_date_range", "createdBefore"},
        {"createdAfter=2026-01-31T09:00:00Z&createdBefore=2026-01-31T09:00:00Z",
         "invalid_date_range", "createdBefore"},
        {"createdBefore=2026-01-31T09:00:00Z&createdAfter=2026-02-01T09:00:00Z",
         "invalid_date_range", "createdBefore"},
        {"createdAfter=1970-01-01T00:00:01Z&createdBefore=1970-01-01T00:00:00Z",
         "invalid_date_range", "createdBefore"},
        {"state=queued", "invalid_parameter", "state"},
        {"Status=queued", "invalid_parameter", "Status"},
        {"limit=0", "invalid_limit", "limit"},
        {"cursor=msg_", "invalid_cursor", "cursor"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        list(table[i].query);
        if (strcmp(test_member("code"), table[i].code) != 0 ||
            strcmp(test_member("field"), table[i].field) != 0)
            fail_msg("%s: %s", table[i].query, test_body());
        test_assert_problem(400, table[i].code, table[i].field);
    }
}

static void send_body(const char *body)
{
    assert_int_equal(test_call(TEST_KEY, "POST /v1/send", body)->status, 201);
}

/* How many messages the query finds. */
static void assert_total(const char *query, const char *total)
{
    assert_int_equal(list(query)->status, 200);
    if (strcmp(test_member("pagination.totalCount"), total) != 0)
        fail_msg("%s finds %s", query, test_member("pagination.totalCount"));
}

static void each_filter_finds_its_messages(void **state)
{
    send_body("{\"to\":\"+15551234567\",\"text\":\"1\",\"tags\":[\"a\",\"b\"]}");
    send_body("{\"to\":\"+15551234567\",\"text\":\"2\",\"scheduledAt\":\"2025-11-15T02:00:00Z\"}");
    test_now_us += 10000000;
    send_body("{\"to\":\"+447700900456\",\"text\":\"3\",\"tags\":[\"b\"],\"from\":\"Skylark\"}");
    test_call(TEST_KEY, "POST /v1/test/inbound", "{\"from\":\"+15551234567\",\"text\":\"4\"}");
    assert_total("", "4");
    assert_total("status=queued", "2");
    assert_total("status=scheduled,received", "2");
    assert_total("status=failed", "0");
    assert_total("to=%2B15551234567", "2");
    assert_total("from=+15551234567", "1");
    assert_total("from=Skylark", "1");
    assert_total("direction=inbound", "1");
    assert_total("direction=outbound&to=+18005551234", "0");
    assert_total("tag=b", "2");
    assert_total("tag=a&status=queued", "1");
    assert_total("createdAfter=2025-11-15T01:02:13Z", "2");
    assert_total("createdBefore=2025-11-15T01:02:13Z", "2");
    assert_total("createdBefore=1970-01-01T00:00:00Z", "0");
}

static void a_batch_is_found_by_its_id(void **state)
{
    char query[64];

    test_call(TEST_KEY, "POST /v1/messages/batch",
              "{\"messages\":[{\"to\":\"+15551234567\",\"text\":\"1\"},"
              "{\"to\":\"+15551234567\",\"text\":\"2\"}]}");
    snprintf(query, sizeof query, "batchId=%s", test_member("batchId"));
    send_body("{\"to\":\"+15551234567\",\"text\":\"3\"}");
    assert_total(query, "2");
    public_id_format(api_ids(test_api), BATCH_ID_PREFIX, 12345, query + 8);
    assert_total(query, "0"); /* there is none of that number */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(good_values_are_taken),
        API_TEST(bad_values_are_named),
        API_TEST(each_filter_finds_its_messages),
        API_TEST(a_batch_is_found_by_its_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
