#include "net/loop_http_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { SPARE_MAX = 256, BODY_KEEP = 64 << 10 };

/* ---- requests ---- */

static void request_free(struct loop_http_request *r)
{
    if (r->easy)
        curl_easy_cleanup(r->easy);
    arena_done(&r->memory);
    buf_done(&r->body);
    free(r);
}

static struct loop_http_request *request_new(struct loop_http *h)
{
    struct loop_http_request *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->http = h;
    arena_init(&r->memory, LOOP_HTTP_REQUEST_MAX);
    buf_init(&r->body, SIZE_MAX);
    r->easy = curl_easy_init();
    if (!r->easy || !loop_http_easy_init(r)) {
        request_free(r);
        return NULL;
    }
    return r;
}

static struct loop_http_request *take_spare(struct loop_http *h)
{
    struct loop_http_request *r = h->spare;

    if (!r)
        return request_new(h);
    h->spare = r->next;
    h->spare_count--;
    return r;
}

static void put_spare(struct loop_http_request *r)
{
    struct loop_http *h = r->http;

    if (h->spare_count >= SPARE_MAX) {
        request_free(r);
        return;
    }
    arena_reset(&r->memory);
    if (r->body.size > BODY_KEEP)
        buf_done(&r->body);
    r->next = h->spare;
    h->spare = r;
    h->spare_count++;
}

static void enter(struct loop_http_request *r)
{
    struct loop_http *h = r->http;

    r->previous = NULL;
    r->next = h->active;
    if (r->next)
        r->next->previous = r;
    h->active = r;
}

static void leave(struct loop_http_request *r)
{
    *(r->previous ? &r->previous->next : &r->http->active) = r->next;
    if (r->next)
        r->next->previous = r->previous;
}

int loop_http_start(struct loop_http *h, const struct loop_http_call *call,
                    struct loop_http_request **ret)
{
    struct loop_http_request *r = take_spare(h);

    if (!r)
        return -ENOMEM;
    if (!loop_http_easy_set(r, call) || curl_multi_add_handle(h->multi, r->easy) != CURLM_OK) {
        put_spare(r);
        return -ENOMEM;
    }
    enter(r);
    if (ret)
        *ret = r;
    return 0;
}

/* What libcurl holds of it goes; its memory stays, for the reply. */
static void end(struct loop_http_request *r)
{
    curl_multi_remove_handle(r->http->multi, r->easy);
    leave(r);
}

void loop_http_cancel(struct loop_http_request *r)
{
    end(r);
    put_spare(r);
}

/* Whether the connection of HTTP/2 was ended, not only this stream of it. */
static bool went_away(const struct loop_http_request *r, CURLcode code)
{
    return code == CURLE_HTTP2 ||
           (code == CURLE_PARTIAL_FILE && strstr(r->curl_why, "end of the underlying stream"));
}

/* Servers of HTTP/2 end their connections as they like, after a thousand requests for example; what
 * was on its way and has no answer then goes once more over a new one. */
static bool goes_again(struct loop_http_request *r, CURLcode code)
{
    curl_off_t spent_us = 0;

    if (!went_away(r, code) || r->headers_seen > 0 || r->again)
        return false;
    curl_easy_getinfo(r->easy, CURLINFO_TOTAL_TIME_T, &spent_us);
    int64_t left_ms = r->total_ms - spent_us / 1000;
    if (left_ms <= 0 || !loop_http_easy_rewind(r))
        return false;
    r->again = true;
    r->before_us = spent_us;
    loop_http_easy_limit(r, left_ms);
    curl_multi_remove_handle(r->http->multi, r->easy);
    return curl_multi_add_handle(r->http->multi, r->easy) == CURLM_OK;
}

void loop_http_finish(struct loop_http_request *r, CURLcode code)
{
    struct loop_http_reply reply = {.body = buf_str(&r->body),
                                    .retry_after = str_of(r->retry_after),
                                    .content_type = str_of(r->content_type),
                                    .url = str_of(r->given_url)};

    if (goes_again(r, code))
        return;
    loop_http_explain(r, code, &reply);
    reply.cut = r->cut && r->sink.bytes;
    end(r);
    r->done(r->context, &reply);
    put_spare(r);
}

/* ---- life ---- */

static void destroy_when_closed(struct loop_http *h)
{
    if (h->handles > 0)
        return;
    if (h->sockets >= 0)
        close(h->sockets);
    tls_trust_free(h->trust);
    free(h);
    curl_global_cleanup();
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct loop_http *h = handle->data;

    h->handles--;
    destroy_when_closed(h);
}

static void free_all(struct loop_http_request *r)
{
    while (r) {
        struct loop_http_request *next = r->next;
        curl_multi_remove_handle(r->http->multi, r->easy); /* of spare ones it knows nothing */
        request_free(r);
        r = next;
    }
}

static void dispose(struct loop_http *h)
{
    free_all(h->active);
    free_all(h->spare);
    if (h->multi)
        curl_multi_cleanup(h->multi);
    unsigned handles = h->handles;
    if (handles > 0)
        uv_close((uv_handle_t *)&h->timer, on_handle_closed);
    if (handles > 1)
        uv_close((uv_handle_t *)&h->poll, on_handle_closed);
    destroy_when_closed(h);
}

static void show_out(struct loop_guest *g)
{
    loop_http_free(LOOP_GUEST_OF(g, struct loop_http));
}

void loop_http_free(struct loop_http *h)
{
    if (!h)
        return;
    loop_guest_leave(h->loop, &h->guest);
    dispose(h);
}

/* Certificates are verified by reaching into the session of TLS that libcurl has. */
static bool speaks_gnutls(void)
{
    const char *tls = curl_version_info(CURLVERSION_NOW)->ssl_version;
    return tls && str_starts(str_of(tls), STR("GnuTLS"));
}

static int fill(struct loop_http *h, char why[LOOP_HTTP_WHY_SIZE])
{
    _Static_assert((int)LOOP_HTTP_WHY_SIZE >= (int)TLS_WHY_SIZE, "room for its reasons");

    if (!speaks_gnutls()) {
        str_format(why, LOOP_HTTP_WHY_SIZE, "libcurl must be the one with GnuTLS");
        return -ENOTSUP;
    }
    int failed = tls_trust_new(&h->trust, h->options.ca_file, why);
    return failed ? failed : loop_http_drive_init(h);
}

int loop_http_new(struct loop_http **ret, struct loop *l, const struct loop_http_options *options,
                  char why[LOOP_HTTP_WHY_SIZE])
{
    struct loop_http *h = calloc(1, sizeof *h);

    str_format(why, LOOP_HTTP_WHY_SIZE, "memory is short");
    if (!h)
        return -ENOMEM;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    h->loop = l;
    h->options = *options;
    h->sockets = -1;
    int failed = fill(h, why);
    if (failed) {
        dispose(h);
        return failed;
    }
    h->options.ca_file = NULL; /* it was the caller's */
    h->guest.show_out = show_out;
    loop_guest_enter(l, &h->guest);
    why[0] = '\0';
    *ret = h;
    return 0;
}
