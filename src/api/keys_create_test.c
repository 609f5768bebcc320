/* POST /v1/keys and its rotation. */
#include "api/test_api.h"

#include <stdio.h>

#define ADMIN_KEY   "sl_test_adminadminadminadminadminadminad"
#define KEEPER_KEY  "sl_test_keeperkeeperkeeperkeeperkeeperke" /* keys:* only */
#define LIMITED_KEY "sl_test_limitedlimitedlimitedlimitedlimi" /* all, on the plan "small" */

static const uint32_t all = (1u << PERMISSION_COUNT) - 1;

static int set_up(void **state)
{
    test_api_set_up(state);
    test_add_key(ADMIN_KEY, MODE_TEST, false, all, "unlimited", 0);
    test_add_key(KEEPER_KEY, MODE_TEST, false,
                 1u << PERMISSION_KEYS_READ | 1u << PERMISSION_KEYS_WRITE, "unlimited", 0);
    test_add_key(LIMITED_KEY, MODE_TEST, false, all, "small", 0);
    return 0;
}

#define KEY_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, test_api_tear_down)

static char made[64], made_id[32];

/* Insists on a new key, and keeps it and its id. */
static void assert_made(void)
{
    enum mode mode;

    if (strcmp(test_member("code"), "") != 0)
        fail_msg("%s", test_body());
    snprintf(made, sizeof made, "%s", test_member("key"));
    snprintf(made_id, sizeof made_id, "%s", test_member("keyId"));
    assert_true(key_parse(str_of(made), &mode));
    assert_string_equal(test_member("lastFour"), made + KEY_CHARS - 4);
    assert_string_equal(test_member("status"), "active");
}

static void create(const char *key, const char *body)
{
    test_call(key, "POST /v1/keys", body);
}

static void rotate(const char *key, const char *id, const char *body)
{
    char head[128];

    snprintf(head, sizeof head, "POST /v1/keys/%s/rotate", id);
    test_call(key, head, body);
}

static unsigned status_with(const char *key)
{
    return test_call(key, "GET /v1/messages", NULL)->status;
}

static void a_new_key_works_at_once(void **state)
{
    create(ADMIN_KEY, "{\"name\":\"newsletter\"}");
    assert_made();
    assert_string_equal(test_member("name"), "newsletter");
    assert_string_equal(test_member("keyType"), "test");
    assert_string_equal(test_member("permissions"), "[]");
    assert_string_equal(test_member("plan"), "unlimited");
    assert_string_equal(test_member("perMinute"), "");
    assert_string_equal(test_member("expiresAt"), "");
    assert_int_equal(strncmp(made, "sl_test_", 8), 0);
    assert_int_equal(status_with(made), 200);
    test_call(made, "GET /v1/keys", NULL);
    test_assert_problem(403, "insufficient_permissions", NULL);
}

static void all_fields_are_kept(void **state)
{
    create(LIMITED_KEY, "{\"name\":\"\\u00e9\",\"permissions\":[\"sms:read\",\"keys:read\"],"
                        "\"perMinute\":1,\"perHour\":1000,\"expiresAt\":\"2025-11-15T02:02:03Z\"}");
    assert_made();
    assert_string_equal(test_member("name"), "\u00e9");
    assert_string_equal(test_member("permissions"), "[\"sms:read\",\"keys:read\"]");
    assert_string_equal(test_member("perMinute"), "1");
    assert_string_equal(test_member("perHour"), "1000");
    assert_string_equal(test_member("plan"), "small");
    assert_string_equal(test_member("expiresAt"), "2025-11-15T02:02:03.000Z");
    assert_int_equal(status_with(made), 200);
    assert_int_equal(status_with(made), 429);
    test_now_us += 3600000000;
    assert_int_equal(status_with(made), 401);
}

static void forms_are_understood(void **state)
{
    test_call(ADMIN_KEY, "POST /v1/keys\nContent-Type: application/x-www-form-urlencoded",
              "name=a+b&permissions=sms:read&permissions=sms:send&perMinute=5");
    assert_made();
    assert_string_equal(test_member("name"), "a b");
    assert_string_equal(test_member("permissions"), "[\"sms:send\",\"sms:read\"]");
    assert_string_equal(test_member("perMinute"), "5");
}

static void faults_are_named(void **state)
{
    static const struct {
        const char *body, *code, *field;
    } faults[] = {
        {"{}", "missing_required_field", "name"},
        {"{\"perMinute\":\"x\"}", "missing_required_field", "name"},
        {"{\"name\":null}", "missing_required_field", "name"},
        {"{\"name\":5}", "invalid_parameter", "name"},
        {"{\"name\":\"\"}", "invalid_parameter", "name"},
        {"{\"name\":\"a\\nb\"}", "invalid_parameter", "name"},
        {"{\"name\":\"a\\u0000b\"}", "invalid_parameter", "name"},
        {"{\"name\":\"0123456789012345678901234567890123456789012345678901234567890123x\"}",
         "invalid_parameter", "name"},
        {"{\"name\":\"x\",\"permissions\":\"sms:send\"}", "invalid_parameter", "permissions"},
        {"{\"name\":\"x\",\"permissions\":[\"sms:fly\"]}", "invalid_parameter", "permissions"},
        {"{\"name\":\"x\",\"permissions\":[\"sms:read\",\"sms:read\"]}", "invalid_parameter",
         "permissions"},
        {"{\"name\":\"x\",\"perMinute\":0}", "invalid_parameter", "perMinute"},
        {"{\"name\":\"x\",\"perMinute\":3}", "invalid_parameter", "perMinute"},
        {"{\"name\":\"x\",\"perMinute\":1.5}", "invalid_parameter", "perMinute"},
        {"{\"name\":\"x\",\"perHour\":-1}", "invalid_parameter", "perHour"},
        {"{\"name\":\"x\",\"perHour\":1001}", "invalid_parameter", "perHour"},
        {"{\"name\":\"x\",\"perHour\":99999999999999999999}", "invalid_parameter", "perHour"},
        {"{\"name\":\"x\",\"expiresAt\":\"tomorrow\"}", "invalid_parameter", "expiresAt"},
        {"{\"name\":\"x\",\"expiresAt\":\"2026-02-30T00:00:00Z\"}", "invalid_parameter",
         "expiresAt"},
        {"{\"name\":\"x\",\"expiresAt\":\"2025-11-15T01:02:03Z\"}", "invalid_parameter",
         "expiresAt"},
        {"{\"name\":\"x\"", "invalid_json", NULL},
    };

    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        create(LIMITED_KEY, faults[i].body);
        test_assert_problem(400, faults[i].code, faults[i].field);
        test_now_us += 60000000; /* two a minute */
    }
    create(ADMIN_KEY, "{\"name\":\"x\",\"permissions\":[\"sms:sned\"]}");
    assert_non_null(strstr(test_member("message"), "did you mean 'sms:send'?"));
    create(ADMIN_KEY, "{\"name\":\"x\",\"perMinute\":2147483648}"); /* the plan has no limit */
    test_assert_problem(400, "invalid_parameter", "perMinute");
    create(ADMIN_KEY, "{\"name\":\"x\",\"perMinute\":2147483647}");
    assert_made();
}

/* A key that may only manage keys must not become one that may send. */
static void nobody_gives_what_he_lacks(void **state)
{
    create(KEEPER_KEY, "{\"name\":\"x\",\"permissions\":[\"keys:read\",\"sms:send\"]}");
    test_assert_problem(403, "insufficient_permissions", NULL);
    assert_non_null(strstr(test_member("message"), "sms:send"));
    create(KEEPER_KEY, "{\"name\":\"x\"}"); /* none listed is all but keys:* */
    test_assert_problem(403, "insufficient_permissions", NULL);
    create(KEEPER_KEY, "{\"name\":\"x\",\"permissions\":[]}");
    test_assert_problem(403, "insufficient_permissions", NULL);
    create(KEEPER_KEY, "{\"name\":\"x\",\"permissions\":[\"keys:read\"]}");
    assert_made();
    create(ADMIN_KEY, "{\"name\":\"x\"}");
    assert_made();
    rotate(KEEPER_KEY, made_id, NULL);
    test_assert_problem(403, "insufficient_permissions", NULL);
    assert_int_equal(status_with(made), 200);
}

static void without_grace_the_old_key_is_off_at_once(void **state)
{
    char old[64], old_id[32];

    create(ADMIN_KEY, "{\"name\":\"x\",\"permissions\":[\"sms:read\"],\"perMinute\":7,"
                      "\"expiresAt\":\"2030-01-01T00:00:00Z\"}");
    assert_made();
    memcpy(old, made, sizeof old);
    memcpy(old_id, made_id, sizeof old_id);
    rotate(ADMIN_KEY, old_id, NULL);
    assert_made();
    assert_string_equal(test_member("replaces"), old_id);
    assert_string_not_equal(made_id, old_id);
    assert_string_equal(test_member("name"), "x");
    assert_string_equal(test_member("permissions"), "[\"sms:read\"]");
    assert_string_equal(test_member("perMinute"), "7");
    assert_string_equal(test_member("expiresAt"), "2030-01-01T00:00:00.000Z");
    assert_int_equal(status_with(made), 200);
    assert_int_equal(status_with(old), 401);
    rotate(ADMIN_KEY, old_id, NULL);
    test_assert_problem(404, "key_not_found", NULL);
}

static void with_grace_both_keys_work_for_a_time(void **state)
{
    char old[64], old_id[32], head[64];

    create(ADMIN_KEY, "{\"name\":\"x\"}");
    assert_made();
    memcpy(old, made, sizeof old);
    memcpy(old_id, made_id, sizeof old_id);
    rotate(ADMIN_KEY, old_id, "{\"gracePeriodHours\":168}");
    assert_made();
    snprintf(head, sizeof head, "GET /v1/keys/%s", old_id);
    test_call(ADMIN_KEY, head, NULL);
    assert_string_equal(test_member("status"), "retiring");
    assert_string_equal(test_member("revokedAt"), "2025-11-22T01:02:03.004Z");
    test_now_us += INT64_C(168) * 3600000000 - 1;
    assert_int_equal(status_with(old), 200);
    test_now_us += 1;
    assert_int_equal(status_with(old), 401);
    assert_int_equal(status_with(made), 200);
}

static void graces_are_checked(void **state)
{
    static const char *const graces[] = {"-1", "169", "1.5", "\"1\"", "99999999999999999999"};
    char body[64];

    create(ADMIN_KEY, "{\"name\":\"x\"}");
    assert_made();
    for (size_t i = 0; i < sizeof graces / sizeof *graces; i++) {
        snprintf(body, sizeof body, "{\"gracePeriodHours\":%s}", graces[i]);
        rotate(ADMIN_KEY, made_id, body);
        test_assert_problem(400, "invalid_parameter", "gracePeriodHours");
    }
    rotate(ADMIN_KEY, made_id, "{");
    test_assert_problem(400, "invalid_json", NULL);
    assert_int_equal(status_with(made), 200);
}

static void an_expired_key_is_not_rotated(void **state)
{
    create(ADMIN_KEY, "{\"name\":\"x\",\"expiresAt\":\"2025-11-15T02:00:00Z\"}");
    assert_made();
    test_now_us += 3600000000;
    rotate(ADMIN_KEY, made_id, NULL);
    test_assert_problem(404, "key_not_found", NULL);
    assert_non_null(strstr(test_member("message"), "expired"));
}

static struct store_engine engine;
static const struct store_engine *whole;
static int64_t taken_off;

static int begin_after_another(struct store *s)
{
    int r = whole->begin(s);
    return r ? r : whole->key_revoke(s, 0, taken_off, test_now_us);
}

/* It was on when the request came, and off before its turn: no key may come of it. */
static void one_that_is_taken_off_meanwhile_is_not_rotated(void **state)
{
    create(ADMIN_KEY, "{\"name\":\"x\"}");
    assert_made();
    assert_true(public_id_parse(api_ids(test_api), KEY_ID_PREFIX, str_of(made_id), &taken_off));
    whole = test_store->engine;
    engine = *whole;
    engine.begin = begin_after_another;
    test_set_engine(&engine);
    rotate(ADMIN_KEY, made_id, NULL);
    test_assert_problem(404, "key_not_found", NULL);
    test_set_engine(whole);
    test_call(ADMIN_KEY, "GET /v1/keys", NULL);
    assert_string_equal(test_member("pagination.totalCount"), "8");
}

/* ---- repeated requests ---- */

static void a_repeated_request_shows_the_same_key_again(void **state)
{
    const char *head = "POST /v1/keys\nIdempotency-Key: once";
    char first[2048];

    test_call(ADMIN_KEY, head, "{\"name\":\"x\",\"perMinute\":5}");
    assert_made();
    snprintf(first, sizeof first, "%s", test_body());
    test_call(ADMIN_KEY, head, "{ \"perMinute\":5, \"name\":\"x\" }");
    assert_string_equal(test_body(), first);
    assert_string_equal(test_header("Idempotency-Replayed"), "true");
    test_call(ADMIN_KEY, head, "{\"name\":\"y\"}");
    test_assert_problem(400, "idempotency_key_mismatch", NULL);
    test_call(ADMIN_KEY, "GET /v1/keys", NULL);
    assert_string_equal(test_member("pagination.totalCount"), "8"); /* seven and one */
}

/* Also when the time is past that was ahead then; but to nobody who could not have made it. */
static void a_repetition_when_the_key_has_expired(void **state)
{
    const char *head = "POST /v1/keys\nIdempotency-Key: once";
    const char *body = "{\"name\":\"x\",\"expiresAt\":\"2025-11-15T02:00:00Z\"}";
    char first[2048];

    test_call(ADMIN_KEY, head, body);
    assert_made();
    snprintf(first, sizeof first, "%s", test_body());
    test_now_us += INT64_C(3600000000);
    assert_int_equal(test_call(ADMIN_KEY, head, body)->status, 201);
    assert_string_equal(test_body(), first);
    assert_string_equal(test_header("Idempotency-Replayed"), "true");
    test_call(KEEPER_KEY, head, body);
    test_assert_problem(403, "insufficient_permissions", NULL);
    create(ADMIN_KEY, body);
    test_assert_problem(400, "invalid_parameter", "expiresAt");
}

/* The first has switched the old key off; the repetition hears of the same new one. */
static void a_repeated_rotation_is_the_same_rotation(void **state)
{
    char head[128], first[2048];

    create(ADMIN_KEY, "{\"name\":\"x\"}");
    assert_made();
    snprintf(head, sizeof head, "POST /v1/keys/%s/rotate\nIdempotency-Key: once", made_id);
    test_call(ADMIN_KEY, head, "{}");
    assert_made();
    snprintf(first, sizeof first, "%s", test_body());
    test_call(ADMIN_KEY, head, NULL);
    assert_string_equal(test_body(), first);
    assert_string_equal(test_header("Idempotency-Replayed"), "true");
    assert_int_equal(status_with(made), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KEY_TEST(a_new_key_works_at_once),
        KEY_TEST(all_fields_are_kept),
        KEY_TEST(forms_are_understood),
        KEY_TEST(faults_are_named),
        KEY_TEST(nobody_gives_what_he_lacks),
        KEY_TEST(without_grace_the_old_key_is_off_at_once),
        KEY_TEST(with_grace_both_keys_work_for_a_time),
        KEY_TEST(graces_are_checked),
        KEY_TEST(an_expired_key_is_not_rotated),
        KEY_TEST(one_that_is_taken_off_meanwhile_is_not_rotated),
        KEY_TEST(a_repeated_request_shows_the_same_key_again),
        KEY_TEST(a_repetition_when_the_key_has_expired),
        KEY_TEST(a_repeated_rotation_is_the_same_rotation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
