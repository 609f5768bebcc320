#include "net/http_client.h"

#include "base/clock.h"

#include <curl/curl.h>

static size_t take_body(char *bytes, size_t size, size_t n, void *context)
{
    struct buf *body = context;

    buf_add(body, (struct str){bytes, size * n});
    return body->failed ? 0 : size * n;
}

static struct curl_slist *header_list(const char *const *headers)
{
    struct curl_slist *list = NULL;

    for (; headers && *headers; headers++) {
        struct curl_slist *longer = curl_slist_append(list, *headers);
        if (longer)
            list = longer;
    }
    return list;
}

static void set_options(CURL *curl, const struct http_call *call, struct http_reply *reply,
                        struct curl_slist *headers, char trouble[CURL_ERROR_SIZE])
{
    curl_easy_setopt(curl, CURLOPT_URL, call->url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, call->plain ? "http,https" : "https");
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, call->method);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "skylark/" SKYLARK_VERSION);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reply->body);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, trouble);
    if (call->ca_file)
        curl_easy_setopt(curl, CURLOPT_CAINFO, call->ca_file);
    if (call->direct)
        curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    if (call->body.p) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body.n);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, call->body.p);
    }
}

static enum http_outcome outcome_of(CURLcode code)
{
    switch (code) {
    case CURLE_OK:
        return HTTP_ANSWERED;
    case CURLE_OPERATION_TIMEDOUT:
        return HTTP_TIMED_OUT;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
        return HTTP_UNREACHABLE;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
        return HTTP_DISTRUSTED;
    default: /* of curl's hundred codes */
        return HTTP_BROKEN;
    }
}

static void copy_header(CURL *curl, const char *name, char out[HTTP_REPLY_WORD])
{
    struct curl_header *header;

    if (curl_easy_header(curl, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK)
        str_format(out, HTTP_REPLY_WORD, "%s", header->value);
}

static unsigned status_of(CURL *curl)
{
    long status = 0;

    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    return (unsigned)status;
}

static void fill_reply(CURL *curl, CURLcode code, const char *trouble, struct http_reply *reply)
{
    if (code != CURLE_OK) {
        str_format(reply->why, sizeof reply->why, "%s",
                   trouble[0] ? trouble : curl_easy_strerror(code));
        return;
    }
    reply->status = status_of(curl);
    copy_header(curl, "X-Request-Id", reply->request_id);
    copy_header(curl, "Retry-After", reply->retry_after);
}

static CURL *begin(struct http_reply *reply)
{
    *reply = (struct http_reply){.status = 0};
    buf_init(&reply->body, HTTP_REPLY_MAX);
    CURL *curl = curl_easy_init();
    if (!curl)
        str_format(reply->why, sizeof reply->why, "libcurl cannot start");
    return curl;
}

enum http_outcome http_call(const struct http_call *call, struct http_reply *reply)
{
    char trouble[CURL_ERROR_SIZE] = "";
    CURL *curl = begin(reply);

    if (!curl)
        return HTTP_BROKEN;
    struct curl_slist *headers = header_list(call->headers);
    set_options(curl, call, reply, headers, trouble);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)call->timeout_ms);
    CURLcode code = curl_easy_perform(curl);
    fill_reply(curl, code, trouble, reply);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    return outcome_of(code);
}

/* ---- streams ---- */

enum { STREAM_POLL_MS = 100 };

struct streaming {
    const struct http_follow *wish;
    struct http_reply *reply;
    CURL *curl;
    int64_t heard_us; /* when the last piece was done with */
    bool stopped;
};

/* The time that the caller takes for a piece is not the server's silence. */
static size_t take_piece(char *bytes, size_t size, size_t n, void *context)
{
    struct streaming *s = context;

    if (status_of(s->curl) != 200)
        return take_body(bytes, size, n, &s->reply->body);
    s->stopped = !s->wish->take(s->wish->context, (struct str){bytes, size * n});
    s->heard_us = clock_monotonic_us();
    return s->stopped ? 0 : size * n;
}

static CURLcode result_of(CURLM *multi)
{
    int left;
    const CURLMsg *message = curl_multi_info_read(multi, &left);

    return message ? message->data.result : CURLE_RECV_ERROR;
}

/* Until the server ends it, the caller stops it, or the server is silent for too long. */
static CURLcode follow(struct streaming *s, CURLM *multi)
{
    int running = 1;

    s->heard_us = clock_monotonic_us();
    for (;;) {
        if (curl_multi_perform(multi, &running) != CURLM_OK)
            return CURLE_OUT_OF_MEMORY;
        s->stopped = s->stopped || s->wish->stopped(s->wish->context);
        if (s->stopped)
            return CURLE_OK;
        if (!running)
            return result_of(multi);
        if (clock_monotonic_us() - s->heard_us > s->wish->call.timeout_ms * 1000)
            return CURLE_OPERATION_TIMEDOUT;
        if (curl_multi_poll(multi, NULL, 0, STREAM_POLL_MS, NULL) != CURLM_OK)
            return CURLE_OUT_OF_MEMORY;
    }
}

enum http_outcome http_follow(const struct http_follow *wish, struct http_reply *reply)
{
    char trouble[CURL_ERROR_SIZE] = "";
    struct streaming s = {.wish = wish, .reply = reply, .curl = begin(reply)};
    CURLM *multi = curl_multi_init();
    CURLcode code = CURLE_FAILED_INIT;

    if (s.curl && multi) {
        struct curl_slist *headers = header_list(wish->call.headers);
        set_options(s.curl, &wish->call, reply, headers, trouble);
        curl_easy_setopt(s.curl, CURLOPT_WRITEFUNCTION, take_piece);
        curl_easy_setopt(s.curl, CURLOPT_WRITEDATA, &s);
        if (curl_multi_add_handle(multi, s.curl) == CURLM_OK)
            code = follow(&s, multi);
        fill_reply(s.curl, code, trouble, reply);
        curl_multi_remove_handle(multi, s.curl);
        curl_slist_free_all(headers);
    }
    curl_easy_cleanup(s.curl);
    curl_multi_cleanup(multi);
    return outcome_of(code);
}

void http_reply_done(struct http_reply *reply)
{
    buf_done(&reply->body);
}
