#include "net/http_server_test_client.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

int test_connect(const char *address, int receive_buffer)
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    struct timeval patience = {.tv_sec = 20};
    char host[32];
    unsigned port;
    int on = 1;

    assert(sscanf(address, "%31[^:]:%u", host, &port) == 2);
    to.sin_port = htons((uint16_t)port);
    inet_pton(AF_INET, host, &to.sin_addr);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    setsockopt(fd, IPPROTO_TCP, 1 /* TCP_NODELAY */, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    int failed = connect(fd, (struct sockaddr *)&to, sizeof to);
    assert(failed == 0);
    return fd;
}

bool test_client_wrap(struct test_client *c, int fd)
{
    int code;

    c->fd = fd;
    buf_init(&c->in, 64 << 20);
    buf_init(&c->body, 64 << 20);
    gnutls_init(&c->session, GNUTLS_CLIENT | GNUTLS_NO_SIGNAL);
    gnutls_set_default_priority(c->session);
    gnutls_certificate_allocate_credentials(&c->credentials);
    gnutls_credentials_set(c->session, GNUTLS_CRD_CERTIFICATE, c->credentials);
    gnutls_transport_set_int(c->session, c->fd);
    do
        code = gnutls_handshake(c->session);
    while (code < 0 && !gnutls_error_is_fatal(code));
    return code == 0;
}

void test_client_open(struct test_client *c, const char *address)
{
    bool open = test_client_wrap(c, test_connect(address, 0));
    assert(open);
}

void test_client_send(struct test_client *c, struct str bytes)
{
    while (bytes.n) {
        ssize_t n = gnutls_record_send(c->session, bytes.p, bytes.n);
        if (n < 0 && gnutls_error_is_fatal((int)n))
            return; /* the server has closed; the answer tells */
        bytes = str_skip(bytes, n > 0 ? (size_t)n : 0);
    }
}

/* False at the end of the connection, or when nothing comes for long. */
static bool receive(struct test_client *c)
{
    char *into = buf_reserve(&c->in, 16384);
    int64_t until_us = clock_monotonic_us() + 20000000;
    ssize_t n;

    assert(into);
    do /* AGAIN is also said after a ticket, and then for the socket's patience */
        n = gnutls_record_recv(c->session, into, 16384);
    while (n < 0 && !gnutls_error_is_fatal((int)n) && clock_monotonic_us() < until_us);
    if (n > 0)
        c->in.n += (size_t)n;
    return n > 0;
}

static void note_line(struct test_answer *a, struct str line)
{
    struct str name = str_cut(&line, ':'), value = str_trim(line);
    uint64_t number = 0;

    if (str_eq_nocase(name, STR("Content-Length")) && str_to_u64(value, &number))
        a->length = (size_t)number;
    if (str_eq_nocase(name, STR("Connection")))
        a->closes = str_eq_nocase(value, STR("close"));
    if (str_eq_nocase(name, STR("Transfer-Encoding")))
        a->chunked = str_eq_nocase(value, STR("chunked"));
    if (str_eq_nocase(name, STR("X-Request-Id")))
        snprintf(a->id, sizeof a->id, "%.*s", STR_FMT(value));
}

bool test_client_answer(struct test_client *c, struct test_answer *ret, bool has_body)
{
    char *end = NULL;

    *ret = (struct test_answer){0};
    while (!(c->in.n && (end = memmem(c->in.p, c->in.n, "\r\n\r\n", 4))))
        if (!receive(c))
            return false;
    struct str head = {c->in.p, (size_t)(end - c->in.p)};
    size_t head_size = head.n + 4;
    assert(str_starts(head, STR("HTTP/1.1 ")));
    uint64_t status = 0;
    str_to_u64((struct str){head.p + 9, 3}, &status);
    ret->status = (unsigned)status;
    while (head.n)
        note_line(ret, str_trim(str_cut(&head, '\n')));
    size_t size = has_body ? ret->length : 0;
    while (c->in.n < head_size + size)
        if (!receive(c))
            return false;
    buf_clear(&c->body);
    buf_add(&c->body, (struct str){c->in.p + head_size, size});
    ret->body = buf_str(&c->body);
    memmove(c->in.p, c->in.p + head_size + size, c->in.n - head_size - size);
    c->in.n -= head_size + size;
    return true;
}

bool test_client_expect(struct test_client *c, struct str bytes)
{
    while (c->in.n < bytes.n)
        if (!receive(c))
            return false;
    bool same = memcmp(c->in.p, bytes.p, bytes.n) == 0;
    memmove(c->in.p, c->in.p + bytes.n, c->in.n - bytes.n);
    c->in.n -= bytes.n;
    return same;
}

bool test_client_ended(struct test_client *c, int timeout_ms)
{
    int64_t until_us = clock_monotonic_us() + timeout_ms * INT64_C(1000);
    struct timeval patience = {.tv_usec = 10000};
    ssize_t n = GNUTLS_E_AGAIN;
    char byte;

    if (c->in.n)
        return false;
    setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    while (n < 0 && !gnutls_error_is_fatal((int)n) && clock_monotonic_us() < until_us)
        n = gnutls_record_recv(c->session, &byte, 1);
    return n == 0 || (n < 0 && gnutls_error_is_fatal((int)n));
}

void test_client_close(struct test_client *c)
{
    gnutls_bye(c->session, GNUTLS_SHUT_WR);
    gnutls_deinit(c->session);
    gnutls_certificate_free_credentials(c->credentials);
    close(c->fd);
    buf_done(&c->in);
    buf_done(&c->body);
}

void test_client_reset(struct test_client *c)
{
    struct linger hard = {.l_onoff = 1, .l_linger = 0};

    setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    gnutls_deinit(c->session);
    gnutls_certificate_free_credentials(c->credentials);
    close(c->fd);
    buf_done(&c->in);
    buf_done(&c->body);
}
