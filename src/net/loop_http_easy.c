#include "net/loop_http_internal.h"

#include <errno.h>
#include <locale.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/socket.h>

enum {
    DNS_CACHE_S = 10, /* so that who moves is found at his new address by the next try */
    KEEPALIVE_S = 60,
};

/* ---- what libcurl asks ---- */

/* The address that is about to be connected to: what its name meant a moment ago is of no
 * interest. */
static curl_socket_t open_socket(void *request, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct loop_http_request *r = request;

    const struct address_guard *guard = r->http->options.guard;

    if (guard && !address_guard_allows(guard, &address->addr, r->guard_why))
        return CURL_SOCKET_BAD;
    r->opened = true;
    return socket(address->family, address->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                  address->protocol);
}

/* Connected, and nothing of the request is sent yet; also when a connection is used again. libcurl
 * itself verifies nothing, because it would read all authorities for each connection. */
static int before_request(void *request, char *to, char *from, int to_port, int from_port)
{
    struct loop_http_request *r = request;
    struct curl_tlssessioninfo *tls = NULL;
    char name[256];

    if (r->plain)
        return CURL_PREREQFUNC_OK;
    curl_easy_getinfo(r->easy, CURLINFO_TLS_SSL_PTR, &tls);
    if (!tls || tls->backend != CURLSSLBACKEND_GNUTLS || !tls->internals ||
        !loop_http_host(r, name, sizeof name, NULL))
        str_format(r->trust_why, sizeof r->trust_why, "the peer shows no certificate");
    else if (tls_trust_judge(r->http->trust, tls->internals, name, r->trust_why))
        return CURL_PREREQFUNC_OK;
    curl_easy_setopt(r->easy, CURLOPT_FORBID_REUSE, 1L); /* it may have a better one next time */
    return CURL_PREREQFUNC_ABORT;
}

static bool keep_header(struct str line, struct str name, char out[LOOP_HTTP_WORD_SIZE])
{
    if (!str_starts_nocase(line, name))
        return false;
    str_format(out, LOOP_HTTP_WORD_SIZE, "%.*s", STR_FMT(str_trim(str_skip(line, name.n))));
    return true;
}

static void keep_length(struct loop_http_request *r, struct str line)
{
    char word[LOOP_HTTP_WORD_SIZE];
    uint64_t length;

    if (keep_header(line, STR("Content-Length:"), word) && str_to_u64(str_of(word), &length) &&
        length <= INT64_MAX)
        r->length = (int64_t)length;
}

/* The sink hears of the head when that is complete, and not of trailers behind the body. */
static bool tell_head(struct loop_http_request *r)
{
    long status = 0;

    curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
    if (!r->sink.bytes || r->head_told || status < 200)
        return true;
    r->head_told = true;
    r->cut = r->sink.head &&
             !r->sink.head(r->sink.context, (unsigned)status, str_of(r->content_type), r->length);
    return !r->cut;
}

static size_t take_header(char *bytes, size_t size, size_t n, void *request)
{
    struct loop_http_request *r = request;
    struct str line = {bytes, size * n};

    r->headers_seen += line.n;
    if (r->headers_seen > LOOP_HTTP_HEADERS_MAX)
        return 0;
    if (str_starts(line, STR("HTTP/"))) { /* what was before was only "100 Continue" or the like */
        r->retry_after[0] = r->content_type[0] = '\0';
        r->length = -1;
    } else if (str_trim(line).n == 0) {
        return tell_head(r) ? line.n : 0;
    } else if (!r->head_told && !keep_header(line, STR("Retry-After:"), r->retry_after) &&
               !keep_header(line, STR("Content-Type:"), r->content_type)) {
        keep_length(r, line);
    }
    return line.n;
}

/* Bodies that are streamed are large, and nobody waits for them by the millisecond: after each
 * piece whoever else wants to run does, instead of when the kernel next looks at its clock. */
static void give_way(void)
{
    sched_yield();
}

/* More than is kept is still read, up to a point: then the connection can be used again. */
static size_t take_body(char *bytes, size_t size, size_t n, void *request)
{
    struct loop_http_request *r = request;
    struct str part = {bytes, size * n};
    size_t room = r->body_max - r->body.n;
    size_t most = r->body_max > LOOP_HTTP_READ_MAX ? r->body_max : LOOP_HTTP_READ_MAX;

    r->body_seen += part.n;
    if (r->sink.bytes) {
        give_way();
        r->cut = !r->sink.bytes(r->sink.context, part);
        return r->cut ? 0 : part.n;
    }
    buf_add(&r->body, (struct str){part.p, part.n < room ? part.n : room});
    r->cut = r->body_seen > most;
    return r->cut || r->body.failed ? 0 : part.n;
}

/* Its length is told beforehand: who has less to say than that cannot go on. */
static size_t give_body(char *out, size_t size, size_t n, void *request)
{
    struct loop_http_request *r = request;
    int64_t left = r->source.length - r->source_sent;
    size_t room = size * n;

    if (left == 0)
        return 0;
    if ((uint64_t)left < room)
        room = (size_t)left;
    give_way();
    ssize_t given = r->source.read(r->source.context, out, room);
    if (given <= 0) {
        r->source_error = given ? (int)given : -ENODATA;
        return CURL_READFUNC_ABORT;
    }
    r->source_sent += given;
    return (size_t)given;
}

bool loop_http_easy_rewind(struct loop_http_request *r)
{
    if (!r->source.read || r->source_sent == 0)
        return true;
    r->source_sent = 0;
    r->source_error = r->source.rewind(r->source.context);
    return r->source_error == 0;
}

/* A kept connection was dead when part of the body had gone into it already. */
static int seek_body(void *request, curl_off_t offset, int origin)
{
    struct loop_http_request *r = request;

    if (offset != 0 || origin != SEEK_SET)
        return CURL_SEEKFUNC_CANTSEEK;
    return loop_http_easy_rewind(r) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL;
}

/* ---- setting up ---- */

static void set_version(CURL *easy, bool http1)
{
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                     (long)(http1 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS));
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, http1 ? 0L : 1L); /* rather the one of HTTP/2 */
}

static void set_manners(CURL *easy)
{
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "skylark/" SKYLARK_VERSION);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, (long)KEEPALIVE_S);
    curl_easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, (long)DNS_CACHE_S);
    /* Or the end of a request would wait for a look-up that nobody needs any more, and all others
     * with it. */
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
}

static void set_trust(CURL *easy)
{
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L); /* before_request does it */
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
    curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
}

static void set_callbacks(struct loop_http_request *r)
{
    CURL *easy = r->easy;

    curl_easy_setopt(easy, CURLOPT_PRIVATE, r);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, r);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, before_request);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, r);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, r);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, r);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, give_body);
    curl_easy_setopt(easy, CURLOPT_READDATA, r);
    curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek_body);
    curl_easy_setopt(easy, CURLOPT_SEEKDATA, r);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, r->curl_why);
}

bool loop_http_easy_init(struct loop_http_request *r)
{
    set_manners(r->easy);
    set_version(r->easy, r->http->options.http1);
    set_trust(r->easy);
    set_callbacks(r);
    /* The option that matters most is asked for its success. */
    return curl_easy_setopt(r->easy, CURLOPT_PROTOCOLS_STR, "https") == CURLE_OK;
}

/* ---- one request ---- */

bool loop_http_host(const struct loop_http_request *r, char *out, size_t size, unsigned *ret_port)
{
    CURLU *url = curl_url();
    char *host = NULL, *port = NULL;
    bool found = url && curl_url_set(url, CURLUPART_URL, r->url, 0) == CURLUE_OK &&
                 curl_url_get(url, CURLUPART_HOST, &host, CURLU_PUNYCODE) == CURLUE_OK &&
                 curl_url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK;

    if (found) {
        struct str name = str_of(host);
        if (name.n > 2 && name.p[0] == '[')
            name = (struct str){name.p + 1, name.n - 2};
        while (name.n && name.p[name.n - 1] == '.')
            name.n--;
        found = name.n < size;
        str_format(out, size, "%.*s", STR_FMT(name));
        if (ret_port)
            *ret_port = (unsigned)strtoul(port, NULL, 10);
    }
    curl_free(host);
    curl_free(port);
    curl_url_cleanup(url);
    return found;
}

static bool may_be_plain(const struct loop_http_request *r)
{
    const struct address_guard *guard = r->http->options.guard;
    char host[256];

    return !guard || (loop_http_host(r, host, sizeof host, NULL) &&
                      address_guard_allows_plain(guard, str_of(host)));
}

static bool is_ascii(const char *text)
{
    while (*text && (unsigned char)*text < 0x80)
        text++;
    return !*text;
}

/* Hosts as registries write them (xn--…), and the rest escaped. libcurl takes the bytes of a host
 * for letters of the thread's locale. NULL: the host is no name in any script. */
static char *spell_in_ascii(const char *url)
{
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL), before = uselocale(utf8);
    CURLU *parts = curl_url();
    char *spelt = NULL;

    if (parts && curl_url_set(parts, CURLUPART_URL, url, CURLU_URLENCODE) == CURLUE_OK)
        curl_url_get(parts, CURLUPART_URL, &spelt, CURLU_PUNYCODE);
    curl_url_cleanup(parts);
    uselocale(before);
    if (utf8)
        freelocale(utf8);
    return spelt;
}

static const char *ascii_url(struct arena *memory, const char *url)
{
    char *spelt = is_ascii(url) ? NULL : spell_in_ascii(url);
    const char *copy = spelt ? arena_copy(memory, str_of(spelt)).p : url;

    curl_free(spelt);
    return copy;
}

static bool set_url(struct loop_http_request *r, const char *url)
{
    r->given_url = arena_copy(&r->memory, str_of(url)).p;
    r->url = r->given_url ? ascii_url(&r->memory, r->given_url) : NULL;
    if (!r->url)
        return false;
    r->plain = str_starts_nocase(str_of(url), STR("http://")) && may_be_plain(r);
    r->scheme_refused = !r->plain && !str_starts_nocase(str_of(url), STR("https://"));
    curl_easy_setopt(r->easy, CURLOPT_PROTOCOLS_STR, r->plain ? "http" : "https");
    return curl_easy_setopt(r->easy, CURLOPT_URL, r->url) == CURLE_OK;
}

/* libcurl's lists are chains, made by one allocation and a copy for each; we make one ourselves. */
static bool set_headers(struct loop_http_request *r, const char *const *headers)
{
    static char no_expect[] = "Expect:"; /* which would cost a round trip */
    size_t count = 0;

    while (headers && headers[count])
        count++;
    struct curl_slist *list = arena_alloc(&r->memory, (count + 1) * sizeof *list);
    if (!list)
        return false;
    list[0] = (struct curl_slist){no_expect, count ? &list[1] : NULL};
    for (size_t i = 0; i < count; i++)
        list[i + 1] = (struct curl_slist){(char *)arena_copy(&r->memory, str_of(headers[i])).p,
                                          i + 1 < count ? &list[i + 2] : NULL};
    curl_easy_setopt(r->easy, CURLOPT_HTTPHEADER, list);
    return !r->memory.failed;
}

static bool set_body(struct loop_http_request *r, const struct loop_http_call *call)
{
    bool posts = call->source || call->body.n > 0 || strcmp(call->method, "GET") != 0;
    struct str body = arena_copy(&r->memory, call->body.n ? call->body : STR(""));

    if (!body.p)
        return false;
    curl_easy_setopt(r->easy, posts ? CURLOPT_POST : CURLOPT_HTTPGET, 1L);
    if (posts) {
        int64_t length = call->source ? call->source->length : (int64_t)body.n;
        curl_easy_setopt(r->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)length);
        curl_easy_setopt(r->easy, CURLOPT_POSTFIELDS, call->source ? NULL : body.p);
    }
    return curl_easy_setopt(r->easy, CURLOPT_CUSTOMREQUEST, call->method) == CURLE_OK;
}

void loop_http_easy_limit(struct loop_http_request *r, int64_t total_ms)
{
    curl_easy_setopt(r->easy, CURLOPT_TIMEOUT_MS, (long)total_ms);
}

/* What another request with the same handle left behind. */
static void clear(struct loop_http_request *r)
{
    buf_clear(&r->body);
    r->body_seen = r->headers_seen = 0;
    r->cut = r->opened = r->again = r->head_told = false;
    r->before_us = r->source_sent = 0;
    r->source_error = 0;
    r->length = -1;
    r->retry_after[0] = r->content_type[0] = '\0';
    r->guard_why[0] = r->trust_why[0] = r->curl_why[0] = '\0';
    curl_easy_setopt(r->easy, CURLOPT_FORBID_REUSE, 0L);
}

static void set_times(struct loop_http_request *r, const struct loop_http_call *call)
{
    const struct loop_http_options *usual = &r->http->options;

    r->connect_ms = call->connect_ms ? call->connect_ms : usual->connect_ms;
    r->total_ms = call->total_ms ? call->total_ms : usual->total_ms;
    curl_easy_setopt(r->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)r->connect_ms);
    loop_http_easy_limit(r, r->total_ms);
}

bool loop_http_easy_set(struct loop_http_request *r, const struct loop_http_call *call)
{
    r->done = call->done;
    r->context = call->context;
    r->body_max = call->body_max;
    r->source = call->source ? *call->source : (struct loop_http_source){0};
    r->sink = call->sink ? *call->sink : (struct loop_http_sink){0};
    clear(r);
    set_times(r, call);
    return set_url(r, call->url) && set_headers(r, call->headers) && set_body(r, call);
}
