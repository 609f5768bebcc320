#include "net/http_client.h"

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
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https");
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, call->method);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "skylark/" SKYLARK_VERSION);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)call->timeout_ms);
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

static enum http_outcome perform(CURL *curl, const struct http_call *call, struct http_reply *reply)
{
    char trouble[CURL_ERROR_SIZE] = "";
    struct curl_slist *headers = header_list(call->headers);
    long status = 0;

    set_options(curl, call, reply, headers, trouble);
    CURLcode code = curl_easy_perform(curl);
    if (code == CURLE_OK) {
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
        reply->status = (unsigned)status;
        copy_header(curl, "X-Request-Id", reply->request_id);
        copy_header(curl, "Retry-After", reply->retry_after);
    } else {
        str_format(reply->why, sizeof reply->why, "%s",
                   trouble[0] ? trouble : curl_easy_strerror(code));
    }
    curl_slist_free_all(headers);
    return outcome_of(code);
}

enum http_outcome http_call(const struct http_call *call, struct http_reply *reply)
{
    *reply = (struct http_reply){.status = 0};
    buf_init(&reply->body, HTTP_REPLY_MAX);
    CURL *curl = curl_easy_init();
    if (!curl) {
        str_format(reply->why, sizeof reply->why, "libcurl cannot start");
        return HTTP_BROKEN;
    }
    enum http_outcome outcome = perform(curl, call, reply);
    curl_easy_cleanup(curl);
    return outcome;
}

void http_reply_done(struct http_reply *reply)
{
    buf_done(&reply->body);
}
