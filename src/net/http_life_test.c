/* How the server bears its clients: many at once, slow ones, greedy ones, those that go away; and
 * how it ends. */
#include "net/http_server.h"

#include "base/clock.h"
#include "net/http_server_test_client.h"
#include "net/http_server_test_server.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static struct test_server server;

static void start(void (*change)(struct http_server_options *))
{
    struct http_server_options options = test_server_options();

    if (change)
        change(&options);
    test_server_start(&server, options);
}

static bool works(void)
{
    struct test_client c;
    struct test_answer a;

    test_client_open(&c, server.address);
    test_client_say(&c, "POST /echo HTTP/1.1\r\nContent-Length: 2\r\n\r\nok");
    bool ok = test_client_answer(&c, &a, true) && a.status == 200 && str_is(a.body, "ok");
    test_client_close(&c);
    return ok;
}

static void wait_until_waiting(void)
{
    for (int i = 0; i < 5000 && atomic_load(&server.waiting) == 0; i++)
        usleep(1000);
    assert_int_equal(atomic_load(&server.waiting), 1);
}

/* ---- many at once ---- */

enum { CLIENTS = 32, EACH = 40 };

static void *ask_often(void *right_answers)
{
    struct test_client c;
    struct test_answer a;
    char request[128], body[32];

    test_client_open(&c, server.address);
    for (int i = 0; i < EACH; i++) {
        int n = snprintf(body, sizeof body, "%p-%d", right_answers, i);
        snprintf(request, sizeof request, "POST /%s HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s",
                 i % 3 ? "soon" : "echo", n, body);
        test_client_send(&c, str_of(request));
        if (test_client_answer(&c, &a, true) && a.status == 200 && str_is(a.body, body))
            ++*(int *)right_answers;
    }
    test_client_close(&c);
    return NULL;
}

static void test_many_suspended(void **state)
{
    pthread_t threads[CLIENTS];
    int right[CLIENTS] = {0};

    start(NULL);
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &right[i]), 0);
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(right[i], EACH);
    }
    test_server_stop(&server);
}

/* ---- those that go away ---- */

static void test_gone_while_suspended(void **state)
{
    struct test_client c[8];

    start(NULL);
    for (int i = 0; i < 8; i++) {
        test_client_open(&c[i], server.address);
        test_client_say(&c[i], "POST /later HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello");
    }
    wait_until_waiting();
    for (int i = 0; i < 8; i++) {
        test_client_say(&c[i], "GET /echo HTTP/1.1\r\n\r\n");
        if (i % 2)
            test_client_close(&c[i]);
        else
            test_client_reset(&c[i]);
    }
    usleep(50000); /* the workers have seen it */
    assert_true(works());
    test_server_release(&server);
    assert_true(works());
    test_server_stop(&server);
}

/* A client that never listens, until not even "100 Continue" goes out any more, and then breaks.
 * The worst moment for that is set up by hand in http_conn_test.c. */
static void test_gone_with_unsent_bytes(void **state)
{
    static char body[16000];
    struct test_client c;

    start(NULL);
    memset(body, 'x', sizeof body);
    for (int round = 0; round < 3; round++) {
        assert_true(test_client_wrap(&c, test_connect(server.address, 4096)));
        int before = -1;
        for (int i = 0; i < 2000 && before != atomic_load(&server.handled); i++) {
            before = atomic_load(&server.handled);
            test_client_say(&c, "POST /soon HTTP/1.1\r\nExpect: 100-continue\r\n"
                                "Content-Length: 16000\r\n\r\n");
            usleep(3000);
            test_client_send(&c, (struct str){body, sizeof body});
            usleep(round == 2 ? 10000 : 3000);
        }
        test_client_reset(&c);
        assert_true(works());
    }
    test_server_stop(&server);
}

/* ---- slow ones ---- */

static void make_impatient(struct http_server_options *o)
{
    o->request_timeout_us = 400000;
    o->idle_timeout_us = 400000;
}

/* Whatever byte they trickle. */
static bool cut_while_trickling(struct test_client *c, struct str bytes)
{
    int64_t start_us = clock_monotonic_us();

    for (size_t i = 0; i < bytes.n; i++) {
        test_client_send(c, (struct str){bytes.p + i, 1});
        if (test_client_ended(c, 50))
            return clock_monotonic_us() - start_us < 3000000;
    }
    return false;
}

static void test_deadlines(void **state)
{
    static const char head[] = "GET /echo HTTP/1.1\r\nX: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                               "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    struct test_client c;
    struct test_answer a;
    char byte;

    start(make_impatient);
    int silent = test_connect(server.address, 0), half = test_connect(server.address, 0);
    assert_int_equal(send(half, "\x16\x03\x01", 3, 0), 3);
    assert_int_equal(recv(silent, &byte, 1, 0), 0);
    assert_true(recv(half, &byte, 1, 0) <= 0);
    close(silent);
    close(half);

    test_client_open(&c, server.address);
    assert_true(cut_while_trickling(&c, STR(head)));
    test_client_close(&c);
    test_client_open(&c, server.address);
    test_client_say(&c, "POST /echo HTTP/1.1\r\nContent-Length: 500\r\n\r\n");
    assert_true(cut_while_trickling(&c, STR(head)));
    test_client_close(&c);
    test_client_open(&c, server.address);
    test_client_say(&c, "GET /echo HTTP/1.1\r\n\r\n");
    assert_true(test_client_answer(&c, &a, true));
    assert_true(test_client_ended(&c, 3000)); /* idle */
    test_client_close(&c);
    test_client_open(&c, server.address); /* not one request */
    assert_true(test_client_ended(&c, 3000));
    test_client_close(&c);
    test_server_stop(&server);
}

/* A large answer that is not taken in time is cut; a request being worked on is not. */
static void test_deadline_of_answers(void **state)
{
    struct test_client deaf, patient;
    struct test_answer a;

    start(make_impatient);
    test_client_open(&patient, server.address);
    test_client_say(&patient, "POST /later HTTP/1.1\r\nContent-Length: 2\r\n\r\nok");
    assert_true(test_client_wrap(&deaf, test_connect(server.address, 20000)));
    test_client_say(&deaf, "GET /large HTTP/1.1\r\n\r\n");
    sleep(2);
    assert_false(test_client_answer(&deaf, &a, true));
    test_client_close(&deaf);
    test_server_release(&server);
    assert_true(test_client_answer(&patient, &a, true));
    assert_true(str_is(a.body, "ok"));
    test_client_close(&patient);
    test_server_stop(&server);
}

/* ---- greedy ones ---- */

static _Atomic bool greedy_done;

static void *read_all(void *client)
{
    struct test_client *c = client;
    struct test_answer a;

    while (test_client_answer(c, &a, true)) {
    }
    return NULL;
}

static void *send_all(void *client)
{
    struct buf many BUF_CLEANUP = {.max = 1 << 20};

    for (int i = 0; i < 400; i++)
        buf_text(&many, "GET /echo HTTP/1.1\r\n\r\n");
    while (!atomic_load(&greedy_done))
        test_client_send(client, buf_str(&many));
    shutdown(((struct test_client *)client)->fd, SHUT_WR);
    return NULL;
}

static void one_worker(struct http_server_options *o)
{
    o->workers = 1;
}

/* One that asks without end, beside one that asks now and then. */
static void test_greedy_client(void **state)
{
    struct test_client greedy, modest;
    struct test_answer a;
    pthread_t sender, reader;
    int64_t worst_us = 0;

    start(one_worker);
    test_client_open(&greedy, server.address);
    test_client_open(&modest, server.address);
    atomic_store(&greedy_done, false);
    assert_int_equal(pthread_create(&sender, NULL, send_all, &greedy), 0);
    assert_int_equal(pthread_create(&reader, NULL, read_all, &greedy), 0);
    for (int i = 0; i < 50; i++) {
        int64_t start_us = clock_monotonic_us();
        test_client_say(&modest, "GET /echo HTTP/1.1\r\n\r\n");
        assert_true(test_client_answer(&modest, &a, true));
        int64_t us = clock_monotonic_us() - start_us;
        worst_us = us > worst_us ? us : worst_us;
    }
    atomic_store(&greedy_done, true);
    pthread_join(sender, NULL);
    pthread_join(reader, NULL);
    assert_in_range(worst_us, 0, 2000000);
    test_client_close(&greedy);
    test_client_close(&modest);
    test_server_stop(&server);
}

static void three_per_address(struct http_server_options *o)
{
    o->max_per_address = 3;
}

static bool let_in_within(int ms)
{
    int64_t until_us = clock_monotonic_us() + ms * INT64_C(1000);
    bool open = false;

    while (!open && clock_monotonic_us() < until_us) {
        struct test_client c;
        open = test_client_wrap(&c, test_connect(server.address, 0));
        if (open)
            test_client_close(&c);
        else
            test_client_reset(&c);
        usleep(10000);
    }
    return open;
}

static void test_cap_per_address(void **state)
{
    struct test_client c[3];
    char byte;

    start(three_per_address);
    for (int i = 0; i < 3; i++)
        test_client_open(&c[i], server.address);
    for (int i = 0; i < 10; i++) {
        int fd = test_connect(server.address, 0);
        assert_true(recv(fd, &byte, 1, 0) <= 0);
        close(fd);
    }
    test_client_close(&c[0]);
    assert_true(let_in_within(5000)); /* the place of the one that left */
    assert_true(let_in_within(5000));
    test_client_close(&c[1]);
    test_client_reset(&c[2]);
    test_server_stop(&server);
}

/* ---- the end ---- */

static void *release_later(void *unused)
{
    usleep(300000);
    test_server_release(&server);
    return NULL;
}

/* A request under way is answered, one that comes meanwhile too, and both are told of the end. */
static void test_drain(void **state)
{
    struct test_client waiting, late;
    struct test_answer a;
    pthread_t releaser;

    start(NULL);
    test_client_open(&late, server.address);
    test_client_open(&waiting, server.address);
    test_client_say(&waiting, "POST /later HTTP/1.1\r\nContent-Length: 2\r\n\r\nok");
    wait_until_waiting();
    int64_t start_us = clock_monotonic_us();
    http_server_drain(server.server, 100000);
    assert_in_range(clock_monotonic_us() - start_us, 100000, 3000000); /* not for ever */
    assert_int_equal(atomic_load(&server.waiting), 1);
    test_client_say(&late, "GET /echo HTTP/1.1\r\n\r\n");
    assert_true(test_client_answer(&late, &a, true));
    assert_true(a.status == 200 && a.closes);
    assert_int_equal(pthread_create(&releaser, NULL, release_later, NULL), 0);
    http_server_drain(server.server, 10000000);
    assert_int_equal(atomic_load(&server.waiting), 0);
    assert_in_range(clock_monotonic_us() - start_us, 300000, 8000000);
    pthread_join(releaser, NULL);
    test_server_stop(&server);
    assert_true(test_client_answer(&waiting, &a, true));
    assert_true(str_is(a.body, "ok") && a.closes);
    assert_true(test_client_ended(&waiting, 1000));
    test_client_close(&waiting);
    test_client_close(&late);
}

static void *stop_server(void *unused)
{
    test_server_stop(&server);
    return NULL;
}

/* An answer is under way until the client has taken it. */
static void test_drain_waits_for_slow_readers(void **state)
{
    struct test_client c;
    struct test_answer a;
    pthread_t stopper;

    start(NULL);
    assert_true(test_client_wrap(&c, test_connect(server.address, 20000)));
    test_client_say(&c, "GET /large HTTP/1.1\r\n\r\n");
    usleep(300000);
    assert_int_equal(pthread_create(&stopper, NULL, stop_server, NULL), 0);
    usleep(300000);
    assert_true(test_client_answer(&c, &a, true));
    assert_int_equal(a.body.n, TEST_LARGE);
    pthread_join(stopper, NULL);
    test_client_close(&c);
}

static unsigned open_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    unsigned n = 0;

    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

/* Silent, in the handshake, idle, within a request, and with an answer to take. */
static void test_stop_with_open_connections(void **state)
{
    struct test_client idle, within, lingering;
    unsigned before = open_descriptors();
    struct test_answer a;

    start(NULL);
    int silent = test_connect(server.address, 0), half = test_connect(server.address, 0);
    assert_int_equal(send(half, "\x16\x03\x01", 3, 0), 3);
    test_client_open(&idle, server.address);
    test_client_open(&within, server.address);
    test_client_say(&within, "GET /echo HTTP/1.1\r\nX: ");
    test_client_open(&lingering, server.address);
    test_client_say(&lingering, "GET /echo HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert_true(test_client_answer(&lingering, &a, true));
    usleep(50000);
    test_server_stop(&server);
    assert_true(test_client_ended(&idle, 1000));
    assert_true(test_client_ended(&within, 1000));
    test_client_close(&idle);
    test_client_close(&within);
    test_client_close(&lingering);
    close(silent);
    close(half);
    assert_int_equal(open_descriptors(), before);
}

static char bound_to[64];

static void note_address(void *context, const char *address)
{
    snprintf(bound_to, sizeof bound_to, "%s", address);
}

static void ask_for_address(struct http_server_options *options)
{
    options->bound = note_address;
}

static void test_address_is_told(void **state)
{
    start(ask_for_address);
    assert_string_equal(bound_to, server.address);
    assert_true(strlen(strrchr(bound_to, ':')) > 2); /* the port taken, not the 0 asked for */
    test_server_stop(&server);
}

static void test_cannot_listen(void **state)
{
    char why[HTTP_WHY_SIZE] = "", taken[64];
    struct http_server_options options = test_server_options();
    struct test_server second;

    start(NULL);
    snprintf(taken, sizeof taken, "%s", server.address);
    options.listen = taken;
    assert_int_equal(test_server_try(&second, options, why), -1);
    assert_non_null(strstr(why, "uses this port"));
    options.listen = "nonsense";
    assert_int_equal(test_server_try(&second, options, why), -1);
    assert_non_null(strstr(why, "HOST:PORT"));
    assert_true(works());
    test_server_stop(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_suspended),
        cmocka_unit_test(test_gone_while_suspended),
        cmocka_unit_test(test_gone_with_unsent_bytes),
        cmocka_unit_test(test_deadlines),
        cmocka_unit_test(test_deadline_of_answers),
        cmocka_unit_test(test_greedy_client),
        cmocka_unit_test(test_cap_per_address),
        cmocka_unit_test(test_drain),
        cmocka_unit_test(test_drain_waits_for_slow_readers),
        cmocka_unit_test(test_stop_with_open_connections),
        cmocka_unit_test(test_address_is_told),
        cmocka_unit_test(test_cannot_listen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
