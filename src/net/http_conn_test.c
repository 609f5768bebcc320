/* Moments in a connection's life that clients can bring about only with luck, set up by hand. */
#include "net/http_internal.h"

#include "net/http_server_test_server.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct http_server server;
    struct http_worker worker;
    struct http_conn *conn;
    int far; /* the client's end */
};

static void answer_nothing(struct http_request *r)
{
    r->status = 200;
}

static void fixture_open_from(struct fixture *f, const void *address)
{
    int pair[2];

    memset(f, 0, sizeof *f);
    f->server.options = test_server_options();
    f->server.options.handler = answer_nothing;
    assert_int_equal(conn_table_init(&f->server.table, 100, 100), 0);
    assert_int_equal(tls_context_new(&f->server.tls, test_identity()), 0);
    f->worker.server = &f->server;
    buf_init(&f->worker.plain, 1 << 20);
    buf_init(&f->worker.cipher, 1 << 20);
    f->worker.receive = malloc(HTTP_RECEIVE);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    f->far = pair[1];
    assert_non_null(conn_open(&f->server.table, pair[0], address, 1));
    f->conn = http_conn_new(&f->worker, pair[0]);
    assert_non_null(f->conn);
    f->worker.conns = f->conn;
    f->worker.connections = 1;
}

static void fixture_open(struct fixture *f)
{
    struct sockaddr_in from = {.sin_family = AF_INET};
    fixture_open_from(f, &from);
}

static void fixture_close(struct fixture *f)
{
    http_conn_close(f->conn);
    http_conn_free(f->conn);
    http_requests_free(&f->worker);
    buf_done(&f->worker.plain);
    buf_done(&f->worker.cipher);
    free(f->worker.receive);
    tls_context_free(f->server.tls);
    conn_table_done(&f->server.table);
    close(f->far);
}

/* Another thread has the request: whatever becomes of the socket, it must stay. */
static void test_busy_connection_stays(void **state)
{
    struct fixture f;

    fixture_open(&f);
    f.conn->request = http_request_new(f.conn);
    f.conn->state = CONN_BUSY;
    buf_text(&f.conn->unsent, "100 Continue, say");
    close(f.far);
    http_conn_run(f.conn);
    assert_int_equal(f.conn->state, CONN_BUSY);
    assert_non_null(f.conn->request);
    assert_int_equal(f.server.in_flight, 1);
    f.far = -1;
    fixture_close(&f);
    assert_int_equal(f.server.in_flight, 0);
}

/* The descriptor of a closed connection may be another's by now. */
static void test_dead_connection_sends_nothing(void **state)
{
    struct fixture f;
    int pair[2];
    char byte;

    fixture_open(&f);
    f.conn->state = CONN_HEAD;
    buf_text(&f.conn->unsent, "for the old client");
    int fd = f.conn->fd;
    http_conn_close(f.conn);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    if (pair[0] != fd) {
        assert_int_equal(dup2(pair[0], fd), fd);
        close(pair[0]);
    }
    http_conn_run(f.conn); /* its turn in `again` comes after its end */
    assert_true(recv(pair[1], &byte, 1, MSG_DONTWAIT) < 0);
    close(fd);
    close(pair[1]);
    fixture_close(&f);
}

/* What encryption had made for a connection that broke is nobody else's. */
static void test_cipher_of_broken_connection_is_dropped(void **state)
{
    struct fixture f;

    fixture_open(&f);
    buf_text(&f.worker.cipher, "half an answer");
    f.worker.cipher.failed = true;
    http_conn_close(f.conn);
    assert_int_equal(f.worker.cipher.n, 0);
    assert_false(f.worker.cipher.failed);
    fixture_close(&f);
}

/* A connection that waits for its next turn does not get a longer one when an event comes first.
 * Packets, so that each read brings one. */
static void test_turns_are_short(void **state)
{
    struct fixture f;
    int pair[2];
    char byte;

    fixture_open(&f);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
    assert_int_equal(dup2(pair[0], f.conn->fd), f.conn->fd);
    close(pair[0]);
    unsigned sent = 0;
    while (sent < 250 && send(pair[1], "x", 1, MSG_DONTWAIT) == 1)
        sent++;
    assert_int_equal(sent, 250);
    f.conn->state = CONN_LINGER; /* reads and drops as long as there is something */
    f.conn->in_again = true;
    f.worker.again = f.conn;
    http_conn_run(f.conn);
    assert_int_equal(recv(f.conn->fd, &byte, 1, MSG_DONTWAIT), 1); /* some are left */
    assert_ptr_equal(f.worker.again, f.conn);
    assert_null(f.conn->next_again);
    close(pair[1]);
    fixture_close(&f);
}

/* A request with much in its arena does not keep it when it waits on the free list. */
static void test_free_requests_are_small(void **state)
{
    struct fixture f;

    fixture_open(&f);
    struct http_request *r = http_request_new(f.conn);
    assert_non_null(arena_bytes(&r->arena, 1 << 20));
    buf_reserve(&r->out, 1 << 20);
    http_request_end(r);
    assert_ptr_equal(f.worker.free_requests, r);
    assert_true(r->arena.total <= 64 << 10);
    assert_true(r->out.size <= 64 << 10);
    fixture_close(&f);
}

static void assert_peer(const void *from, const char *text, const char *address)
{
    struct fixture f;
    struct in6_addr wanted;

    fixture_open_from(&f, from);
    struct http_request *r = http_request_new(f.conn);
    assert_string_equal(r->peer->text, text);
    assert_int_equal(inet_pton(AF_INET6, address, &wanted), 1);
    assert_memory_equal(&r->peer->address, &wanted, sizeof wanted);
    http_request_end(r);
    fixture_close(&f);
}

/* Without port, and an IPv4 client is one whether the socket speaks IPv6 or not. */
static void test_requests_know_their_peer(void **state)
{
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(1234)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(1234)};

    inet_pton(AF_INET, "203.0.113.7", &four.sin_addr);
    assert_peer(&four, "203.0.113.7", "::ffff:203.0.113.7");
    inet_pton(AF_INET6, "::ffff:203.0.113.7", &six.sin6_addr);
    assert_peer(&six, "203.0.113.7", "::ffff:203.0.113.7");
    inet_pton(AF_INET6, "2001:db8::1", &six.sin6_addr);
    assert_peer(&six, "2001:db8::1", "2001:db8::1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_busy_connection_stays),
        cmocka_unit_test(test_dead_connection_sends_nothing),
        cmocka_unit_test(test_cipher_of_broken_connection_is_dropped),
        cmocka_unit_test(test_turns_are_short),
        cmocka_unit_test(test_free_requests_are_small),
        cmocka_unit_test(test_requests_know_their_peer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
