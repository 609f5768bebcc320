/* A TCP connection to somewhere else, with or without TLS, on an event loop. Everything happens on
 * the loop's thread; callbacks are never called from inside the calls below. (libuv) */
#pragma once

#include "base/str.h"
#include "net/loop.h"
#include "net/tls_client.h"

struct loop_tcp;

struct loop_tcp_options {
    const char *host; /* a name or an address */
    uint16_t port;
    const struct tls_client *tls; /* NULL: plain */
    const char *tls_name;         /* whose certificate is wanted; NULL: the host's */
    uint64_t connect_timeout_ms;  /* until it is connected and, with TLS, shaken hands */
    /* Connected: data may be written. */
    void (*opened)(void *context);
    /* Everything that came and was not yet taken; how much of it is taken now. What is left comes
     * again with more behind it; when 96 KiB of it are left, that is the end. */
    size_t (*received)(void *context, struct str bytes);
    /* The end, once, for whatever reason: a sentence for the log. After it the connection is gone:
     * no call may be made with it. Not after loop_tcp_close. */
    void (*closed)(void *context, const char *why);
    void *context;
};

/* 0, or -ENOMEM. The options are copied, but not what tls points to. */
int loop_tcp_open(struct loop_tcp **ret, struct loop *l, const struct loop_tcp_options *options);
/* Takes a copy. What is written in one turn of the loop goes out together. False: more than 4 MiB
 * wait to be sent, or memory is short; nothing was taken. */
bool loop_tcp_write(struct loop_tcp *c, struct str bytes);
/* Ends it; what was written before is still sent, for a second at most. The pointer is gone. */
void loop_tcp_close(struct loop_tcp *c);
