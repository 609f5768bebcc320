#include "cli/client.h"

#include "base/file.h"
#include "messaging/problem.h"

#include <errno.h>
#include <unistd.h>

enum { CALL_TIMEOUT_MS = 30000 };

/* First line of a small file in the data folder; negative errno when it cannot be had. */
static int read_line(const char *dir, const char *name, char *out, size_t size)
{
    char path[PATH_MAX];
    struct buf text BUF_CLEANUP;

    buf_init(&text, 1 << 14);
    str_format(path, sizeof path, "%s/%s", dir, name);
    int r = file_read(path, &text);
    if (r < 0)
        return r;
    struct str rest = buf_str(&text), line = str_trim(str_cut(&rest, '\n'));
    if (line.n == 0 || line.n >= size)
        return -EINVAL;
    str_format(out, size, "%.*s", STR_FMT(line));
    return 0;
}

static bool is_loopback(struct str url)
{
    static const char *const hosts[] = {"localhost", "127.", "[::1]"};
    struct str host = str_skip(url, strlen("https://"));

    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        if (str_starts_nocase(host, str_of(hosts[i])))
            return true;
    return false;
}

static int find_url(struct client *c, const struct invocation *in, const char *dir)
{
    const char *given = in->values[OPTION_URL];

    if (!given)
        given = config_variable(in->environment, "SKYLARK_URL");
    if (given && *given)
        str_format(c->url, sizeof c->url, "%s", given);
    else if (read_line(dir, "address", c->url, sizeof c->url) < 0) {
        talk("No server is running with the data folder %s.", dir);
        talk("Start one with 'skylark serve', or say where it is with --url or $SKYLARK_URL.");
        return CLI_UNREACHABLE;
    }
    if (!str_starts_nocase(str_of(c->url), STR("https://"))) {
        talk("The address '%s' must start with https://; plain HTTP is not served.", c->url);
        return CLI_USAGE;
    }
    for (size_t n = strlen(c->url); n && c->url[n - 1] == '/'; n--)
        c->url[n - 1] = '\0';
    c->local = is_loopback(str_of(c->url));
    return CLI_OK;
}

/* The local authority can vouch for loopback addresses only, so others are left to the system's. */
static int find_ca(struct client *c, const struct invocation *in, const char *dir)
{
    const char *given = in->values[OPTION_CACERT];

    if (given && access(given, R_OK) < 0) {
        talk("The file %s given with --cacert cannot be read: %s", given, strerror(errno));
        return CLI_USAGE;
    }
    str_format(c->ca_file, sizeof c->ca_file, "%s%s", given ? given : dir, given ? "" : "/ca.pem");
    if (!given && (!c->local || access(c->ca_file, R_OK) < 0))
        c->ca_file[0] = '\0';
    return CLI_OK;
}

static int find_key(struct client *c, const struct invocation *in, const char *dir)
{
    const char *given = config_variable(in->environment, "SKYLARK_API_KEY");
    bool from_environment = given && *given;
    int r = 0;

    if (from_environment)
        str_format(c->key, sizeof c->key, "%s", given);
    else
        r = read_line(dir, "test-key", c->key, sizeof c->key);
    if (r == 0) {
        if (strlen(c->key) == strspn(c->key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789_"))
            return CLI_OK;
        talk("What is in %s does not look like a key; keys are letters, digits and _.",
             from_environment ? "$SKYLARK_API_KEY" : "the file test-key of the data folder");
        return CLI_AUTH;
    }
    if (r == -ENOENT)
        talk("There is no API key.");
    else
        talk("The API key in %s/test-key cannot be read: %s", dir, strerror(-r));
    talk("Set $SKYLARK_API_KEY; 'skylark keys create --name NAME' makes a key.");
    return CLI_AUTH;
}

/* It goes into a header as it is, so nothing may be in it that ends one. */
static int find_idempotency_key(struct client *c, const struct invocation *in)
{
    const char *key = in->values[OPTION_IDEMPOTENCY_KEY];

    c->idempotency_key = key;
    for (; key && *key; key++)
        if (*key < ' ' || *key > '~') {
            talk("--idempotency-key takes printable ASCII characters, for example a UUID.");
            return CLI_USAGE;
        }
    return CLI_OK;
}

int client_open(struct client *c, const struct invocation *in)
{
    struct config_source source;
    struct config *config;
    int r = invocation_config(in, &source, &config);

    *c = (struct client){.local = false};
    if (r == CLI_OK) {
        r = find_url(c, in, config->server_data_dir);
        if (r == CLI_OK)
            r = find_key(c, in, config->server_data_dir);
        if (r == CLI_OK)
            r = find_ca(c, in, config->server_data_dir);
        if (r == CLI_OK)
            r = find_idempotency_key(c, in);
    }
    config_free(config);
    return r;
}

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

int client_call(const struct client *c, const char *method, const char *path, struct str body,
                struct http_reply *reply)
{
    struct buf url BUF_CLEANUP, once BUF_CLEANUP;
    char authorization[CLIENT_KEY_MAX + 32];
    const char *headers[5] = {authorization, "Accept: application/json"};
    size_t count = 2;

    buf_init(&url, 1 << 20);
    buf_init(&once, 1 << 20);
    buf_printf(&url, "%s%s%c", c->url, path, '\0');
    if (c->idempotency_key) {
        buf_printf(&once, "Idempotency-Key: %s%c", c->idempotency_key, '\0');
        headers[count++] = once.p;
    }
    if (body.p)
        headers[count++] = "Content-Type: application/json";
    if (url.failed || once.failed) {
        talk("The request is too long.");
        return CLI_USAGE;
    }
    str_format(authorization, sizeof authorization, "Authorization: Bearer %s", c->key);
    struct http_call call = {
        .method = method,
        .url = url.p,
        .ca_file = c->ca_file[0] ? c->ca_file : NULL,
        .direct = c->local,
        .headers = headers,
        .body = body,
        .timeout_ms = CALL_TIMEOUT_MS,
    };
    int r = tell_outcome(c, http_call(&call, reply), reply->why);
    if (r == CLI_OK && reply->status >= 300)
        r = tell_refusal(reply);
    return r;
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

void client_add_query(struct buf *path, const struct invocation *in,
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

bool client_plain_id(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return n > 0 && n < 128 && text[n] == '\0';
}
