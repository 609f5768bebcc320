/* What sections [mmsc NAME] must be like. */
#include "base/config_internal.h"

#include <arpa/inet.h>

static const char *origin(const struct config_mmsc *m, const char *key)
{
    return config_section_origin(CONFIG_MMSC, &m->section, key);
}

/* ---- one of them ---- */

bool config_url_good(const char *url)
{
    struct str rest = str_of(url);

    if (!str_starts(rest, STR("https://")) && !str_starts(rest, STR("http://")))
        return false;
    rest = str_skip(rest, str_starts(rest, STR("https://")) ? 8 : 7);
    for (size_t i = 0; i < rest.n; i++)
        if ((unsigned char)rest.p[i] <= ' ' || (unsigned char)rest.p[i] >= 0x7f)
            return false;
    return rest.n > 0 && rest.p[0] != '/' && rest.p[0] != ':';
}

bool config_url_has_user(const char *url)
{
    const char *begins = strstr(url, "//");

    url = begins ? begins + 2 : url;
    return memchr(url, '@', strcspn(url, "/?#")) != NULL;
}

static void check_url(struct config_load *l, const struct config_mmsc *m)
{
    if (config_url_has_user(m->url))
        config_fault(l, origin(m, "url"),
                     "mmsc %s.url must not have a name or a password before its host, where it "
                     "would be shown; set mmsc %s.username and mmsc %s.password",
                     m->name, m->name, m->name);
    else if (m->url[0] && !config_url_good(m->url))
        config_fault(l, origin(m, "url"),
                     "mmsc %s.url must be an address such as https://mmsc.example/mm7, not '%s'",
                     m->name, m->url);
}

/* "6.8.0"; an empty one is the usual. */
static bool version_good(const char *text)
{
    struct str rest = str_of(text);
    uint64_t number;

    for (int i = 0; i < 3 && text[0]; i++)
        if (!str_to_u64(str_cut(&rest, '.'), &number))
            return false;
    return !text[0] || !rest.p;
}

/* An address with a scheme, such as http: or urn:, of characters that XML and people can tell
 * apart; an empty one is the usual. */
static bool namespace_good(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t scheme = strcspn(text, ":");

    for (const char *c = text; *c; c++)
        if (*c <= ' ' || *c >= 0x7f || strchr("<>&\"'", *c))
            return false;
    return !text[0] || (strchr(letters, text[0]) && text[scheme] && text[scheme + 1] &&
                        !memchr(text, '/', scheme));
}

/* The dialect is compared letter by letter by the MMSC, which only says that it understood nothing.
 */
static void check_dialect(struct config_load *l, const struct config_mmsc *m)
{
    if (!version_good(m->version))
        config_fault(l, origin(m, "version"),
                     "mmsc %s.version must be three numbers such as 6.8.0, not '%s'", m->name,
                     m->version);
    if (!namespace_good(m->namespace))
        config_fault(l, origin(m, "namespace"),
                     "mmsc %s.namespace must be the whole address as the MMSC gives it, without "
                     "blanks and any of < > & \" ', such as http://www.3gpp.org/ftp/Specs/archive/"
                     "23_series/23.140/schema/REL-6-MM7-1-4, not '%s'",
                     m->name, m->namespace);
}

static void check_both(struct config_load *l, const struct config_mmsc *m, const char *name,
                       const char *name_value, const char *secret, const char *secret_value)
{
    const char *set = name_value[0] ? name : secret, *missing = name_value[0] ? secret : name;

    if (!name_value[0] != !secret_value[0])
        config_fault(l, origin(m, set), "mmsc %s.%s is set and its %s is not; set both or none",
                     m->name, set, missing);
}

static bool network_good(struct str text)
{
    struct str address = str_cut(&text, '/');
    char copy[INET6_ADDRSTRLEN];
    unsigned char bytes[16];
    uint64_t bits = 0;

    if (address.n >= sizeof copy)
        return false;
    str_format(copy, sizeof copy, "%.*s", STR_FMT(address));
    bool four = inet_pton(AF_INET, copy, bytes) == 1;
    if (!four && inet_pton(AF_INET6, copy, bytes) != 1)
        return false;
    return !text.p || (str_to_u64(text, &bits) && bits <= (four ? 32 : 128));
}

static void check_allow(struct config_load *l, const struct config_mmsc *m)
{
    struct str rest = str_of(m->allow);

    for (struct str one = config_list_cut(&rest); one.n; one = config_list_cut(&rest))
        if (!network_good(one))
            config_fault(l, origin(m, "allow"),
                         "mmsc %s.allow must be networks such as 192.0.2.0/24 or 2001:db8::/32, "
                         "not '%.*s'",
                         m->name, STR_FMT(one));
}

static bool path_good(const char *path)
{
    return path[0] == '/' && strpbrk(path, "?# \t") == NULL;
}

static void check_mmsc(struct config_load *l, const struct config_mmsc *m)
{
    check_url(l, m);
    check_dialect(l, m);
    check_both(l, m, "username", m->username, "password", m->password);
    check_both(l, m, "listen_username", m->listen_username, "listen_password", m->listen_password);
    if (m->token[0] && m->username[0])
        config_fault(l, origin(m, "token"),
                     "mmsc %s has a token and a username; set one of them: the other is not used",
                     m->name);
    if (m->listen_path[0] && !path_good(m->listen_path))
        config_fault(l, origin(m, "listen_path"),
                     "mmsc %s.listen_path must begin with / and have no blank, ? or #, not '%s'",
                     m->name, m->listen_path);
    if (m->reconnect_min_ms > m->reconnect_max_ms)
        config_fault(l, origin(m, "reconnect_min"),
                     "mmsc %s.reconnect_min is longer than its reconnect_max", m->name);
    check_allow(l, m);
}

/* ---- all of them ---- */

static void path_of(const struct config_mmsc *m, char *path, size_t size)
{
    if (m->listen_path[0])
        str_format(path, size, "%s", m->listen_path);
    else
        str_format(path, size, "/mm7/%s", m->name);
}

/* Whose reports they are is told by the path. */
static void check_paths(struct config_load *l, const struct config_mmsc *m,
                        const struct config_mmsc *other)
{
    char path[CONFIG_FAULT_SIZE], taken[CONFIG_FAULT_SIZE];

    path_of(m, path, sizeof path);
    path_of(other, taken, sizeof taken);
    if (strcmp(path, taken) == 0)
        config_fault(l, origin(m, "listen_path"),
                     "mmsc %s brings its reports to %s, and so does %s; give one of them another "
                     "listen_path",
                     m->name, path, other->name);
}

void config_check_mmscs(struct config_load *l)
{
    const struct config *c = l->config;

    for (size_t i = 0; i < c->mmsc_count; i++) {
        const struct config_mmsc *m = &c->mmscs[i];
        unsigned before = l->report->error_count;
        check_mmsc(l, m);
        if (config_section_find(c, CONFIG_CARRIER, str_of(m->name)))
            config_fault(l, m->place,
                         "there is a [carrier %s] already; an MMSC needs a name of its own",
                         m->name);
        for (size_t j = 0; j < i; j++)
            check_paths(l, m, &c->mmscs[j]);
        config_section_judge(l, &c->mmscs[i].section, before);
    }
    unsigned before = l->report->error_count;
    if (c->carrier_count + c->mmsc_count > CONFIG_CARRIERS_MAX)
        config_fault(l, c->mmscs[0].place,
                     "there are %zu carriers and %zu MMSCs; at most %d are possible together",
                     c->carrier_count, c->mmsc_count, CONFIG_CARRIERS_MAX);
    if (c->mmsc_count > 0)
        config_section_judge(l, &l->config->mmscs[0].section, before);
}
