#include "net/address_guard.h"

#include "net/address_range.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>

enum { HOST_MAX = 255, MAPPED_AT = 12 };

/* The first range that holds an address says what it is; NULL: public. From IANA's registries of
 * special-purpose addresses, and what clouds use besides. */
static const struct known_range {
    const char *range, *what;
} known_ranges[] = {
    {"0.0.0.0/8", "an address of \"this network\""},
    {"10.0.0.0/8", "a private address"},
    {"100.64.0.0/10", "an address behind a provider's shared address"},
    {"127.0.0.0/8", "a loopback address"},
    {"168.63.129.16", "the address of a cloud's own services"},
    {"169.254.169.254", "the address of a cloud's metadata service"},
    {"169.254.0.0/16", "a link-local address"},
    {"172.16.0.0/12", "a private address"},
    {"192.0.0.0/24", "an address kept for protocols"},
    {"192.0.2.0/24", "an address for documentation"},
    {"192.88.99.0/24", "an address of the old 6to4 relays"},
    {"192.168.0.0/16", "a private address"},
    {"198.18.0.0/15", "an address for benchmarks"},
    {"198.51.100.0/24", "an address for documentation"},
    {"203.0.113.0/24", "an address for documentation"},
    {"224.0.0.0/4", "a multicast address"},
    {"255.255.255.255", "the broadcast address"},
    {"240.0.0.0/4", "a reserved address"},
    {"0.0.0.0/0", NULL},

    {"::", "the unspecified address"},
    {"::1", "a loopback address"},
    {"::ffff:0:0/96", "an IPv4 address in the form of an IPv6 address (mapped)"},
    {"::ffff:0:0:0/96", "an IPv4 address in the form of an IPv6 address (translated)"},
    {"::/96", "an IPv4 address in the form of an IPv6 address (compatible)"},
    {"64:ff9b::/96", "an IPv4 address in the form of an IPv6 address (NAT64)"},
    {"64:ff9b:1::/48", "an IPv4 address in the form of an IPv6 address (NAT64)"},
    {"100::/64", "an address that swallows everything"},
    {"2001::/32", "an IPv4 address in the form of an IPv6 address (Teredo)"},
    {"2001:2::/48", "an address for benchmarks"},
    {"2001::/23", "an address kept for protocols"},
    {"2001:db8::/32", "an address for documentation"},
    {"2002::/16", "an IPv4 address in the form of an IPv6 address (6to4)"},
    {"3fff::/20", "an address for documentation"},
    {"fd00:ec2::254", "the address of a cloud's metadata service"},
    {"fc00::/7", "a private address"},
    {"fe80::/10", "a link-local address"},
    {"fec0::/10", "a site-local address"},
    {"ff00::/8", "a multicast address"},
    {"2000::/3", NULL},
    {"::/0", "a reserved address"},
};
enum { KNOWN_COUNT = sizeof known_ranges / sizeof *known_ranges };

/* What this machine calls itself, in the hosts files of the usual systems. */
static const char *const local_names[] = {
    "localhost",  "localhost.localdomain",   "localhost4",    "localhost4.localdomain4",
    "localhost6", "localhost6.localdomain6", "ip6-localhost", "ip6-loopback",
};

struct address_guard {
    struct address_range known[KNOWN_COUNT];
    struct address_range *allowed;
    size_t allowed_count;
    bool localhost;
};

/* An address without what surrounds it. */
struct address {
    int family;
    unsigned char bytes[16];
};

/* ---- life ---- */

static int parse_allowed(struct address_guard *g, struct str text, char why[ADDRESS_WHY_SIZE])
{
    static const char separators[] = " \t,";

    g->allowed = calloc(text.n / 2 + 1, sizeof *g->allowed);
    if (!g->allowed)
        return -ENOMEM;
    while (text.n) {
        size_t n = 0;
        while (n < text.n && !memchr(separators, text.p[n], sizeof separators - 1))
            n++;
        struct str part = {text.p, n};
        const char *fault = n ? address_range_parse(part, &g->allowed[g->allowed_count]) : NULL;
        if (fault) {
            str_format(why, ADDRESS_WHY_SIZE, "'%.*s' %s", part.n > 48 ? 48 : (int)part.n, part.p,
                       fault);
            return -EINVAL;
        }
        g->allowed_count += n > 0;
        text = str_skip(text, n + 1);
    }
    return 0;
}

int address_guard_new(struct address_guard **ret, const struct address_guard_options *options,
                      char why[ADDRESS_WHY_SIZE])
{
    struct address_guard *g = calloc(1, sizeof *g);

    str_format(why, ADDRESS_WHY_SIZE, "memory is short");
    if (!g)
        return -ENOMEM;
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        const char *fault = address_range_parse(str_of(known_ranges[i].range), &g->known[i]);
        assert(!fault);
    }
    g->localhost = options->allow_localhost;
    int failed = parse_allowed(g, str_of(options->allow), why);
    if (failed) {
        address_guard_free(g);
        return failed;
    }
    why[0] = '\0';
    *ret = g;
    return 0;
}

void address_guard_free(struct address_guard *g)
{
    if (!g)
        return;
    free(g->allowed);
    free(g);
}

/* ---- addresses ---- */

/* The IPv4 address that a mapped one means: the same machine is reached by both. */
static struct address unmapped(const struct address *a)
{
    static const unsigned char mapped[MAPPED_AT] = {[10] = 0xff, [11] = 0xff};
    struct address inner = {.family = AF_INET};

    if (a->family != AF_INET6 || memcmp(a->bytes, mapped, sizeof mapped) != 0)
        return *a;
    memcpy(inner.bytes, a->bytes + MAPPED_AT, 4);
    return inner;
}

static bool is_loopback(const struct address *a)
{
    static const unsigned char six[16] = {[15] = 1};

    return a->family == AF_INET ? a->bytes[0] == 127 : memcmp(a->bytes, six, sizeof six) == 0;
}

static bool let_through(const struct address_guard *g, const struct address *a)
{
    struct address inner = unmapped(a);

    if (g->localhost && is_loopback(&inner))
        return true;
    for (size_t i = 0; i < g->allowed_count; i++)
        if (address_range_holds(&g->allowed[i], a->family, a->bytes) ||
            address_range_holds(&g->allowed[i], inner.family, inner.bytes))
            return true;
    return false;
}

/* What speaks against it, or NULL. */
static const char *special(const struct address_guard *g, const struct address *a)
{
    for (size_t i = 0; i < KNOWN_COUNT; i++)
        if (address_range_holds(&g->known[i], a->family, a->bytes))
            return known_ranges[i].what;
    return "no address of the internet";
}

static bool judge(const struct address_guard *g, const struct address *a,
                  char why[ADDRESS_WHY_SIZE])
{
    char text[INET6_ADDRSTRLEN] = "it";
    const char *what = let_through(g, a) ? NULL : special(g, a);

    why[0] = '\0';
    if (!what)
        return true;
    inet_ntop(a->family, a->bytes, text, sizeof text);
    str_format(why, ADDRESS_WHY_SIZE, "%s is %s", text, what);
    return false;
}

static struct address address_of(const struct sockaddr *from)
{
    struct address a = {.family = from->sa_family};

    if (a.family == AF_INET)
        memcpy(a.bytes, &((const struct sockaddr_in *)(const void *)from)->sin_addr, 4);
    else if (a.family == AF_INET6)
        memcpy(a.bytes, &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr, 16);
    return a;
}

bool address_guard_allows(const struct address_guard *g, const struct sockaddr *address,
                          char why[ADDRESS_WHY_SIZE])
{
    struct address a = address_of(address);
    return judge(g, &a, why);
}

/* ---- hosts of URLs ---- */

enum host_kind { HOST_NAME, HOST_LOCAL, HOST_ADDRESS, HOST_BROKEN };

static bool is_local_name(struct str name)
{
    static const char suffix[] = ".localhost";

    for (size_t i = 0; i < sizeof local_names / sizeof *local_names; i++)
        if (str_eq_nocase(name, str_of(local_names[i])))
            return true;
    return name.n >= sizeof suffix - 1 &&
           str_eq_nocase(str_skip(name, name.n - (sizeof suffix - 1)), str_of(suffix));
}

/* With or without brackets, with or without a zone ("fe80::1%eth0"). */
static bool parse_six(struct str host, struct address *ret)
{
    char copy[INET6_ADDRSTRLEN];

    if (host.n >= 2 && host.p[0] == '[' && host.p[host.n - 1] == ']')
        host = (struct str){host.p + 1, host.n - 2};
    host = str_cut(&host, '%');
    str_format(copy, sizeof copy, "%.*s", STR_FMT(host));
    ret->family = AF_INET6;
    return host.n < sizeof copy && inet_pton(AF_INET6, copy, ret->bytes) == 1;
}

/* As resolvers read it: one to four numbers, each decimal, octal or hexadecimal. */
static bool parse_four(const char *host, struct address *ret)
{
    struct in_addr four;

    if (!inet_aton(host, &four))
        return false;
    ret->family = AF_INET;
    memcpy(ret->bytes, &four, sizeof four);
    return true;
}

static enum host_kind understand(struct str host, struct address *ret)
{
    char copy[HOST_MAX + 1];

    while (host.n && host.p[host.n - 1] == '.')
        host.n--;
    if (host.n == 0 || host.n > HOST_MAX || memchr(host.p, '\0', host.n))
        return HOST_BROKEN;
    if (memchr(host.p, ':', host.n) || host.p[0] == '[')
        return parse_six(host, ret) ? HOST_ADDRESS : HOST_BROKEN;
    if (is_local_name(host))
        return HOST_LOCAL;
    str_format(copy, sizeof copy, "%.*s", STR_FMT(host));
    return parse_four(copy, ret) ? HOST_ADDRESS : HOST_NAME;
}

/* Whichever of the two the name then means is judged when it is connected to. */
static bool local_let_through(const struct address_guard *g)
{
    static const struct address four = {AF_INET, {127, 0, 0, 1}}, six = {AF_INET6, {[15] = 1}};

    return let_through(g, &four) || let_through(g, &six);
}

bool address_guard_allows_host(const struct address_guard *g, struct str host,
                               char why[ADDRESS_WHY_SIZE])
{
    struct address a = {.family = AF_UNSPEC};

    why[0] = '\0';
    switch (understand(host, &a)) {
    case HOST_NAME:
        return true;
    case HOST_ADDRESS:
        return judge(g, &a, why);
    case HOST_LOCAL:
        if (local_let_through(g))
            return true;
        str_format(why, ADDRESS_WHY_SIZE, "localhost is this machine itself");
        return false;
    case HOST_BROKEN:
        str_format(why, ADDRESS_WHY_SIZE, "the host is neither a name nor an address");
        return false;
    }
    return false;
}

bool address_guard_allows_plain(const struct address_guard *g, struct str host)
{
    struct address a = {.family = AF_UNSPEC};
    enum host_kind kind = understand(host, &a);
    struct address inner = unmapped(&a);

    return g->localhost && (kind == HOST_LOCAL || (kind == HOST_ADDRESS && is_loopback(&inner)));
}
