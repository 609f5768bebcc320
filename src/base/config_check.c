/* Whether what was read fits together: what no single value can tell. */
#include "base/config_internal.h"
#include "base/guess.h"

#include <arpa/inet.h>
#include <strings.h>

enum { TON_MAX = 6, NPI_MAX = 18, PREFIX_DIGITS_MAX = 15, TOKEN_MIN = 16 };
#define TOKEN_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/="

/* A text, what it is called, and where it was set. */
struct setting {
    const char *value, *name, *place;
};

static void check_both_or_none(struct config_load *l, struct setting a, struct setting b)
{
    struct setting set = a.value[0] ? a : b, missing = a.value[0] ? b : a;

    if (set.value[0] && !missing.value[0])
        config_fault(l, set.place, "%s is set and %s is not; set both or none", set.name,
                     missing.name);
}

/* ---- what is missing ---- */

static void check_required(struct config_load *l, unsigned kind, const struct config_section *s)
{
    const struct config_kind *k = &config_kinds[kind];
    struct str rest = str_of(k->required);

    for (struct str key = config_list_cut(&rest); key.n; key = config_list_cut(&rest))
        for (size_t i = 0; i < k->row_count; i++)
            if (str_is(key, k->rows[i].key) && !s->texts[i][0])
                config_fault(l, s->place, "[%s %s] needs %.*s: %s", k->word, s->name, STR_FMT(key),
                             k->rows[i].help);
}

static void check_all_required(struct config_load *l)
{
    for (unsigned kind = 0; kind < CONFIG_KIND_COUNT; kind++)
        for (size_t i = 0; i < l->config->lists[kind].count; i++) {
            struct config_section *s =
                (struct config_section *)config_section_at(l->config, kind, i);
            unsigned before = l->report->error_count;
            check_required(l, kind, s);
            config_section_judge(l, s, before);
        }
}

/* Carriers without senders have nothing to send from, and the other way round. */
static void check_company(struct config_load *l)
{
    const struct config *c = l->config;

    if (l->lost)
        return;
    if (c->carrier_count + c->mmsc_count && !c->sender_count)
        config_fault(l, c->carrier_count ? c->carriers[0].place : c->mmscs[0].place,
                     "a carrier needs a sender; write a section [sender ADDRESS], such as "
                     "[sender +18005551234]");
    if (c->sender_count && !c->carrier_count && !c->mmsc_count)
        config_fault(l, c->senders[0].place,
                     "a sender needs a carrier; write a section [carrier NAME], or [mmsc NAME] for "
                     "MMS");
}

/* ---- metrics ---- */

bool config_address_is_loopback(const struct config_address *a)
{
    struct in6_addr v6;
    struct in_addr v4;

    if (inet_pton(AF_INET, a->host, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == IN_LOOPBACKNET;
    if (inet_pton(AF_INET6, a->host, &v6) == 1)
        return IN6_IS_ADDR_LOOPBACK(&v6);
    return strcasecmp(a->host, "localhost") == 0;
}

/* Whoever reads the metrics knows how much is sent, and when. */
static void check_metrics(struct config_load *l)
{
    const struct config *c = l->config;
    size_t n = strlen(c->metrics_token);

    if (c->metrics_listen.host[0] && !config_address_is_loopback(&c->metrics_listen) && n == 0)
        config_fault(l, c->origins[CONFIG_metrics_listen],
                     "metrics.listen is %s, which others can reach; set metrics.token too, or "
                     "listen on 127.0.0.1",
                     c->texts[CONFIG_metrics_listen]);
    if (n > 0 && n < TOKEN_MIN)
        config_fault(l, c->origins[CONFIG_metrics_token],
                     "metrics.token has %zu characters; it needs at least %d, so that nobody "
                     "guesses it",
                     n, TOKEN_MIN);
    if (strspn(c->metrics_token, TOKEN_CHARACTERS) != n)
        config_fault(l, c->origins[CONFIG_metrics_token],
                     "metrics.token may have letters, digits and -._~+/= only: it goes into a "
                     "header");
}

/* ---- names of carriers ---- */

static void check_carrier_name(struct config_load *l, struct str name, const char *place,
                               const char *whose)
{
    char given[CONFIG_SECTION_NAME_MAX + 2];
    struct guess guess = {.given = given};

    if (config_section_find(l->config, CONFIG_CARRIER, name) ||
        config_section_find(l->config, CONFIG_MMSC, name))
        return;
    str_format(given, sizeof given, "%.*s", STR_FMT(name));
    for (size_t i = 0; i < l->config->carrier_count; i++)
        guess_try(&guess, l->config->carriers[i].name);
    for (size_t i = 0; i < l->config->mmsc_count; i++)
        guess_try(&guess, l->config->mmscs[i].name);
    if (guess.best)
        config_fault(l, place, "%s names the carrier '%s', which is not there; did you mean '%s'?",
                     whose, given, guess.best);
    else
        config_fault(l, place,
                     "%s names the carrier '%s'; there is no section [carrier %s], nor [mmsc %s]",
                     whose, given, given, given);
}

/* ---- carriers ---- */

static bool ton_npi_good(struct str text)
{
    struct str ton = str_cut(&text, '/');
    uint64_t ton_value, npi_value;

    return str_to_u64(ton, &ton_value) && str_to_u64(text, &npi_value) && ton_value <= TON_MAX &&
           npi_value <= NPI_MAX;
}

static void check_ton_npi(struct config_load *l, const struct config_carrier *c)
{
    static const char *const keys[] = {"number_ton_npi", "name_ton_npi", "short_code_ton_npi",
                                       "recipient_ton_npi"};
    const char *const texts[] = {c->number_ton_npi, c->name_ton_npi, c->short_code_ton_npi,
                                 c->recipient_ton_npi};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!ton_npi_good(str_of(texts[i])))
            config_fault(l, config_section_origin(CONFIG_CARRIER, &c->section, keys[i]),
                         "carrier %s.%s must be TON/NPI, two numbers such as 1/1, not '%s'",
                         c->name, keys[i], texts[i]);
}

static bool number_good(struct str text)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    bool hex = str_starts(text, STR("0x"));

    text = hex ? str_skip(text, 2) : text;
    for (size_t i = 0; i < text.n; i++)
        if (!memchr(digits, text.p[i], hex ? 22 : 10))
            return false;
    return text.n > 0;
}

/* 0x45=temporary, 0x400-0x4ff=permanent:spam; what the words mean the carrier knows. */
static bool status_good(struct str text)
{
    struct str codes = str_cut(&text, '='), first = str_cut(&codes, '-');

    return text.n > 0 && number_good(first) && (!codes.p || number_good(codes));
}

static void check_statuses(struct config_load *l, const struct config_carrier *c)
{
    struct str rest = str_of(c->statuses);

    for (struct str one = config_list_cut(&rest); one.n; one = config_list_cut(&rest))
        if (!status_good(one))
            config_fault(l, config_section_origin(CONFIG_CARRIER, &c->section, "statuses"),
                         "carrier %s.statuses must be codes and their meaning, such as "
                         "0x45=temporary or 0x400-0x4ff=permanent:spam, not '%.*s'",
                         c->name, STR_FMT(one));
}

static void check_carrier_tls(struct config_load *l, const struct config_carrier *c)
{
    const struct config_section *s = &c->section;
    char certificate[CONFIG_NAME_SIZE], key[CONFIG_NAME_SIZE];

    str_format(certificate, sizeof certificate, "carrier %s.tls_certificate", c->name);
    str_format(key, sizeof key, "carrier %s.tls_key", c->name);
    check_both_or_none(
        l,
        (struct setting){c->tls_certificate, certificate,
                         config_section_origin(CONFIG_CARRIER, s, "tls_certificate")},
        (struct setting){c->tls_key, key, config_section_origin(CONFIG_CARRIER, s, "tls_key")});
    if (!c->tls && (c->tls_ca[0] || c->tls_certificate[0] || c->tls_name[0]))
        config_warn(l, c->place, "[carrier %s] has settings of TLS, but tls is off", c->name);
}

/* SMPP has room for 8; there are carriers that give longer ones, and take them. */
static void check_password(struct config_load *l, const struct config_carrier *c)
{
    enum { BY_THE_BOOK = 8 };

    if (strlen(c->password) > BY_THE_BOOK)
        config_warn(l, config_section_origin(CONFIG_CARRIER, &c->section, "password"),
                    "carrier %s.password has %zu characters; SMPP knows at most %d, so the carrier "
                    "may refuse it",
                    c->name, strlen(c->password), BY_THE_BOOK);
}

static void check_carrier(struct config_load *l, const struct config_carrier *c)
{
    check_carrier_tls(l, c);
    check_password(l, c);
    check_ton_npi(l, c);
    check_statuses(l, c);
    if (c->reconnect_min_ms > c->reconnect_max_ms)
        config_fault(l, config_section_origin(CONFIG_CARRIER, &c->section, "reconnect_min"),
                     "carrier %s.reconnect_min is longer than its reconnect_max", c->name);
}

/* ---- senders ---- */

static const char *sender_kind(const char *address)
{
    if (address[0] == '+')
        return "number";
    return strspn(address, "0123456789") == strlen(address) ? "short code" : "name";
}

/* Which types an address of this kind can have, as the words of the row's type. */
static bool type_fits(const char *address, const char *type)
{
    const char *kind = sender_kind(address);

    if (strcmp(type, "auto") == 0)
        return true;
    if (strcmp(type, "toll-free") == 0 || strcmp(type, "local") == 0)
        return strcmp(kind, "number") == 0;
    return strcmp(kind, strcmp(type, "short-code") == 0 ? "short code" : "name") == 0;
}

static bool country_good(const char *text)
{
    return !text[0] || (strlen(text) == 2 && strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 2);
}

static void check_sender(struct config_load *l, const struct config_sender *s)
{
    const char *type = s->texts[0], *carriers;
    struct str rest = str_of(s->carriers);
    char whose[CONFIG_SECTION_NAME_MAX + 16];

    if (!type_fits(s->name, type))
        config_fault(l, config_section_origin(CONFIG_SENDER, &s->section, "type"),
                     "sender %s.type is %s, but the sender is a %s", s->name, type,
                     sender_kind(s->name));
    if (!country_good(s->country))
        config_fault(l, config_section_origin(CONFIG_SENDER, &s->section, "country"),
                     "sender %s.country must be two capital letters such as GB, not '%s'", s->name,
                     s->country);
    if (strcmp(sender_kind(s->name), "short code") == 0 && !s->country[0])
        config_fault(l, s->place,
                     "[sender %s] needs country: a short code is known in one country only",
                     s->name);
    carriers = config_section_origin(CONFIG_SENDER, &s->section, "carriers");
    str_format(whose, sizeof whose, "sender %s", s->name);
    for (struct str name = config_list_cut(&rest); name.n; name = config_list_cut(&rest))
        check_carrier_name(l, name, carriers, whose);
}

/* ---- routes ---- */

static bool prefix_good(struct str text)
{
    struct str digits = text.n && text.p[0] == '+' ? str_skip(text, 1) : text;

    if (digits.n == 0 || digits.n > PREFIX_DIGITS_MAX || digits.p[0] == '0')
        return false;
    for (size_t i = 0; i < digits.n; i++)
        if (digits.p[i] < '0' || digits.p[i] > '9')
            return false;
    return true;
}

static void check_route(struct config_load *l, const struct config_route *r)
{
    struct str rest = str_of(r->prefix);
    char whose[CONFIG_SECTION_NAME_MAX + 16];

    for (struct str one = config_list_cut(&rest); one.n; one = config_list_cut(&rest))
        if (!prefix_good(one))
            config_fault(l, config_section_origin(CONFIG_ROUTE, &r->section, "prefix"),
                         "route %s.prefix must be beginnings of numbers such as +1 +44 +4915, not "
                         "'%.*s'",
                         r->name, STR_FMT(one));
    str_format(whose, sizeof whose, "route %s", r->name);
    if (r->carrier[0])
        check_carrier_name(l, str_of(r->carrier),
                           config_section_origin(CONFIG_ROUTE, &r->section, "carrier"), whose);
}

/* ---- addresses ---- */

static void check_public_url(struct config_load *l)
{
    const struct config *c = l->config;

    if (config_url_has_user(c->server_public_url))
        config_fault(l, c->origins[CONFIG_server_public_url],
                     "server.public_url must not have a name or a password before its host: "
                     "clients see it");
    else if (c->server_public_url[0] && !config_url_good(c->server_public_url))
        config_fault(l, c->origins[CONFIG_server_public_url],
                     "server.public_url must be an address such as https://sms.example.com, not "
                     "'%s'",
                     c->server_public_url);
}

/* ---- how long things are kept ---- */

/* The one must not be kept longer than the other, which it is made from. */
static void check_no_longer(struct config_load *l, size_t row, int64_t ms, size_t than,
                            int64_t than_ms)
{
    const struct config *c = l->config;
    size_t set = strcmp(c->origins[row], "default") == 0 ? than : row; /* what somebody wrote */

    if (ms > than_ms)
        config_fault(l, c->origins[set],
                     "retention.%s is %s, longer than retention.%s, which is %s; make it as long "
                     "at most, or retention.%s longer",
                     config_rows[row].key, c->texts[row], config_rows[than].key, c->texts[than],
                     config_rows[than].key);
}

static void check_retention(struct config_load *l)
{
    const struct config *c = l->config;
    int64_t messages_ms = c->retention_messages_ms;

    check_no_longer(l, CONFIG_retention_deliveries, c->retention_deliveries_ms,
                    CONFIG_retention_events, c->retention_events_ms);
    if (messages_ms == 0)
        return;
    if (messages_ms < 2 * CONFIG_DAY_MS) {
        config_fault(l, c->origins[CONFIG_retention_messages],
                     "retention.messages must be 2d at least, or 0 to keep them for ever, not '%s'",
                     c->texts[CONFIG_retention_messages]);
        return;
    }
    check_no_longer(l, CONFIG_retention_events, c->retention_events_ms, CONFIG_retention_messages,
                    messages_ms);
    check_no_longer(l, CONFIG_retention_idempotency, c->retention_idempotency_ms,
                    CONFIG_retention_messages, messages_ms);
}

void config_check(struct config_load *l)
{
    const struct config *c = l->config;

    check_both_or_none(
        l,
        (struct setting){c->tls_certificate, "tls.certificate", c->origins[CONFIG_tls_certificate]},
        (struct setting){c->tls_key, "tls.key", c->origins[CONFIG_tls_key]});
    check_metrics(l);
    check_retention(l);
    check_public_url(l);
    check_all_required(l);
    check_company(l);
    for (size_t i = 0; i < c->carrier_count; i++) {
        unsigned before = l->report->error_count;
        check_carrier(l, &c->carriers[i]);
        config_section_judge(l, &c->carriers[i].section, before);
    }
    config_check_mmscs(l);
    for (size_t i = 0; i < c->sender_count; i++) {
        unsigned before = l->report->error_count;
        check_sender(l, &c->senders[i]);
        config_section_judge(l, &c->senders[i].section, before);
    }
    for (size_t i = 0; i < c->route_count; i++) {
        unsigned before = l->report->error_count;
        check_route(l, &c->routes[i]);
        config_section_judge(l, &c->routes[i].section, before);
    }
}
