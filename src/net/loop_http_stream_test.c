/* Bodies that are not in memory: of requests, and of answers. And what a call may have of its own:
 * its times, and addresses that no guard looks at. */
#include "net/test_http.h"

#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { LENGTH = 300000, PIECE = 7001 };

static struct test_listener listener;
static struct test_peer peer;
static struct test_call call;

/* ---- what is sent ---- */

/* Byte i is 'a' + i % 23. Belongs to the loop's thread while a request runs. */
struct stream {
    size_t at, end;
    int error; /* instead of what comes at the end */
    int reads, rewinds, rewind_error;
} stream;

static ssize_t stream_read(void *context, char *out, size_t room)
{
    struct stream *s = context;
    size_t n = room < PIECE ? room : PIECE;

    s->reads++;
    if (s->at == s->end)
        return s->error;
    if (n > s->end - s->at)
        n = s->end - s->at;
    for (size_t i = 0; i < n; i++)
        out[i] = (char)('a' + (s->at + i) % 23);
    s->at += n;
    return (ssize_t)n;
}

static int stream_rewind(void *context)
{
    struct stream *s = context;

    s->at = 0;
    s->rewinds++;
    return s->rewind_error;
}

static const struct loop_http_source source = {
    .length = LENGTH, .read = stream_read, .rewind = stream_rewind, .context = &stream};

static void check_sent(void)
{
    const char *body = memmem(peer.in.p, peer.in.n, "\r\n\r\n", 4);

    assert_non_null(body);
    assert_non_null(memmem(peer.in.p, peer.in.n, "\r\nContent-Length: 300000\r\n", 26));
    body += 4;
    assert_int_equal(peer.in.n - (size_t)(body - peer.in.p), LENGTH);
    for (size_t i = 0; i < LENGTH; i++)
        if (body[i] != (char)('a' + i % 23))
            fail_msg("the byte at %zu is another", i);
}

/* ---- what comes ---- */

struct heard {
    int heads;
    unsigned status;
    int64_t length;
    char type[64], bytes[256];
    size_t n, most; /* most: beyond so many bytes no more are wanted */
    bool no_head;   /* the head is enough */
} heard;

static bool hear_head(void *context, unsigned status, struct str content_type, int64_t length)
{
    struct heard *h = context;

    h->heads++;
    h->status = status;
    h->length = length;
    snprintf(h->type, sizeof h->type, "%.*s", STR_FMT(content_type));
    return !h->no_head;
}

static bool hear_bytes(void *context, struct str bytes)
{
    struct heard *h = context;

    assert_int_equal(h->heads, 1);
    for (size_t i = 0; i < bytes.n && h->n < sizeof h->bytes; i++)
        h->bytes[h->n++] = bytes.p[i];
    return h->n <= h->most;
}

static const struct loop_http_sink sink = {hear_head, hear_bytes, &heard};

static int set_up(void **state)
{
    int failed = test_http_set_up(state);

    stream = (struct stream){.end = LENGTH};
    heard = (struct heard){.most = sizeof heard.bytes};
    test_listen(&listener, test_http_files.context);
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

static void next_call(void)
{
    test_call_to(&call, &listener, "localhost");
}

static void send_stream(const char *answer)
{
    call.call.source = &source;
    call.call.body = (struct str){NULL, 0};
    test_call_start(&call);
    test_peer_serve(&peer, &listener, answer);
    test_call_wait(&call);
}

/* Gets the answer into the sink; `and_end`: nothing comes after it. */
static void hear(const char *answer, bool and_end)
{
    call.call.method = "GET";
    call.call.body = (struct str){NULL, 0};
    call.call.sink = &sink;
    call.call.body_max = 0;
    test_call_start(&call);
    test_peer_serve(&peer, &listener, answer);
    if (and_end)
        test_peer_close(&peer);
    test_call_wait(&call);
}

static void check_heard(unsigned status, int64_t length, const char *bytes)
{
    assert_int_equal(heard.heads, 1);
    assert_int_equal(heard.status, status);
    assert_int_equal(heard.length, length);
    assert_int_equal(heard.n, strlen(bytes));
    assert_memory_equal(heard.bytes, bytes, heard.n);
    assert_int_equal(call.body_n, 0);
}

static void check_why(enum loop_http_outcome outcome, const char *why)
{
    assert_string_equal(call.reply.why, why);
    assert_int_equal(call.reply.outcome, outcome);
    assert_false(call.reply.cut);
}

static const char taken[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/* ---- sources ---- */

static void test_a_body_is_asked_for_as_it_goes(void **state)
{
    send_stream(taken);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_ANSWERED);
    assert_string_equal(call.body, "ok");
    check_sent();
    assert_true(stream.reads >= LENGTH / PIECE);
    assert_int_equal(stream.rewinds, 0);
}

static void test_a_handle_is_as_new_afterwards(void **state)
{
    send_stream(taken);
    next_call();
    test_call_start(&call);
    test_peer_serve_more(&peer, taken);
    test_call_wait(&call);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_ANSWERED);
    assert_non_null(memmem(peer.in.p, peer.in.n, "\r\nContent-Length: 7\r\n", 21));
    assert_memory_equal(peer.in.p + peer.in.n - 7, "{\"a\":1}", 7);
}

static void test_a_dead_connection_begins_it_again(void **state)
{
    test_call_start(&call);
    test_peer_serve(&peer, &listener, taken);
    test_call_wait(&call);
    next_call();
    call.call.source = &source;
    test_call_start(&call);
    test_peer_serve_more(&peer, ""); /* all of it is there, and then the connection dies */
    test_peer_close(&peer);
    test_peer_serve(&peer, &listener, taken);
    test_call_wait(&call);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_ANSWERED);
    assert_int_equal(stream.rewinds, 1);
    check_sent();
}

static void test_what_cannot_be_begun_again_is_not_sent_in_half(void **state)
{
    test_call_start(&call);
    test_peer_serve(&peer, &listener, taken);
    test_call_wait(&call);
    next_call();
    call.call.source = &source;
    stream.rewind_error = -EIO;
    test_call_start(&call);
    test_peer_serve_more(&peer, "");
    test_peer_close(&peer);
    assert_true(test_peer_accept(&peer, &listener, TEST_PEER_PATIENCE_MS));
    test_call_wait(&call);
    check_why(LOOP_HTTP_BROKEN, "What is to be sent cannot be read: Input/output error.");
}

static void check_broken_source(const char *why)
{
    call.call.source = &source;
    test_call_start(&call);
    assert_true(test_peer_accept(&peer, &listener, TEST_PEER_PATIENCE_MS));
    test_call_wait(&call);
    check_why(LOOP_HTTP_BROKEN, why);
}

static void test_a_source_that_cannot_be_read(void **state)
{
    stream.end = 20000;
    stream.error = -EIO;
    check_broken_source("What is to be sent cannot be read: Input/output error.");
}

/* Or the other side would wait for the rest, and we for its answer. */
static void test_a_source_with_less_than_it_said(void **state)
{
    stream.end = 20000;
    check_broken_source("What is to be sent cannot be read: No data available.");
}

/* ---- sinks ---- */

static void test_head_and_bytes(void **state)
{
    hear("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: image/png\r\n\r\nhello", false);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_ANSWERED);
    assert_int_equal(call.reply.status, 200);
    assert_false(call.reply.cut);
    check_heard(200, 5, "hello");
    assert_string_equal(heard.type, "image/png");
}

static void test_chunks_and_trailers(void **state)
{
    hear("HTTP/1.1 103 Early Hints\r\nContent-Type: a/b\r\n\r\n"
         "HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n"
         "3\r\nabc\r\n2\r\nde\r\n0\r\nContent-Type: c/d\r\n\r\n",
         false);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_ANSWERED);
    check_heard(404, -1, "abcde");
    assert_string_equal(heard.type, "");
    assert_string_equal(call.content_type, "");
}

static void test_an_empty_answer(void **state)
{
    hear("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_ANSWERED);
    check_heard(200, 0, "");
}

static void test_the_head_can_be_enough(void **state)
{
    heard.no_head = true;
    hear("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nhello", false);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_ANSWERED);
    assert_int_equal(call.reply.status, 200);
    assert_true(call.reply.cut);
    check_heard(200, 1000000, "");
    assert_true(test_peer_ends(&peer)); /* nothing more of it is read */
}

static void test_some_bytes_can_be_enough(void **state)
{
    heard.most = 3;
    hear("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nhello", false);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_ANSWERED);
    assert_true(call.reply.cut);
    check_heard(200, 1000000, "hello");
    assert_true(test_peer_ends(&peer));
}

static void test_shorter_than_it_said(void **state)
{
    hear("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello", true);
    check_heard(200, 10, "hello");
    check_why(LOOP_HTTP_UNREACHABLE, "The connection was lost before the answer was complete.");
}

static void test_no_last_chunk(void **state)
{
    hear("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", true);
    check_heard(200, -1, "hello");
    check_why(LOOP_HTTP_UNREACHABLE, "The connection was lost before the answer was complete.");
}

/* ---- times ---- */

static void test_a_call_has_its_own_times(void **state)
{
    call.call.connect_ms = 200;
    call.call.total_ms = 300;
    test_call_start(&call);
    test_peer_serve(&peer, &listener, "");
    test_call_wait(&call);
    check_why(LOOP_HTTP_TIMED_OUT, "No answer came within 0.3 s.");
    test_peer_close(&peer);
    next_call(); /* has the usual ones again */
    test_call_start(&call);
    test_peer_serve(&peer, &listener, "");
    usleep(400000); /* longer than the time of the call before */
    test_peer_send(&peer, str_of(taken));
    test_call_wait(&call);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_ANSWERED);
}

static void test_an_answer_that_stops_midway(void **state)
{
    call.call.total_ms = 300;
    hear("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello", false);
    check_heard(200, 10, "hello");
    check_why(LOOP_HTTP_TIMED_OUT, "The answer was not complete after 0.3 s.");
}

/* ---- no guard ---- */

static void test_own_addresses_need_no_tls(void **state)
{
    struct test_listener plain;

    test_http_unguarded();
    test_listen(&plain, NULL);
    test_call_to(&call, &plain, "127.0.0.1");
    test_call_start(&call);
    test_peer_serve(&peer, &plain, taken);
    test_call_wait(&call);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_ANSWERED);
    assert_string_equal(call.body, "ok");
    test_peer_close(&peer);
    test_listen_done(&plain);
}

static void test_own_addresses_over_tls_are_verified(void **state)
{
    struct test_listener strange;
    struct test_tls other;

    test_tls_init(&other, clock_now_us(&clock_real));
    test_listen(&strange, other.context);
    test_http_unguarded();
    test_call_to(&call, &strange, "localhost");
    test_call_start(&call);
    assert_true(test_peer_accept(&peer, &strange, TEST_PEER_PATIENCE_MS));
    test_call_wait(&call);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_DISTRUSTED);
    test_listen_done(&strange);
    test_tls_done(&other);
}

static void test_other_schemes_are_refused(void **state)
{
    test_http_unguarded();
    test_call_init(&call, "file:///etc/passwd");
    test_call_run(&call);
    check_why(LOOP_HTTP_REFUSED, "The URL must begin with https:// or http://.");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_a_body_is_asked_for_as_it_goes),
        TEST(test_a_handle_is_as_new_afterwards),
        TEST(test_a_dead_connection_begins_it_again),
        TEST(test_what_cannot_be_begun_again_is_not_sent_in_half),
        TEST(test_a_source_that_cannot_be_read),
        TEST(test_a_source_with_less_than_it_said),
        TEST(test_head_and_bytes),
        TEST(test_chunks_and_trailers),
        TEST(test_an_empty_answer),
        TEST(test_the_head_can_be_enough),
        TEST(test_some_bytes_can_be_enough),
        TEST(test_shorter_than_it_said),
        TEST(test_no_last_chunk),
        TEST(test_a_call_has_its_own_times),
        TEST(test_an_answer_that_stops_midway),
        TEST(test_own_addresses_need_no_tls),
        TEST(test_own_addresses_over_tls_are_verified),
        TEST(test_other_schemes_are_refused),
    };
#undef TEST

    return cmocka_run_group_tests(tests, test_http_set_up_all, test_http_tear_down_all);
}
