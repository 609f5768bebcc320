#include "cli/client.h"

#include "messaging/problem.h"

enum { CALL_TIMEOUT_MS = 30000 };

static int tell_outcome(const struct client *c, enum http_outcome outcome, const char *why)
{
    switch (outcome) {
    case HTTP_ANSWERED:
        return CLI_OK;
    case HTTP_UNREACHABLE:
        talk("No server answers at %s (%s).", c->url, why);
        talk("Is it running? 'skylark serve' starts it.");
        return CLI_UNREACHABLE;
    case HTTP_TIMED_OUT:
        talk("The server at %s did not answer within %d seconds.", c->url, CALL_TIMEOUT_MS / 1000);
        return CLI_TIMED_OUT;
    case HTTP_DISTRUSTED:
        talk("The server at %s cannot be trusted (%s).", c->url, why);
        talk("Name its authority with --cacert FILE; a local server's is ca.pem in its data "
             "folder.");
        return CLI_FAILED;
    case HTTP_BROKEN:
        break;
    }
    talk("The request to %s failed (%s).", c->url, why);
    return CLI_FAILED;
}

static int exit_of_status(unsigned status)
{
    switch (status) {
    case 401:
    case 403:
        return CLI_AUTH;
    case 404:
        return CLI_NOT_FOUND;
    case 429:
        return CLI_RATE_LIMITED;
    default:
        return CLI_FAILED;
    }
}

static const char *remedy_of(struct str code)
{
    for (int i = PROBLEM_NONE + 1; i < PROBLEM_COUNT; i++)
        if (str_is(code, problem_entry((enum problem_code)i)->code))
            return problem_entry((enum problem_code)i)->fix;
    return NULL;
}

static void tell_field(const char *label, struct str value)
{
    if (value.n)
        talk("  %-8s %.*s", label, STR_FMT(value));
}

static int tell_refusal(const struct http_reply *reply)
{
    struct json_node *body JSON_TREE_CLEANUP = json_tree_parse(buf_str(&reply->body));
    struct str message = json_node_string(json_node_at(body, "message"));
    struct str code = json_node_string(json_node_at(body, "code"));

    if (message.n)
        talk("%.*s", STR_FMT(message));
    else
        talk("The server answered with status %u.", reply->status);
    tell_field("field", json_node_string(json_node_at(body, "field")));
    tell_field("code", code);
    tell_field("remedy", str_of(remedy_of(code)));
    if (reply->retry_after[0])
        talk("  %-8s after %s s", "retry", reply->retry_after);
    tell_field("request", str_of(reply->request_id));
    return exit_of_status(reply->status);
}

int client_tell(const struct client *c, enum http_outcome outcome, const struct http_reply *reply)
{
    int r = tell_outcome(c, outcome, reply->why);
    return r == CLI_OK && reply->status >= 300 ? tell_refusal(reply) : r;
}

enum { HEADERS_MAX = 5 };

/* The parts of a request that outlive its making. */
struct asking {
    struct buf url, extra;
    char authorization[CLIENT_KEY_MAX + 32];
    const char *headers[HEADERS_MAX + 1];
    struct http_call call;
};

static void asking_done(struct asking *a)
{
    buf_done(&a->url);
    buf_done(&a->extra);
}
#define ASKING_CLEANUP __attribute__((cleanup(asking_done)))

/* `extra` is one header more, if its value is not NULL. False when it is too long. */
static bool prepare(struct asking *a, const struct client *c, const char *path, const char *accept,
                    const char *extra, const char *value)
{
    size_t count = 2;

    buf_init(&a->url, 1 << 20);
    buf_init(&a->extra, 1 << 20);
    buf_printf(&a->url, "%s%s%c", c->url, path, '\0');
    str_format(a->authorization, sizeof a->authorization, "Authorization: Bearer %s", c->key);
    a->headers[0] = a->authorization;
    a->headers[1] = accept;
    if (value) {
        buf_printf(&a->extra, "%s: %s%c", extra, value, '\0');
        a->headers[count++] = a->extra.p;
    }
    a->headers[count] = NULL;
    a->call = (struct http_call){
        .method = "GET",
        .url = a->url.p,
        .ca_file = c->ca_file[0] ? c->ca_file : NULL,
        .direct = c->local,
        .headers = a->headers,
        .timeout_ms = CALL_TIMEOUT_MS,
    };
    return !a->url.failed && !a->extra.failed;
}

int client_call(const struct client *c, const char *method, const char *path, struct str body,
                struct http_reply *reply)
{
    struct asking a ASKING_CLEANUP;
    size_t count = 0;

    if (!prepare(&a, c, path, c->wants_csv ? "Accept: text/csv" : "Accept: application/json",
                 "Idempotency-Key", c->idempotency_key)) {
        talk("The request is too long.");
        return CLI_USAGE;
    }
    while (a.headers[count])
        count++;
    if (body.p) {
        a.headers[count++] = "Content-Type: application/json";
        a.headers[count] = NULL;
    }
    a.call.method = method;
    a.call.body = body;
    return client_tell(c, http_call(&a.call, reply), reply);
}

enum http_outcome client_follow(const struct client *c, const char *path, const char *last,
                                const struct http_follow *wish, struct http_reply *reply)
{
    struct asking a ASKING_CLEANUP;
    struct http_follow full = *wish;

    if (!prepare(&a, c, path, "Accept: text/event-stream", "Last-Event-ID", *last ? last : NULL))
        return HTTP_BROKEN;
    full.call = a.call;
    full.call.timeout_ms = wish->call.timeout_ms;
    return http_follow(&full, reply);
}

int client_fetch(const struct client *c, const char *method, const char *path, struct str body,
                 struct json_node **ret)
{
    struct http_reply reply HTTP_REPLY_CLEANUP = {.status = 0};

    *ret = NULL;
    int r = client_call(c, method, path, body, &reply);
    if (r != CLI_OK)
        return r;
    *ret = json_tree_parse(buf_str(&reply.body));
    if (*ret)
        return CLI_OK;
    talk("The server at %s gave an answer that is not JSON.", c->url);
    return CLI_FAILED;
}

int client_ask(const struct invocation *in, const char *method, const char *path, struct str body,
               struct json_node **ret)
{
    struct client c;

    *ret = NULL;
    int r = client_open(&c, in);
    return r == CLI_OK ? client_fetch(&c, method, path, body, ret) : r;
}

static bool is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
           c == '_' || c == '.' || c == '~';
}

void client_escape(struct buf *out, const char *text)
{
    for (; *text; text++)
        if (is_plain(*text))
            buf_add_char(out, *text);
        else
            buf_printf(out, "%%%02X", (unsigned char)*text);
}

void client_query(struct buf *path, const struct invocation *in,
                  const struct client_parameter *parameters, size_t count)
{
    const char *mark = "?";

    for (size_t i = 0; i < count; i++) {
        const char *value = in->values[parameters[i].option];
        if (!value)
            continue;
        buf_printf(path, "%s%s=", mark, parameters[i].name);
        client_escape(path, value);
        mark = "&";
    }
    buf_add_char(path, '\0');
}

int client_list(const struct invocation *in, const char *path,
                const struct client_parameter *parameters, size_t count, struct json_node **ret)
{
    struct buf whole BUF_CLEANUP;

    buf_init(&whole, 1 << 16);
    buf_text(&whole, path);
    client_query(&whole, in, parameters, count);
    if (whole.failed) {
        talk("The options are too long.");
        return CLI_USAGE;
    }
    return client_ask(in, "GET", whole.p, (struct str){NULL, 0}, ret);
}

bool client_plain_id(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return n > 0 && n < 128 && text[n] == '\0';
}
