/* What the files of HTTP requests to others share: loop_http.c has their life, loop_http_drive.c
 * moves libcurl by the event loop, loop_http_easy.c sets a request up and takes its answer,
 * loop_http_why.c says in words what went wrong. */
#pragma once

#include "base/buf.h"
#include "net/loop_http.h"
#include "net/loop_internal.h"
#include "net/tls_trust.h"

#include <curl/curl.h>

enum {
    LOOP_HTTP_READ_MAX = 64 << 10,    /* of a body, unless body_max is more */
    LOOP_HTTP_HEADERS_MAX = 64 << 10, /* of an answer */
    LOOP_HTTP_WORD_SIZE = 1024,       /* of a header that is kept: types of multiparts are long */
    LOOP_HTTP_REQUEST_MAX = 64 << 20  /* of a copy of what is sent */
};

/* Owned by the loop's thread. Is freed when its handles are closed. */
struct loop_http {
    struct loop *loop;
    struct loop_guest guest;
    struct loop_http_options options;
    struct tls_trust *trust;
    CURLM *multi;
    /* All of curl's sockets are in one epoll of our own, which the loop watches: a request needs
     * no handle of libuv, whose making and closing would cost more than the events. */
    int sockets;
    uv_poll_t poll;
    uv_timer_t timer;
    unsigned handles;                         /* of these two, those not closed */
    struct loop_http_request *active, *spare; /* spare: for reuse, with their handles of curl */
    size_t spare_count;
};

/* A request under way, or a spare one. Owned by the loop's thread. */
struct loop_http_request {
    struct loop_http *http;
    struct loop_http_request *previous, *next;
    CURL *easy;
    loop_http_callback *done;
    void *context;

    struct arena memory;         /* what is sent */
    const char *given_url, *url; /* url: the same without letters that HTTP does not know */
    size_t body_max;
    struct loop_http_source source; /* read NULL: what is sent is in memory */
    struct loop_http_sink sink;     /* bytes NULL: the answer goes into `body` */
    int64_t source_sent;
    int source_error; /* negative errno: what is to be sent cannot be read */
    int64_t connect_ms, total_ms;
    int64_t length;      /* of the answer, as its header says; -1: nothing */
    bool head_told;      /* to the sink */
    bool plain;          /* http:// */
    bool scheme_refused; /* it is neither https:// nor http:// where that may be */

    struct buf body;
    size_t body_seen, headers_seen;
    char retry_after[LOOP_HTTP_WORD_SIZE], content_type[LOOP_HTTP_WORD_SIZE];
    bool again;                       /* it goes a second time */
    int64_t before_us;                /* how long the first time took */
    bool cut;                         /* there was more of the body than is read */
    bool opened;                      /* the guard let an address through */
    char guard_why[ADDRESS_WHY_SIZE]; /* the last address that it did not */
    char trust_why[TLS_WHY_SIZE];     /* why the peer is not trusted; "" = it is */
    char curl_why[CURL_ERROR_SIZE];
};

/* ---- loop_http_drive.c ---- */

int loop_http_drive_init(struct loop_http *h);
/* What libcurl has finished is told by this. */
void loop_http_finish(struct loop_http_request *r, CURLcode code);

/* ---- loop_http_easy.c ---- */

/* What is the same for all requests of a handle; false: memory is short. */
bool loop_http_easy_init(struct loop_http_request *r);
/* How long it may take from now on. */
void loop_http_easy_limit(struct loop_http_request *r, int64_t total_ms);
/* What is sent is read from its beginning again; false: it cannot be. */
bool loop_http_easy_rewind(struct loop_http_request *r);
/* What is of this one. */
bool loop_http_easy_set(struct loop_http_request *r, const struct loop_http_call *call);
/* The host of its URL as libcurl understands it, without brackets: a name, or an address in its
 * usual form. False: there is none. */
bool loop_http_host(const struct loop_http_request *r, char *out, size_t size, unsigned *ret_port);

/* ---- loop_http_why.c ---- */

void loop_http_explain(const struct loop_http_request *r, CURLcode code,
                       struct loop_http_reply *reply);
