/* GET /v1/stats/live as a stream. No server runs, as in the test of the event stream. */
#include "api/stats_stream.h"
#include "api/stream.h"
#include "api/test_stats.h"
#include "messaging/plan.h"

#include <errno.h>

enum { SECOND_US = 1000000 };

static struct http_request *stream;

static void open_with(const char *key)
{
    stream = test_call(key, "GET /v1/stats/live\nAccept: text/event-stream", NULL);
}

static void open_stream(const char *key)
{
    open_with(key);
    assert_int_equal(stream->status, 200);
    assert_non_null(stream->stream);
}

static void close_stream(void)
{
    stream->stream->over(stream);
}

static int count_of(const char *word)
{
    int count = 0;

    for (const char *at = test_body(); (at = strstr(at, word)); at++)
        count++;
    return count;
}

static bool tell(void)
{
    return api_worker_tell(test_worker);
}

static bool is_ended(void)
{
    return stream->conn->ending;
}

static void begins_at_once(void **state)
{
    open_stream(TEST_KEY);
    assert_string_equal(stream->content_type, "text/event-stream");
    assert_string_equal(test_header("Cache-Control"), "no-store");
    assert_string_equal(test_header("Vary"), "Accept");
    assert_non_null(test_header("X-RateLimit-Limit"));
    assert_memory_equal(test_body(), "retry: 1000\n\nevent: stats\ndata: {\"timestamp\":\"", 45);
    assert_int_equal(count_of("\"limitedBy\":[]}\n\n"), 1);
    close_stream();
}

/* However often the worker looks. */
static void is_told_once_a_second(void **state)
{
    open_stream(TEST_KEY);
    test_now_us -= test_now_us % SECOND_US;
    buf_clear(&stream->out);
    for (int i = 0; i < 50; i++) { /* ten times a second */
        test_now_us += SECOND_US / 10;
        assert_false(tell());
        assert_false(tell());
    }
    assert_int_equal(count_of("event: stats\n"), 5);
    test_now_us -= 3600 * (int64_t)SECOND_US; /* also by a clock that was put back */
    tell();
    assert_int_equal(count_of("event: stats\n"), 6);
    close_stream();
}

static void tells_what_is_new(void **state)
{
    open_stream(TEST_KEY);
    buf_clear(&stream->out);
    test_stats_sent(test_now_us, 5);
    test_revoke_key(test_add_key("sl_test_x", MODE_TEST, false, 0, "unlimited", 0)); /* a commit */
    test_now_us += SECOND_US;
    tell();
    assert_int_equal(count_of("\"lastMinute\":{\"accepted\":0,\"sent\":5,"), 1);
    buf_clear(&stream->out);
    test_now_us += 60 * (int64_t)SECOND_US; /* time alone goes on */
    tell();
    assert_int_equal(count_of("\"lastMinute\":{\"accepted\":0,\"sent\":0,"), 1);
    assert_int_equal(count_of("\"lastHour\":{\"accepted\":0,\"sent\":5,"), 1);
    close_stream();
}

static void names_the_limit_of_its_key(void **state)
{
    open_stream(SMALL_KEY);
    assert_int_equal(count_of("\"limitedBy\":[]"), 1);
    const struct stream *s = stream->continuation;
    struct limit_view view;
    while (limiter_take(test_api->options.limiter, s->key.id, plan_limits(&s->key), test_now_us,
                        &view))
        ;
    buf_clear(&stream->out);
    test_now_us += SECOND_US;
    tell();
    assert_int_equal(count_of("\"limitedBy\":[{\"limit\":\"key_limit\",\"carrier\":null,"), 1);
    close_stream();
}

static void who_takes_nothing_is_told_no_more(void **state)
{
    open_stream(TEST_KEY);
    for (int i = 0; i < 1000; i++) {
        test_now_us += SECOND_US;
        tell();
    }
    assert_true(stream->out.n > 60000 && stream->out.n < 70000);
    buf_clear(&stream->out);
    test_now_us += SECOND_US;
    tell();
    assert_int_equal(count_of("event: stats\n"), 1);
    close_stream();
}

static void a_revoked_key_ends_it(void **state)
{
    int64_t id = test_add_key("sl_test_revoked_later", MODE_TEST, false, 0, "unlimited", 0);

    open_stream("sl_test_revoked_later");
    tell();
    assert_false(is_ended());
    test_revoke_key(id);
    tell(); /* in the same second */
    assert_true(is_ended());
    close_stream();
}

static void an_expired_key_ends_it(void **state)
{
    open_stream(EXPIRING_KEY);
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
    open_stream(TEST_KEY);
    test_suspend_account(FIRST_ACCOUNT, test_now_us);
    tell();
    assert_true(is_ended());
    close_stream();
}

static void trouble_of_the_store_ends_it(void **state)
{
    open_stream(TEST_KEY);
    test_stats.fault = -EIO;
    test_revoke_key(test_add_key("sl_test_x", MODE_TEST, false, 0, "unlimited", 0)); /* a commit */
    test_now_us += SECOND_US;
    tell();
    assert_true(is_ended());
    close_stream();
}

/* ---- many ---- */

enum { STREAMS = 40 };
static struct http_request many[STREAMS];

static void open_one_of_many(struct http_request *r, const char *key)
{
    arena_init(&r->arena, HTTP_ARENA_MAX);
    buf_init(&r->out, HTTP_OUT_MAX);
    char *wire =
        arena_printf(&r->arena,
                     "GET /v1/stats/live HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n"
                     "Authorization: Bearer %s\r\n\r\n",
                     key);
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
    assert_int_equal(r->status, 200);
}

static void close_many(void)
{
    for (int i = 0; i < STREAMS; i++) {
        many[i].stream->over(&many[i]);
        arena_done(&many[i].arena);
        buf_done(&many[i].out);
    }
}

/* All are told, those of an owner from one reading and writing, and each its own. */
static void an_owner_is_read_once_for_all(void **state)
{
    test_add_key("sl_test_other", MODE_TEST, true, 0, "unlimited", 0);
    test_add_key("sl_test_first", MODE_TEST, false, 0, "unlimited", 0);
    test_stats_sent(test_now_us, 5);
    test_stats.queue = (struct queue_state){.queued = 1, .lane_count = 1, .lanes = {{9, 1}}};
    stream = test_request("GET /livez", NULL);
    for (int i = 0; i < STREAMS; i++) {
        open_one_of_many(&many[i], i % 2 ? "sl_test_other" : "sl_test_first");
        buf_clear(&many[i].out);
    }
    test_revoke_key(test_add_key("sl_test_x", MODE_TEST, false, 0, "unlimited", 0)); /* a commit */
    test_now_us += SECOND_US;
    test_stats.reads = test_stats.lookups = 0;
    for (int rounds = 0; tell(); rounds++)
        assert_true(rounds < 100);
    assert_int_equal(test_stats.reads, 2);
    assert_int_equal(test_stats.lookups, 1);
    for (int i = 0; i < STREAMS; i++) {
        buf_add_char(&many[i].out, '\0');
        assert_non_null(strstr(many[i].out.p, i % 2 ? "\"lastHour\":{\"accepted\":0,\"sent\":0,"
                                                    : "\"lastHour\":{\"accepted\":0,\"sent\":5,"));
    }
    close_many();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STATS_TEST(begins_at_once),
        STATS_TEST(is_told_once_a_second),
        STATS_TEST(tells_what_is_new),
        STATS_TEST(names_the_limit_of_its_key),
        STATS_TEST(who_takes_nothing_is_told_no_more),
        STATS_TEST(a_revoked_key_ends_it),
        STATS_TEST(an_expired_key_ends_it),
        STATS_TEST(a_suspended_account_ends_it),
        STATS_TEST(trouble_of_the_store_ends_it),
        STATS_TEST(an_owner_is_read_once_for_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
