/* Every route asks for its own permission and for no other, and names it. */
#include "api/test_api.h"

#include <stdio.h>

enum { ANY = -1, NO_KEY = -2 };

/* What the API promises, written down a second time. */
static const struct {
    const char *method, *path;
    int permission;
    bool test_only;
} promises[] = {
    {"POST", "/v1/send", PERMISSION_SMS_SEND, false},
    {"POST", "/v1/messages/batch", PERMISSION_SMS_SEND, false},
    {"GET", "/v1/messages/batch/{batchId}", PERMISSION_SMS_READ, false},
    {"GET", "/v1/messages", PERMISSION_SMS_READ, false},
    {"GET", "/v1/messages/{messageId}", PERMISSION_SMS_READ, false},
    {"GET", "/v1/messages/{messageId}/events", PERMISSION_SMS_READ, false},
    {"GET", "/v1/messages/{messageId}/media/{mediaNumber}", PERMISSION_SMS_READ, false},
    {"POST", "/v1/messages/{messageId}/cancel", PERMISSION_SMS_SEND, false},
    {"GET", "/v1/stats/live", PERMISSION_SMS_READ, false},
    {"GET", "/v1/rate-limits", ANY, false},
    {"GET", "/v1/analytics/usage", PERMISSION_ANALYTICS_READ, false},
    {"GET", "/v1/analytics/delivery", PERMISSION_ANALYTICS_READ, false},
    {"GET", "/v1/analytics/delivery-reports", PERMISSION_ANALYTICS_READ, false},
    {"GET", "/v1/analytics/costs", PERMISSION_ANALYTICS_READ, false},
    {"GET", "/v1/analytics/cost-analysis", PERMISSION_ANALYTICS_READ, false},
    {"GET", "/v1/keys", PERMISSION_KEYS_READ, false},
    {"POST", "/v1/keys", PERMISSION_KEYS_WRITE, false},
    {"GET", "/v1/keys/{keyId}", PERMISSION_KEYS_READ, false},
    {"POST", "/v1/keys/{keyId}/rotate", PERMISSION_KEYS_WRITE, false},
    {"DELETE", "/v1/keys/{keyId}", PERMISSION_KEYS_WRITE, false},
    {"GET", "/v1/opt-outs", PERMISSION_OPTOUTS_READ, false},
    {"POST", "/v1/opt-outs", PERMISSION_OPTOUTS_WRITE, false},
    {"GET", "/v1/opt-outs/{number}", PERMISSION_OPTOUTS_READ, false},
    {"DELETE", "/v1/opt-outs/{number}", PERMISSION_OPTOUTS_WRITE, false},
    {"GET", "/v1/webhooks", PERMISSION_WEBHOOKS_READ, false},
    {"POST", "/v1/webhooks", PERMISSION_WEBHOOKS_WRITE, false},
    {"GET", "/v1/webhooks/event-types", PERMISSION_WEBHOOKS_READ, false},
    {"POST", "/v1/webhooks/message-secret/rotate", PERMISSION_WEBHOOKS_WRITE, false},
    {"GET", "/v1/webhooks/{webhookId}", PERMISSION_WEBHOOKS_READ, false},
    {"PATCH", "/v1/webhooks/{webhookId}", PERMISSION_WEBHOOKS_WRITE, false},
    {"DELETE", "/v1/webhooks/{webhookId}", PERMISSION_WEBHOOKS_WRITE, false},
    {"POST", "/v1/webhooks/{webhookId}/rotate-secret", PERMISSION_WEBHOOKS_WRITE, false},
    {"POST", "/v1/webhooks/{webhookId}/test", PERMISSION_WEBHOOKS_WRITE, false},
    {"POST", "/v1/webhooks/{webhookId}/redeliver", PERMISSION_WEBHOOKS_WRITE, false},
    {"GET", "/v1/webhooks/{webhookId}/deliveries", PERMISSION_WEBHOOKS_READ, false},
    {"GET", "/v1/webhooks/{webhookId}/deliveries/{deliveryId}", PERMISSION_WEBHOOKS_READ, false},
    {"POST", "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/retry", PERMISSION_WEBHOOKS_WRITE,
     false},
    {"POST", "/v1/test/inbound", PERMISSION_SMS_SEND, true},
    {"GET", "/v1/test/inbox", PERMISSION_SMS_READ, true},
    {"GET", "/v1/events", PERMISSION_WEBHOOKS_READ, false},
    {"GET", "/v1/openapi.json", NO_KEY, false},
    {"GET", "/livez", NO_KEY, false},
    {"GET", "/readyz", NO_KEY, false},
    {"GET", "/docs", NO_KEY, false},
    {"GET", "/docs/api-reference/errors", NO_KEY, false},
};

static size_t promise_of(const char *method, const char *path)
{
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++)
        if (strcmp(promises[i].method, method) == 0 && strcmp(promises[i].path, path) == 0)
            return i;
    fail_msg("nothing is promised about %s %s", method, path);
    return 0;
}

/* ---- keys that may do one thing only, or all but one ---- */

static const char *only_key(int permission)
{
    static char key[64];
    snprintf(key, sizeof key, "sl_test_only_%d", permission);
    return key;
}

static const char *lacking_key(int permission)
{
    static char key[64];
    snprintf(key, sizeof key, "sl_test_lacking_%d", permission);
    return key;
}

#define LIVE_ALL_KEY "sl_live_all"

static void add_keys(void)
{
    const uint32_t all = (1u << PERMISSION_COUNT) - 1;

    for (int p = 0; p < PERMISSION_COUNT; p++) {
        test_add_key(only_key(p), MODE_TEST, false, 1u << p, "unlimited", 0);
        test_add_key(lacking_key(p), MODE_TEST, false, all & ~(1u << p), "unlimited", 0);
    }
    test_add_key(LIVE_ALL_KEY, MODE_LIVE, false, all, "unlimited", 0);
}

/* The request does nothing: where it is let through its body or its id is refused. */
static void call_route(const char *key, const char *method, const char *path)
{
    char head[256];

    snprintf(head, sizeof head, "%s %s", method, path);
    test_call(key, head, "[]");
}

static bool refused_for(int permission)
{
    if (strcmp(test_member("code"), "insufficient_permissions") != 0)
        return false;
    test_assert_problem(403, "insufficient_permissions", NULL);
    if (!strstr(test_member("message"), permission_word((enum permission)permission)))
        fail_msg("%s does not name %s", test_member("message"),
                 permission_word((enum permission)permission));
    assert_non_null(test_header("X-RateLimit-Remaining"));
    return true;
}

static void each_route_asks_for_its_permission(void **state)
{
    const char *method, *path;

    add_keys();
    for (size_t i = 0; route_at(i, &method, &path); i++) {
        int wanted = promises[promise_of(method, path)].permission;
        for (int p = 0; p < PERMISSION_COUNT; p++) {
            call_route(lacking_key(p), method, path);
            if (refused_for(p) != (p == wanted))
                fail_msg("%s %s and a key without %s", method, path,
                         permission_word((enum permission)p));
            call_route(only_key(p), method, path);
            if (refused_for(wanted < 0 ? p : wanted) != (wanted >= 0 && p != wanted))
                fail_msg("%s %s and a key with only %s", method, path,
                         permission_word((enum permission)p));
        }
    }
}

static void each_route_asks_for_its_kind_of_key(void **state)
{
    const char *method, *path;

    add_keys();
    for (size_t i = 0; route_at(i, &method, &path); i++) {
        size_t at = promise_of(method, path);
        call_route(LIVE_ALL_KEY, method, path);
        if (promises[at].test_only)
            test_assert_problem(403, "test_key_required", NULL);
        else
            assert_string_not_equal(test_member("code"), "test_key_required");
        char head[256];
        snprintf(head, sizeof head, "%s %s", method, path);
        test_request(head, "[]");
        assert_int_equal(strcmp(test_member("code"), "missing_api_key") == 0,
                         promises[at].permission != NO_KEY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(each_route_asks_for_its_permission),
        API_TEST(each_route_asks_for_its_kind_of_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
