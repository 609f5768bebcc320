/* Answers without an end, on one worker. Each stream is told the lines "1", "2", … as far as the
 * test has asked for them; back-pressure is kept as a producer should. */
#include "net/http_server.h"

#include "base/clock.h"
#include "net/http_server_test_client.h"
#include "net/http_server_test_server.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

enum { UNSENT_MAX = 64 << 10, MANY = 1000, SOON_MS = 10000 };

struct teller {
    struct http_request *request;
    unsigned told;
    struct teller *next;
};

static struct test_server server;
static struct teller *tellers; /* touched by the worker's thread only */
static _Atomic unsigned lines; /* that every stream is told */
static _Atomic unsigned begun, over, told_in_all;
static _Atomic size_t most_unsent, ceiling; /* how much may be unsent */
static _Atomic bool end_all, spoil_all;

static void when_over(struct http_request *r)
{
    struct teller **at = &tellers;

    while ((*at)->request != r)
        at = &(*at)->next;
    *at = (*at)->next;
    buf_text(&r->out, "bye");
    atomic_fetch_add(&over, 1);
}

static const struct http_stream_ops ops = {.over = when_over};

static void begin(struct http_request *r)
{
    struct teller *t = arena_new(&r->arena, struct teller);

    *t = (struct teller){.request = r, .next = tellers};
    tellers = t;
    r->status = 201;
    r->content_type = "text/plain";
    http_stream_begin(r, &ops);
    if (str_is(r->head.path, "/hello"))
        buf_text(&r->out, "hello");
    if (str_is(r->head.path, "/short"))
        http_stream_end(r);
    atomic_fetch_add(&begun, 1);
}

static void answer(struct http_request *r)
{
    r->status = 200;
    buf_text(&r->out, "whole");
}

static void handle(struct http_request *r)
{
    if (str_is(r->head.path, "/whole")) {
        answer(r);
    } else if (str_is(r->head.path, "/late")) {
        http_request_suspend(r, begin);
        http_request_resume(r);
    } else {
        begin(r);
    }
}

static void tell_one(struct teller *t)
{
    unsigned up_to = atomic_load(&lines), told = t->told;
    size_t most = atomic_load(&ceiling);

    while (t->told < up_to && http_stream_unsent(t->request) < most) {
        buf_add_i64(&t->request->out, ++t->told);
        buf_add_char(&t->request->out, '\n');
        if (t->told % 1000 == 0)
            http_stream_flush(t->request);
    }
    atomic_fetch_add(&told_in_all, t->told - told);
    http_stream_flush(t->request);
    if (http_stream_unsent(t->request) > atomic_load(&most_unsent))
        atomic_store(&most_unsent, http_stream_unsent(t->request));
    if (atomic_load(&spoil_all)) {
        buf_text(&t->request->out, "a part");
        assert(!buf_reserve(&t->request->out, SIZE_MAX / 2));
        http_stream_flush(t->request);
    }
    if (atomic_load(&end_all))
        http_stream_end(t->request);
}

static bool tell(void *worker_context)
{
    for (struct teller *t = tellers; t; t = t->next)
        tell_one(t);
    return false;
}

static void start(int64_t timeout_us)
{
    struct http_server_options options = test_server_options();

    atomic_store(&lines, 0);
    atomic_store(&begun, 0);
    atomic_store(&over, 0);
    atomic_store(&told_in_all, 0);
    atomic_store(&most_unsent, 0);
    atomic_store(&ceiling, UNSENT_MAX);
    atomic_store(&end_all, false);
    atomic_store(&spoil_all, false);
    options.workers = 1;
    options.max_connections = options.max_per_address = MANY + 100;
    options.handler = handle;
    options.worker_tell = tell;
    options.request_timeout_us = options.idle_timeout_us = timeout_us;
    test_server_start(&server, options);
}

static void stop(void)
{
    test_server_stop(&server);
    assert_int_equal(atomic_load(&over), atomic_load(&begun)); /* told once, whatever the reason */
    assert_null(tellers);
}

static void wait_for(_Atomic unsigned *count, unsigned wanted)
{
    for (int i = 0; i < SOON_MS && atomic_load(count) < wanted; i++)
        usleep(1000);
    assert_int_equal(atomic_load(count), wanted);
}

static void say(unsigned up_to)
{
    atomic_store(&lines, up_to);
    http_server_stir(server.server);
}

static void open_stream(struct test_client *c, const char *request)
{
    struct test_answer a;

    test_client_open(c, server.address);
    test_client_send(c, str_of(request));
    assert_true(test_client_answer(c, &a, false));
    assert_int_equal(a.status, 201);
    assert_int_equal(a.id[0], 'r');
}

static void each_flush_is_a_chunk(void **state)
{
    struct test_client c;
    struct test_answer a;

    start(20000000);
    test_client_open(&c, server.address);
    test_client_say(&c, "GET /hello HTTP/1.1\r\n\r\n");
    assert_true(test_client_answer(&c, &a, false));
    assert_int_equal(a.status, 201);
    assert_true(a.chunked);
    assert_false(a.closes);
    assert_int_equal(a.length, 0);
    assert_true(test_client_expect(&c, STR("5\r\nhello\r\n")));
    say(1);
    assert_true(test_client_expect(&c, STR("2\r\n1\n\r\n")));
    say(10);
    assert_true(test_client_expect(&c, STR("13\r\n2\n3\n4\n5\n6\n7\n8\n9\n10\n\r\n")));
    test_client_close(&c);
    stop();
}

static void after_its_end_the_connection_goes_on(void **state)
{
    struct test_client c;
    struct test_answer a;

    start(20000000);
    open_stream(&c, "GET / HTTP/1.1\r\n\r\nGET /whole HTTP/1.1\r\n\r\n"); /* one waits behind it */
    atomic_store(&end_all, true);
    http_server_stir(server.server);
    assert_true(test_client_expect(&c, STR("3\r\nbye\r\n0\r\n\r\n")));
    assert_true(test_client_answer(&c, &a, true));
    assert_true(str_is(a.body, "whole"));
    test_client_say(&c, "GET /short HTTP/1.1\r\n\r\n"); /* ended in its handler */
    assert_true(test_client_answer(&c, &a, false));
    assert_true(test_client_expect(&c, STR("3\r\nbye\r\n0\r\n\r\n")));
    test_client_close(&c);
    stop();
}

static void http_1_0_has_no_chunks(void **state)
{
    struct test_client c;
    struct test_answer a;

    start(20000000);
    test_client_open(&c, server.address);
    test_client_say(&c, "GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    assert_true(test_client_answer(&c, &a, false));
    assert_true(a.closes);
    assert_false(a.chunked);
    say(2);
    assert_true(test_client_expect(&c, STR("hello1\n2\n")));
    atomic_store(&end_all, true);
    http_server_stir(server.server);
    assert_true(test_client_expect(&c, STR("bye")));
    assert_true(test_client_ended(&c, SOON_MS));
    test_client_close(&c);
    stop();
}

static void head_gets_the_head(void **state)
{
    struct test_client c;
    struct test_answer a;

    start(20000000);
    test_client_open(&c, server.address);
    test_client_say(&c, "HEAD /hello HTTP/1.1\r\n\r\n");
    assert_true(test_client_answer(&c, &a, false));
    assert_int_equal(a.status, 201);
    assert_true(a.chunked);
    wait_for(&over, 1);
    test_client_say(&c, "GET /whole HTTP/1.1\r\n\r\n");
    assert_true(test_client_answer(&c, &a, true));
    assert_true(str_is(a.body, "whole"));
    test_client_close(&c);
    stop();
}

static void a_request_that_was_suspended_may_become_one(void **state)
{
    struct test_client c;

    start(20000000);
    open_stream(&c, "GET /late HTTP/1.1\r\n\r\n");
    say(1);
    assert_true(test_client_expect(&c, STR("2\r\n1\n\r\n")));
    test_client_close(&c);
    stop();
}

/* Far sooner than by looking ten times a second. */
static void a_stir_is_heard_at_once(void **state)
{
    struct test_client c;

    start(20000000);
    open_stream(&c, "GET / HTTP/1.0\r\n\r\n");
    int64_t begin_us = clock_monotonic_us();
    for (unsigned i = 1; i <= 50; i++) {
        char line[16];
        snprintf(line, sizeof line, "%u\n", i);
        say(i);
        assert_true(test_client_expect(&c, str_of(line)));
    }
    assert_true(clock_monotonic_us() - begin_us < 50 * INT64_C(50000));
    test_client_close(&c);
    stop();
}

/* A stream is neither idle nor late, and who goes is noticed, with and without a word. */
static void clients_that_go_are_noticed(void **state)
{
    struct test_client c, d;

    start(1000000);
    open_stream(&c, "GET / HTTP/1.1\r\n\r\n");
    open_stream(&d, "GET / HTTP/1.1\r\n\r\n");
    sleep(3);
    assert_int_equal(atomic_load(&over), 0);
    say(1);
    assert_true(test_client_expect(&c, STR("2\r\n1\n\r\n")));
    test_client_close(&c);
    wait_for(&over, 1);
    test_client_reset(&d);
    wait_for(&over, 2);
    stop();
}

static void open_slow(struct test_client *c)
{
    struct test_answer a;

    assert_true(test_client_wrap(c, test_connect(server.address, 4096)));
    test_client_say(c, "GET / HTTP/1.0\r\n\r\n");
    assert_true(test_client_answer(c, &a, false));
}

/* Waits until the producer waits, and returns how many lines it has told. */
static unsigned told_at_standstill(void)
{
    unsigned told = 0, before;

    do {
        before = told;
        usleep(300000);
        told = atomic_load(&told_in_all);
    } while (told == 0 || told != before);
    return told;
}

static void add_lines(struct buf *b, unsigned up_to)
{
    for (unsigned i = 1; i <= up_to; i++) {
        buf_add_i64(b, i);
        buf_add_char(b, '\n');
    }
}

static void a_slow_reader_makes_the_producer_wait_and_misses_nothing(void **state)
{
    enum { LINES = 2000000 };
    struct test_client c;
    struct buf expected BUF_CLEANUP;

    buf_init(&expected, 32 << 20);
    start(20000000);
    open_slow(&c);
    say(LINES);
    assert_true(told_at_standstill() < LINES);
    assert_true(atomic_load(&most_unsent) > UNSENT_MAX / 2);
    assert_true(atomic_load(&most_unsent) < 2 * UNSENT_MAX);
    add_lines(&expected, LINES);
    assert_true(test_client_expect(&c, buf_str(&expected)));
    assert_true(atomic_load(&most_unsent) < 2 * UNSENT_MAX);
    test_client_close(&c);
    stop();
}

/* Something waits for it all the time, and it takes more than a connection may have waiting. */
static void a_reader_that_never_catches_up_costs_no_memory(void **state)
{
    enum { LINES = 5000000, PIECE = 32000 };
    struct test_client c;
    struct buf expected BUF_CLEANUP;

    buf_init(&expected, 64 << 20);
    add_lines(&expected, LINES);
    start(20000000);
    atomic_store(&ceiling, 8 << 20);
    open_slow(&c);
    say(LINES);
    told_at_standstill();
    for (struct str left = buf_str(&expected); left.n;) {
        struct str piece = {left.p, left.n < PIECE ? left.n : PIECE};
        assert_true(test_client_expect(&c, piece));
        left = str_skip(left, piece.n);
        http_server_stir(server.server);
        usleep(500);
    }
    test_client_close(&c);
    stop();
}

static void who_takes_nothing_is_cut_off(void **state)
{
    struct test_client c, patient;

    start(1500000);
    open_stream(&patient, "GET / HTTP/1.0\r\n\r\n");
    open_slow(&c);
    say(2000000);
    /* The other one reads all the time, so the worker is busy with it. */
    for (unsigned i = 1; i <= 100000; i++) {
        char line[16];
        snprintf(line, sizeof line, "%u\n", i);
        assert_true(test_client_expect(&patient, str_of(line)));
    }
    test_client_close(&patient);
    wait_for(&over, 2);
    test_client_close(&c);
    stop();
}

static void a_drain_ends_streams_cleanly(void **state)
{
    struct test_client c;

    start(20000000);
    open_stream(&c, "GET / HTTP/1.1\r\n\r\n");
    say(1);
    assert_true(test_client_expect(&c, STR("2\r\n1\n\r\n")));
    int64_t begin_us = clock_monotonic_us();
    http_server_drain(server.server, 20000000);
    assert_true(clock_monotonic_us() - begin_us < 5000000);
    assert_int_equal(atomic_load(&over), 1);
    assert_true(test_client_expect(&c, STR("3\r\nbye\r\n0\r\n\r\n")));
    assert_true(test_client_ended(&c, SOON_MS));
    test_client_close(&c);
    stop();
}

/* What could not be added whole must not pass for the whole. */
static void a_spoilt_stream_has_no_end(void **state)
{
    struct test_client c;

    start(20000000);
    open_stream(&c, "GET / HTTP/1.1\r\n\r\n");
    atomic_store(&spoil_all, true);
    http_server_stir(server.server);
    assert_true(test_client_ended(&c, SOON_MS));
    wait_for(&over, 1);
    test_client_close(&c);
    stop();
}

static void a_thousand_streams_on_one_worker(void **state)
{
    static struct test_client clients[MANY];

    start(60000000);
    for (size_t i = 0; i < MANY; i++)
        open_stream(&clients[i], "GET / HTTP/1.0\r\n\r\n");
    for (unsigned round = 1; round <= 3; round++) {
        say(2 * round);
        for (size_t i = 0; i < MANY; i++) {
            char two[32];
            snprintf(two, sizeof two, "%u\n%u\n", 2 * round - 1, 2 * round);
            assert_true(test_client_expect(&clients[i], str_of(two)));
        }
    }
    for (size_t i = 0; i < MANY / 2; i++)
        test_client_close(&clients[i]);
    wait_for(&over, MANY / 2);
    http_server_drain(server.server, 20000000);
    for (size_t i = MANY / 2; i < MANY; i++) {
        assert_true(test_client_expect(&clients[i], STR("bye")));
        test_client_close(&clients[i]);
    }
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_flush_is_a_chunk),
        cmocka_unit_test(after_its_end_the_connection_goes_on),
        cmocka_unit_test(http_1_0_has_no_chunks),
        cmocka_unit_test(head_gets_the_head),
        cmocka_unit_test(a_request_that_was_suspended_may_become_one),
        cmocka_unit_test(a_stir_is_heard_at_once),
        cmocka_unit_test(clients_that_go_are_noticed),
        cmocka_unit_test(a_slow_reader_makes_the_producer_wait_and_misses_nothing),
        cmocka_unit_test(a_reader_that_never_catches_up_costs_no_memory),
        cmocka_unit_test(who_takes_nothing_is_cut_off),
        cmocka_unit_test(a_drain_ends_streams_cleanly),
        cmocka_unit_test(a_spoilt_stream_has_no_end),
        cmocka_unit_test(a_thousand_streams_on_one_worker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
