#include "cli/raw_request.h"

#include <stddef.h>

/* The headers that count, and where they go. */
static const struct {
    struct str name;
    size_t offset;
} known[] = {
#define KNOWN(name, member)                                                                        \
    {                                                                                              \
        {name, sizeof name - 1}, offsetof(struct raw_request, member)                              \
    }
    KNOWN("X-Service-Signature", signature),  KNOWN("webhook-id", webhook_id),
    KNOWN("webhook-timestamp", webhook_time), KNOWN("webhook-signature", webhook_signature),
    KNOWN("Content-Length", content_length),
#undef KNOWN
};

static struct str *place_of(struct raw_request *r, struct str name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_eq_nocase(name, known[i].name))
            return (struct str *)((char *)r + known[i].offset);
    return NULL;
}

static struct str without_cr(struct str line)
{
    return line.n && line.p[line.n - 1] == '\r' ? (struct str){line.p, line.n - 1} : line;
}

/* "POST /hook HTTP/1.1": no name of a header has a space in it, and every header has a colon. */
static bool is_request_line(struct str line)
{
    struct str rest = line, name = str_cut(&rest, ':');

    return !rest.p || memchr(name.p, ' ', name.n);
}

static enum raw_request_fault take_header(struct raw_request *r, struct str line)
{
    struct str value = line, name = str_cut(&value, ':');

    if (!value.p || name.n == 0 || memchr(name.p, ' ', name.n) || memchr(name.p, '\t', name.n))
        return RAW_REQUEST_NO_HEADER;
    if (str_eq_nocase(name, STR("Transfer-Encoding")))
        return RAW_REQUEST_CHUNKED;
    struct str *place = place_of(r, name);
    if (place && place->p)
        return RAW_REQUEST_TWICE;
    if (place)
        *place = str_trim(value);
    return RAW_REQUEST_GOOD;
}

enum raw_request_fault raw_request_parse(struct str text, struct raw_request *ret, size_t *ret_line)
{
    struct raw_request r = {.body = {NULL, 0}};
    enum raw_request_fault fault = RAW_REQUEST_GOOD;
    struct str rest = text;

    for (*ret_line = 1; rest.p; ++*ret_line) {
        struct str line = str_cut(&rest, '\n');
        if (!rest.p)
            break; /* no line end: the text stops inside the headers */
        line = without_cr(line);
        if (line.n == 0) {
            r.body = rest;
            *ret = r;
            return RAW_REQUEST_GOOD;
        }
        if (*ret_line > 1 || !is_request_line(line))
            fault = take_header(&r, line);
        if (fault != RAW_REQUEST_GOOD)
            return fault;
    }
    return RAW_REQUEST_NO_BODY;
}
