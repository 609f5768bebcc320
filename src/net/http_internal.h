/* Shared by http_server.c, http_conn.c, http_body.c, http_request.c and http_stream.c only. */
#pragma once

#include "net/acceptor.h"
#include "net/http_chunks.h"
#include "net/http_server.h"
#include "net/tls_stream.h"

enum {
    HTTP_HEAD_MAX = 16 << 10,  /* allowed */
    HTTP_HEAD_READ = 64 << 10, /* read, to be able to say so; a longer one is not looked at */
    HTTP_RECEIVE = 64 << 10,
    HTTP_KEPT_IN = 16 << 10, /* memory that a connection keeps between requests */
    HTTP_DISCARD_MAX =
        8 << 20, /* of a body that is passed over: read so far, to be able to answer */
    HTTP_ARENA_MAX = 16 << 20, /* memory of a request, besides its body */
    HTTP_OUT_MAX = 16 << 20    /* and of its answer: a hundred of the largest messages */
};

/* One thread, one epoll. Everything but the mailboxes is touched by that thread only. */
struct http_worker {
    struct http_server *server;
    pthread_t thread;
    bool started;
    int epoll, wake; /* wake: an eventfd behind the mailboxes */
    void *context;
    _Atomic unsigned connections; /* handed over and not yet closed */
    _Atomic unsigned streams;     /* changed by this thread only */
    _Atomic bool stirred;         /* there may be something for them */
    struct mailbox arrivals;      /* new connections, from the acceptor */
    struct mailbox resumed;       /* requests whose work elsewhere is over */
    struct http_conn *conns;      /* all of this worker */
    struct http_conn *again;      /* those that have had their turn and want another */
    struct http_conn *dead;       /* closed in this round; freed at its end */
    struct http_request *free_requests;
    unsigned free_count;
    struct buf plain, cipher; /* an answer before and after encryption */
    char *receive;            /* HTTP_RECEIVE bytes of ciphertext as they come */
    int64_t now_us;           /* of the clock that never jumps, as of this round */
    int64_t next_rest_us;
    int64_t next_tell_us; /* not before */
    int64_t date_s;
    char date[64]; /* the Date field of that second */
};

struct http_server {
    struct http_server_options options;
    struct conn_table table;
    struct acceptor *acceptor;
    struct tls_context *tls;
    struct http_worker *workers;
    _Atomic unsigned in_flight; /* requests between their head and the end of their answer */
    _Atomic size_t bodies;      /* memory that their bodies take */
    _Atomic bool draining, stopping;
};

enum conn_state {
    CONN_HANDSHAKE,
    CONN_HEAD,   /* waiting for a request's head */
    CONN_BODY,   /* waiting for its body */
    CONN_BUSY,   /* its handler, or another thread, has it */
    CONN_STREAM, /* its answer has begun and has no end yet */
    CONN_FLUSH,  /* the client must take the answer before it may ask again */
    CONN_LINGER, /* answered and half closed: waiting for the client to see it */
    CONN_DEAD
};

struct http_conn {
    struct http_worker *worker;
    int fd;
    struct http_peer peer;
    enum conn_state state;
    struct tls_stream tls;
    struct buf in;     /* plaintext: the present request and what follows it */
    struct buf unsent; /* ciphertext that the socket did not take yet */
    size_t sent;       /* of `unsent`, from its front */
    size_t scanned;    /* of `in`, for the end of the head */
    bool bare;         /* no end will come: its lines end with LF alone */
    size_t head_size;
    bool head_apart;    /* its views point into a copy, not into `in` */
    uint64_t discarded; /* bytes of a body that were passed over */
    size_t counted;     /* of `in`, among the server's `bodies` */
    struct http_chunks chunks;
    struct http_request *request;
    bool readable;    /* the socket may hold more */
    bool hangup;      /* no edge will tell of the end: it has come */
    bool ended;       /* the client will send nothing more */
    bool owing;       /* `unsent` holds an answer, counted in `in_flight` */
    bool close_after; /* the present answer */
    bool ending;      /* the stream: nothing more is to be said */
    bool broken;      /* the stream: it cannot go on */
    bool in_again;
    struct http_conn *next, *previous, *next_again, *next_dead;
};

/* http_request.c */
struct http_request *http_request_new(struct http_conn *c);
void http_request_end(struct http_request *r);
void http_requests_free(struct http_worker *w);
/* The whole answer, head and body, onto the worker's `plain`. */
void http_request_write(struct http_request *r, bool close);
/* The head of a stream. */
void http_request_write_head(struct http_request *r, bool close);

/* http_conn.c */
struct http_conn *http_conn_new(struct http_worker *w, int fd);
/* Goes on as far as it can: after an event, a resume, or a turn in `again`. */
void http_conn_run(struct http_conn *c);
/* The request's answer is ready. */
void http_conn_answer(struct http_conn *c);
void http_conn_close(struct http_conn *c);
void http_conn_free(struct http_conn *c);
/* From this round on; CONN_NO_DEADLINE: none. */
void http_conn_set_deadline(struct http_conn *c, int64_t us);
/* Encrypts what is in the worker's `plain` and sends it, or keeps it. False: it is broken. */
bool http_conn_send_plain(struct http_conn *c);
bool http_conn_send_unsent(struct http_conn *c);
/* The whole answer has been sent or kept. */
void http_conn_finish(struct http_conn *c);
/* Has http_conn_run called in this round of the loop or the next. */
void http_conn_want_turn(struct http_conn *c);

/* The request is whole, or as much of it as will be looked at. True when there is more to do. */
bool http_conn_handle(struct http_conn *c);
/* Answered without having been read to its end: the connection cannot go on. */
bool http_conn_refuse(struct http_conn *c);
/* More plaintext, or the end of the connection. */
bool http_conn_want_more(struct http_conn *c);
/* Takes bytes out of `in`. */
void http_conn_drop(struct http_conn *c, size_t from, size_t n);

/* http_body.c */
/* The part of http_conn_run's when a body is to come. */
bool http_body_step(struct http_conn *c);
bool http_body_too_large(const struct http_conn *c, uint64_t size);
/* It is read, and not kept. */
bool http_body_is_passed_over(const struct http_request *r);
/* Counts what it takes; false when it has grown, and all take more than they may together. */
bool http_body_count(struct http_conn *c);

/* http_stream.c */
/* The handler has returned: the head goes out. */
void http_stream_start(struct http_conn *c);
/* Something has happened to it: http_conn_run's part. */
bool http_stream_step(struct http_conn *c);
/* It cannot go on: the producer is told. For http_conn_close. */
void http_stream_lost(struct http_conn *c);
