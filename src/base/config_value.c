#include "base/amount.h"
#include "base/config_internal.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *unit;
    int64_t ms;
} units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};

static bool set_integer(int64_t *member, const struct config_row *row, const char *text,
                        char fault[CONFIG_FAULT_SIZE])
{
    int64_t value;

    if (!str_to_i64(str_of(text), &value) || value < row->least || value > row->most) {
        str_format(fault, CONFIG_FAULT_SIZE, "must be a whole number from %lld to %lld, not '%s'",
                   (long long)row->least, (long long)row->most, text);
        return false;
    }
    *member = value;
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

static bool set_address(struct config_address *member, const struct config_row *row,
                        const char *text, char fault[CONFIG_FAULT_SIZE])
{
    struct config_address address;

    if (row->words && strcmp(text, row->words) == 0) {
        *member = (struct config_address){.port = 0};
        return true;
    }
    if (!parse_address(str_of(text), &address)) {
        str_format(fault, CONFIG_FAULT_SIZE, "must be HOST:PORT, such as %s%s%s, not '%s'",
                   row->least ? "smpp.example.com:2775" : "127.0.0.1:8443 or [::1]:8443",
                   row->words ? ", or " : "", row->words ? row->words : "", text);
        return false;
    }
    if (address.port < row->least) {
        str_format(fault, CONFIG_FAULT_SIZE, "must have a port from %lld to 65535, not '%s'",
                   (long long)row->least, text);
        return false;
    }
    *member = address;
    return true;
}

static bool set_money(int64_t *member, const char *text, char fault[CONFIG_FAULT_SIZE])
{
    int64_t micros;

    if (!amount_parse(str_of(text), &micros) || micros < 0) {
        str_format(fault, CONFIG_FAULT_SIZE,
                   "must be an amount such as 0.0045, with at most 6 decimals, not '%s'", text);
        return false;
    }
    *member = micros;
    return true;
}

/* Where a word stands in the row's list; -1 when it is not there, and `fault` says so. */
static int word_index(const struct config_row *row, struct str word, char fault[CONFIG_FAULT_SIZE])
{
    struct str rest = str_of(row->words);

    for (int i = 0; rest.p; i++)
        if (str_eq(str_cut(&rest, ' '), word))
            return i;
    struct buf list BUF_CLEANUP;
    buf_init(&list, 1024);
    for (rest = str_of(row->words); rest.p;) {
        struct str known = str_cut(&rest, ' ');
        buf_printf(&list, "%.*s%s", STR_FMT(known), rest.p ? ", " : "");
    }
    str_format(fault, CONFIG_FAULT_SIZE, "must be %s %.*s, not '%.*s'",
               row->type == CONFIG_WORDS ? "some of" : "one of", STR_FMT(buf_str(&list)),
               STR_FMT(word));
    return -1;
}

static bool set_word(int *member, const struct config_row *row, const char *text,
                     char fault[CONFIG_FAULT_SIZE])
{
    int index = word_index(row, str_of(text), fault);

    if (index >= 0)
        *member = index;
    return index >= 0;
}

static bool set_words(uint32_t *member, const struct config_row *row, const char *text,
                      char fault[CONFIG_FAULT_SIZE])
{
    struct str rest = str_of(text);
    uint32_t bits = 0;

    for (struct str word = config_list_cut(&rest); word.n; word = config_list_cut(&rest)) {
        int index = word_index(row, word, fault);
        if (index < 0)
            return false;
        bits |= UINT32_C(1) << index;
    }
    if (!bits && row->least)
        return word_index(row, STR(""), fault) >= 0;
    *member = bits;
    return true;
}

/* What is too long is not shown: it may be a secret. */
static bool set_text(struct arena *memory, const char **member, const struct config_row *row,
                     const char *text, char fault[CONFIG_FAULT_SIZE])
{
    if (row->most && strlen(text) > (size_t)row->most) {
        str_format(fault, CONFIG_FAULT_SIZE, "has %zu characters; at most %lld are allowed",
                   strlen(text), (long long)row->most);
        return false;
    }
    struct str copy = arena_copy(memory, str_of(text));
    if (copy.p)
        *member = copy.p;
    else
        str_format(fault, CONFIG_FAULT_SIZE, "does not fit into memory");
    return copy.p != NULL;
}

static bool set_path(struct arena *memory, const char **member, const struct config_row *row,
                     const char *text, char fault[CONFIG_FAULT_SIZE])
{
    if (text[0] != '~')
        return set_text(memory, member, row, text, fault);
    str_format(fault, CONFIG_FAULT_SIZE, "must be a whole path; ~ is not understood here: '%s'",
               text);
    return false;
}

bool config_value_set(struct arena *memory, void *object, const struct config_row *row,
                      const char *text, char fault[CONFIG_FAULT_SIZE])
{
    void *member = (char *)object + row->offset;

    switch (row->type) {
    case CONFIG_ADDRESS:
        return set_address(member, row, text, fault);
    case CONFIG_PATH:
        return set_path(memory, member, row, text, fault);
    case CONFIG_TEXT:
    case CONFIG_SECRET:
        return set_text(memory, member, row, text, fault);
    case CONFIG_INTEGER:
        return set_integer(member, row, text, fault);
    case CONFIG_DURATION:
        return set_duration(member, row, text, fault);
    case CONFIG_MONEY:
        return set_money(member, text, fault);
    case CONFIG_WORD:
        return set_word(member, row, text, fault);
    case CONFIG_WORDS:
        return set_words(member, row, text, fault);
    }
    abort();
}
