#include "base/log.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

/* Enough for a text of control characters, each escaped. */
enum { TEXT_MAX_BYTES = 1024, LINE_MAX_BYTES = 8192 };

/* They change while others log: the configuration can be read again. */
static _Atomic enum log_level least_level = LOG_INFO;
static _Atomic bool as_json;

static const char *const level_names[] = {"debug", "info", "warning", "error"};

void log_init(enum log_level least, bool json)
{
    atomic_store_explicit(&least_level, least, memory_order_relaxed);
    atomic_store_explicit(&as_json, json, memory_order_relaxed);
}

bool log_wants(enum log_level level)
{
    return level >= atomic_load_explicit(&least_level, memory_order_relaxed);
}

/* One character, or one byte that is no UTF-8 and would make the line no JSON. */
static struct str next_character(struct str *text)
{
    unsigned bytes = 1;
    struct str character = {text->p, 1};

    if (utf8_decode(*text, &bytes) < 0)
        character = STR("\xef\xbf\xbd"); /* U+FFFD */
    else
        character.n = bytes;
    *text = str_skip(*text, character.p == text->p ? bytes : 1);
    return character;
}

static void add_json_text(struct buf *b, struct str text)
{
    while (text.n) {
        struct str c = next_character(&text);
        if (*c.p == '"' || *c.p == '\\')
            buf_add_char(b, '\\');
        if ((unsigned char)*c.p < 0x20)
            buf_printf(b, "\\u%04x", *c.p);
        else
            buf_add(b, c);
    }
}

/* For people: an event stays one line, and their terminal gets no commands. */
static void add_plain_text(struct buf *b, struct str text)
{
    for (size_t i = 0; i < text.n; i++) {
        bool control = (unsigned char)text.p[i] < 0x20 || text.p[i] == 0x7f;
        buf_add_char(b, control ? ' ' : text.p[i]);
    }
}

/* ---- the request ---- */

enum { REQUEST_SIZE = 24 };

static _Thread_local char request[REQUEST_SIZE]; /* "" = none */

void log_begin_request(const char *id)
{
    size_t n = strnlen(id, REQUEST_SIZE - 1);

    memcpy(request, id, n);
    request[n] = '\0';
}

void log_end_request(void)
{
    request[0] = '\0';
}

/* ---- lines ---- */

struct line {
    enum log_level level;
    const char *event;
    const struct log_field *fields;
    size_t field_count;
    struct str text;
};

static void add_json_member(struct buf *b, const char *name, struct str text)
{
    buf_printf(b, ",\"%s\":\"", name);
    add_json_text(b, text);
    buf_add_char(b, '"');
}

static void add_json(struct buf *b, const struct line *l, const char *time)
{
    buf_printf(b, "{\"time\":\"%s\",\"level\":\"%s\",\"event\":\"%s\"", time, level_names[l->level],
               l->event);
    add_json_member(b, "message", l->text);
    for (size_t i = 0; i < l->field_count; i++) {
        const struct log_field *f = &l->fields[i];
        if (f->text.p)
            add_json_member(b, f->name, f->text);
        else
            buf_printf(b, ",\"%s\":%" PRId64, f->name, f->number);
    }
    if (request[0])
        add_json_member(b, "request", str_of(request));
    buf_text(b, "}\n");
}

static void add_plain(struct buf *b, const struct line *l, const char *time)
{
    buf_printf(b, "%.8s %-7s %s: ", time + 11, level_names[l->level], l->event);
    add_plain_text(b, l->text);
    for (size_t i = 0; i < l->field_count; i++) {
        const struct log_field *f = &l->fields[i];
        buf_printf(b, " %s=", f->name);
        if (f->text.p)
            add_plain_text(b, f->text);
        else
            buf_add_i64(b, f->number);
    }
    if (request[0])
        buf_printf(b, " %s", request);
    buf_add_char(b, '\n');
}

static void write_line(const struct line *l)
{
    struct buf line BUF_CLEANUP = {.max = LINE_MAX_BYTES};
    char time[RFC3339_SIZE];

    rfc3339_format(clock_now_us(&clock_real), time);
    if (atomic_load_explicit(&as_json, memory_order_relaxed))
        add_json(&line, l, time);
    else
        add_plain(&line, l, time);
    /* One write, so that lines of several threads do not mix. */
    if (!line.failed)
        (void)!write(STDERR_FILENO, line.p, line.n);
}

static void log_this(const struct line *l, const char *format, va_list args)
{
    char text[TEXT_MAX_BYTES];
    struct line whole = *l;

    vsnprintf(text, sizeof text, format, args);
    whole.text = str_of(text);
    write_line(&whole);
}

void log_event(enum log_level level, const char *event, const char *format, ...)
{
    struct line l = {.level = level, .event = event};
    va_list args;

    if (!log_wants(level))
        return;
    va_start(args, format);
    log_this(&l, format, args);
    va_end(args);
}

void log_event_with(enum log_level level, const char *event, const struct log_field *fields,
                    size_t count, const char *format, ...)
{
    struct line l = {.level = level, .event = event, .fields = fields, .field_count = count};
    va_list args;

    if (!log_wants(level))
        return;
    va_start(args, format);
    log_this(&l, format, args);
    va_end(args);
}

/* ---- numbers ---- */

enum { SHOWN_FRONT = 4, SHOWN_END = 4, SHOWN_OF_SHORT = 2, SHORT_DIGITS = 9, DIGITS_MAX = 32 };
enum { NAME_DIGITS = 6 }; /* a name of a sender has no more */

/* Its digits, whatever stands between them; *ret_alone: nothing else does but a + before them. */
static size_t digits_of(struct str text, char out[DIGITS_MAX], bool *ret_alone)
{
    size_t n = 0;

    *ret_alone = true;
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] >= '0' && text.p[i] <= '9') {
            if (n < DIGITS_MAX)
                out[n++] = text.p[i];
        } else if (i > 0 || text.p[i] != '+') {
            *ret_alone = false;
        }
    return n;
}

const char *log_number(struct str number, char out[LOG_NUMBER_SIZE])
{
    char digits[DIGITS_MAX];
    bool alone;
    size_t n = digits_of(number, digits, &alone);
    const char *plus = number.n && number.p[0] == '+' ? "+" : "";

    if (n == 0 || (!alone && n <= NAME_DIGITS))
        str_format(out, LOG_NUMBER_SIZE, "%.*s", STR_FMT(number));
    else if (n < SHORT_DIGITS)
        str_format(out, LOG_NUMBER_SIZE, "***%.*s", (int)(n < SHOWN_OF_SHORT ? n : SHOWN_OF_SHORT),
                   digits + (n > SHOWN_OF_SHORT ? n - SHOWN_OF_SHORT : 0));
    else
        str_format(out, LOG_NUMBER_SIZE, "%s%.*s***%.*s", plus, SHOWN_FRONT, digits, SHOWN_END,
                   digits + n - SHOWN_END);
    return out;
}
