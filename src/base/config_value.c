#include "base/config_internal.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *unit;
    int64_t ms;
} units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};

bool config_value_integer(const char *text, int64_t least, int64_t most, int64_t *ret,
                          char fault[CONFIG_FAULT_SIZE])
{
    uint64_t value;

    if (!str_to_u64(str_of(text), &value) || value > INT64_MAX || (int64_t)value < least ||
        (int64_t)value > most) {
        str_format(fault, CONFIG_FAULT_SIZE, "must be a whole number from %lld to %lld, not '%s'",
                   (long long)least, (long long)most, text);
        return false;
    }
    *ret = (int64_t)value;
    return true;
}

static bool parse_duration(const char *text, int64_t *ret_ms)
{
    size_t digits = strspn(text, "0123456789");
    uint64_t number;

    if (!str_to_u64((struct str){text, digits}, &number) || number > INT32_MAX)
        return false;
    if (number == 0 && text[digits] == '\0') {
        *ret_ms = 0;
        return true;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(text + digits, units[i].unit) == 0) {
            *ret_ms = (int64_t)number * units[i].ms;
            return true;
        }
    return false;
}

/* In the largest unit that leaves a whole number. */
static void format_duration(int64_t ms, char out[24])
{
    size_t i = sizeof units / sizeof *units - 1;

    while (i > 0 && (ms == 0 || ms % units[i].ms != 0))
        i--;
    snprintf(out, 24, "%lld%s", (long long)(ms / units[i].ms), units[i].unit);
}

static bool set_duration(int64_t *member, const struct config_row *row, const char *text,
                         char fault[CONFIG_FAULT_SIZE])
{
    char least[24], most[24];
    int64_t ms;

    if (!parse_duration(text, &ms)) {
        str_format(fault, CONFIG_FAULT_SIZE,
                   "must be a time with its unit, such as 500ms, 30s, 5m or 2h, not '%s'", text);
        return false;
    }
    if (ms < row->least || ms > row->most) {
        format_duration(row->least, least);
        format_duration(row->most, most);
        str_format(fault, CONFIG_FAULT_SIZE, "must be a time from %s to %s, not '%s'", least, most,
                   text);
        return false;
    }
    *member = ms;
    return true;
}

/* HOST:PORT with IPv6 in brackets. */
static bool parse_address(struct str text, struct config_address *ret)
{
    const char *colon = text.n ? memrchr(text.p, ':', text.n) : NULL;
    uint64_t port;

    if (!colon)
        return false;
    struct str host = {text.p, (size_t)(colon - text.p)};
    if (!str_to_u64(str_skip(text, host.n + 1), &port) || port > UINT16_MAX)
        return false;
    bool bracketed = host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']';
    if (bracketed)
        host = (struct str){host.p + 1, host.n - 2};
    bool has_colon = host.n && memchr(host.p, ':', host.n);
    if (host.n == 0 || host.n > CONFIG_HOST_MAX || has_colon != bracketed)
        return false;
    memcpy(ret->host, host.p, host.n);
    ret->host[host.n] = '\0';
    ret->port = (uint16_t)port;
    return true;
}

static bool set_address(struct config_address *member, const char *text,
                        char fault[CONFIG_FAULT_SIZE])
{
    if (parse_address(str_of(text), member))
        return true;
    str_format(fault, CONFIG_FAULT_SIZE,
               "must be HOST:PORT, such as 127.0.0.1:8443 or [::1]:8443, not '%s'", text);
    return false;
}

static bool set_word(int *member, const struct config_row *row, const char *text,
                     char fault[CONFIG_FAULT_SIZE])
{
    struct str rest = str_of(row->words);

    for (int i = 0; rest.p; i++)
        if (str_is(str_cut(&rest, ' '), text)) {
            *member = i;
            return true;
        }
    struct buf list BUF_CLEANUP;
    buf_init(&list, 1024);
    for (rest = str_of(row->words); rest.p;) {
        struct str word = str_cut(&rest, ' ');
        buf_printf(&list, "%.*s%s", STR_FMT(word), rest.p ? ", " : "");
    }
    str_format(fault, CONFIG_FAULT_SIZE, "must be one of %.*s, not '%s'", STR_FMT(buf_str(&list)),
               text);
    return false;
}

static bool set_text(struct config *c, const char **member, const char *text,
                     char fault[CONFIG_FAULT_SIZE])
{
    struct str copy = arena_copy(&c->memory, str_of(text));

    if (copy.p)
        *member = copy.p;
    else
        str_format(fault, CONFIG_FAULT_SIZE, "does not fit into memory");
    return copy.p != NULL;
}

static bool set_path(struct config *c, const char **member, const char *text,
                     char fault[CONFIG_FAULT_SIZE])
{
    if (text[0] != '~')
        return set_text(c, member, text, fault);
    str_format(fault, CONFIG_FAULT_SIZE, "must be a whole path; ~ is not understood here: '%s'",
               text);
    return false;
}

bool config_value_set(struct config *c, const struct config_row *row, const char *text,
                      char fault[CONFIG_FAULT_SIZE])
{
    void *member = (char *)c + row->offset;

    switch (row->type) {
    case CONFIG_ADDRESS:
        return set_address(member, text, fault);
    case CONFIG_PATH:
        return set_path(c, member, text, fault);
    case CONFIG_TEXT:
        return set_text(c, member, text, fault);
    case CONFIG_INTEGER:
        return config_value_integer(text, row->least, row->most, member, fault);
    case CONFIG_DURATION:
        return set_duration(member, row, text, fault);
    case CONFIG_WORD:
        return set_word(member, row, text, fault);
    }
    abort();
}
