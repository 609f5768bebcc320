/* A simple HTTPS client for tests of the server: blocking, one connection, raw bytes out, whole
 * answers in. Checks with assert, so it may be used on any thread. */
#pragma once

#include "base/buf.h"

#include <gnutls/gnutls.h>

struct test_client {
    int fd;
    gnutls_session_t session;
    gnutls_certificate_credentials_t credentials;
    struct buf in, body;
};

struct test_answer {
    unsigned status;
    size_t length;   /* as Content-Length says */
    bool closes;     /* Connection: close */
    bool chunked;    /* then what follows the head is for test_client_expect */
    char id[32];     /* X-Request-Id */
    struct str body; /* until the next call */
};

/* A TCP connection; nothing is sent yet. receive_buffer: its size, 0 for the usual. */
int test_connect(const char *address, int receive_buffer);
void test_client_open(struct test_client *c, const char *address);
/* The same over a connection that is there. False when the server did not want to. */
bool test_client_wrap(struct test_client *c, int fd);
void test_client_send(struct test_client *c, struct str bytes);
#define test_client_say(c, literal) test_client_send((c), STR(literal))
/* The next answer; false when the connection ended instead. has_body: it was no HEAD. */
bool test_client_answer(struct test_client *c, struct test_answer *ret, bool has_body);
/* What comes is exactly this. */
bool test_client_expect(struct test_client *c, struct str bytes);
/* The server has ended the connection, or does so within the time; nothing else came. */
bool test_client_ended(struct test_client *c, int timeout_ms);
void test_client_close(struct test_client *c);
/* Without a word, so that the server's next send fails. */
void test_client_reset(struct test_client *c);
