/* What may stand in the query of analytics, and how what may not is refused. */
#include "api/test_api.h"

#include <stdio.h>

static const char *const paths[] = {"/v1/analytics/usage", "/v1/analytics/delivery",
                                    "/v1/analytics/delivery-reports", "/v1/analytics/costs",
                                    "/v1/analytics/cost-analysis"};
enum { PATHS = sizeof paths / sizeof *paths };

static struct http_request *ask(const char *path, const char *query)
{
    char head[512];

    snprintf(head, sizeof head, "GET %s?%s", path, query);
    return test_call(TEST_KEY, head, NULL);
}

static void bad_values_are_named(void **state)
{
    static const struct {
        const char *query, *code, *field;
    } table[] = {
        {"startDate=2025-02-29", "invalid_date_range", "startDate"},
        {"startDate=2025-04-31T00:00:00Z", "invalid_date_range", "startDate"},
        {"startDate=2025-11-01T00:00:00+01:00", "invalid_date_range", "startDate"},
        {"endDate=2025-13-01", "invalid_date_range", "endDate"},
        {"startDate=2025-11-02&endDate=2025-11-01", "invalid_date_range", "endDate"},
        {"startDate=2024-01-01&endDate=2025-01-01", "invalid_date_range", "endDate"},
        {"startDate=2024-11-01", "invalid_date_range", "startDate"},
        {"period=365d", "invalid_parameter", "period"},
        {"period=7d&startDate=2025-11-01", "invalid_parameter", "period"},
        {"interval=minute", "invalid_parameter", "interval"},
        {"interval=day&interval=day", "invalid_parameter", "interval"},
        {"country=", "invalid_parameter", "country"},
        {"country=USA", "invalid_parameter", "country"},
        {"country=U1", "invalid_parameter", "country"},
        {"country=%C3%A9", "invalid_parameter", "country"},
        {"messageType=", "invalid_parameter", "messageType"},
        {"messageType=sms", "invalid_parameter", "messageType"},
        {"messageType=OTP", "invalid_parameter", "messageType"},
        {"tag=", "invalid_parameter", "tag"},
        {"tag=a%0Ab", "invalid_parameter", "tag"},
        {"tag=123456789012345678901234567890123456789012345678901", "invalid_parameter", "tag"},
        {"from=", "invalid_parameter", "from"},
        {"from=a/b", "invalid_parameter", "from"},
        {"from=15551234567", "invalid_parameter", "from"},
        {"to=%2B15551234567", "invalid_parameter", "to"},
        {"Country=US", "invalid_parameter", "Country"},
        {"status=sent", "invalid_parameter", "status"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ask(paths[i % PATHS], table[i].query);
        if (strcmp(test_member("code"), table[i].code) != 0 ||
            strcmp(test_member("field"), table[i].field) != 0)
            fail_msg("%s: %s", table[i].query, test_body());
        test_assert_problem(400, table[i].code, table[i].field);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(bad_values_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
