#include "net/sse.h"

static const struct str byte_order_mark = {"\xef\xbb\xbf", 3};

void sse_init(struct sse *s, size_t max, sse_callback *take, void *context)
{
    *s = (struct sse){.take = take, .context = context};
    buf_init(&s->line, max);
    buf_init(&s->data, max);
}

void sse_done(struct sse *s)
{
    buf_done(&s->line);
    buf_done(&s->data);
}

static void set_word(char out[SSE_WORD_MAX + 1], struct str value)
{
    if (value.n > SSE_WORD_MAX || (value.n && memchr(value.p, '\0', value.n)))
        return;
    if (value.n)
        memcpy(out, value.p, value.n);
    out[value.n] = '\0';
}

static void add_data(struct sse *s, struct str value)
{
    if (s->has_data)
        buf_add_char(&s->data, '\n');
    buf_add(&s->data, value);
    s->has_data = true;
}

static bool give_event(struct sse *s)
{
    struct sse_event event = {
        .id = str_of(s->id),
        .type = s->type[0] ? str_of(s->type) : STR("message"),
        .data = buf_str(&s->data),
    };
    bool wanted = !s->has_data || s->take(s->context, &event);

    buf_clear(&s->data);
    s->type[0] = '\0';
    s->has_data = false;
    return wanted;
}

/* One line without its end. An empty one ends the event; one that begins with a colon is a comment,
 * and has no name. */
static bool take_line(struct sse *s, struct str line)
{
    if (line.n == 0)
        return give_event(s);
    struct str value = line, name = str_cut(&value, ':');
    if (str_starts(value, STR(" ")))
        value = str_skip(value, 1);
    if (str_is(name, "data"))
        add_data(s, value);
    else if (str_is(name, "id"))
        set_word(s->id, value);
    else if (str_is(name, "event"))
        set_word(s->type, value);
    return true;
}

static bool end_line(struct sse *s)
{
    struct str line = buf_str(&s->line);

    if (!s->begun && str_starts(line, byte_order_mark))
        line = str_skip(line, byte_order_mark.n);
    s->begun = true;
    bool wanted = take_line(s, line);
    buf_clear(&s->line);
    return wanted;
}

/* How many bytes stand before the end of the line. */
static size_t line_length(struct str bytes)
{
    size_t n = 0;

    while (n < bytes.n && bytes.p[n] != '\n' && bytes.p[n] != '\r')
        n++;
    return n;
}

enum sse_result sse_feed(struct sse *s, struct str bytes)
{
    if (!s->take)
        return SSE_ENOUGH;
    while (bytes.n && !s->line.failed && !s->data.failed) {
        bool rest_of_end = s->after_cr && bytes.p[0] == '\n';
        s->after_cr = false;
        if (rest_of_end) {
            bytes = str_skip(bytes, 1);
            continue;
        }
        size_t n = line_length(bytes);
        buf_add(&s->line, (struct str){bytes.p, n});
        if (n == bytes.n)
            break;
        s->after_cr = bytes.p[n] == '\r';
        bytes = str_skip(bytes, n + 1);
        if (!s->line.failed && !end_line(s)) {
            s->take = NULL;
            return SSE_ENOUGH;
        }
    }
    return s->line.failed || s->data.failed ? SSE_TOO_LONG : SSE_MORE;
}
