#include "net/loop_http_internal.h"

#include <arpa/inet.h>

static void say(struct loop_http_reply *reply, enum loop_http_outcome outcome, const char *format,
                ...) __attribute__((format(printf, 3, 4)));

static void say(struct loop_http_reply *reply, enum loop_http_outcome outcome, const char *format,
                ...)
{
    struct buf text BUF_CLEANUP;
    va_list arguments;

    buf_init(&text, 4096);
    va_start(arguments, format);
    buf_vprintf(&text, format, arguments);
    va_end(arguments);
    reply->outcome = outcome;
    str_format(reply->why, sizeof reply->why, "%.*s", STR_FMT(buf_str(&text)));
}

static int64_t time_of(const struct loop_http_request *r, CURLINFO which)
{
    curl_off_t us = 0;

    curl_easy_getinfo(r->easy, which, &us);
    return us;
}

/* "api.example.com port 443" */
static void where(const struct loop_http_request *r, char *out, size_t size)
{
    char host[256];
    unsigned port;

    if (loop_http_host(r, host, sizeof host, &port))
        str_format(out, size, "%.100s port %u", host, port);
    else
        str_format(out, size, "it");
}

static struct str without_dot(const char *text)
{
    struct str s = str_of(text);

    if (s.n && s.p[s.n - 1] == '.')
        s.n--;
    return s;
}

/* As people say it: 10 s, 0.5 s. */
static void seconds(int64_t ms, char out[32])
{
    str_format(out, 32, "%g s", (double)ms / 1000);
}

static void explain_time(const struct loop_http_request *r, struct loop_http_reply *reply)
{
    char place[128], host[256] = "", connect[32], total[32];

    where(r, place, sizeof place);
    loop_http_host(r, host, sizeof host, NULL);
    seconds(r->connect_ms, connect);
    seconds(r->total_ms, total);
    if (time_of(r, CURLINFO_PRETRANSFER_TIME_T) > 0 && r->headers_seen == 0)
        say(reply, LOOP_HTTP_TIMED_OUT, "No answer came within %s.", total);
    else if (r->headers_seen > 0)
        say(reply, LOOP_HTTP_TIMED_OUT, "The answer was not complete after %s.", total);
    else if (time_of(r, CURLINFO_NAMELOOKUP_TIME_T) == 0)
        say(reply, LOOP_HTTP_TIMED_OUT, "The name %.150s was not looked up within %s.", host,
            connect);
    else if (strstr(r->curl_why, "SSL"))
        say(reply, LOOP_HTTP_TIMED_OUT, "%s did not finish the TLS handshake within %s.", place,
            connect);
    else
        say(reply, LOOP_HTTP_TIMED_OUT, "No connection to %s within %s.", place, connect);
}

static bool is_address(const char *host)
{
    unsigned char bytes[sizeof(struct in6_addr)];

    return inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1;
}

/* Clients read this. Whoever gave a name learns of what kind its address is, and no more: which
 * addresses names have inside the operator's network is none of his business. */
static void explain_guard(const struct loop_http_request *r, struct loop_http_reply *reply)
{
    static const char is[] = " is ";
    char host[256] = "";
    const char *kind = strstr(r->guard_why, is); /* behind the address */

    if (loop_http_host(r, host, sizeof host, NULL) && !is_address(host) && kind)
        say(reply, LOOP_HTTP_REFUSED,
            "The name %.100s leads to %s; the server does not connect there.", host,
            kind + strlen(is));
    else
        say(reply, LOOP_HTTP_REFUSED, "%s; the server does not connect to it.", r->guard_why);
}

static void explain_no_connection(const struct loop_http_request *r, struct loop_http_reply *reply)
{
    char place[128];
    long error = 0;

    if (r->guard_why[0] && !r->opened) {
        explain_guard(r, reply);
        return;
    }
    where(r, place, sizeof place);
    curl_easy_getinfo(r->easy, CURLINFO_OS_ERRNO, &error);
    say(reply, LOOP_HTTP_UNREACHABLE, "No connection to %s: %s.", place,
        error ? strerror((int)error) : "nobody answers");
}

static void explain_name(const struct loop_http_request *r, struct loop_http_reply *reply)
{
    char host[256] = "The host";

    loop_http_host(r, host, sizeof host, NULL);
    say(reply, LOOP_HTTP_UNREACHABLE, "The name %.150s is not found.", host);
}

/* libcurl's words begin with the name of a function; what comes behind it is meant for people. */
static void explain_handshake(const struct loop_http_request *r, struct loop_http_reply *reply)
{
    static const char failed[] = "failed: ";
    const char *reason = strstr(r->curl_why, failed);
    struct str text = without_dot(reason ? reason + strlen(failed) : "");

    if (!reason || strstr(reason, "non-properly terminated"))
        say(reply, LOOP_HTTP_UNREACHABLE, "The connection was closed during the TLS handshake.");
    else
        say(reply, LOOP_HTTP_DISTRUSTED, "The TLS handshake failed: %.*s.", STR_FMT(text));
}

static void explain_other(const struct loop_http_request *r, CURLcode code,
                          struct loop_http_reply *reply)
{
    struct str text = without_dot(r->curl_why[0] ? r->curl_why : curl_easy_strerror(code));

    say(reply, LOOP_HTTP_BROKEN, "%.*s.", STR_FMT(text));
}

static void explain_failure(const struct loop_http_request *r, CURLcode code,
                            struct loop_http_reply *reply)
{
    switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
        explain_time(r, reply);
        break;
    case CURLE_URL_MALFORMAT:
        say(reply, LOOP_HTTP_BROKEN, "The URL names no host that can be looked up.");
        break;
    case CURLE_COULDNT_RESOLVE_HOST:
        explain_name(r, reply);
        break;
    case CURLE_COULDNT_CONNECT:
        explain_no_connection(r, reply);
        break;
    case CURLE_GOT_NOTHING:
        say(reply, LOOP_HTTP_UNREACHABLE, "The connection was closed before an answer came.");
        break;
    case CURLE_SEND_ERROR:
        say(reply, LOOP_HTTP_UNREACHABLE, "The connection was lost while the request was sent.");
        break;
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
        say(reply, LOOP_HTTP_UNREACHABLE,
            "The connection was lost before the answer was complete.");
        break;
    case CURLE_HTTP2:
        say(reply, LOOP_HTTP_UNREACHABLE, "The HTTP/2 connection was ended before an answer came.");
        break;
    case CURLE_SSL_CONNECT_ERROR:
        explain_handshake(r, reply);
        break;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:
        say(reply, LOOP_HTTP_BROKEN, "What came is no HTTP.");
        break;
    default: /* of curl's hundred codes */
        explain_other(r, code, reply);
    }
}

static unsigned version_of(const struct loop_http_request *r)
{
    long version = 0;

    curl_easy_getinfo(r->easy, CURLINFO_HTTP_VERSION, &version);
    switch (version) {
    case CURL_HTTP_VERSION_1_0:
        return 10;
    case CURL_HTTP_VERSION_2_0:
        return 20;
    default:
        return 11;
    }
}

static int64_t connect_time(const struct loop_http_request *r)
{
    long connects = 0;

    curl_easy_getinfo(r->easy, CURLINFO_NUM_CONNECTS, &connects);
    if (connects == 0)
        return 0;
    return time_of(r, r->plain ? CURLINFO_CONNECT_TIME_T : CURLINFO_APPCONNECT_TIME_T);
}

/* Whether the answer counts: also when not all of its body is wanted. */
static bool answered(const struct loop_http_request *r, CURLcode code)
{
    if (code == CURLE_OK || r->cut)
        return true;
    return code == CURLE_OPERATION_TIMEDOUT && !r->sink.bytes && r->body_seen > 0 &&
           r->body_seen > r->body_max;
}

void loop_http_explain(const struct loop_http_request *r, CURLcode code,
                       struct loop_http_reply *reply)
{
    long status = 0;

    reply->duration_us = r->before_us + time_of(r, CURLINFO_TOTAL_TIME_T);
    reply->connect_us = connect_time(r);
    if (r->scheme_refused)
        say(reply, LOOP_HTTP_REFUSED, "The URL must begin with https://%s.",
            r->http->options.guard ? "" : " or http://");
    else if (r->source_error)
        say(reply, LOOP_HTTP_BROKEN, "What is to be sent cannot be read: %s.",
            strerror(-r->source_error));
    else if (r->trust_why[0])
        say(reply, LOOP_HTTP_DISTRUSTED, "The peer is not trusted: %s.", r->trust_why);
    else if (r->headers_seen > LOOP_HTTP_HEADERS_MAX)
        say(reply, LOOP_HTTP_BROKEN, "The headers of the answer are longer than 64 KiB.");
    else if (answered(r, code)) {
        curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
        reply->status = (unsigned)status;
        reply->http_version = version_of(r);
    } else
        explain_failure(r, code, reply);
}
