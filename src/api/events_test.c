/* GET /v1/events as a list. */
#include "api/test_events.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned events(const char *query)
{
    char head[256];

    snprintf(head, sizeof head, "GET /v1/events?%s", query);
    return test_call(TEST_KEY, head, NULL)->status;
}

static void assert_types(const char *const *types)
{
    char path[32];
    size_t i = 0;

    for (; types[i]; i++) {
        snprintf(path, sizeof path, "data.%zu.type", i);
        assert_string_equal(test_member(path), types[i]);
    }
    snprintf(path, sizeof path, "data.%zu", i);
    assert_string_equal(test_member(path), "");
}
#define TYPES(...) assert_types((const char *const[]){__VA_ARGS__, NULL})

static void the_newest_come_first(void **state)
{
    int64_t id = test_accept(FIRST_ACCOUNT, MODE_TEST, "Hello", NULL);

    test_deliver(id);
    test_accept(OTHER_ACCOUNT, MODE_TEST, "of another account", NULL);
    test_accept(FIRST_ACCOUNT, MODE_LIVE, "of another mode", NULL);
    assert_int_equal(events(""), 200);
    TYPES("message.delivered", "message.sent", "message.queued");
    assert_string_equal(test_member("data.2.sequence"), "1");
    assert_string_equal(test_member("data.1.sequence"), "2");
    assert_string_equal(test_member("data.0.sequence"), "3");
    assert_string_equal(test_member("data.0.data.text"), "Hello");
    assert_string_equal(test_member("data.0.data.status"), "delivered");
    assert_string_equal(test_member("data.2.data.status"), "queued"); /* as it was then */
    assert_string_equal(test_member("data.0.livemode"), "false");
    assert_string_equal(test_member("pagination.hasMore"), "false");
    assert_string_equal(test_member("pagination.nextCursor"), "");
    assert_string_equal(test_member("pagination.previousCursor"), "");
    assert_null(strstr(test_body(), "totalCount"));
}

static void an_empty_list_is_one(void **state)
{
    assert_int_equal(events(""), 200);
    assert_string_equal(test_body(), "{\"data\":[],\"pagination\":{\"hasMore\":false,"
                                     "\"nextCursor\":null,\"previousCursor\":null}}");
}

/* The ids of a page, and the cursor that leads on. */
static size_t add_ids(char (*ids)[16])
{
    size_t count = 0;

    for (char path[32];; count++) {
        snprintf(path, sizeof path, "data.%zu.id", count);
        if (!*test_member(path))
            return count;
        snprintf(ids[count], sizeof ids[count], "%s", test_member(path));
    }
}

/* Five messages that arrive; all that is told of them, newest first. */
static void make_fifteen(char ids[][16])
{
    for (int i = 0; i < 5; i++)
        test_deliver(test_accept(FIRST_ACCOUNT, MODE_TEST, "x", NULL));
    events("limit=100");
    assert_int_equal(add_ids(ids), 15);
}

static void pages_lead_to_each_other(void **state)
{
    char all[100][16], seen[100][16], query[64];
    size_t count = 0;

    make_fifteen(all);
    snprintf(query, sizeof query, "limit=4");
    for (int page = 0; page < 4; page++) {
        events(query);
        count += add_ids(&seen[count]);
        assert_string_equal(test_member("pagination.hasMore"), page < 3 ? "true" : "false");
        assert_string_equal(test_member("pagination.previousCursor"),
                            page ? all[4 * (page - 1)] : "");
        if (page < 3)
            assert_string_equal(test_member("pagination.nextCursor"), all[4 * (page + 1)]);
        snprintf(query, sizeof query, "limit=4&cursor=%s", test_member("pagination.nextCursor"));
    }
    assert_int_equal(count, 15);
    assert_memory_equal(seen, all, 15 * sizeof all[0]);
}

static void after_goes_the_other_way(void **state)
{
    char all[100][16], seen[100][16], query[64];
    size_t count = 0;

    make_fifteen(all);
    events("limit=1&after=start");
    assert_string_equal(test_member("data.0.id"), all[14]);
    snprintf(query, sizeof query, "limit=5&after=%s", all[14]); /* the oldest */
    for (int page = 0; page < 3; page++) {
        events(query);
        count += add_ids(&seen[count]);
        assert_string_equal(test_member("pagination.hasMore"), page < 2 ? "true" : "false");
        snprintf(query, sizeof query, "limit=5&after=%s", test_member("pagination.nextCursor"));
    }
    assert_int_equal(count, 14);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(seen[i], all[13 - i]);
    snprintf(query, sizeof query, "after=%s", all[0]);
    events(query);
    assert_string_equal(test_member("data.0"), "");
}

static void types_are_chosen(void **state)
{
    test_deliver(test_accept(FIRST_ACCOUNT, MODE_TEST, "x", NULL));
    events("types=message.sent");
    TYPES("message.sent");
    events("types=message.delivered,message.queued");
    TYPES("message.delivered", "message.queued");
    events("types=message.failed");
    assert_string_equal(test_member("data.0"), "");
}

static void wrong_queries_are_named(void **state)
{
    static const struct {
        const char *query, *code, *field;
    } table[] = {
        {"types=", "invalid_parameter", "types"},
        {"types=message.sent,", "invalid_parameter", "types"},
        {"types=message.lost", "invalid_parameter", "types"},
        {"types=webhook.test", "invalid_parameter", "types"},
        {"limit=0", "invalid_limit", "limit"},
        {"limit=101", "invalid_limit", "limit"},
        {"cursor=", "invalid_cursor", "cursor"},
        {"cursor=evt_0", "invalid_cursor", "cursor"},
        {"after=msg_00000000000", "invalid_cursor", "after"},
        {"since=2020-01-01T00:00:00Z", "invalid_parameter", "since"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        events(table[i].query);
        test_assert_problem(400, table[i].code, table[i].field);
    }
}

static void format_id(int64_t id, char out[PUBLIC_ID_SIZE + 1])
{
    public_id_format(store_cipher(test_store), NOTICE_ID_PREFIX, id, out);
    out[PUBLIC_ID_SIZE] = '\0';
}

/* The event of this number as a place in the list. */
static unsigned events_at(const char *parameter, int64_t id)
{
    char text[PUBLIC_ID_SIZE + 1], query[64];

    format_id(id, text);
    snprintf(query, sizeof query, "%s=%s", parameter, text);
    return events(query);
}

static void places_of_others_are_none(void **state)
{
    int64_t other = test_accept(OTHER_ACCOUNT, MODE_TEST, "x", NULL);
    int64_t live = test_accept(FIRST_ACCOUNT, MODE_LIVE, "x", NULL);
    int64_t own = test_accept(FIRST_ACCOUNT, MODE_TEST, "x", NULL);

    events_at("cursor", other);
    test_assert_problem(400, "invalid_cursor", "cursor");
    events_at("after", live);
    test_assert_problem(400, "invalid_cursor", "after");
    events_at("after", own + 1000); /* not yet */
    test_assert_problem(400, "invalid_cursor", "after");
    assert_int_equal(events_at("after", own), 200);
    assert_int_equal(events_at("cursor", own), 200);
    TYPES("message.queued");
}

static void one_that_is_too_old_stands_for_the_oldest(void **state)
{
    int64_t old = test_accept(FIRST_ACCOUNT, MODE_TEST, "old", NULL);

    test_now_us += NOTICE_TIME_US + 1000000;
    test_accept(FIRST_ACCOUNT, MODE_TEST, "new", NULL);
    assert_int_equal(events_at("after", old), 200);
    assert_string_equal(test_member("data.0.data.text"), "new");
    assert_string_equal(test_member("data.1"), "");
    assert_int_equal(events_at("after", 0),
                     200); /* that of a stream which began before any event */
    assert_string_equal(test_member("data.0.data.text"), "new");
}

static int keep_for_two_days(struct store *s, void *context)
{
    struct store_retention kept = *store_retention(s);

    kept.notices_us = kept.deliveries_us = 2 * INT64_C(86400000000);
    store_set_retention(s, &kept);
    return 0;
}

static void what_is_too_old_is_a_matter_of_settings(void **state)
{
    int64_t old = test_accept(FIRST_ACCOUNT, MODE_TEST, "old", NULL), of_nobody = old + 1;

    test_now_us += 2 * INT64_C(86400000000) + 1000000;
    test_accept(FIRST_ACCOUNT, MODE_TEST, "new", NULL);
    events_at("after", of_nobody);
    test_assert_problem(400, "invalid_cursor", "after");
    test_write(keep_for_two_days, NULL);
    assert_int_equal(events_at("after", of_nobody), 200);
    assert_string_equal(test_member("data.0.data.text"), "new");
    assert_string_equal(test_member("data.1"), "");
}

static void two_ways_to_go_on_are_one_too_many(void **state)
{
    char text[PUBLIC_ID_SIZE + 1], query[128];

    format_id(test_accept(FIRST_ACCOUNT, MODE_TEST, "x", NULL), text);
    snprintf(query, sizeof query, "cursor=%s&after=%s", text, text);
    events(query);
    test_assert_problem(400, "invalid_parameter", "after");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(the_newest_come_first),
        API_TEST(an_empty_list_is_one),
        API_TEST(pages_lead_to_each_other),
        API_TEST(after_goes_the_other_way),
        API_TEST(types_are_chosen),
        API_TEST(wrong_queries_are_named),
        API_TEST(places_of_others_are_none),
        API_TEST(one_that_is_too_old_stands_for_the_oldest),
        API_TEST(what_is_too_old_is_a_matter_of_settings),
        API_TEST(two_ways_to_go_on_are_one_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
