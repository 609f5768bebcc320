/* The inbox of a test number, with and without waiting. */
#include "api/test_events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define NUMBER "+15551234567"

enum { SECOND_US = 1000000 };

static struct message message_to(int64_t account, const char *to, const char *text)
{
    struct message m = test_message(account, MODE_TEST, text);

    m.to = str_of(to);
    return m;
}

static int64_t put(int64_t account, const char *to, const char *text)
{
    struct message m = message_to(account, to, text);

    return test_accept_message(&m);
}

static void deliver(int64_t account, const char *to, const char *text)
{
    test_deliver(put(account, to, text));
}

static unsigned inbox(const char *query)
{
    char head[256];

    snprintf(head, sizeof head, "GET /v1/test/inbox?%s", query);
    return test_call(TEST_KEY, head, NULL)->status;
}

/* ---- without waiting ---- */

static void shows_what_was_delivered_to_the_number(void **state)
{
    deliver(FIRST_ACCOUNT, NUMBER, "first");
    deliver(FIRST_ACCOUNT, NUMBER, "second");
    deliver(FIRST_ACCOUNT, "+15551234568", "another number");
    deliver(OTHER_ACCOUNT, NUMBER, "another account");
    put(FIRST_ACCOUNT, NUMBER, "not delivered");
    assert_int_equal(inbox("to=%2B15551234567"), 200);
    assert_string_equal(test_member("data.0.text"), "second");
    assert_string_equal(test_member("data.1.text"), "first");
    assert_string_equal(test_member("data.2"), "");
    assert_null(strstr(test_body(), "\"code\""));
    assert_int_equal(inbox("to=+15551234567&limit=1"), 200);
    assert_string_equal(test_member("data.0.text"), "second");
    assert_string_equal(test_member("data.1"), "");
}

static void an_empty_inbox_is_a_list(void **state)
{
    assert_int_equal(inbox("to=%2B15551234567&wait=0"), 200);
    assert_string_equal(test_body(), "{\"data\":[]}");
    assert_int_equal(inbox("to=%2B15551234567&extract=code"), 200);
    assert_string_equal(test_body(), "{\"data\":[],\"code\":null}");
}

static void since_is_the_time_of_delivery(void **state)
{
    int64_t early = put(FIRST_ACCOUNT, NUMBER, "accepted first, delivered last");

    deliver(FIRST_ACCOUNT, NUMBER, "old");
    test_now_us += 10 * SECOND_US; /* 01:02:13.004 */
    deliver(FIRST_ACCOUNT, NUMBER, "new");
    test_deliver(early);
    inbox("to=%2B15551234567&since=2025-11-15T01:02:13.004005Z&limit=2");
    assert_string_equal(test_member("data.0.text"), "new");
    assert_string_equal(test_member("data.1.text"), "accepted first, delivered last");
    inbox("to=%2B15551234567&since=2025-11-15T01:02:13.005Z");
    assert_string_equal(test_body(), "{\"data\":[]}");
}

static void the_newest_code_is_cut_out(void **state)
{
    deliver(FIRST_ACCOUNT, NUMBER, "Your code is 111111");
    deliver(FIRST_ACCOUNT, NUMBER, "Your code is 482-913");
    deliver(FIRST_ACCOUNT, NUMBER, "Thank you");
    inbox("to=%2B15551234567&extract=code");
    assert_string_equal(test_member("code"), "482913");
    assert_string_equal(test_member("data.0.text"), "Thank you");
}

static int accept_thousand(struct store *s, void *message)
{
    int failed = 0;

    for (int i = 0; i < 1000 && !failed; i++)
        failed = store_accept(s, message);
    return failed;
}

/* However many were sent to a number: a look, ten times a second for each who waits, ends. */
static void a_look_goes_back_a_thousand_messages(void **state)
{
    struct message m = message_to(FIRST_ACCOUNT, NUMBER, "one of a thousand");

    deliver(FIRST_ACCOUNT, NUMBER, "hello");
    inbox("to=%2B15551234567");
    assert_string_equal(test_member("data.0.text"), "hello");
    test_write(accept_thousand, &m);
    inbox("to=%2B15551234567");
    assert_string_equal(test_body(), "{\"data\":[]}");
    test_deliver(m.id);
    inbox("to=%2B15551234567");
    assert_string_equal(test_member("data.0.text"), "one of a thousand");
    assert_non_null(strstr(test_body(), "hello")); /* 999 that were not delivered are newer */
}

static void wrong_queries_are_named(void **state)
{
    static const struct {
        const char *query, *code, *field;
    } table[] = {
        {"", "missing_required_field", "to"},
        {"wait=1", "missing_required_field", "to"},
        {"to=", "invalid_phone_number", "to"},
        {"to=1234", "invalid_phone_number", "to"},
        {"to=%2B15551234567&wait=31", "invalid_parameter", "wait"},
        {"to=%2B15551234567&wait=-1", "invalid_parameter", "wait"},
        {"to=%2B15551234567&wait=1.5", "invalid_parameter", "wait"},
        {"to=%2B15551234567&wait=", "invalid_parameter", "wait"},
        {"to=%2B15551234567&extract=codes", "invalid_parameter", "extract"},
        {"to=%2B15551234567&extract=", "invalid_parameter", "extract"},
        {"to=%2B15551234567&since=now", "invalid_date_range", "since"},
        {"to=%2B15551234567&limit=101", "invalid_limit", "limit"},
        {"to=%2B15551234567&cursor=msg_0", "invalid_parameter", "cursor"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        inbox(table[i].query);
        test_assert_problem(400, table[i].code, table[i].field);
    }
    test_call(LIVE_KEY, "GET /v1/test/inbox?to=%2B15551234567", NULL);
    test_assert_problem(403, "test_key_required", NULL);
}

/* ---- waiting ---- */

static int rounds;     /* looks so far */
static int message_at; /* in which round a message comes; 0 = never */
static int code_at;
static void (*event)(void); /* what happens in round 5 */

/* A tenth of a second passes. */
static void pass(void)
{
    test_now_us += SECOND_US / 10;
    rounds++;
    if (rounds == message_at)
        deliver(FIRST_ACCOUNT, NUMBER, "Hello");
    if (rounds == code_at)
        deliver(FIRST_ACCOUNT, NUMBER, "Code 4829");
    if (rounds == 5 && event)
        event();
    api_worker_rest(test_worker);
}

static int wait_set_up(void **state)
{
    rounds = message_at = code_at = 0;
    event = NULL;
    test_api_set_up(state);
    test_while_suspended = pass;
    return 0;
}

static void what_is_there_is_not_waited_for(void **state)
{
    deliver(FIRST_ACCOUNT, NUMBER, "Hello");
    assert_int_equal(inbox("to=%2B15551234567&wait=30"), 200);
    assert_int_equal(rounds, 0);
}

static void answers_when_a_message_comes(void **state)
{
    message_at = 7;
    assert_int_equal(inbox("to=%2B15551234567&wait=30"), 200);
    assert_string_equal(test_member("data.0.text"), "Hello");
    assert_int_equal(rounds, 7);
    assert_int_equal(test_worker->wait_count, 0);
}

static void with_extract_it_waits_for_a_code(void **state)
{
    message_at = 3;
    code_at = 12;
    assert_int_equal(inbox("to=%2B15551234567&wait=30&extract=code"), 200);
    assert_string_equal(test_member("code"), "4829");
    assert_int_equal(rounds, 12);
}

static void gives_up_when_the_time_is_over(void **state)
{
    assert_int_equal(inbox("to=%2B15551234567&wait=2"), 200);
    assert_string_equal(test_body(), "{\"data\":[]}");
    assert_int_equal(rounds, 20);
}

static int deliver_hundred(struct store *s, void *message)
{
    struct message *m = message;
    int failed = 0;

    for (int i = 0; i < 100 && !failed; i++) {
        failed = store_accept(s, m);
        if (!failed)
            failed = test_deliver_within(s, &m->id);
    }
    return failed;
}

/* What was looked at before it waited takes no memory meanwhile, nor from the answer. */
static void who_waits_holds_nothing(void **state)
{
    enum { SIZE = 100000 }; /* a hundred of them are more than half of what a request may have */
    struct message m = message_to(FIRST_ACCOUNT, NUMBER, "no code");
    char *media = malloc(SIZE);

    assert_non_null(media);
    memset(media, 'x', SIZE);
    m.media = (struct str){media, SIZE};
    test_write(deliver_hundred, &m);
    assert_int_equal(inbox("to=%2B15551234567&wait=1&extract=code&limit=100"), 200);
    assert_int_equal(rounds, 10);
    assert_string_equal(test_member("data.99.text"), "no code");
    free(media);
}

static void turn_the_clock_back(void)
{
    test_now_us -= 3600 * (int64_t)SECOND_US;
}

static void a_clock_that_is_put_back_ends_it(void **state)
{
    event = turn_the_clock_back;
    assert_int_equal(inbox("to=%2B15551234567&wait=30"), 200);
    assert_int_equal(rounds, 5);
}

static void a_client_that_goes_ends_it(void **state)
{
    event = test_hang_up;
    inbox("to=%2B15551234567&wait=30");
    assert_int_equal(rounds, 5);
}

static void a_drain_ends_it(void **state)
{
    event = test_drain;
    assert_int_equal(inbox("to=%2B15551234567&wait=30"), 200);
    assert_string_equal(test_body(), "{\"data\":[]}");
    assert_int_equal(rounds, 5);
}

static const struct store_engine *engine_beneath;
static unsigned pages_read;

static int count_pages(struct store_reader *r, int64_t account, enum mode mode,
                       const struct message_filter *filter, int64_t cursor, size_t limit,
                       struct arena *a, struct message_page *ret)
{
    pages_read++;
    return engine_beneath->message_page(r, account, mode, filter, cursor, limit, a, ret);
}

static void nothing_is_read_while_nothing_is_written(void **state)
{
    struct store_engine counting = *test_store->engine;

    counting.message_page = count_pages;
    engine_beneath = test_set_engine(&counting);
    pages_read = 0;
    message_at = 10;
    inbox("to=%2B15551234567&wait=3");
    assert_int_equal(rounds, 10);
    assert_true(pages_read <= 8); /* at first, after each commit, and for the answer */
    test_set_engine(engine_beneath);
}

static void only_so_many_may_wait(void **state)
{
    test_worker->wait_count = 128;
    inbox("to=%2B15551234567&wait=1");
    test_assert_problem(503, "queue_full", NULL);
    assert_string_equal(test_header("Retry-After"), "1");
    assert_int_equal(inbox("to=%2B15551234567"), 200);
    test_worker->wait_count = 0;
}

#define WAIT_TEST(function)                                                                        \
    cmocka_unit_test_setup_teardown(function, wait_set_up, test_api_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(shows_what_was_delivered_to_the_number),
        API_TEST(an_empty_inbox_is_a_list),
        API_TEST(since_is_the_time_of_delivery),
        API_TEST(the_newest_code_is_cut_out),
        API_TEST(a_look_goes_back_a_thousand_messages),
        API_TEST(wrong_queries_are_named),
        WAIT_TEST(what_is_there_is_not_waited_for),
        WAIT_TEST(answers_when_a_message_comes),
        WAIT_TEST(with_extract_it_waits_for_a_code),
        WAIT_TEST(gives_up_when_the_time_is_over),
        WAIT_TEST(who_waits_holds_nothing),
        WAIT_TEST(a_clock_that_is_put_back_ends_it),
        WAIT_TEST(a_client_that_goes_ends_it),
        WAIT_TEST(a_drain_ends_it),
        WAIT_TEST(nothing_is_read_while_nothing_is_written),
        WAIT_TEST(only_so_many_may_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
