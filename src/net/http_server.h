/* The HTTPS server: HTTP/1.1 over TLS 1.2 and 1.3, keep-alive, one thread per core. Without an
 * identity it speaks plain HTTP, which is for loopback.
 *
 * One acceptor thread takes connections, refuses those over the caps, tells plain HTTP off, and
 * hands TLS connections to the worker with the fewest. Each worker is one thread with its own
 * epoll. A handler runs on its worker; it fills in the answer and returns, or calls
 * http_request_suspend, lets another thread work, and that thread calls http_request_resume; or it
 * makes its answer a stream (http_stream_begin), which goes on for as long as there is something to
 * tell. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "net/http_head.h"
#include "net/mailbox.h"
#include "net/tls.h"

#include <netinet/in.h>

enum { HTTP_WHY_SIZE = 256, HTTP_HEADERS_MAX = 16, REQUEST_ID_SIZE = 20 };

enum http_method { HTTP_OTHER, HTTP_GET, HTTP_HEAD, HTTP_POST, HTTP_PATCH, HTTP_DELETE };

struct http_header {
    const char *name, *value;
};

/* Who is at the other end of a connection. */
struct http_peer {
    struct in6_addr address;     /* IPv4 in its mapped form */
    char text[INET6_ADDRSTRLEN]; /* "203.0.113.7", "2001:db8::1"; no port */
};

void http_peer_init(struct http_peer *p, const struct in6_addr *address);

struct http_conn;
struct http_request;
struct http_stream_ops;

typedef void http_handler(struct http_request *r);

/* One request from its head to the end of its answer. Owned by its worker's thread, except between
 * suspend and resume, when it belongs to whoever was asked to finish it. */
struct http_request {
    struct letter letter; /* in the worker's mailbox when it is resumed */
    enum http_method method;
    struct http_head head; /* views that live as long as the request */
    struct str body;
    const char *malformed; /* what is wrong with the request as HTTP, or NULL */
    bool body_too_large;   /* then it is empty here */
    bool no_room;          /* beside the bodies of others; then it is empty here */
    bool head_too_large;
    char id[REQUEST_ID_SIZE + 1]; /* goes out as X-Request-Id */
    const struct http_peer *peer; /* lives as long as the connection */
    struct arena arena;           /* lives as long as the request */
    void *worker_context;         /* what worker_open made for this worker */

    /* The answer. */
    unsigned status;
    const char *content_type;
    struct str static_body; /* used instead of `out` when p is set; must outlive the server */
    struct buf out;
    struct http_header headers[HTTP_HEADERS_MAX]; /* values live in the arena or for ever */
    size_t header_count;
    bool last; /* the connection ends with this answer */

    /* For the handler that suspends. */
    http_handler *finish;
    void *continuation;

    /* The handler's notes for `answered`: what it was about, and who asked. */
    unsigned about;
    char caller[8];

    /* Private to the server. */
    struct http_conn *conn;
    struct http_request *next_free;
    int64_t began_us;                     /* when its head was here; the clock that never jumps */
    const struct http_stream_ops *stream; /* NULL: the answer is a whole */
    int64_t length; /* of a stream: what is left of the bytes that it will have; -1: nobody knows */
    bool suspended;
};

struct http_server_options {
    const char *listen; /* HOST:PORT, port 0 takes a free one */
    unsigned workers;
    unsigned max_connections, max_per_address;
    int64_t request_timeout_us; /* a whole request must have arrived, an answer been taken */
    int64_t head_timeout_us;    /* its head, and the first byte of all; 0: no sooner than that */
    int64_t idle_timeout_us;
    size_t body_max;
    /* Asked about a body over body_max: how large this request's may be. On the worker's thread,
     * when the head is known; may be NULL. */
    size_t (*body_max_of)(struct http_request *r);
    size_t bodies_max; /* memory of the bodies of all requests together; 0: any */
    /* On the acceptor's thread: whether connections of this address are taken. May be NULL. */
    bool (*admits)(void *context, const struct http_peer *peer);
    struct tls_identity *identity; /* the server takes it over; NULL: plain HTTP */
    http_handler *handler;
    /* On the worker's thread: the answer is on its way, or a stream begins. May be NULL. */
    void (*answered)(const struct http_request *r, int64_t duration_us);
    const char *thread_name; /* of the workers; NULL: "http" */
    void *context;
    /* On the starting thread: the address, "127.0.0.1:8443", before any request; may be NULL. */
    void (*bound)(void *context, const char *address);
    /* On the starting thread, once per worker: what its requests see as worker_context. */
    int (*worker_open)(void *context, void **ret);
    void (*worker_close)(void *worker_context);
    /* On the worker's thread, ten times a second, busy or not; may be NULL. */
    void (*worker_rest)(void *worker_context);
    /* On the worker's thread, while it has streams: to add to them what there is to tell. Soon
     * after http_server_stir, after a stream has begun, or has room again; and ten times a second.
     * True: there is more, call again soon. Calls take no more than a quarter of the worker's time
     * if each ends after some milliseconds. May be NULL. */
    bool (*worker_tell)(void *worker_context);
};

struct http_server;

/* 0, or a negative errno with one line for the operator in `why`. */
int http_server_start(struct http_server **ret, const struct http_server_options *options,
                      char why[HTTP_WHY_SIZE]);
/* The address in use, "127.0.0.1:8443". */
const char *http_server_address(const struct http_server *s);
/* Connections that workers have. Any thread. */
unsigned http_server_connections(const struct http_server *s);
/* Whether it speaks TLS. */
bool http_server_is_secure(const struct http_server *s);
/* New connections get this identity from now on; the server takes it over. Not for plain HTTP. */
void http_server_set_identity(struct http_server *s, struct tls_identity *identity);
/* Accepts nothing more, waits for requests under way up to drain_us. */
void http_server_drain(struct http_server *s, int64_t drain_us);
/* After a drain, and after everyone who may resume requests has done so. */
void http_server_stop(struct http_server *s);

/* A status in words, "Not Found"; "" for one that has none here. */
const char *http_reason(unsigned status);
void http_request_add_header(struct http_request *r, const char *name, const char *value);
/* The answer will come later: call before the request is handed to another thread. After the resume
 * `finish` runs on the worker's thread and fills in the answer. */
void http_request_suspend(struct http_request *r, http_handler *finish);
/* For a request that waits for something, on its worker's thread: whether to wait no longer,
 * because the client has gone or the server drains. */
bool http_request_must_end(const struct http_request *r);
/* Work elsewhere is over. Any thread; the request is not the caller's any more. */
void http_request_resume(struct http_request *r);

/* ---- streams: answers that have no end yet (http_stream.c) ---- */

struct http_stream_ops {
    /* The stream is over, for whatever reason: it was ended, the client has gone or has taken
     * nothing for the request's timeout while bytes waited, or the server drains. Once, on the
     * worker's thread, and never inside another call of these functions. What it adds to r->out
     * goes out as the stream's last bytes, if there is still a client. Afterwards the request is
     * the server's. */
    void (*over)(struct http_request *r);
    /* The client's side has taken all that was added: adds the next piece to r->out. One that adds
     * nothing ends the stream. On the worker's thread, by turns with other connections. NULL:
     * whoever has something to tell adds it by itself. */
    void (*more)(struct http_request *r);
};

/* In a handler, or in `finish`: the answer becomes a stream. Its head goes out when that returns,
 * with the status and headers as they are then, and with what is in r->out by then. From then on
 * the worker's thread may add to r->out whenever it likes. To HEAD only the head goes out. */
void http_stream_begin(struct http_request *r, const struct http_stream_ops *ops);
/* The same of a stream that will have so many bytes, which the head says: with fewer of them the
 * client sees that some are missing, more are not sent. A server that drains lets it end. */
void http_stream_begin_sized(struct http_request *r, const struct http_stream_ops *ops,
                             int64_t length);
/* Sends what is in r->out as one chunk. */
void http_stream_flush(struct http_request *r);
/* Bytes that were added and that the client's side has not taken. Whoever adds more in spite of
 * many costs memory, and loses the client at some megabytes. */
size_t http_stream_unsent(const struct http_request *r);
/* Nothing more is to be said: `over` follows. */
void http_stream_end(struct http_request *r);
/* Something has happened that streams may tell of: has worker_tell called on each worker that has
 * some. Any thread; many calls in a moment are one, and without streams it costs next to nothing.
 */
void http_server_stir(struct http_server *s);
