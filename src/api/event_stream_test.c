/* GET /v1/events as a stream. No server runs: what is said stays in the answer, as with a client
 * that takes nothing, so what would be unsent is what a test has not taken out. */
#include "api/event_stream.h"
#include "api/test_events.h"

#include <stdio.h>

enum { SECOND_US = 1000000 };

static struct http_request *stream;

static void open_with(const char *key, const char *query, const char *header)
{
    char head[512];

    snprintf(head, sizeof head, "GET /v1/events%s\nAccept: text/html, Text/Event-Stream;q=0.9%s",
             query, header);
    stream = test_call(key, head, NULL);
}

/* A stream that is open until the end of the test. */
static void open_stream(const char *query, const char *header)
{
    open_with(TEST_KEY, query, header);
    assert_int_equal(stream->status, 200);
    assert_non_null(stream->stream);
}

static void close_stream(void)
{
    stream->stream->over(stream);
}

static const char *said(void)
{
    return test_body();
}

static void take(void)
{
    buf_clear(&stream->out);
}

/* How often a word stands in what was said. */
static int count_of(const char *word)
{
    int count = 0;

    for (const char *at = said(); (at = strstr(at, word)); at++)
        count++;
    return count;
}

static bool tell(void)
{
    return api_worker_tell(test_worker);
}

static void begins_with_now(void **state)
{
    int64_t id = test_accept(FIRST_ACCOUNT, MODE_TEST, "before", NULL);

    open_stream("", "");
    assert_string_equal(stream->content_type, "text/event-stream");
    assert_string_equal(test_header("Cache-Control"), "no-store");
    assert_string_equal(test_header("Vary"), "Accept");
    assert_non_null(test_header("X-RateLimit-Limit"));
    assert_memory_equal(said(), "retry: 1000\nid: evt_", 20);
    take();
    assert_false(tell());
    assert_string_equal(said(), "");
    test_deliver(id);
    assert_false(tell());
    assert_int_equal(count_of("id: evt_"), 2);
    assert_int_equal(count_of("\nevent: message.sent\ndata: {\"id\":\"evt_"), 1);
    assert_int_equal(count_of("\nevent: message.delivered\ndata: {\"id\":\"evt_"), 1);
    assert_int_equal(count_of("}\n\n"), 2);
    take();
    test_accept(OTHER_ACCOUNT, MODE_TEST, "another's", NULL);
    test_accept(FIRST_ACCOUNT, MODE_LIVE, "of another mode", NULL);
    assert_false(tell());
    assert_string_equal(said(), "");
    close_stream();
}

/* The id on the first line of what was said. */
static void first_id(char out[PUBLIC_ID_SIZE + 1])
{
    const char *at = strstr(said(), "id: ");

    assert_non_null(at);
    snprintf(out, PUBLIC_ID_SIZE + 1, "%s", at + 4);
}

static void goes_on_behind(const char *way)
{
    char id[PUBLIC_ID_SIZE + 1], text[128];
    bool by_header = *way == '\n';

    open_stream("", ""); /* before there is anything: its id leads to all that comes */
    first_id(id);
    close_stream();
    test_deliver(test_accept(FIRST_ACCOUNT, MODE_TEST, "x", NULL));
    snprintf(text, sizeof text, "%s%s", way, id);
    open_stream(by_header ? "" : text, by_header ? text : "");
    take();
    assert_false(tell());
    assert_int_equal(count_of("\nevent: "), 3);
    first_id(id);
    close_stream();
    snprintf(text, sizeof text, "%s%s", way, id);
    open_stream(by_header ? "" : text, by_header ? text : "");
    assert_int_equal(count_of(id), 1);
    take();
    tell();
    assert_int_equal(count_of("\nevent: "), 2);
    assert_int_equal(count_of("event: message.queued"), 0);
    close_stream();
}

static void goes_on_behind_the_last_event(void **state)
{
    goes_on_behind("\nLast-Event-ID: ");
}

static void goes_on_behind_after(void **state)
{
    goes_on_behind("?after=");
}

static void the_header_wins(void **state)
{
    char id[PUBLIC_ID_SIZE + 1], newest[PUBLIC_ID_SIZE + 1], query[64], header[64];

    open_stream("", "");
    first_id(id);
    close_stream();
    test_accept(FIRST_ACCOUNT, MODE_TEST, "x", NULL);
    open_stream("", "");
    first_id(newest);
    close_stream();
    snprintf(query, sizeof query, "?after=%s", newest);
    snprintf(header, sizeof header, "\nLast-Event-ID: %s", id);
    open_stream(query, header);
    tell();
    assert_int_equal(count_of("event: message.queued"), 1);
    close_stream();
    open_stream(query, "\nLast-Event-ID:"); /* says nothing */
    tell();
    assert_int_equal(count_of("event: message.queued"), 0);
    close_stream();
}

static void types_are_chosen(void **state)
{
    open_stream("?types=message.sent", "");
    test_deliver(test_accept(FIRST_ACCOUNT, MODE_TEST, "x", NULL));
    assert_false(tell());
    assert_int_equal(count_of("\nevent: "), 1);
    assert_int_equal(count_of("\nevent: message.sent"), 1);
    close_stream();
}

static void an_event_is_one_line(void **state)
{
    open_stream("", "");
    take();
    test_accept(FIRST_ACCOUNT, MODE_TEST, "two\nlines", "{\r\n \"a\": 1,\n \"b\": 2\n}");
    tell();
    assert_int_equal(count_of("\n"), 4); /* id, event, data, and the empty one */
    assert_int_equal(count_of("\r"), 0);
    assert_int_equal(count_of("two\\nlines"), 1);
    assert_int_equal(count_of("{   \"a\": 1,  \"b\": 2 }"), 1);
    close_stream();
}

static void silence_is_broken_every_15_seconds(void **state)
{
    open_stream("", "");
    take();
    for (int second = 1; second <= 46; second++) {
        test_now_us += SECOND_US;
        tell();
    }
    assert_string_equal(said(), ":\n\n:\n\n:\n\n");
    take();
    test_now_us += 10 * SECOND_US;
    test_accept(FIRST_ACCOUNT, MODE_TEST, "x", NULL);
    tell();
    take();
    test_now_us += 10 * SECOND_US; /* since the last, but not since something was said */
    tell();
    assert_string_equal(said(), "");
    test_now_us -= 3600 * (int64_t)SECOND_US; /* a clock that is put back does not silence it */
    tell();
    assert_string_equal(said(), ":\n\n");
    close_stream();
}

/* Nothing is missed, nothing comes twice, however much there is. */
static void a_long_way_is_gone_in_steps(void **state)
{
    int told = 0, rounds = 0;

    open_stream("", "");
    take();
    test_accept_many(1000);
    for (bool more = true; more; rounds++) {
        more = tell();
        told += count_of("event: message.queued");
        take();
        assert_true(rounds < 100);
    }
    assert_int_equal(told, 1000);
    assert_true(rounds > 10);
    assert_false(tell());
    assert_string_equal(said(), "");
    close_stream();
}

static void who_takes_nothing_is_told_no_more(void **state)
{
    open_stream("", "");
    test_accept_many(1000);
    for (int i = 0; i < 50; i++)
        tell();
    int told = count_of("event: message.queued");
    assert_true(stream->out.n > 60000 && stream->out.n < 70000);
    assert_true(told < 1000);
    assert_false(tell()); /* the server calls again when there is room */
    for (int i = 0; i < 200; i++) {
        take();
        tell();
        told += count_of("event: message.queued");
    }
    assert_int_equal(told, 1000);
    close_stream();
}

static bool is_ended(void)
{
    return stream->conn->ending;
}

static void a_revoked_key_ends_it(void **state)
{
    int64_t id = test_add_key("sl_test_revoked_later", MODE_TEST, false, 0, "unlimited", 0);

    open_with("sl_test_revoked_later", "", "");
    tell();
    assert_false(is_ended());
    test_revoke_key(test_add_key("sl_test_x", MODE_TEST, false, 0, "unlimited", 0));
    tell();
    assert_false(is_ended());
    test_revoke_key(id);
    tell();
    assert_true(is_ended());
    close_stream();
}

static void an_expired_key_ends_it(void **state)
{
    open_with(EXPIRING_KEY, "", "");
    test_now_us += 3599 * (int64_t)SECOND_US;
    tell();
    assert_false(is_ended());
    test_now_us += SECOND_US;
    tell();
    assert_true(is_ended());
    close_stream();
}

static void a_suspended_account_ends_it(void **state)
{
    open_stream("", "");
    tell();
    assert_false(is_ended());
    test_suspend_account(FIRST_ACCOUNT, test_now_us);
    tell();
    assert_true(is_ended());
    close_stream();
}

static void what_cannot_be_is_refused(void **state)
{
    char header[64], id[PUBLIC_ID_SIZE];

    open_with(TEST_KEY, "", "\nLast-Event-ID: 17");
    test_assert_problem(400, "invalid_cursor", "Last-Event-ID");
    public_id_format(store_cipher(test_store), NOTICE_ID_PREFIX,
                     test_accept(OTHER_ACCOUNT, MODE_TEST, "x", NULL), id);
    snprintf(header, sizeof header, "\nLast-Event-ID: %.*s", PUBLIC_ID_SIZE, id);
    open_with(TEST_KEY, "", header);
    test_assert_problem(400, "invalid_cursor", "Last-Event-ID");
    open_with(TEST_KEY, "?after=evt_", "");
    test_assert_problem(400, "invalid_cursor", "after");
    open_with(TEST_KEY, "?limit=5", "");
    test_assert_problem(400, "invalid_parameter", "limit");
    snprintf(header, sizeof header, "?cursor=%.*s", PUBLIC_ID_SIZE, id);
    open_with(TEST_KEY, header, "");
    test_assert_problem(400, "invalid_parameter", "cursor");
    open_with(READ_KEY, "", "");
    test_assert_problem(403, "insufficient_permissions", NULL);
}

/* ---- many ---- */

enum { STREAMS = 512, ACCOUNTS = STREAMS / 64 + 1 };
static struct http_request many[STREAMS];

static const char *key_of(int account)
{
    static char key[64];

    snprintf(key, sizeof key, "sl_test_of_account_%d", account);
    return key;
}

static void add_accounts(void)
{
    for (int i = 0; i < ACCOUNTS; i++) {
        struct key_record k = {
            .account = 100 + i, .mode = MODE_TEST, .name = "test", .created_us = test_now_us};
        test_add_key_record(key_of(i), &k);
    }
}

/* A request of its own, beside those of test_api. */
static void open_one_of_many(struct http_request *r, int account)
{
    arena_init(&r->arena, HTTP_ARENA_MAX);
    buf_init(&r->out, HTTP_OUT_MAX);
    char *wire = arena_printf(&r->arena,
                              "GET /v1/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n"
                              "Authorization: Bearer %s\r\n\r\n",
                              key_of(account));
    struct arena arena = r->arena;
    struct buf out = r->out;
    *r = (struct http_request){.arena = arena,
                               .out = out,
                               .conn = stream->conn,
                               .peer = stream->peer,
                               .worker_context = test_worker,
                               .method = HTTP_GET};
    assert_null(http_head_parse(str_of(wire), &r->head));
    api_handle(r);
}

static void close_one_of_many(struct http_request *r)
{
    if (r->stream)
        r->stream->over(r);
    arena_done(&r->arena);
    buf_done(&r->out);
}

static void accounts_and_workers_have_only_so_many(void **state)
{
    struct http_request extra;

    add_accounts();
    stream = test_request("GET /livez", NULL);
    for (int i = 0; i < STREAMS; i++) {
        open_one_of_many(&many[i], i / 64);
        assert_int_equal(many[i].status, 200);
        if (i % 64 < 63 || i == STREAMS - 1)
            continue;
        open_one_of_many(&extra, i / 64); /* one more than the account may have */
        assert_int_equal(extra.status, 503);
        close_one_of_many(&extra);
    }
    open_with(key_of(ACCOUNTS - 1), "", ""); /* it has none, but the worker is full */
    test_assert_problem(503, "queue_full", NULL);
    assert_string_equal(test_header("Retry-After"), "5");
    close_one_of_many(&many[0]);
    open_with(key_of(1), "", "");
    test_assert_problem(503, "queue_full", NULL);
    open_one_of_many(&many[0], 0);
    assert_int_equal(many[0].status, 200);
    for (int i = 0; i < STREAMS; i++)
        close_one_of_many(&many[i]);
}

/* Each is told everything, also when a round ends before all have had their turn. */
static void all_are_told(void **state)
{
    add_accounts();
    stream = test_request("GET /livez", NULL);
    for (int i = 0; i < STREAMS; i++)
        open_one_of_many(&many[i], i % (ACCOUNTS - 1));
    for (int round = 0; round < 5; round++) {
        for (int account = 0; account < ACCOUNTS; account++)
            test_deliver(test_accept(100 + account, MODE_TEST, "x", NULL));
        tell();
    }
    for (int rounds = 0; tell(); rounds++)
        assert_true(rounds < 1000);
    for (int i = 0; i < STREAMS; i++) {
        int events = 0;
        buf_add_char(&many[i].out, '\0');
        for (const char *at = many[i].out.p; (at = strstr(at, "\nevent: ")); at++)
            events++;
        assert_int_equal(events, 15);
        close_one_of_many(&many[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(begins_with_now),
        API_TEST(goes_on_behind_the_last_event),
        API_TEST(goes_on_behind_after),
        API_TEST(the_header_wins),
        API_TEST(types_are_chosen),
        API_TEST(an_event_is_one_line),
        API_TEST(silence_is_broken_every_15_seconds),
        API_TEST(a_long_way_is_gone_in_steps),
        API_TEST(who_takes_nothing_is_told_no_more),
        API_TEST(a_revoked_key_ends_it),
        API_TEST(an_expired_key_ends_it),
        API_TEST(a_suspended_account_ends_it),
        API_TEST(what_cannot_be_is_refused),
        API_TEST(accounts_and_workers_have_only_so_many),
        API_TEST(all_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
