/* Streams whose length is known, and that are asked for their next piece when the client has taken
 * the last one. */
#include "net/http_internal.h"
#include "net/http_server_test_client.h"
#include "net/http_server_test_server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { PIECE = 32 << 10, WHOLE = 3000000, SOON_MS = 10000 };

struct piece {
    size_t given, size;
};

static struct test_server server;
static _Atomic unsigned over;
static _Atomic size_t asked, most_unsent;

static char letter_at(size_t i)
{
    return (char)('a' + i % 23);
}

static void more(struct http_request *r)
{
    struct piece *p = r->continuation;
    size_t unsent = http_stream_unsent(r);

    if (unsent > atomic_load(&most_unsent))
        atomic_store(&most_unsent, unsent);
    atomic_fetch_add(&asked, 1);
    for (size_t i = 0; i < PIECE && p->given < p->size; i++)
        buf_add_char(&r->out, letter_at(p->given++));
}

static void when_over(struct http_request *r)
{
    atomic_fetch_add(&over, 1);
}

static const struct http_stream_ops ops = {.over = when_over, .more = more};

/* /whole has as much as it says, /short less, /long more. */
static void handle(struct http_request *r)
{
    struct piece *p = arena_new(&r->arena, struct piece);
    size_t size = WHOLE;

    if (str_is(r->head.path, "/short"))
        size = WHOLE / 2;
    if (str_is(r->head.path, "/long"))
        size = WHOLE + 7;
    *p = (struct piece){.size = size};
    r->continuation = p;
    r->status = 200;
    http_stream_begin_sized(r, &ops, WHOLE);
}

static void start(void)
{
    struct http_server_options options = test_server_options();

    atomic_store(&over, 0);
    atomic_store(&asked, 0);
    atomic_store(&most_unsent, 0);
    options.workers = 1;
    options.handler = handle;
    test_server_start(&server, options);
}

static void open_client(struct test_client *c, const char *request)
{
    test_client_open(c, server.address);
    test_client_send(c, str_of(request));
}

static void expect_whole(struct test_client *c)
{
    struct test_answer a;
    char *whole = malloc(WHOLE);

    for (size_t i = 0; i < WHOLE; i++)
        whole[i] = letter_at(i);
    assert_true(test_client_answer(c, &a, false));
    assert_int_equal(a.status, 200);
    assert_false(a.chunked);
    assert_int_equal(a.length, WHOLE);
    assert_true(test_client_expect(c, (struct str){whole, WHOLE}));
    free(whole);
}

static void the_head_says_how_long_it_is(void **state)
{
    struct test_client c;

    start();
    open_client(&c, "GET /whole HTTP/1.1\r\n\r\nGET /long HTTP/1.1\r\n\r\n");
    expect_whole(&c);
    expect_whole(&c); /* the connection goes on, and what is too much is not sent */
    test_client_close(&c);
    test_server_stop(&server);
    assert_int_equal(atomic_load(&over), 2);
}

static void old_clients_need_no_end_of_the_connection(void **state)
{
    struct test_client c;

    start();
    open_client(&c, "GET /whole HTTP/1.0\r\n\r\n");
    expect_whole(&c);
    test_client_close(&c);
    test_server_stop(&server);
}

/* Less than was said must not pass for the whole. */
static void too_little_ends_the_connection(void **state)
{
    struct test_client c;
    struct test_answer a;

    start();
    open_client(&c, "GET /short HTTP/1.1\r\n\r\n");
    assert_true(test_client_answer(&c, &a, false));
    for (size_t i = 0; i < WHOLE / 2; i++) {
        char letter = letter_at(i);
        assert_true(test_client_expect(&c, (struct str){&letter, 1}));
    }
    assert_true(test_client_ended(&c, SOON_MS));
    test_client_close(&c);
    test_server_stop(&server);
    assert_int_equal(atomic_load(&over), 1);
}

static void only_the_head_of_it(void **state)
{
    struct test_client c;
    struct test_answer a;

    start();
    open_client(&c, "HEAD /whole HTTP/1.1\r\n\r\n");
    assert_true(test_client_answer(&c, &a, false));
    assert_int_equal(a.length, WHOLE);
    test_client_say(&c, "HEAD /whole HTTP/1.1\r\n\r\n");
    assert_true(test_client_answer(&c, &a, false));
    test_client_close(&c);
    test_server_stop(&server);
    assert_int_equal(atomic_load(&over), 2);
    assert_int_equal(atomic_load(&asked), 0);
}

/* A client that takes nothing is given no more than the system holds for it; a piece is asked for
 * when the last one has gone. */
static void a_slow_client_costs_a_piece(void **state)
{
    struct test_client c;

    start();
    assert_true(test_client_wrap(&c, test_connect(server.address, 4096)));
    test_client_say(&c, "GET /whole HTTP/1.1\r\n\r\n");
    for (size_t before = SIZE_MAX; atomic_load(&asked) != before; usleep(100000))
        before = atomic_load(&asked);
    assert_int_equal(atomic_load(&over), 0);
    expect_whole(&c);
    assert_int_equal(atomic_load(&most_unsent), 0);
    test_client_close(&c);
    test_server_stop(&server);
    assert_int_equal(atomic_load(&over), 1);
}

static void a_client_that_goes(void **state)
{
    struct test_client c;
    struct test_answer a;

    start();
    assert_true(test_client_wrap(&c, test_connect(server.address, 4096)));
    test_client_say(&c, "GET /whole HTTP/1.1\r\n\r\n");
    assert_true(test_client_answer(&c, &a, false));
    test_client_reset(&c);
    for (int i = 0; i < SOON_MS && atomic_load(&over) == 0; i++)
        usleep(1000);
    assert_int_equal(atomic_load(&over), 1);
    test_server_stop(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_head_says_how_long_it_is),
        cmocka_unit_test(old_clients_need_no_end_of_the_connection),
        cmocka_unit_test(too_little_ends_the_connection),
        cmocka_unit_test(only_the_head_of_it),
        cmocka_unit_test(a_slow_client_costs_a_piece),
        cmocka_unit_test(a_client_that_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
