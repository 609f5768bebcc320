#include "net/http_head.h"

#include <string.h>

static const char end_mark[] = "\r\n\r\n";

size_t http_head_size(struct str bytes, size_t *scanned)
{
    size_t from = *scanned > 3 ? *scanned - 3 : 0;
    const char *end = bytes.n > from ? memmem(bytes.p + from, bytes.n - from, end_mark, 4) : NULL;

    *scanned = bytes.n;
    return end ? (size_t)(end - bytes.p) + 4 : 0;
}

bool http_head_is_bare(struct str bytes)
{
    return bytes.n && memmem(bytes.p, bytes.n, "\n\n", 2);
}

/* RFC 9110: tchar. */
static bool is_token(struct str s)
{
    if (s.n == 0)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z', digit = c >= '0' && c <= '9';
        if (!letter && !digit && (c == 0 || !strchr("!#$%&'*+-.^_`|~", c)))
            return false;
    }
    return true;
}

/* Up to the next line end, which is taken off; a bare CR or LF inside is left to be refused. */
static struct str next_line(struct str *rest)
{
    const char *end = memmem(rest->p, rest->n, "\r\n", 2);
    struct str line = {rest->p, (size_t)(end - rest->p)};

    *rest = str_skip(*rest, line.n + 2);
    return line;
}

static const char *parse_target(struct str target, struct http_head *h)
{
    if (target.n == 0)
        return "the request line has no target";
    for (size_t i = 0; i < target.n; i++)
        if ((unsigned char)target.p[i] <= ' ' || (unsigned char)target.p[i] >= 0x7f)
            return "the target holds characters that must be percent-encoded";
    /* A proxy's form: the scheme and the host are not ours to look at. */
    bool tls = str_starts_nocase(target, STR("https://"));
    if (tls || str_starts_nocase(target, STR("http://"))) {
        target = str_skip(target, tls ? 8 : 7);
        while (target.n && target.p[0] != '/' && target.p[0] != '?')
            target = str_skip(target, 1);
    }
    h->path = str_cut(&target, '?');
    h->query = target;
    if (h->path.n == 0)
        h->path = STR("/");
    return NULL;
}

static const char *parse_request_line(struct str line, struct http_head *h)
{
    h->method = str_cut(&line, ' ');
    struct str target = str_cut(&line, ' ');
    if (!is_token(h->method))
        return "the request line does not begin with a method";
    h->old = str_is(line, "HTTP/1.0");
    if (!h->old && !str_is(line, "HTTP/1.1"))
        return "the request line does not end with HTTP/1.1";
    h->keep_alive = !h->old;
    return parse_target(target, h);
}

static bool is_control(char c)
{
    return ((unsigned char)c < ' ' && c != '\t') || c == 0x7f;
}

static const char *parse_field(struct str line, struct http_head *h)
{
    if (h->field_count == HTTP_FIELDS_MAX)
        return "there are more than 64 header fields";
    if (!memchr(line.p, ':', line.n))
        return "a header line has no colon";
    struct http_field *f = &h->fields[h->field_count++];
    f->name = str_cut(&line, ':');
    if (!is_token(f->name))
        return "the name of a header field is not a word";
    /* Before trimming, which takes bare line ends for space. */
    for (size_t i = 0; i < line.n; i++)
        if (is_control(line.p[i]))
            return "a header field holds control characters";
    f->value = str_trim(line);
    return NULL;
}

static const char *note_length(struct http_head *h, struct str value)
{
    uint64_t length;

    if (!str_to_u64(value, &length))
        return "Content-Length is not a number";
    if (h->has_length)
        return "there are two Content-Length fields";
    h->has_length = true;
    h->content_length = length;
    return NULL;
}

/* "close", "keep-alive, Upgrade": whether one word is in a list. */
static bool lists(struct str value, struct str word)
{
    while (value.p)
        if (str_eq_nocase(str_trim(str_cut(&value, ',')), word))
            return true;
    return false;
}

static const char *note_field(struct http_head *h, const struct http_field *f)
{
    switch (f->name.n) {
    case 4:
        if (str_eq_nocase(f->name, STR("Host"))) {
            if (h->has_host)
                return "there are two Host fields";
            h->has_host = true;
        }
        break;
    case 6:
        if (str_eq_nocase(f->name, STR("Expect")))
            h->expects_continue = !h->old && str_eq_nocase(f->value, STR("100-continue"));
        break;
    case 10:
        if (str_eq_nocase(f->name, STR("Connection"))) {
            h->closes = h->closes || lists(f->value, STR("close"));
            h->keep_alive = h->keep_alive || lists(f->value, STR("keep-alive"));
        }
        break;
    case 14:
        if (str_eq_nocase(f->name, STR("Content-Length")))
            return note_length(h, f->value);
        break;
    case 17:
        if (str_eq_nocase(f->name, STR("Transfer-Encoding"))) {
            if (h->chunked || !str_eq_nocase(f->value, STR("chunked")))
                return "the only Transfer-Encoding understood is chunked";
            if (h->old)
                return "HTTP/1.0 has no Transfer-Encoding";
            h->chunked = true;
        }
        break;
    default:
        break;
    }
    return NULL;
}

const char *http_head_parse(struct str bytes, struct http_head *ret)
{
    bytes.n -= 2; /* the empty line */
    ret->field_count = 0;
    ret->content_length = 0;
    ret->has_length = ret->chunked = ret->keep_alive = ret->expects_continue = false;
    ret->has_host = ret->closes = ret->old = false;
    const char *fault = parse_request_line(next_line(&bytes), ret);
    while (!fault && bytes.n) {
        fault = parse_field(next_line(&bytes), ret);
        if (!fault)
            fault = note_field(ret, &ret->fields[ret->field_count - 1]);
    }
    if (!fault && ret->chunked && ret->has_length)
        fault = "there are both Content-Length and Transfer-Encoding";
    ret->keep_alive = ret->keep_alive && !ret->closes;
    return fault;
}

struct str http_head_field(const struct http_head *h, const char *name)
{
    size_t n = strlen(name);

    for (size_t i = 0; i < h->field_count; i++)
        if (h->fields[i].name.n == n && str_eq_nocase(h->fields[i].name, (struct str){name, n}))
            return h->fields[i].value.p ? h->fields[i].value : STR("");
    return (struct str){NULL, 0};
}
