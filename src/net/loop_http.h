/* HTTP requests to others on an event loop: webhooks, media files, MM7. Over libcurl, which keeps
 * connections for reuse and speaks HTTP/2 where it is offered. Everything happens on the loop's
 * thread. Redirects are never followed. The address guard judges each address that is connected to.
 * Certificates are verified against the system's authorities and, if given, a file of more. */
#pragma once

#include "base/arena.h"
#include "net/address_guard.h"
#include "net/loop.h"

#include <sys/types.h>

struct loop_http;
struct loop_http_request;

struct loop_http_options {
    /* Outlives it. NULL: the operator's own addresses, all of which are let through, also over
     * plain HTTP. */
    const struct address_guard *guard;
    const char *ca_file;          /* PEM, trusted besides the system's; NULL or "" = none */
    size_t max_connections;       /* open at once, in use or kept */
    int64_t connect_ms, total_ms; /* how long it may take until connected, and in all */
    /* HTTP/1.1 alone: each request has a connection to itself, and none waits to see whether that
     * of another could carry it, too. */
    bool http1;
};

/* Before the loop starts, or on its thread. -EINVAL etc. with a line for the operator in `why`. */
enum { LOOP_HTTP_WHY_SIZE = 256 };
int loop_http_new(struct loop_http **ret, struct loop *l, const struct loop_http_options *options,
                  char why[LOOP_HTTP_WHY_SIZE]);
/* Requests under way end without a word. After loop_stop, or on the loop's thread; not from inside
 * a callback of a request. Goes with the loop if that is freed before. */
void loop_http_free(struct loop_http *h);

enum loop_http_outcome {
    LOOP_HTTP_ANSWERED,    /* with any status; also when the body was cut off at body_max */
    LOOP_HTTP_REFUSED,     /* by the address guard */
    LOOP_HTTP_UNREACHABLE, /* no such name, nobody there, connection lost */
    LOOP_HTTP_TIMED_OUT,
    LOOP_HTTP_DISTRUSTED, /* TLS: the certificate is not good, or of another name */
    LOOP_HTTP_BROKEN      /* what came was no HTTP, or anything else */
};

struct loop_http_reply {
    enum loop_http_outcome outcome;
    unsigned status;              /* 0 = no answer */
    struct str body;              /* its first body_max bytes; lives as long as the callback */
    struct str retry_after;       /* the header as it came, or "" */
    struct str content_type;      /* likewise */
    struct str url;               /* as the call has it */
    char why[LOOP_HTTP_WHY_SIZE]; /* one sentence unless ANSWERED: "The connection timed out after
                                     10 s." */
    int64_t duration_us, connect_us; /* connect_us 0: a kept connection was used */
    unsigned http_version;           /* 10, 11, 20 */
    bool cut; /* the sink wanted no more. Without it an answer that ends before its Content-Length
                 is not ANSWERED but UNREACHABLE or BROKEN */
};

/* A request's body that is not in memory: it is asked for as it goes out. */
struct loop_http_source {
    int64_t length;
    /* The next bytes: how many; 0 at the end; negative errno ends the request as BROKEN. */
    ssize_t (*read)(void *context, char *out, size_t room);
    int (*rewind)(void *context); /* from the beginning again: a kept connection was dead */
    void *context;
};

/* Where an answer's body goes as it comes. A function that returns false ends the request: then
 * the outcome is ANSWERED, and reply.cut is set. */
struct loop_http_sink {
    /* Once, before any bytes. length: what the header says, -1 = nothing. */
    bool (*head)(void *context, unsigned status, struct str content_type, int64_t length);
    bool (*bytes)(void *context, struct str bytes);
    void *context;
};

typedef void loop_http_callback(void *context, const struct loop_http_reply *reply);

struct loop_http_call {
    const char *method; /* "POST", "GET" */
    const char *url;
    const char *const *headers; /* "Name: value", NULL at the end; copied */
    struct str body;            /* copied */
    size_t body_max; /* of the answer: what comes after so many bytes of body is thrown away, and
                        not even read after 64 KiB; the status counts nevertheless */
    const struct loop_http_source *source; /* copied; instead of `body`; NULL: none */
    const struct loop_http_sink *sink;     /* copied; body_max and reply.body are of no matter */
    int64_t connect_ms, total_ms;          /* 0: as the options say */
    loop_http_callback *done;              /* once, never from inside loop_http_start */
    void *context;
};

/* 0 or a negative errno; then `done` is not called. */
int loop_http_start(struct loop_http *h, const struct loop_http_call *call,
                    struct loop_http_request **ret);
/* Its callback is not called any more. */
void loop_http_cancel(struct loop_http_request *r);
