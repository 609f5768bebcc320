#include "net/acceptor.h"

#include "base/clock.h"
#include "base/metric.h"
#include "base/random.h"
#include "net/listener.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { TLS_HANDSHAKE = 0x16, EVENTS = 256, SWEEP_MS = 500, ACCEPTS = 64 };

struct acceptor {
    struct acceptor_options options;
    int listener, epoll, wake;
    char address[ADDRESS_SIZE];
    pthread_t thread;
    _Atomic bool closing, stopping;
    int64_t next_sweep_us;
};

/* What a client that speaks the other language is told. */
static const char plain_text[] = "This port speaks HTTPS only; nothing is served over plain HTTP.\n"
                                 "Write https:// instead of http:// in the address.\n";
static const char tls_text[] = "This port speaks plain HTTP only.\n"
                               "Write http:// instead of https:// in the address.\n";

static void close_connection(struct acceptor *a, int fd)
{
    conn_close(a->options.table, fd);
    close(fd);
}

static void refuse(struct acceptor *a, int fd, const char *text)
{
    char unread[16384], answer[512];
    int n =
        snprintf(answer, sizeof answer,
                 "HTTP/1.1 400 Bad Request\r\nX-Request-Id: req_%016" PRIx64 "\r\n"
                 "Content-Type: text/plain\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
                 random_fast(), strlen(text), text);

    /* Unread bytes would turn the close into a reset that overtakes the answer. */
    (void)!recv(fd, unread, sizeof unread, MSG_DONTWAIT);
    (void)!send(fd, answer, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(fd, SHUT_WR);
    close_connection(a, fd);
}

static void refuse_plain(struct acceptor *a, int fd)
{
    metric_add(METRIC_HTTP_REFUSED, METRIC_DOOR_PLAIN, 1);
    refuse(a, fd, plain_text);
}

static void first_byte(struct acceptor *a, int fd)
{
    unsigned char byte;

    ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    epoll_ctl(a->epoll, EPOLL_CTL_DEL, fd, NULL);
    if (n <= 0)
        close_connection(a, fd);
    else if (byte == TLS_HANDSHAKE && a->options.plain)
        refuse(a, fd, tls_text); /* it would wait for what never comes */
    else if (byte != TLS_HANDSHAKE && !a->options.plain)
        refuse_plain(a, fd);
    else
        a->options.take(a->options.context, fd);
}

static void accept_one(struct acceptor *a, int fd, const struct sockaddr *address)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.fd = fd};
    int64_t deadline_us = clock_monotonic_us() + a->options.first_byte_us;
    int on = 1;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const struct conn *c = conn_open(a->options.table, fd, address, deadline_us);
    if (!c) {
        metric_add(METRIC_HTTP_REFUSED, METRIC_DOOR_FULL, 1);
        close(fd);
    } else if (a->options.admits && !a->options.admits(a->options.context, &c->address)) {
        metric_add(METRIC_HTTP_REFUSED, METRIC_DOOR_STRANGER, 1);
        close_connection(a, fd);
    } else if (epoll_ctl(a->epoll, EPOLL_CTL_ADD, fd, &event) < 0) {
        close_connection(a, fd);
    }
}

/* Not without end, so that a flood of connections does not keep the old ones from being swept. */
static void accept_some(struct acceptor *a)
{
    for (int i = 0; i < ACCEPTS; i++) {
        struct sockaddr_storage address = {0};
        socklen_t length = sizeof address;
        int fd = accept4(a->listener, (struct sockaddr *)&address, &length,
                         SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            accept_one(a, fd, (struct sockaddr *)&address);
        } else if (errno == EMFILE || errno == ENFILE) {
            usleep(10000); /* out of descriptors: let some close instead of spinning */
            return;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            return;
        }
    }
}

static void close_listener(struct acceptor *a)
{
    if (a->listener < 0)
        return;
    epoll_ctl(a->epoll, EPOLL_CTL_DEL, a->listener, NULL);
    close(a->listener);
    a->listener = -1;
}

static void *acceptor_main(void *argument)
{
    struct acceptor *a = argument;
    struct epoll_event events[EVENTS];

    pthread_setname_np(pthread_self(), "acceptor");
    while (!atomic_load(&a->stopping)) {
        int n = epoll_wait(a->epoll, events, EVENTS, SWEEP_MS);
        for (int i = 0; i < n; i++) {
            uint64_t count;
            if (events[i].data.fd == a->wake)
                (void)!read(a->wake, &count, sizeof count);
            else if (events[i].data.fd == a->listener)
                accept_some(a);
            else
                first_byte(a, events[i].data.fd);
        }
        if (atomic_load(&a->closing)) /* not before: an event of this round may name it */
            close_listener(a);
        int64_t now_us = clock_monotonic_us();
        if (now_us >= a->next_sweep_us) {
            conn_table_sweep(a->options.table, now_us);
            a->next_sweep_us = now_us + SWEEP_MS * 1000;
        }
    }
    return NULL;
}

static int watch(struct acceptor *a, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return fd < 0 || epoll_ctl(a->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static void acceptor_free(struct acceptor *a)
{
    int fds[] = {a->listener, a->epoll, a->wake};

    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    free(a);
}

static int start_thread(struct acceptor *a, char *why, size_t why_size)
{
    int failed = watch(a, a->listener);

    if (!failed)
        failed = watch(a, a->wake);
    if (!failed)
        failed = -pthread_create(&a->thread, NULL, acceptor_main, a);
    if (failed)
        snprintf(why, why_size, "cannot start the acceptor: %s", strerror(-failed));
    return failed;
}

int acceptor_start(struct acceptor **ret, const struct acceptor_options *options, char *why,
                   size_t why_size)
{
    struct acceptor *a = calloc(1, sizeof *a);

    *ret = NULL;
    if (!a) {
        snprintf(why, why_size, "out of memory");
        return -ENOMEM;
    }
    a->options = *options;
    a->listener = -1;
    a->epoll = epoll_create1(EPOLL_CLOEXEC);
    a->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    int failed = listener_open(options->listen, &a->listener, a->address, why, why_size);
    if (!failed) {
        a->options.bound(a->options.context, a->address);
        failed = start_thread(a, why, why_size);
    }
    if (failed) {
        acceptor_free(a);
        return failed;
    }
    *ret = a;
    return 0;
}

const char *acceptor_address(const struct acceptor *a)
{
    return a->address;
}

static void nudge(struct acceptor *a)
{
    uint64_t one = 1;
    (void)!write(a->wake, &one, sizeof one);
}

void acceptor_close(struct acceptor *a)
{
    atomic_store(&a->closing, true);
    nudge(a);
}

void acceptor_stop(struct acceptor *a)
{
    atomic_store(&a->stopping, true);
    nudge(a);
    pthread_join(a->thread, NULL);
    acceptor_free(a);
}
