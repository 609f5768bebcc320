#include "net/test_peer.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* ---- a loop ---- */

struct loop *test_loop;
static struct loop_signal *call_signal;
static pthread_mutex_t call_lock = PTHREAD_MUTEX_INITIALIZER;
static loop_callback *call;
static void *call_context;
static sem_t call_done;

static void on_call(void *unused)
{
    pthread_mutex_lock(&call_lock);
    loop_callback *callback = call;
    void *context = call_context;
    pthread_mutex_unlock(&call_lock);
    callback(context);
    sem_post(&call_done);
}

int test_loop_set_up(void **state)
{
    sem_init(&call_done, 0, 0);
    if (loop_new(&test_loop) < 0)
        return -1;
    call_signal = loop_signal_new(test_loop, on_call, NULL);
    return loop_start(test_loop, "test-loop");
}

int test_loop_tear_down(void **state)
{
    if (test_loop)
        loop_free(test_loop);
    test_loop = NULL;
    sem_destroy(&call_done);
    return 0;
}

void test_loop_do(loop_callback *callback, void *context)
{
    struct timespec until;

    pthread_mutex_lock(&call_lock);
    call = callback;
    call_context = context;
    pthread_mutex_unlock(&call_lock);
    loop_signal_raise(call_signal);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += TEST_PEER_PATIENCE_MS / 1000;
    assert_int_equal(sem_timedwait(&call_done, &until), 0);
}

static void nothing(void *context)
{
}

void test_loop_settle(void)
{
    test_loop_do(nothing, NULL);
    test_loop_do(nothing, NULL);
}

struct question {
    bool (*is_so)(void *context);
    void *context;
    bool answer;
};

static void ask(void *context)
{
    struct question *q = context;
    q->answer = q->is_so(q->context);
}

void test_loop_until(bool (*is_so)(void *context), void *context)
{
    struct question q = {is_so, context, false};
    int64_t until_us = clock_monotonic_us() + TEST_PEER_PATIENCE_MS * INT64_C(1000);

    for (;;) {
        test_loop_do(ask, &q);
        if (q.answer)
            return;
        assert_true(clock_monotonic_us() < until_us);
        usleep(500);
    }
}

/* ---- certificates ---- */

void test_tls_init(struct test_tls *t, int64_t now_us)
{
    char why[TLS_WHY_SIZE];
    struct tls_identity *identity;

    snprintf(t->folder, sizeof t->folder, "/tmp/skylark-peer-XXXXXX");
    assert_non_null(mkdtemp(t->folder));
    snprintf(t->ca, sizeof t->ca, "%s/ca.pem", t->folder);
    snprintf(t->ca_key, sizeof t->ca_key, "%s/ca.key", t->folder);
    snprintf(t->certificate, sizeof t->certificate, "%s/server.pem", t->folder);
    snprintf(t->key, sizeof t->key, "%s/server.key", t->folder);
    assert_int_equal(tls_local_prepare(t->folder, now_us, why), 1);
    assert_int_equal(tls_identity_load(&identity, t->certificate, t->key, why), 0);
    assert_int_equal(tls_context_new(&t->context, identity), 0);
}

void test_tls_done(struct test_tls *t)
{
    tls_context_free(t->context);
    unlink(t->ca);
    unlink(t->ca_key);
    unlink(t->certificate);
    unlink(t->key);
    rmdir(t->folder);
}

struct tls_client *test_tls_trust(const char *ca)
{
    struct tls_client *client;
    char why[TLS_WHY_SIZE];

    assert_int_equal(tls_client_new(&client, &(struct tls_client_options){.ca = ca}, why), 0);
    return client;
}

/* ---- the other end ---- */

void test_listen(struct test_listener *l, struct tls_context *tls)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    l->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(l->fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(l->fd, 64), 0);
    assert_int_equal(getsockname(l->fd, (struct sockaddr *)&address, &size), 0);
    l->port = ntohs(address.sin_port);
    l->tls = tls;
    l->alpn = NULL;
}

void test_listen_done(struct test_listener *l)
{
    close(l->fd);
}

static bool readable(int fd, int patience_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, patience_ms) == 1;
}

static void send_all(int fd, struct str bytes)
{
    while (bytes.n) {
        ssize_t n = send(fd, bytes.p, bytes.n, MSG_NOSIGNAL);
        if (n <= 0)
            return; /* the other end is gone: the test will see */
        bytes = str_skip(bytes, (size_t)n);
    }
}

static void send_out(struct test_peer *p)
{
    send_all(p->fd, buf_str(&p->out));
    buf_clear(&p->out);
}

static bool shake_hands(struct test_peer *p, int patience_ms)
{
    char bytes[16384];
    enum tls_result result = TLS_MORE;

    while (result == TLS_MORE) {
        ssize_t n = readable(p->fd, patience_ms) ? recv(p->fd, bytes, sizeof bytes, 0) : -1;
        if (n <= 0)
            return false;
        p->tls.input = (struct str){bytes, (size_t)n};
        result = tls_stream_handshake(&p->tls);
        send_out(p);
    }
    if (result == TLS_OK) /* what came with the end of the handshake */
        result = tls_stream_read(&p->tls, &p->in);
    return result == TLS_MORE || result == TLS_CLOSED;
}

bool test_peer_accept(struct test_peer *p, const struct test_listener *l, int patience_ms)
{
    struct sockaddr_storage who;
    socklen_t size = sizeof who;

    memset(p, 0, sizeof *p);
    p->fd = -1;
    if (readable(l->fd, patience_ms))
        p->fd = accept4(l->fd, (struct sockaddr *)&who, &size, SOCK_CLOEXEC);
    if (p->fd < 0)
        return false;
    buf_init(&p->in, 64 << 20);
    buf_init(&p->out, 64 << 20);
    if (!l->tls)
        return true;
    assert_int_equal(tls_stream_init(&p->tls, l->tls), 0);
    p->tls.output = &p->out;
    if (l->alpn) {
        gnutls_datum_t offer = {(unsigned char *)l->alpn, (unsigned)strlen(l->alpn)};
        gnutls_alpn_set_protocols(p->tls.session, &offer, 1, 0);
    }
    bool shaken = shake_hands(p, patience_ms);
    if (!shaken)
        test_peer_close(p);
    return shaken;
}

void test_peer_send(struct test_peer *p, struct str bytes)
{
    if (!p->tls.session) {
        send_all(p->fd, bytes);
        return;
    }
    tls_stream_write(&p->tls, bytes);
    send_out(p);
}

bool test_peer_read(struct test_peer *p, int patience_ms)
{
    static char bytes[64 << 10];
    ssize_t n = readable(p->fd, patience_ms) ? recv(p->fd, bytes, sizeof bytes, 0) : -1;

    if (n <= 0)
        return false;
    if (!p->tls.session) {
        buf_add(&p->in, (struct str){bytes, (size_t)n});
        return true;
    }
    p->tls.input = (struct str){bytes, (size_t)n};
    enum tls_result result = tls_stream_read(&p->tls, &p->in);
    send_out(p);
    return result == TLS_MORE;
}

bool test_peer_ends(struct test_peer *p)
{
    char byte;

    while (test_peer_read(p, TEST_PEER_PATIENCE_MS)) {
    }
    return readable(p->fd, TEST_PEER_PATIENCE_MS) && recv(p->fd, &byte, 1, MSG_PEEK) == 0;
}

void test_peer_close(struct test_peer *p)
{
    if (p->fd < 0)
        return;
    if (p->tls.session)
        tls_stream_done(&p->tls);
    buf_done(&p->in);
    buf_done(&p->out);
    close(p->fd);
    p->fd = -1;
}

void test_peer_reset(struct test_peer *p)
{
    struct linger at_once = {.l_onoff = 1};

    setsockopt(p->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    test_peer_close(p);
}
