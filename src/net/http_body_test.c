/* Bodies: what is kept of them, and how much memory all take together. */
#include "net/http_internal.h"

#include "net/http_server_test_client.h"
#include "net/http_server_test_server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { BUDGET = 300000, HALF = 200000, PIECE = 150000 };

static struct test_server t;
static struct test_client one, two;
static struct buf words;

/* The body; else what is wrong, with the path to show that it can still be read. */
static void answer(struct http_request *r)
{
    r->status = r->no_room ? 503 : r->body_too_large ? 400 : 200;
    buf_add(&r->out, r->status == 200 ? r->body : r->head.path);
}

static size_t any_size(struct http_request *r)
{
    return str_is(r->head.path, "/closed") ? 0 : 1 << 20;
}

static int set_up(void **state)
{
    struct http_server_options o = test_server_options();

    o.handler = answer;
    o.body_max = 0;
    o.body_max_of = any_size;
    o.bodies_max = BUDGET;
    test_server_start(&t, o);
    test_client_open(&one, t.address);
    test_client_open(&two, t.address);
    buf_init(&words, 4 << 20);
    return 0;
}

static size_t bodies(void)
{
    return atomic_load(&t.server->bodies);
}

static void wait_for_bodies(size_t least, size_t most)
{
    for (int i = 0; i < 10000 && (bodies() < least || bodies() > most); i++)
        usleep(1000);
    assert_in_range(bodies(), least, most);
}

/* Nothing is counted that is not there any more. */
static int tear_down(void **state)
{
    test_client_close(&one);
    test_client_close(&two);
    wait_for_bodies(0, 0);
    test_server_stop(&t);
    buf_done(&words);
    return 0;
}

static void say_bytes(struct test_client *c, size_t n)
{
    buf_clear(&words);
    char *room = buf_reserve(&words, n);
    assert_non_null(room);
    memset(room, 'x', n);
    test_client_send(c, (struct str){room, n});
}

static void say_head(struct test_client *c, const char *path, size_t length)
{
    buf_clear(&words);
    buf_printf(&words, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n\r\n", path, length);
    test_client_send(c, buf_str(&words));
}

static void hear(struct test_client *c, unsigned status, size_t length)
{
    struct test_answer a;

    assert_true(test_client_answer(c, &a, true));
    assert_int_equal(a.status, status);
    assert_int_equal(a.body.n, length);
}

static void hear_path(struct test_client *c, unsigned status, const char *path)
{
    struct test_answer a;

    assert_true(test_client_answer(c, &a, true));
    assert_int_equal(a.status, status);
    assert_true(str_is(a.body, path));
}

/* The one that comes when there is no room is told so, whatever its size is; who was there before
 * goes on, and the connection of both is as good as before. */
static void test_no_room_beside_others(void **state)
{
    say_head(&one, "/one", HALF);
    say_bytes(&one, PIECE);
    wait_for_bodies(PIECE, BUDGET);
    say_head(&two, "/two", HALF);
    say_bytes(&two, HALF);
    hear_path(&two, 503, "/two");
    assert_true(bodies() <= BUDGET);
    say_bytes(&one, HALF - PIECE);
    hear(&one, 200, HALF);
    wait_for_bodies(0, 0);
    say_head(&two, "/two", HALF);
    say_bytes(&two, HALF);
    hear(&two, 200, HALF);
}

static void say_chunks(struct test_client *c, const char *path, int count)
{
    buf_clear(&words);
    buf_printf(&words, "POST %s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", path);
    for (int i = 0; i < count; i++)
        buf_printf(&words, "3e8\r\n%01000d\r\n", i);
    buf_text(&words, "0\r\n\r\n");
    test_client_send(c, buf_str(&words));
}

static void test_no_room_for_chunks(void **state)
{
    say_head(&one, "/one", HALF);
    say_bytes(&one, PIECE);
    wait_for_bodies(PIECE, BUDGET);
    say_chunks(&two, "/two", HALF / 1000);
    hear_path(&two, 503, "/two");
    say_bytes(&one, HALF - PIECE);
    hear(&one, 200, HALF);
    wait_for_bodies(0, 0);
    say_chunks(&two, "/two", HALF / 1000);
    hear(&two, 200, HALF);
}

/* Most requests are small, and are served whatever others do. */
static void test_small_ones_have_room(void **state)
{
    say_head(&one, "/one", HALF);
    say_bytes(&one, PIECE);
    wait_for_bodies(PIECE, BUDGET);
    for (int i = 0; i < 20; i++) {
        buf_clear(&words);
        buf_printf(&words, "POST /two HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n%01000d",
                   i);
        test_client_send(&two, buf_str(&words));
        hear(&two, 200, 1000);
    }
    say_bytes(&one, HALF - PIECE);
    hear(&one, 200, HALF);
}

/* A client that goes away in the middle gives back what it had. */
static void test_a_client_goes_away(void **state)
{
    say_head(&one, "/one", HALF);
    say_bytes(&one, PIECE);
    wait_for_bodies(PIECE, BUDGET);
    test_client_close(&one);
    wait_for_bodies(0, 0);
    test_client_open(&one, t.address);
    say_head(&two, "/two", HALF);
    say_bytes(&two, HALF);
    hear(&two, 200, HALF);
}

/* What is not wanted takes no memory; the head is there all the same, whether the body came with it
 * or later. */
static void test_passed_over(void **state)
{
    buf_clear(&words);
    buf_printf(&words, "POST /closed HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n%01000d",
               1);
    test_client_send(&one, buf_str(&words));
    hear_path(&one, 400, "/closed");
    say_head(&one, "/closed", 1 << 20);
    say_bytes(&one, 1 << 20);
    hear_path(&one, 400, "/closed");
    say_chunks(&one, "/closed", 1000);
    hear_path(&one, 400, "/closed");
    assert_true(bodies() <= 2 * HTTP_RECEIVE + HTTP_KEPT_IN);
    say_head(&one, "/one", 5);
    say_bytes(&one, 5);
    hear(&one, 200, 5);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(test_no_room_beside_others), CASE(test_no_room_for_chunks),
        CASE(test_small_ones_have_room),  CASE(test_a_client_goes_away),
        CASE(test_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
