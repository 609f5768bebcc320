/* Requests and how answers look on the wire. Request objects are kept on their worker's free list
 * with their first arena chunk and buffers, so that a request allocates almost nothing. */
#include "base/clock.h"
#include "base/random.h"
#include "net/http_internal.h"

#include <stdlib.h>
#include <time.h>

enum {
    FREE_REQUESTS_MAX = 256,
    KEPT_BUFFER = 16 << 10 /* larger ones are given back after the request */
};

static void make_id(char id[REQUEST_ID_SIZE + 1])
{
    static const char digits[] = "0123456789abcdef";
    uint64_t number = random_fast();

    memcpy(id, "req_", 4);
    for (int i = 4; i < REQUEST_ID_SIZE; i++, number >>= 4)
        id[i] = digits[number & 15];
    id[REQUEST_ID_SIZE] = '\0';
}

static struct http_request *take_free(struct http_worker *w)
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
    arena_init(&r->arena, HTTP_ARENA_MAX);
    buf_init(&r->out, HTTP_OUT_MAX);
    return r;
}

struct http_request *http_request_new(struct http_conn *c)
{
    struct http_request *r = take_free(c->worker);

    if (!r)
        return NULL;
    make_id(r->id);
    r->conn = c;
    r->peer = &c->peer;
    r->worker_context = c->worker->context;
    r->method = HTTP_OTHER;
    r->head.method = r->head.path = r->head.query = r->body = STR("");
    r->head.field_count = 0;
    r->malformed = NULL;
    r->stream = NULL;
    r->length = -1;
    r->body_too_large = r->no_room = r->head_too_large = r->suspended = r->last = false;
    r->status = 500;
    r->content_type = "application/json";
    r->static_body = (struct str){NULL, 0};
    r->header_count = 0;
    r->finish = NULL;
    r->continuation = NULL;
    r->about = 0;
    r->caller[0] = '\0';
    atomic_fetch_add_explicit(&c->worker->server->in_flight, 1, memory_order_relaxed);
    return r;
}

static void request_free(struct http_request *r)
{
    arena_done(&r->arena);
    buf_done(&r->out);
    free(r);
}

void http_request_end(struct http_request *r)
{
    struct http_worker *w = r->conn->worker;

    if (w->free_count < FREE_REQUESTS_MAX) {
        arena_reset(&r->arena);
        if (r->arena.size > KEPT_BUFFER)
            arena_done(&r->arena);
        if (r->out.size > KEPT_BUFFER)
            buf_done(&r->out);
        buf_clear(&r->out);
        r->next_free = w->free_requests;
        w->free_requests = r;
        w->free_count++;
    } else {
        request_free(r);
    }
    atomic_fetch_sub_explicit(&w->server->in_flight, 1, memory_order_release);
}

void http_requests_free(struct http_worker *w)
{
    while (w->free_requests) {
        struct http_request *r = w->free_requests;
        w->free_requests = r->next_free;
        request_free(r);
    }
}

const char *http_reason(unsigned status)
{
    switch (status) {
    case 200:
        return "OK";
    case 201:
        return "Created";
    case 304:
        return "Not Modified";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 429:
        return "Too Many Requests";
    case 500:
        return "Internal Server Error";
    case 503:
        return "Service Unavailable";
    default:
        return ""; /* on the wire a number is enough */
    }
}

static void add_status_line(struct buf *b, unsigned status)
{
    buf_add(b, STR("HTTP/1.1 "));
    buf_add_i64(b, status);
    buf_add_char(b, ' ');
    buf_text(b, http_reason(status));
    buf_add(b, STR("\r\n"));
}

/* "Date: …\r\n", made anew once a second. */
static const char *date_field(struct http_worker *w)
{
    struct timespec clock; /* the coarse one: to the tick, for a fourth of the price */
    struct tm utc;

    clock_gettime(CLOCK_REALTIME_COARSE, &clock);
    time_t now = clock.tv_sec;

    if (now != w->date_s) {
        gmtime_r(&now, &utc);
        strftime(w->date, sizeof w->date, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc);
        w->date_s = now;
    }
    return w->date;
}

static void add_field(struct buf *b, const char *name, const char *value)
{
    buf_text(b, name);
    buf_add(b, STR(": "));
    buf_text(b, value);
    buf_add(b, STR("\r\n"));
}

/* All of the head but how long the body is. */
static void add_head(struct buf *b, const struct http_request *r, bool close)
{
    add_status_line(b, r->status);
    buf_text(b, date_field(r->conn->worker));
    add_field(b, "Content-Type", r->content_type);
    add_field(b, "X-Request-Id", r->id);
    for (size_t i = 0; i < r->header_count; i++)
        add_field(b, r->headers[i].name, r->headers[i].value);
    if (close)
        buf_add(b, STR("Connection: close\r\n"));
}

static void add_length(struct buf *b, int64_t length)
{
    buf_add(b, STR("Content-Length: "));
    buf_add_i64(b, length);
    buf_add(b, STR("\r\n"));
}

void http_request_write_head(struct http_request *r, bool close)
{
    struct buf *b = &r->conn->worker->plain;

    buf_clear(b);
    add_head(b, r, close);
    if (r->length >= 0)
        add_length(b, r->length);
    else if (!r->head.old)
        buf_add(b, STR("Transfer-Encoding: chunked\r\n"));
    buf_add(b, STR("\r\n"));
}

void http_request_write(struct http_request *r, bool close)
{
    struct buf *b = &r->conn->worker->plain;
    struct str body = r->static_body.p ? r->static_body : buf_str(&r->out);

    buf_clear(b);
    add_head(b, r, close);
    if (r->status != 304) /* it would be that of the body which the client has */
        add_length(b, (int64_t)body.n);
    buf_add(b, STR("\r\n"));
    if (r->method != HTTP_HEAD)
        buf_add(b, body);
    if (r->out.failed) /* a part of an answer must not pass for the whole */
        b->failed = true;
}

void http_request_add_header(struct http_request *r, const char *name, const char *value)
{
    if (r->header_count < HTTP_HEADERS_MAX && value)
        r->headers[r->header_count++] = (struct http_header){name, value};
}

void http_request_suspend(struct http_request *r, http_handler *finish)
{
    r->suspended = true;
    r->finish = finish;
}

bool http_request_must_end(const struct http_request *r)
{
    const struct http_server *s = r->conn->worker->server;
    return r->conn->hangup || atomic_load_explicit(&s->draining, memory_order_relaxed);
}

void http_request_resume(struct http_request *r)
{
    mailbox_post(&r->conn->worker->resumed, &r->letter);
}
