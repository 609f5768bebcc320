#include "json/write.h"

#include "base/amount.h"
#include "base/clock.h"

#include <assert.h>

void json_writer_init(struct json_writer *w, struct buf *out)
{
    *w = (struct json_writer){.out = out};
}

static void before_value(struct json_writer *w)
{
    if (w->comma)
        buf_add_char(w->out, ',');
    w->comma = true;
}

static void begin(struct json_writer *w, char bracket, bool array)
{
    assert(w->depth < JSON_DEPTH_MAX);
    before_value(w);
    buf_add_char(w->out, bracket);
    w->arrays = w->arrays << 1 | array;
    w->depth++;
    w->comma = false;
}

void json_begin_object(struct json_writer *w)
{
    begin(w, '{', false);
}

void json_begin_array(struct json_writer *w)
{
    begin(w, '[', true);
}

void json_end(struct json_writer *w)
{
    assert(w->depth > 0);
    buf_add_char(w->out, w->arrays & 1 ? ']' : '}');
    w->arrays >>= 1;
    w->depth--;
    w->comma = true;
}

static bool needs_escape(unsigned char c)
{
    return c < 0x20 || c == '"' || c == '\\';
}

static void add_escape(struct buf *b, unsigned char c)
{
    static const char letters[0x20] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};

    if (c >= 0x20 || letters[c])
        buf_add(b, (struct str){(char[]){'\\', c >= 0x20 ? (char)c : letters[c]}, 2});
    else
        buf_printf(b, "\\u%04x", c);
}

/* A text that needs no escapes; nearly all do not. */
static void put_plain(struct json_writer *w, struct str text)
{
    char *at = buf_reserve(w->out, text.n + 3);

    if (!at)
        return;
    if (w->comma)
        *at++ = ',';
    *at++ = '"';
    if (text.n)
        memcpy(at, text.p, text.n);
    at[text.n] = '"';
    w->out->n = (size_t)(at + text.n + 1 - w->out->p);
    w->comma = true;
}

void json_put_name(struct json_writer *w, struct str name)
{
    char *at = buf_reserve(w->out, name.n + 4);

    if (!at)
        return;
    if (w->comma)
        *at++ = ',';
    *at++ = '"';
    memcpy(at, name.p, name.n);
    memcpy(at + name.n, "\":", 2);
    w->out->n = (size_t)(at + name.n + 2 - w->out->p);
    w->comma = false;
}

/* Whether one of eight bytes needs an escape. */
static bool eight_need_escape(const char *p)
{
    const uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
    uint64_t x, quote, slash;

    memcpy(&x, p, sizeof x);
    quote = x ^ ones * '"';
    slash = x ^ ones * '\\';
    return (((x - ones * 0x20) & ~x) | ((quote - ones) & ~quote) | ((slash - ones) & ~slash)) &
           highs;
}

/* How much of its front needs no escape. */
static size_t plain_length(struct str text)
{
    size_t n = 0;

    while (n + 8 <= text.n && !eight_need_escape(text.p + n))
        n += 8;
    while (n < text.n && !needs_escape((unsigned char)text.p[n]))
        n++;
    return n;
}

void json_put_string(struct json_writer *w, struct str text)
{
    size_t plain = plain_length(text);

    if (plain == text.n) {
        put_plain(w, text);
        return;
    }
    before_value(w);
    buf_add_char(w->out, '"');
    while (text.n) {
        buf_add(w->out, (struct str){text.p, plain});
        text = str_skip(text, plain);
        if (text.n)
            add_escape(w->out, (unsigned char)text.p[0]);
        text = str_skip(text, 1);
        plain = plain_length(text);
    }
    buf_add_char(w->out, '"');
}

void json_put_i64(struct json_writer *w, int64_t value)
{
    before_value(w);
    buf_add_i64(w->out, value);
}

void json_put_raw(struct json_writer *w, struct str json)
{
    before_value(w);
    buf_add(w->out, json);
}

void json_put_bool(struct json_writer *w, bool value)
{
    json_put_raw(w, value ? STR("true") : STR("false"));
}

void json_put_null(struct json_writer *w)
{
    json_put_raw(w, STR("null"));
}

void json_put_micros(struct json_writer *w, int64_t micros)
{
    char text[AMOUNT_SIZE];

    before_value(w);
    buf_text(w->out, amount_text(micros, text));
}

void json_put_time(struct json_writer *w, int64_t unix_us)
{
    char text[RFC3339_SIZE];

    if (unix_us == 0) {
        json_put_null(w);
        return;
    }
    rfc3339_format(unix_us, text);
    put_plain(w, (struct str){text, RFC3339_SIZE - 1});
}

void json_member_text(struct json_writer *w, const char *name, struct str text)
{
    json_key(w, name);
    json_put_string(w, text);
}

void json_member_word(struct json_writer *w, const char *name, const char *word)
{
    json_key(w, name);
    if (word)
        json_put_string(w, str_of(word));
    else
        json_put_null(w);
}

void json_member_i64(struct json_writer *w, const char *name, int64_t value)
{
    json_key(w, name);
    json_put_i64(w, value);
}

void json_member_bool(struct json_writer *w, const char *name, bool value)
{
    json_key(w, name);
    json_put_bool(w, value);
}

void json_member_time(struct json_writer *w, const char *name, int64_t unix_us)
{
    json_key(w, name);
    json_put_time(w, unix_us);
}
