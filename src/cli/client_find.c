/* Where the server is, which authority vouches for it, and which key to use. */
#include "base/file.h"
#include "cli/client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <unistd.h>

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

static bool ends_in(struct str s, struct str end)
{
    return s.n >= end.n && str_eq_nocase(str_skip(s, s.n - end.n), end);
}

/* The host of a URL, without user and port; an IPv6 address with its brackets. */
static struct str host_of(struct str url)
{
    struct str rest = url, host;
    size_t n = 0;

    str_cut(&rest, ':');
    while (str_starts(rest, STR("/")))
        rest = str_skip(rest, 1);
    while (n < rest.n && !memchr("/?#\\", rest.p[n], 4))
        n++;
    rest.n = n;
    do
        host = str_cut(&rest, '@');
    while (rest.p);
    const char *bracket = str_starts(host, STR("[")) ? memchr(host.p, ']', host.n) : NULL;
    return bracket ? (struct str){host.p, (size_t)(bracket - host.p) + 1} : str_cut(&host, ':');
}

bool client_url_is_local(struct str url)
{
    struct str host = host_of(url);
    char text[INET_ADDRSTRLEN];
    struct in_addr address;

    str_format(text, sizeof text, "%.*s", STR_FMT(host));
    if (host.n < sizeof text && inet_pton(AF_INET, text, &address) == 1)
        return (ntohl(address.s_addr) >> 24) == IN_LOOPBACKNET;
    return str_eq_nocase(host, STR("localhost")) || ends_in(host, STR(".localhost")) ||
           str_is(host, "[::1]");
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
    } else {
        str_format(c->folder, sizeof c->folder, "%s", dir);
    }
    if (!str_starts_nocase(str_of(c->url), STR("https://"))) {
        talk("The address '%s' must start with https://; plain HTTP is not served.", c->url);
        return CLI_USAGE;
    }
    for (size_t n = strlen(c->url); n && c->url[n - 1] == '/'; n--)
        c->url[n - 1] = '\0';
    c->local = client_url_is_local(str_of(c->url));
    return CLI_OK;
}

void client_look_again(struct client *c)
{
    char url[CLIENT_URL_MAX];

    if (c->folder[0] && read_line(c->folder, "address", url, sizeof url) == 0)
        memcpy(c->url, url, sizeof url);
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
    talk("Set $SKYLARK_API_KEY; 'skylark keys create NAME' makes a key.");
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
