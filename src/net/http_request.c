/* A request's way through libmicrohttpd: first line, headers, body, handler, answer, end.
 * Request objects are kept on their worker's free list with their first arena chunk and buffers,
 * so that a request in steady state allocates almost nothing. */
#include "base/clock.h"
#include "base/random.h"
#include "net/http_internal.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <strings.h>

enum {
    ARENA_MAX = 6 << 20,
    OUT_MAX = 8 << 20,
    HEAD_MAX = 16 << 10,
    FREE_REQUESTS_MAX = 1024,
    KEPT_BUFFER = 16 << 10, /* larger ones are given back after the request */
    DISCARD_MAX = 8 << 20   /* of a body too large: read on so far, to be able to answer */
};

static struct http_request *request_new(struct http_worker *w)
{
    struct http_request *r = w->free_requests;

    if (r) {
        w->free_requests = r->next_free;
        w->free_count--;
        return r;
    }
    r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    arena_init(&r->arena, ARENA_MAX);
    buf_init(&r->body, w->server->options.body_max);
    buf_init(&r->out, OUT_MAX);
    return r;
}

static void request_free(struct http_request *r)
{
    arena_done(&r->arena);
    buf_done(&r->body);
    buf_done(&r->out);
    free(r);
}

static void shrink(struct buf *b)
{
    if (b->size > KEPT_BUFFER)
        buf_done(b);
    buf_clear(b);
}

static void request_recycle(struct http_worker *w, struct http_request *r)
{
    if (w->free_count >= FREE_REQUESTS_MAX) {
        request_free(r);
        return;
    }
    arena_reset(&r->arena);
    shrink(&r->body);
    shrink(&r->out);
    r->next_free = w->free_requests;
    w->free_requests = r;
    w->free_count++;
}

void http_requests_free(struct http_worker *w)
{
    while (w->free_requests) {
        struct http_request *r = w->free_requests;
        w->free_requests = r->next_free;
        request_free(r);
    }
}

static void make_id(char id[REQUEST_ID_SIZE + 1])
{
    static const char digits[] = "0123456789abcdef";
    uint64_t number = random_fast();

    memcpy(id, "req_", 4);
    for (int i = 4; i < REQUEST_ID_SIZE; i++, number >>= 4)
        id[i] = digits[number & 15];
    id[REQUEST_ID_SIZE] = '\0';
}

void *http_request_begin(void *worker, const char *uri, struct MHD_Connection *connection)
{
    struct http_worker *w = worker;
    struct http_request *r = request_new(w);

    if (!r)
        return NULL;
    atomic_fetch_add_explicit(&w->server->in_flight, 1, memory_order_relaxed);
    http_set_deadline(w, connection, w->server->options.request_timeout_us);
    make_id(r->id);
    struct str rest = arena_copy(&r->arena, str_of(uri));
    r->path = str_cut(&rest, '?');
    r->query = rest;
    r->worker = w;
    r->worker_context = w->context;
    r->connection = connection;
    r->status = 0;
    r->content_type = "application/json";
    r->static_body = (struct str){NULL, 0};
    r->header_count = 0;
    r->finish = NULL;
    r->continuation = NULL;
    r->received = 0;
    r->body_too_large = r->head_too_large = r->begun = r->answered = r->queued = false;
    return r;
}

static enum http_method method_of(const char *name)
{
    static const struct {
        const char *name;
        enum http_method method;
    } methods[] = {{"GET", HTTP_GET},
                   {"POST", HTTP_POST},
                   {"HEAD", HTTP_HEAD},
                   {"PATCH", HTTP_PATCH},
                   {"DELETE", HTTP_DELETE}};

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(name, methods[i].name) == 0)
            return methods[i].method;
    return HTTP_OTHER;
}

static enum MHD_Result queue_answer(struct http_request *r)
{
    struct str body = r->static_body.p ? r->static_body : buf_str(&r->out);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(body.n, (void *)(uintptr_t)body.p, MHD_RESPMEM_PERSISTENT);

    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, r->content_type);
    MHD_add_response_header(response, "X-Request-Id", r->id);
    for (size_t i = 0; i < r->header_count; i++)
        MHD_add_response_header(response, r->headers[i].name, r->headers[i].value);
    if (atomic_load_explicit(&r->worker->server->draining, memory_order_relaxed))
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    http_set_deadline(r->worker, r->connection, r->worker->server->options.request_timeout_us);
    enum MHD_Result result = MHD_queue_response(r->connection, r->status, response);
    MHD_destroy_response(response);
    r->queued = true;
    return result;
}

/* The request is whole: let the handler answer or suspend it. */
static enum MHD_Result handle(struct http_request *r)
{
    http_set_deadline(r->worker, r->connection, CONN_NO_DEADLINE);
    r->answered = true; /* unless the handler suspends */
    r->worker->server->options.handler(r);
    return r->answered ? queue_answer(r) : MHD_YES;
}

static bool has_body(const struct http_request *r, uint64_t *ret_length)
{
    struct str length = http_request_header(r, MHD_HTTP_HEADER_CONTENT_LENGTH);

    *ret_length = 0;
    if (length.p)
        return !str_to_u64(length, ret_length) || *ret_length > 0;
    return http_request_header(r, MHD_HTTP_HEADER_TRANSFER_ENCODING).p != NULL;
}

static enum MHD_Result headers_done(struct http_request *r, const char *method)
{
    const union MHD_ConnectionInfo *head =
        MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    uint64_t length;

    r->begun = true;
    r->method = method_of(method);
    r->method_name = method;
    r->head_too_large = head && head->header_size > HEAD_MAX;
    if (!has_body(r, &length))
        return handle(r);
    r->body_too_large = length > r->worker->server->options.body_max;
    return length > DISCARD_MAX ? handle(r) : MHD_YES;
}

static enum MHD_Result take_body(struct http_request *r, const char *upload, size_t *upload_size)
{
    struct str piece = {upload, *upload_size};

    *upload_size = 0;
    r->received += piece.n;
    if (r->received > DISCARD_MAX)
        return MHD_NO;
    if (!r->body_too_large) {
        buf_add(&r->body, piece);
        r->body_too_large = r->body.failed;
    }
    return MHD_YES;
}

enum MHD_Result http_request_step(void *worker, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **request)
{
    struct http_request *r = *request;

    (void)worker, (void)connection, (void)url, (void)version;
    if (!r)
        return MHD_NO;
    if (!r->begun)
        return headers_done(r, method);
    if (*upload_size)
        return take_body(r, upload, upload_size);
    if (r->queued)
        return MHD_YES;
    if (!r->finish)
        return handle(r);
    if (!r->answered) /* still suspended */
        return MHD_YES;
    r->finish(r);
    return queue_answer(r);
}

void http_request_end(void *worker, struct MHD_Connection *connection, void **request,
                      enum MHD_RequestTerminationCode why)
{
    struct http_worker *w = worker;
    struct http_request *r = *request;

    (void)why;
    *request = NULL;
    if (!r)
        return;
    http_set_deadline(w, connection, w->server->options.idle_timeout_us);
    request_recycle(w, r);
    atomic_fetch_sub_explicit(&w->server->in_flight, 1, memory_order_release);
}

struct str http_request_header(const struct http_request *r, const char *name)
{
    const char *value = NULL;
    size_t size = 0;

    if (MHD_lookup_connection_value_n(r->connection, MHD_HEADER_KIND, name, strlen(name), &value,
                                      &size) != MHD_YES)
        return (struct str){NULL, 0};
    return (struct str){value ? value : "", size};
}

const char *http_request_peer(struct http_request *r, char out[64])
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

    out[0] = '\0';
    if (info && info->client_addr->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((struct sockaddr_in6 *)info->client_addr)->sin6_addr, out, 64);
    else if (info && info->client_addr->sa_family == AF_INET)
        inet_ntop(AF_INET, &((struct sockaddr_in *)info->client_addr)->sin_addr, out, 64);
    return out;
}

void http_request_add_header(struct http_request *r, const char *name, const char *value)
{
    if (r->header_count < HTTP_HEADERS_MAX && value)
        r->headers[r->header_count++] = (struct http_header){name, value};
}

void http_request_suspend(struct http_request *r, http_handler *finish)
{
    r->answered = false;
    r->finish = finish;
    MHD_suspend_connection(r->connection);
}

void http_request_resume(struct http_request *r)
{
    r->answered = true;
    MHD_resume_connection(r->connection);
}
