/* One request over HTTPS, waited for: what the command line needs. Follows no redirects, and speaks
 * no plain HTTP unless it is told to, because requests carry keys. */
#pragma once

#include "base/buf.h"

enum { HTTP_REPLY_MAX = 8 << 20, HTTP_REPLY_WORD = 128, HTTP_REPLY_WHY = 384 };

struct http_call {
    const char *method, *url;
    const char *ca_file;        /* NULL: the system's authorities */
    bool direct;                /* past any proxy */
    bool plain;                 /* http:// is let through, too */
    const char *const *headers; /* "Name: value", NULL at the end; or NULL */
    struct str body;
    int64_t timeout_ms;
};

enum http_outcome {
    HTTP_ANSWERED, /* with any status */
    HTTP_UNREACHABLE,
    HTTP_TIMED_OUT,
    HTTP_DISTRUSTED, /* TLS failed or the certificate is not trusted */
    HTTP_BROKEN,     /* anything else: a bad URL, an answer that is none */
};

struct http_reply {
    unsigned status;
    struct buf body;
    char request_id[HTTP_REPLY_WORD];  /* "" when there was none */
    char retry_after[HTTP_REPLY_WORD]; /* likewise */
    char why[HTTP_REPLY_WHY];          /* one sentence, unless HTTP_ANSWERED */
};

/* Fills *reply in every case; http_reply_done frees it. */
enum http_outcome http_call(const struct http_call *call, struct http_reply *reply);

/* An answer that does not end: given away piece by piece as it comes. `timeout_ms` of its call is
 * how long the server may be silent, not how long it takes in all. */
struct http_follow {
    struct http_call call;
    bool (*take)(void *context, struct str bytes); /* false: no more is wanted */
    bool (*stopped)(void *context); /* asked several times a second, between pieces */
    void *context;
};

/* Only what comes with status 200 is streamed; the body of any other answer is in the reply. When
 * the caller has stopped it, it is HTTP_ANSWERED, with the status if one had come. */
enum http_outcome http_follow(const struct http_follow *wish, struct http_reply *reply);

void http_reply_done(struct http_reply *reply);
#define HTTP_REPLY_CLEANUP __attribute__((cleanup(http_reply_done)))
