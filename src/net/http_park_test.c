/* Requests that wait on their worker and are looked at ten times a second. */
#include "net/http_server.h"

#include "base/clock.h"
#include "net/http_server_test_client.h"
#include "net/http_server_test_server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <unistd.h>

#include <cmocka.h>

static struct test_server server;
static struct http_request *parked; /* one worker, so one thread touches it */
static _Atomic int parked_count, ended_count;

static void finish(struct http_request *r)
{
    r->status = 200;
    buf_text(&r->out, "waited");
    atomic_fetch_add(&ended_count, 1);
}

static void park(struct http_request *r)
{
    assert_false(http_request_must_end(r));
    http_request_suspend(r, finish);
    parked = r;
    atomic_fetch_add(&parked_count, 1);
}

static void look(void *worker_context)
{
    if (!parked || !http_request_must_end(parked))
        return;
    struct http_request *r = parked;
    parked = NULL;
    http_request_resume(r);
}

static void start(void)
{
    struct http_server_options options = test_server_options();

    atomic_store(&parked_count, 0);
    atomic_store(&ended_count, 0);
    parked = NULL;
    options.workers = 1;
    options.handler = park;
    options.worker_rest = look;
    options.request_timeout_us = 1500000; /* a request that waits is not late */
    options.idle_timeout_us = 1500000;
    test_server_start(&server, options);
}

static void wait_for(_Atomic int *count)
{
    for (int i = 0; i < 10000 && atomic_load(count) == 0; i++)
        usleep(1000);
    assert_int_equal(atomic_load(count), 1);
}

static void a_client_that_goes_is_noticed(void **state)
{
    struct test_client c;

    start();
    test_client_open(&c, server.address);
    test_client_say(&c, "GET / HTTP/1.1\r\n\r\n");
    wait_for(&parked_count);
    sleep(3); /* far longer than requests and idle connections may take */
    assert_int_equal(atomic_load(&ended_count), 0);
    test_client_close(&c);
    wait_for(&ended_count);
    test_server_stop(&server);
}

static void a_drain_is_noticed_and_the_answer_arrives(void **state)
{
    struct test_client c;
    struct test_answer a;

    start();
    test_client_open(&c, server.address);
    test_client_say(&c, "GET / HTTP/1.1\r\n\r\n");
    wait_for(&parked_count);
    http_server_drain(server.server, 10000000);
    assert_true(test_client_answer(&c, &a, true));
    assert_true(str_is(a.body, "waited"));
    test_client_close(&c);
    test_server_stop(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_that_goes_is_noticed),
        cmocka_unit_test(a_drain_is_noticed_and_the_answer_arrives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
