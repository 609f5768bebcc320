/* What streams of all kinds have in common. What a stream of one kind does is in the tests of its
 * kind: rings, keys that go off, and the cap of a worker among them. */
#include "api/stream.h"
#include "api/stream_seats.h"
#include "api/test_stats.h"

#include <stdio.h>

static struct http_request requests[STREAMS_PER_ACCOUNT + 1];

static void open_one(struct http_request *r, const struct http_request *like, const char *path)
{
    arena_init(&r->arena, HTTP_ARENA_MAX);
    buf_init(&r->out, HTTP_OUT_MAX);
    char *wire = arena_printf(&r->arena,
                              "GET %s HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n"
                              "Authorization: Bearer %s\r\n\r\n",
                              path, "sl_test_of_streams");
    struct arena arena = r->arena;
    struct buf out = r->out;
    *r = (struct http_request){.arena = arena,
                               .out = out,
                               .conn = like->conn,
                               .peer = like->peer,
                               .worker_context = test_worker,
                               .method = HTTP_GET};
    assert_null(http_head_parse(str_of(wire), &r->head));
    api_handle(r);
}

static void close_one(struct http_request *r)
{
    if (r->stream)
        r->stream->over(r);
    arena_done(&r->arena);
    buf_done(&r->out);
}

static const char *path_of(int i)
{
    return i % 2 ? "/v1/events" : "/v1/stats/live";
}

static void an_account_has_so_many_of_all_kinds(void **state)
{
    struct http_request *like = test_request("GET /livez", NULL), *extra = &requests[64];

    test_add_key("sl_test_of_streams", MODE_TEST, false, 0, "unlimited", 0);
    for (int i = 0; i < STREAMS_PER_ACCOUNT; i++) {
        open_one(&requests[i], like, path_of(i));
        assert_int_equal(requests[i].status, 200);
    }
    for (int i = 0; i < 2; i++) {
        open_one(extra, like, path_of(i));
        assert_int_equal(extra->status, 503);
        close_one(extra);
    }
    close_one(&requests[0]); /* a seat of the one kind is one of the other */
    open_one(&requests[0], like, path_of(1));
    assert_int_equal(requests[0].status, 200);
    for (int i = 0; i < STREAMS_PER_ACCOUNT; i++)
        close_one(&requests[i]);
}

static bool wants(const char *accept)
{
    char head[256];

    snprintf(head, sizeof head, "GET /v1/stats/live\nAccept: %s", accept);
    struct http_request *r = test_call(TEST_KEY, head, NULL);
    bool is_stream = r->stream;
    assert_int_equal(r->status, 200);
    if (is_stream)
        r->stream->over(r);
    return is_stream;
}

static void accept_asks_for_one(void **state)
{
    assert_true(wants("text/event-stream"));
    assert_true(wants("application/json;q=0.5, TEXT/Event-Stream;q=0.9"));
    assert_false(wants("text/event-strea"));
    assert_false(wants("application/json"));
    assert_false(wants("*/*"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STATS_TEST(an_account_has_so_many_of_all_kinds),
        STATS_TEST(accept_asks_for_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
