/* Requests to a peer that behaves, more or less. */
#include "net/test_http.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct test_listener listener;
static struct test_peer peer;
static struct test_call call;

static int set_up(void **state)
{
    int failed = test_http_set_up(state);

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

/* A request that gets this answer and then, if wanted, the end of the connection. */
static void answer(const char *text, bool and_end)
{
    test_call_start(&call);
    test_peer_serve(&peer, &listener, text);
    if (and_end)
        test_peer_close(&peer);
    test_call_wait(&call);
}

static void check(enum loop_http_outcome outcome, unsigned status, const char *body)
{
    assert_string_equal(outcome ? "" : call.reply.why, "");
    assert_int_equal(call.reply.outcome, outcome);
    assert_int_equal(call.reply.status, status);
    assert_string_equal(call.body, body);
}

/* ---- answers ---- */

static void test_what_is_sent(void **state)
{
    static const char *const headers[] = {"Content-Type: application/json", "X-One: 1",
                                          "X-Two: zwei", NULL};

    call.call.headers = headers;
    answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type:  text/plain \r\n\r\nok", false);
    check(LOOP_HTTP_ANSWERED, 200, "ok");
    assert_string_equal(call.content_type, "text/plain");
    assert_string_equal(call.retry_after, "");
    assert_int_equal(call.reply.http_version, 11);
    assert_true(call.reply.connect_us > 0);
    assert_true(call.reply.duration_us >= call.reply.connect_us);
    char want[512];
    snprintf(want, sizeof want,
             "POST /hook?x=1 HTTP/1.1\r\nHost: localhost:%u\r\nUser-Agent: skylark/" SKYLARK_VERSION
             "\r\nAccept: */*\r\nContent-Type: application/json\r\nX-One: 1\r\nX-Two: "
             "zwei\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
             listener.port);
    assert_int_equal(peer.in.n, strlen(want));
    assert_memory_equal(peer.in.p, want, strlen(want));
}

/* HTTP knows no other letters than those of ASCII. */
static void test_a_path_of_other_letters(void **state)
{
    char url[64];

    snprintf(url, sizeof url, "https://localhost:%u/ü?ö=é&a=%%20", listener.port);
    test_call_init(&call, url);
    answer("HTTP/1.1 204 OK\r\n\r\n", false);
    check(LOOP_HTTP_ANSWERED, 204, "");
    assert_memory_equal(peer.in.p, "POST /%c3%bc?%c3%b6=%c3%a9&a=%20 HTTP/1.1\r\n", 43);
    assert_string_equal(call.url_told, url);
}

static void test_get(void **state)
{
    call.call.method = "GET";
    call.call.body = (struct str){NULL, 0};
    answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", false);
    check(LOOP_HTTP_ANSWERED, 200, "ok");
    assert_memory_equal(peer.in.p, "GET /hook?x=1 HTTP/1.1\r\n", 24);
    assert_null(memmem(peer.in.p, peer.in.n, "Content-", 8));
}

static void test_empty_body(void **state)
{
    call.call.body = (struct str){NULL, 0};
    answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", false);
    check(LOOP_HTTP_ANSWERED, 200, "ok");
    assert_non_null(memmem(peer.in.p, peer.in.n, "\r\nContent-Length: 0\r\n", 21));
}

static void test_statuses(void **state)
{
    static const unsigned statuses[] = {201, 204, 301, 302, 307, 308, 400,
                                        401, 404, 410, 429, 500, 503};
    char text[256];

    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        snprintf(text, sizeof text,
                 "HTTP/1.1 %u Word\r\n%sLocation: https://localhost:%u/other\r\nRetry-After: "
                 "120\r\n\r\n",
                 statuses[i], statuses[i] == 204 ? "" : "Content-Length: 0\r\n", listener.port);
        test_call_to(&call, &listener, "localhost");
        test_call_start(&call);
        if (i == 0)
            test_peer_serve(&peer, &listener, text);
        else
            test_peer_serve_more(&peer, text);
        test_call_wait(&call);
        check(LOOP_HTTP_ANSWERED, statuses[i], "");
        assert_string_equal(call.retry_after, "120");
        assert_int_equal(call.reply.connect_us == 0, i > 0); /* a kept connection */
    }
    assert_false(test_peer_read(&peer, 100)); /* no redirect is followed */
}

static void test_only_the_last_headers_count(void **state)
{
    answer("HTTP/1.1 103 Early Hints\r\nRetry-After: 1\r\n\r\n"
           "HTTP/1.1 503 Away\r\nretry-after: Wed, 21 Oct 2026 07:28:00 GMT\r\n"
           "Content-Length: 0\r\n\r\n",
           false);
    check(LOOP_HTTP_ANSWERED, 503, "");
    assert_string_equal(call.retry_after, "Wed, 21 Oct 2026 07:28:00 GMT");
}

static void test_old_http(void **state)
{
    test_call_start(&call);
    test_peer_serve(&peer, &listener, "HTTP/1.0 200 OK\r\n\r\nuntil the end");
    tls_stream_close_notify(&peer.tls);
    test_peer_send(&peer, (struct str){NULL, 0});
    test_peer_close(&peer);
    test_call_wait(&call);
    check(LOOP_HTTP_ANSWERED, 200, "until the end");
    assert_int_equal(call.reply.http_version, 10);
}

static void test_chunks(void **state)
{
    answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
           false);
    check(LOOP_HTTP_ANSWERED, 200, "abcde");
}

static void test_byte_by_byte(void **state)
{
    static const char text[] =
        "HTTP/1.1 202 Slowly\r\nRetry-After: 7\r\nContent-Length: 4\r\n\r\nslow";

    test_call_start(&call);
    test_peer_serve(&peer, &listener, "");
    for (size_t i = 0; i < sizeof text - 1; i++) {
        test_peer_send(&peer, (struct str){text + i, 1});
        usleep(500);
    }
    test_call_wait(&call);
    check(LOOP_HTTP_ANSWERED, 202, "slow");
    assert_string_equal(call.retry_after, "7");
}

/* ---- connections ---- */

static void test_a_closed_connection_is_opened_again(void **state)
{
    answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true);
    test_call_to(&call, &listener, "localhost");
    answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false);
    check(LOOP_HTTP_ANSWERED, 200, "");
    assert_true(call.reply.connect_us > 0);
}

/* As the kept connection dies under it, nothing was answered: it goes again over a new one. */
static void test_a_request_is_sent_again_when_the_kept_connection_dies(void **state)
{
    answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false);
    test_call_to(&call, &listener, "localhost");
    test_call_start(&call);
    test_peer_serve_more(&peer, "");
    test_peer_close(&peer);
    test_peer_serve(&peer, &listener, "HTTP/1.1 202 OK\r\nContent-Length: 0\r\n\r\n");
    test_call_wait(&call);
    check(LOOP_HTTP_ANSWERED, 202, "");
}

/* No more connections than allowed; the others wait for their turn. */
static void test_connections_are_bounded(void **state)
{
    enum { COUNT = 6 };
    struct test_call calls[COUNT];
    struct test_peer peers[2];

    test_http_limited(2, 8000, 9000);
    for (int i = 0; i < COUNT; i++) {
        test_call_to(&calls[i], &listener, "localhost");
        test_call_start(&calls[i]);
    }
    for (int i = 0; i < 2; i++)
        assert_true(test_peer_accept(&peers[i], &listener, TEST_PEER_PATIENCE_MS));
    assert_false(test_peer_accept(&peer, &listener, 100));
    for (int served = 0; served < COUNT;)
        for (int i = 0; i < 2; i++)
            if (peers[i].in.n || test_peer_read(&peers[i], 10)) {
                test_peer_await_request(&peers[i]);
                buf_clear(&peers[i].in);
                test_peer_send(&peers[i], STR("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
                served++;
            }
    for (int i = 0; i < COUNT; i++)
        test_call_wait(&calls[i]);
    test_peer_close(&peers[0]);
    test_peer_close(&peers[1]);
}

/* ---- troubles ---- */

static void test_nobody_listens(void **state)
{
    char why[128];

    test_listen_done(&listener);
    test_call_run(&call);
    check(LOOP_HTTP_UNREACHABLE, 0, "");
    snprintf(why, sizeof why, "No connection to localhost port %u: Connection refused.",
             listener.port);
    assert_string_equal(call.reply.why, why);
    test_listen(&listener, test_http_files.context);
}

static void test_no_such_name(void **state)
{
    test_call_init(&call, "https://no-such-name.invalid/");
    test_call_run(&call);
    check(LOOP_HTTP_UNREACHABLE, 0, "");
    assert_string_equal(call.reply.why, "The name no-such-name.invalid is not found.");
}

static void test_ends_without_an_answer(void **state)
{
    answer("", true);
    check(LOOP_HTTP_UNREACHABLE, 0, "");
    assert_string_equal(call.reply.why, "The connection was lost before the answer was complete.");
}

static void test_reset(void **state)
{
    test_call_start(&call);
    test_peer_serve(&peer, &listener, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
    test_peer_reset(&peer);
    test_call_wait(&call);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_UNREACHABLE);
    assert_string_equal(call.reply.why, "The connection was lost before the answer was complete.");
}

static void test_reset_during_the_handshake(void **state)
{
    struct test_listener plain = listener;

    plain.tls = NULL;
    test_call_start(&call);
    assert_true(test_peer_accept(&peer, &plain, TEST_PEER_PATIENCE_MS));
    assert_true(test_peer_read(&peer, TEST_PEER_PATIENCE_MS));
    test_peer_reset(&peer);
    test_call_wait(&call);
    check(LOOP_HTTP_UNREACHABLE, 0, "");
    assert_string_equal(call.reply.why, "The connection was closed during the TLS handshake.");
}

static void test_no_tls(void **state)
{
    struct test_listener plain = listener;

    plain.tls = NULL;
    test_call_start(&call);
    assert_true(test_peer_accept(&peer, &plain, TEST_PEER_PATIENCE_MS));
    test_peer_send(&peer, STR("HTTP/1.1 400 Bad Request\r\n\r\n"));
    test_call_wait(&call);
    check(LOOP_HTTP_DISTRUSTED, 0, "");
    assert_string_equal(call.reply.why,
                        "The TLS handshake failed: An unexpected TLS packet was received.");
}

static void test_garbage(void **state)
{
    answer("SSH-2.0-OpenSSH_9.2\r\n\r\n", true);
    check(LOOP_HTTP_BROKEN, 0, "");
    assert_string_equal(call.reply.why, "What came is no HTTP.");
}

static void test_endless_headers(void **state)
{
    char filler[1000];

    memset(filler, 'x', sizeof filler);
    memcpy(filler, "X-Filler: ", 10);
    memcpy(filler + sizeof filler - 2, "\r\n", 2);
    test_call_start(&call);
    test_peer_serve(&peer, &listener, "HTTP/1.1 200 OK\r\n");
    for (int i = 0; i < 100; i++)
        test_peer_send(&peer, (struct str){filler, sizeof filler});
    test_call_wait(&call);
    check(LOOP_HTTP_BROKEN, 0, "");
    assert_string_equal(call.reply.why, "The headers of the answer are longer than 64 KiB.");
}

static void test_a_bad_url(void **state)
{
    test_call_init(&call, "https://exa mple.com:99999999/");
    test_call_run(&call);
    check(LOOP_HTTP_BROKEN, 0, "");
}

/* ---- bodies ---- */

static void send_much(size_t n)
{
    static const char part[1000];

    for (size_t sent = 0; sent < n; sent += sizeof part)
        test_peer_send(&peer, (struct str){part, n - sent < sizeof part ? n - sent : sizeof part});
}

/* What is too long to be kept is read nevertheless, so that the connection stays. */
static void test_a_longer_body(void **state)
{
    test_call_start(&call);
    test_peer_serve(&peer, &listener, "HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n");
    send_much(65536);
    test_call_wait(&call);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_ANSWERED);
    assert_int_equal(call.body_n, 1000);
    test_call_to(&call, &listener, "localhost");
    test_call_start(&call);
    test_peer_serve_more(&peer, "HTTP/1.1 204 OK\r\n\r\n");
    test_call_wait(&call);
    check(LOOP_HTTP_ANSWERED, 204, "");
    assert_int_equal(call.reply.connect_us, 0);
}

static void test_an_endless_body(void **state)
{
    test_call_start(&call);
    test_peer_serve(&peer, &listener, "HTTP/1.1 500 Much\r\n\r\n");
    send_much(400000);
    test_call_wait(&call);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_ANSWERED);
    assert_int_equal(call.reply.status, 500);
    assert_int_equal(call.body_n, 1000);
}

/* The first of it is there, and more is not wanted: however slowly the rest comes. */
static void test_a_body_that_hangs_behind_what_is_kept(void **state)
{
    test_http_limited(8, 1500, 1500);
    test_call_start(&call);
    test_peer_serve(&peer, &listener, "HTTP/1.1 200 OK\r\n\r\n");
    send_much(2000);
    test_call_wait(&call);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_ANSWERED);
    assert_int_equal(call.body_n, 1000);
}

/* ---- time ---- */

static void check_too_late(const char *why)
{
    test_call_wait(&call);
    check(LOOP_HTTP_TIMED_OUT, 0, call.body);
    assert_string_equal(call.reply.why, why);
}

static void test_no_answer(void **state)
{
    test_http_limited(8, 1500, 1500);
    test_call_start(&call);
    test_peer_serve(&peer, &listener, "");
    check_too_late("No answer came within 1.5 s.");
    assert_true(call.reply.duration_us >= 1500000);
    assert_true(test_peer_ends(&peer));
}

static void test_half_an_answer(void **state)
{
    test_http_limited(8, 1500, 1500);
    test_call_start(&call);
    test_peer_serve(&peer, &listener, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
    check_too_late("The answer was not complete after 1.5 s.");
}

static void test_no_handshake(void **state)
{
    struct test_listener plain = listener;
    char why[128];

    plain.tls = NULL;
    test_http_limited(8, 300, 9000);
    test_call_start(&call);
    assert_true(test_peer_accept(&peer, &plain, TEST_PEER_PATIENCE_MS));
    snprintf(why, sizeof why, "localhost port %u did not finish the TLS handshake within 0.3 s.",
             listener.port);
    check_too_late(why);
}

/* ---- callers ---- */

static struct test_call second;

static void start_second(struct test_call *c)
{
    second.in_call = true;
    assert_int_equal(loop_http_start(test_http, &second.call, &second.request), 0);
    second.in_call = false;
}

static void test_a_request_from_inside_a_callback(void **state)
{
    test_call_to(&second, &listener, "localhost");
    call.on_done = start_second;
    answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false);
    test_peer_serve_more(&peer, "HTTP/1.1 201 OK\r\nContent-Length: 0\r\n\r\n");
    test_call_wait(&second);
    assert_int_equal(second.reply.status, 201);
    assert_int_equal(second.reply.connect_us, 0);
}

static void cancel(void *context)
{
    loop_http_cancel(((struct test_call *)context)->request);
}

static void test_cancel(void **state)
{
    test_call_start(&call);
    test_peer_serve(&peer, &listener, "");
    test_loop_do(cancel, &call);
    assert_true(test_peer_ends(&peer));
    test_loop_settle();
    assert_int_equal(call.done, 0);
}

static void cancel_second(struct test_call *c)
{
    loop_http_cancel(second.request);
}

static void start_both(void *unused)
{
    assert_int_equal(loop_http_start(test_http, &call.call, &call.request), 0);
    assert_int_equal(loop_http_start(test_http, &second.call, &second.request), 0);
}

/* Both are finished in the same turn; the first has the other cancelled. */
static void test_cancel_from_inside_a_callback(void **state)
{
    test_call_init(&call, "https://127.0.0.1:1/");
    test_call_init(&second, "https://127.0.0.1:1/");
    call.on_done = cancel_second;
    test_loop_do(start_both, NULL);
    test_call_wait(&call);
    test_loop_settle();
    assert_int_equal(second.done, 0);
}

static void test_the_loop_ends_while_requests_wait(void **state)
{
    test_call_to(&second, &listener, "127.0.0.1");
    test_call_start(&second);
    test_call_start(&call);
    test_peer_serve(&peer, &listener, "");
}

static void test_faulty_authorities(void **state)
{
    struct loop_http *h = NULL;
    char why[LOOP_HTTP_WHY_SIZE];
    struct loop_http_options options = {.ca_file = "/no/such/file", .max_connections = 1};
    struct loop *l;

    assert_int_equal(loop_new(&l), 0);
    assert_int_equal(loop_http_new(&h, l, &options, why), -2);
    assert_string_equal(why, "/no/such/file cannot be read: No such file or directory");
    options.ca_file = test_http_files.key;
    assert_int_equal(loop_http_new(&h, l, &options, why), -22);
    assert_non_null(strstr(why, "holds no certificate in PEM form"));
    assert_null(h);
    loop_free(l);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_what_is_sent),
        TEST(test_get),
        TEST(test_a_path_of_other_letters),
        TEST(test_empty_body),
        TEST(test_statuses),
        TEST(test_only_the_last_headers_count),
        TEST(test_old_http),
        TEST(test_chunks),
        TEST(test_byte_by_byte),
        TEST(test_a_closed_connection_is_opened_again),
        TEST(test_a_request_is_sent_again_when_the_kept_connection_dies),
        TEST(test_connections_are_bounded),
        TEST(test_nobody_listens),
        TEST(test_no_such_name),
        TEST(test_ends_without_an_answer),
        TEST(test_reset),
        TEST(test_reset_during_the_handshake),
        TEST(test_no_tls),
        TEST(test_garbage),
        TEST(test_endless_headers),
        TEST(test_a_bad_url),
        TEST(test_a_longer_body),
        TEST(test_an_endless_body),
        TEST(test_a_body_that_hangs_behind_what_is_kept),
        TEST(test_no_answer),
        TEST(test_half_an_answer),
        TEST(test_no_handshake),
        TEST(test_a_request_from_inside_a_callback),
        TEST(test_cancel),
        TEST(test_cancel_from_inside_a_callback),
        TEST(test_the_loop_ends_while_requests_wait),
        cmocka_unit_test(test_faulty_authorities),
    };
    return cmocka_run_group_tests(tests, test_http_set_up_all, test_http_tear_down_all);
}
