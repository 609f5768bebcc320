#include "messaging/https_url.h"

#include "base/utf8.h"

#include <ctype.h>

/* Space and everything below, and DEL: nothing an address may contain, and a line break would
 * also break the list in which addresses are kept. */
static bool has_space_or_control(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c <= 0x20 || c == 0x7f)
            return true;
    }
    return false;
}

/* What stands behind the scheme; p == NULL when it is none of the web. */
static struct str behind_scheme(struct str url)
{
    static const struct str schemes[] = {{"https://", 8}, {"http://", 7}};

    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (str_starts_nocase(url, schemes[i]))
            return str_skip(url, schemes[i].n);
    return (struct str){NULL, 0};
}

/* Host and port, behind user and password. Some take a backslash for the end of it and some for a
 * part: no two readers must see two hosts, so with one there is none. */
static struct str authority_of(struct str url)
{
    struct str rest = behind_scheme(url);

    for (size_t i = 0; i < rest.n; i++)
        if (strchr("/?#", rest.p[i]))
            rest.n = i;
    if (rest.n && memchr(rest.p, '\\', rest.n))
        return (struct str){NULL, 0};
    const char *at = rest.n ? memrchr(rest.p, '@', rest.n) : NULL;
    return at ? str_skip(rest, (size_t)(at - rest.p) + 1) : rest;
}

static bool port_valid(struct str port)
{
    uint64_t value;

    return port.n == 0 || (port.n <= 5 && str_to_u64(port, &value) && value > 0 && value < 65536);
}

/* An address in brackets, as of IPv6. */
static bool bracketed_valid(struct str authority)
{
    struct str rest = str_skip(authority, 1);
    struct str host = str_cut(&rest, ']');

    if (!rest.p || host.n < 2)
        return false;
    for (size_t i = 0; i < host.n; i++)
        if (!strchr("0123456789abcdefABCDEF:.", host.p[i]))
            return false;
    return rest.n == 0 || (rest.p[0] == ':' && port_valid(str_skip(rest, 1)));
}

static bool is_host_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
           c == '.' || c == '_' || (unsigned char)c >= 0x80;
}

static bool host_valid(struct str host)
{
    if (host.n == 0 || host.p[0] == '.' || host.p[0] == '-')
        return false;
    for (size_t i = 0; i < host.n; i++)
        if (!is_host_char(host.p[i]))
            return false;
    return true;
}

static const char *authority_fault(struct str authority)
{
    static const char *const no_host = "must name a host after //.";

    if (authority.n > 0 && authority.p[0] == '[')
        return bracketed_valid(authority) ? NULL : no_host;
    struct str host = str_cut(&authority, ':');
    if (!host_valid(host))
        return no_host;
    return port_valid(authority) ? NULL : "must have a port from 1 to 65535 behind its host.";
}

bool url_has_user(struct str url)
{
    struct str rest = behind_scheme(url), authority = authority_of(url);

    return authority.p != rest.p;
}

struct str url_host(struct str url)
{
    struct str authority = authority_of(url);

    if (authority.n == 0 || authority.p[0] != '[')
        return str_cut(&authority, ':');
    struct str inside = str_cut(&authority, ']');
    return (struct str){inside.p, inside.n + 1};
}

const char *http_url_fault(struct str url)
{
    if (!behind_scheme(url).p)
        return "must start with http:// or https://.";
    if (!utf8_valid(url))
        return "is not valid UTF-8.";
    if (utf8_length(url) > HTTPS_URL_MAX)
        return "is longer than 2048 characters.";
    if (has_space_or_control(url))
        return "must not contain spaces or control characters; percent-encode them.";
    return authority_fault(authority_of(url));
}

const char *https_url_fault(struct str url)
{
    return str_starts_nocase(url, STR("https://")) ? http_url_fault(url)
                                                   : "must start with https://.";
}

uint32_t url_host_hash(struct str url)
{
    struct str host = url_host(url);
    uint32_t hash = 2166136261;

    if (host.n && host.p[host.n - 1] == '.')
        host.n--;
    for (size_t i = 0; i < host.n; i++)
        hash = (hash ^ (unsigned char)tolower((unsigned char)host.p[i])) * 16777619;
    return hash;
}
