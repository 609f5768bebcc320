/* Start and stop of the server, and the workers' loops. */
#include "net/http_server.h"

#include "base/clock.h"
#include "base/log.h"
#include "net/http_internal.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    EVENTS = 256,
    PLAIN_MAX = 17 << 20,
    CIPHER_MAX = 18 << 20,
    REST_US = 100000,
    TELL_SHARE = 4,            /* worker_tell may have a quarter of the worker's time */
    TELL_PAUSE_MIN_US = 2000,  /* between two calls of it */
    TELL_PAUSE_MAX_US = 15000, /* a thread that was interrupted only seems to have taken long */
};

/* ---- a worker ---- */

static void wake(void *worker)
{
    struct http_worker *w = worker;
    uint64_t one = 1;

    (void)!write(w->wake, &one, sizeof one);
}

/* What the acceptor hands over. */
struct arrival {
    struct letter letter;
    int fd;
};

static void open_conn(struct http_worker *w, int fd)
{
    struct http_conn *c = http_conn_new(w, fd);
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = c};

    if (!c || epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &event) < 0) {
        if (c)
            http_conn_free(c);
        conn_close(&w->server->table, fd);
        close(fd);
        atomic_fetch_sub(&w->connections, 1);
        return;
    }
    c->next = w->conns;
    if (c->next)
        c->next->previous = c;
    w->conns = c;
}

static void take_arrivals(struct http_worker *w)
{
    for (struct letter *l = mailbox_take(&w->arrivals); l;) {
        struct letter *next = l->next;
        open_conn(w, ((struct arrival *)l)->fd);
        free(l);
        l = next;
    }
}

static void take_resumed(struct http_worker *w)
{
    for (struct letter *l = mailbox_take(&w->resumed); l;) {
        struct letter *next = l->next;
        struct http_request *r = (struct http_request *)l;
        struct http_conn *c = r->conn;
        log_begin_request(r->id);
        r->finish(r);
        http_conn_answer(c);
        log_end_request();
        http_conn_run(c);
        l = next;
    }
}

static void take_again(struct http_worker *w)
{
    struct http_conn *c = w->again;

    w->again = NULL;
    while (c) {
        struct http_conn *next = c->next_again;
        c->in_again = false;
        http_conn_run(c);
        c = next;
    }
}

static void bury(struct http_worker *w)
{
    while (w->dead) {
        struct http_conn *c = w->dead;
        w->dead = c->next_dead;
        http_conn_free(c);
    }
}

static void conn_event(struct http_conn *c, uint32_t events)
{
    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        c->readable = true;
    if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        c->hangup = true;
    http_conn_run(c);
}

/* ---- its streams ---- */

/* Those that have not heard yet that the server drains. */
static void end_streams(struct http_worker *w)
{
    for (struct http_conn *c = w->conns, *next; c; c = next) {
        next = c->next;
        if (c->state == CONN_STREAM)
            http_conn_run(c);
    }
}

static int64_t tell_pause_us(int64_t took_us)
{
    int64_t pause_us = took_us * (TELL_SHARE - 1);

    if (pause_us < TELL_PAUSE_MIN_US)
        return TELL_PAUSE_MIN_US;
    return pause_us < TELL_PAUSE_MAX_US ? pause_us : TELL_PAUSE_MAX_US;
}

static void tell_streams(struct http_worker *w)
{
    if (atomic_load_explicit(&w->streams, memory_order_relaxed) == 0)
        return;
    if (atomic_load_explicit(&w->server->draining, memory_order_relaxed)) {
        end_streams(w);
        return;
    }
    int64_t begun_us = clock_monotonic_us();
    if (begun_us < w->next_tell_us)
        return;
    /* Before it looks: what happens meanwhile stirs it again. */
    if (!atomic_exchange(&w->stirred, false) && begun_us < w->next_tell_us + REST_US)
        return;
    if (w->server->options.worker_tell && w->server->options.worker_tell(w->context))
        atomic_store(&w->stirred, true);
    w->next_tell_us = clock_monotonic_us();
    w->next_tell_us += tell_pause_us(w->next_tell_us - begun_us);
}

void http_server_stir(struct http_server *s)
{
    for (unsigned i = 0; i < s->options.workers; i++) {
        struct http_worker *w = &s->workers[i];
        if (atomic_load_explicit(&w->streams, memory_order_relaxed) > 0 &&
            !atomic_exchange(&w->stirred, true))
            wake(w);
    }
}

/* How long the loop may sleep, in milliseconds. */
static int patience(const struct http_worker *w)
{
    if (w->again)
        return 0;
    if (!atomic_load_explicit(&w->stirred, memory_order_relaxed) ||
        atomic_load_explicit(&w->streams, memory_order_relaxed) == 0)
        return REST_US / 1000;
    int64_t left_us = w->next_tell_us - clock_monotonic_us();
    return left_us > 0 ? (int)((left_us + 999) / 1000) : 0;
}

static void *worker_main(void *argument)
{
    struct http_worker *w = argument;
    struct epoll_event events[EVENTS];

    const char *name = w->server->options.thread_name;
    pthread_setname_np(pthread_self(), name ? name : "http");
    while (!atomic_load_explicit(&w->server->stopping, memory_order_relaxed)) {
        int n = epoll_wait(w->epoll, events, EVENTS, patience(w));
        w->now_us = clock_monotonic_us();
        if (w->now_us >= w->next_rest_us && w->server->options.worker_rest) {
            w->server->options.worker_rest(w->context);
            w->next_rest_us = w->now_us + REST_US;
        }
        for (int i = 0; i < n; i++) {
            uint64_t count;
            if (events[i].data.ptr)
                conn_event(events[i].data.ptr, events[i].events);
            else
                (void)!read(w->wake, &count, sizeof count);
        }
        take_arrivals(w);
        take_resumed(w);
        tell_streams(w);
        take_again(w);
        bury(w);
    }
    return NULL;
}

static int worker_start(struct http_server *s, struct http_worker *w)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};

    w->server = s;
    buf_init(&w->plain, PLAIN_MAX);
    buf_init(&w->cipher, CIPHER_MAX);
    mailbox_init(&w->arrivals, wake, w);
    mailbox_init(&w->resumed, wake, w);
    w->receive = malloc(HTTP_RECEIVE);
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    w->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (!w->receive)
        return -ENOMEM;
    if (w->epoll < 0 || w->wake < 0 || epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->wake, &event) < 0)
        return -errno;
    int failed = s->options.worker_open(s->options.context, &w->context);
    if (!failed)
        failed = -pthread_create(&w->thread, NULL, worker_main, w);
    w->started = !failed;
    return failed;
}

static void worker_stop(struct http_worker *w)
{
    if (!w->server)
        return; /* it was never begun */
    if (w->started) {
        wake(w);
        pthread_join(w->thread, NULL);
    }
    take_arrivals(w);
    while (w->conns)
        http_conn_close(w->conns);
    bury(w);
    http_requests_free(w);
    if (w->context)
        w->server->options.worker_close(w->context);
    mailbox_done(&w->arrivals);
    mailbox_done(&w->resumed);
    buf_done(&w->plain);
    buf_done(&w->cipher);
    free(w->receive);
    if (w->epoll >= 0)
        close(w->epoll);
    if (w->wake >= 0)
        close(w->wake);
}

/* ---- the server ---- */

static void tell_address(void *server, const char *address)
{
    struct http_server *s = server;

    if (s->options.bound)
        s->options.bound(s->options.context, address);
}

/* On the acceptor's thread. */
static bool admits(void *server, const struct in6_addr *address)
{
    const struct http_server_options *o = &((struct http_server *)server)->options;
    struct http_peer peer;

    http_peer_init(&peer, address);
    return o->admits(o->context, &peer);
}

/* On the acceptor's thread. */
static void take_connection(void *server, int fd)
{
    struct http_server *s = server;
    struct http_worker *least = &s->workers[0];
    struct arrival *a = malloc(sizeof *a);

    if (!a) {
        conn_close(&s->table, fd);
        close(fd);
        return;
    }
    for (unsigned i = 1; i < s->options.workers; i++)
        if (atomic_load(&s->workers[i].connections) < atomic_load(&least->connections))
            least = &s->workers[i];
    atomic_fetch_add(&least->connections, 1);
    a->fd = fd;
    mailbox_post(&least->arrivals, &a->letter);
}

static void server_free(struct http_server *s)
{
    atomic_store(&s->stopping, true);
    for (unsigned i = 0; s->workers && i < s->options.workers; i++)
        worker_stop(&s->workers[i]);
    if (s->tls)
        tls_context_free(s->tls);
    conn_table_close_all(&s->table);
    conn_table_done(&s->table);
    free(s->workers);
    free(s);
}

static int start_threads(struct http_server *s, char why[HTTP_WHY_SIZE])
{
    struct acceptor_options door = {.listen = s->options.listen,
                                    .table = &s->table,
                                    .first_byte_us = s->options.head_timeout_us,
                                    .plain = !s->options.identity,
                                    .admits = s->options.admits ? admits : NULL,
                                    .bound = tell_address,
                                    .take = take_connection,
                                    .context = s};
    int failed = s->options.identity ? tls_context_new(&s->tls, s->options.identity) : 0;

    for (unsigned i = 0; i < s->options.workers && !failed; i++)
        failed = worker_start(s, &s->workers[i]);
    if (failed) {
        snprintf(why, HTTP_WHY_SIZE, "cannot start the HTTP workers: %s", strerror(-failed));
        return failed;
    }
    return acceptor_start(&s->acceptor, &door, why, HTTP_WHY_SIZE);
}

int http_server_start(struct http_server **ret, const struct http_server_options *options,
                      char why[HTTP_WHY_SIZE])
{
    struct http_server *s = calloc(1, sizeof *s);

    *ret = NULL;
    snprintf(why, HTTP_WHY_SIZE, "out of memory");
    if (!s) {
        if (options->identity)
            tls_identity_free(options->identity);
        return -ENOMEM;
    }
    s->options = *options;
    if (!s->options.head_timeout_us)
        s->options.head_timeout_us = options->request_timeout_us;
    s->workers = calloc(options->workers, sizeof *s->workers);
    if (!s->workers ||
        conn_table_init(&s->table, options->max_connections, options->max_per_address) < 0) {
        if (options->identity)
            tls_identity_free(options->identity);
        free(s->workers);
        free(s);
        return -ENOMEM;
    }
    int failed = start_threads(s, why);
    if (failed) {
        server_free(s);
        return failed;
    }
    why[0] = '\0';
    *ret = s;
    return 0;
}

const char *http_server_address(const struct http_server *s)
{
    return acceptor_address(s->acceptor);
}

unsigned http_server_connections(const struct http_server *s)
{
    unsigned count = 0;

    for (unsigned i = 0; i < s->options.workers; i++)
        count += atomic_load_explicit(&s->workers[i].connections, memory_order_relaxed);
    return count;
}

bool http_server_is_secure(const struct http_server *s)
{
    return s->tls != NULL;
}

void http_server_set_identity(struct http_server *s, struct tls_identity *identity)
{
    assert(s->tls);
    tls_context_set_identity(s->tls, identity);
}

void http_server_drain(struct http_server *s, int64_t drain_us)
{
    int64_t until_us = clock_monotonic_us() + drain_us;

    atomic_store(&s->draining, true);
    for (unsigned i = 0; i < s->options.workers; i++)
        wake(&s->workers[i]); /* its streams end */
    acceptor_close(s->acceptor);
    while (atomic_load_explicit(&s->in_flight, memory_order_acquire) > 0 &&
           clock_monotonic_us() < until_us)
        usleep(2000);
}

void http_server_stop(struct http_server *s)
{
    acceptor_stop(s->acceptor);
    server_free(s);
}
