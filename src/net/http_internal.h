/* Shared by http_server.c and http_request.c only. */
#pragma once

#include "net/acceptor.h"
#include "net/http_server.h"

#include <microhttpd.h>

/* One thread, one epoll, its own free list of requests. */
struct http_worker {
    struct http_server *server;
    struct MHD_Daemon *daemon;
    void *context;
    _Atomic unsigned connections;
    struct http_request *free_requests; /* touched by the worker's thread only */
    unsigned free_count;
};

struct http_server {
    struct http_server_options options;
    struct conn_table table;
    struct acceptor *acceptor;
    struct http_worker *workers;
    _Atomic(struct tls_identity *) identity;
    struct tls_identity *identities; /* all that ever served, newest first; freed at stop */
    _Atomic unsigned in_flight;      /* requests between their first line and their last byte */
    _Atomic bool draining;
};

/* Callbacks of libmicrohttpd, in the order of a request's life. */
void *http_request_begin(void *worker, const char *uri, struct MHD_Connection *connection);
enum MHD_Result http_request_step(void *worker, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **request);
void http_request_end(void *worker, struct MHD_Connection *connection, void **request,
                      enum MHD_RequestTerminationCode why);

void http_requests_free(struct http_worker *w);
/* Gives the connection until now + us, or for ever with CONN_NO_DEADLINE. */
void http_set_deadline(struct http_worker *w, struct MHD_Connection *connection, int64_t us);
