/* Requests over HTTP/2, to a peer that knows just enough of it to answer. */
#include "net/test_http.h"

#include "base/clock.h"

#include <sys/socket.h>
#include <unistd.h>

enum {
    FRAME_DATA = 0,
    FRAME_HEADERS = 1,
    FRAME_RST_STREAM = 3,
    FRAME_SETTINGS = 4,
    FRAME_GOAWAY = 7,
    END_STREAM = 1,
    END_HEADERS = 4,
    ACK = 1,
    FRAME_HEAD = 9,
};

static struct test_listener listener;
static struct test_peer peer;
static struct test_call call;
static size_t taken; /* of what the peer has read */

static int set_up(void **state)
{
    int failed = test_http_set_up(state);

    test_listen(&listener, test_http_files.context);
    listener.alpn = "h2";
    peer.fd = -1;
    test_call_to(&call, &listener, "localhost");
    return failed;
}

static int tear_down(void **state)
{
    test_peer_close(&peer);
    test_listen_done(&listener);
    return test_http_tear_down(state);
}

/* ---- frames ---- */

struct frame {
    unsigned type, flags, stream;
    struct str payload;
};

static void send_frame(unsigned type, unsigned flags, unsigned stream, struct str payload)
{
    unsigned char head[FRAME_HEAD] = {(unsigned char)(payload.n >> 16),
                                      (unsigned char)(payload.n >> 8),
                                      (unsigned char)payload.n,
                                      (unsigned char)type,
                                      (unsigned char)flags,
                                      (unsigned char)(stream >> 24),
                                      (unsigned char)(stream >> 16),
                                      (unsigned char)(stream >> 8),
                                      (unsigned char)stream};

    test_peer_send(&peer, (struct str){(char *)head, sizeof head});
    test_peer_send(&peer, payload);
}

static void need(size_t n)
{
    while (peer.in.n - taken < n)
        assert_true(test_peer_read(&peer, TEST_PEER_PATIENCE_MS));
}

static struct frame next_frame(void)
{
    struct frame f;

    need(FRAME_HEAD);
    const unsigned char *p = (const unsigned char *)peer.in.p + taken;
    size_t n = (size_t)p[0] << 16 | (size_t)p[1] << 8 | p[2];
    f = (struct frame){p[3], p[4], (unsigned)(p[6] << 16 | p[7] << 8 | p[8]), {NULL, n}};
    need(FRAME_HEAD + n);
    f.payload.p = peer.in.p + taken + FRAME_HEAD;
    taken += FRAME_HEAD + n;
    return f;
}

static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

static void accept_peer(void)
{
    assert_true(test_peer_accept(&peer, &listener, TEST_PEER_PATIENCE_MS));
    taken = 0;
    need(sizeof preface - 1);
    assert_memory_equal(peer.in.p, preface, sizeof preface - 1);
    taken = sizeof preface - 1;
    send_frame(FRAME_SETTINGS, 0, 0, (struct str){NULL, 0});
    send_frame(FRAME_SETTINGS, ACK, 0, (struct str){NULL, 0});
}

/* The stream of a request that has come as a whole. */
static unsigned await_request(void)
{
    for (;;) {
        struct frame f = next_frame();
        if ((f.type == FRAME_DATA || f.type == FRAME_HEADERS) && f.flags & END_STREAM)
            return f.stream;
    }
}

/* ":status: 200" is number 8 of the table that everybody knows, 503 is spelled out. */
static const char status_200[] = "\x88";
static const char status_503[] = "\x08\x03"
                                 "503"
                                 "\x0f\x26\x02"
                                 "17"; /* and retry-after: 17 */

static void respond(unsigned stream, const char *headers, const char *body)
{
    unsigned end = *body ? 0 : END_STREAM;

    send_frame(FRAME_HEADERS, END_HEADERS | end, stream, str_of(headers));
    if (*body)
        send_frame(FRAME_DATA, END_STREAM, stream, str_of(body));
}

/* ---- tests ---- */

static void test_an_answer(void **state)
{
    test_call_start(&call);
    accept_peer();
    respond(await_request(), status_200, "two");
    test_call_wait(&call);
    assert_string_equal(call.reply.why, "");
    assert_int_equal(call.reply.status, 200);
    assert_int_equal(call.reply.http_version, 20);
    assert_string_equal(call.body, "two");
    assert_true(call.reply.connect_us > 0);
}

static void test_headers_of_an_answer(void **state)
{
    test_call_start(&call);
    accept_peer();
    respond(await_request(), status_503, "");
    test_call_wait(&call);
    assert_int_equal(call.reply.status, 503);
    assert_string_equal(call.retry_after, "17");
}

/* All over the one connection, answered in another order. */
static void test_many_at_once(void **state)
{
    enum { COUNT = 5, ROUNDS = 3 };
    struct test_call calls[COUNT];
    unsigned streams[COUNT];

    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < COUNT; i++) {
            test_call_to(&calls[i], &listener, "localhost");
            test_call_start(&calls[i]);
        }
        if (round == 0)
            accept_peer();
        for (int i = 0; i < COUNT; i++)
            streams[i] = await_request();
        for (int i = COUNT; i-- > 0;)
            respond(streams[i], status_200, "x");
        for (int i = 0; i < COUNT; i++) {
            test_call_wait(&calls[i]);
            assert_string_equal(calls[i].reply.why, "");
            assert_int_equal(calls[i].reply.connect_us > 0, round == 0 && i == 0);
        }
    }
}

/* As servers do that have counted a thousand requests, or resets. */
static void go_away(void)
{
    static const char last_stream_and_error[8] = {0, 0, 0, 1, 0, 0, 0, 2};

    send_frame(FRAME_GOAWAY, 0, 0, (struct str){last_stream_and_error, 8});
    tls_stream_close_notify(&peer.tls);
    test_peer_send(&peer, (struct str){NULL, 0});
    shutdown(peer.fd, SHUT_WR);
    test_peer_ends(&peer);
    test_peer_close(&peer);
}

static void test_a_request_goes_again_when_the_connection_goes_away(void **state)
{
    test_call_start(&call);
    accept_peer();
    await_request();
    go_away();
    accept_peer();
    respond(await_request(), status_200, "");
    test_call_wait(&call);
    assert_string_equal(call.reply.why, "");
    assert_int_equal(call.reply.status, 200);
}

static const char streamed[] = "a body from elsewhere";
static size_t streamed_at;

static ssize_t stream_read(void *context, char *out, size_t room)
{
    size_t n = sizeof streamed - 1 - streamed_at;

    n = n < room ? n : room;
    memcpy(out, streamed + streamed_at, n);
    streamed_at += n;
    return (ssize_t)n;
}

static int stream_rewind(void *context)
{
    streamed_at = 0;
    return 0;
}

static void test_what_is_streamed_goes_again_from_its_beginning(void **state)
{
    static const struct loop_http_source source = {
        .length = sizeof streamed - 1, .read = stream_read, .rewind = stream_rewind};

    streamed_at = 0;
    call.call.source = &source;
    test_call_start(&call);
    accept_peer();
    await_request();
    go_away();
    accept_peer();
    unsigned stream = await_request();
    assert_non_null(memmem(peer.in.p, peer.in.n, streamed, sizeof streamed - 1));
    respond(stream, status_200, "");
    test_call_wait(&call);
    assert_string_equal(call.reply.why, "");
    assert_int_equal(call.reply.status, 200);
}

static void test_but_only_once(void **state)
{
    test_call_start(&call);
    for (int i = 0; i < 2; i++) {
        accept_peer();
        await_request();
        go_away();
    }
    test_call_wait(&call);
    assert_string_equal(call.reply.why, "The connection was lost before the answer was complete.");
    assert_int_equal(call.reply.outcome, LOOP_HTTP_UNREACHABLE);
    assert_false(test_peer_accept(&peer, &listener, 50));
}

static void test_no_time_is_won_by_going_again(void **state)
{
    test_http_limited(8, 2000, 2000);
    test_call_start(&call);
    accept_peer();
    await_request();
    usleep(900000);
    go_away();
    accept_peer();
    await_request();
    test_call_wait(&call);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_TIMED_OUT);
    assert_in_range(call.reply.duration_us, 1990000, 2700000);
}

/* A reset is an answer of a kind: it does not go again. */
static void test_a_stream_is_reset(void **state)
{
    test_call_start(&call);
    accept_peer();
    static const char cancel[4] = {0, 0, 0, 8};
    send_frame(FRAME_RST_STREAM, 0, await_request(), (struct str){cancel, 4});
    test_call_wait(&call);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_BROKEN);
    assert_string_equal(call.reply.why, "HTTP/2 stream 1 was not closed cleanly: CANCEL (err 8).");
}

/* Greetings of the protocol come before the certificate is judged; nothing of a request does. */
static void test_nothing_for_whom_is_not_trusted(void **state)
{
    struct test_tls unknown;
    struct test_listener other = listener;

    test_tls_init(&unknown, clock_now_us(&clock_real));
    other.tls = unknown.context;
    test_call_start(&call);
    assert_true(test_peer_accept(&peer, &other, TEST_PEER_PATIENCE_MS));
    test_call_wait(&call);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_DISTRUSTED);
    assert_true(test_peer_ends(&peer));
    taken = peer.in.n ? sizeof preface - 1 : 0;
    while (taken < peer.in.n)
        assert_int_not_equal(next_frame().type, FRAME_HEADERS);
    test_tls_done(&unknown);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_an_answer),
        TEST(test_headers_of_an_answer),
        TEST(test_many_at_once),
        TEST(test_a_request_goes_again_when_the_connection_goes_away),
        TEST(test_what_is_streamed_goes_again_from_its_beginning),
        TEST(test_but_only_once),
        TEST(test_no_time_is_won_by_going_again),
        TEST(test_a_stream_is_reset),
        TEST(test_nothing_for_whom_is_not_trusted),
    };
    return cmocka_run_group_tests(tests, test_http_set_up_all, test_http_tear_down_all);
}
