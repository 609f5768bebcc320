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

static void log_this(struct line *l, const char *format, va_list args)
{
    char text[TEXT_MAX_BYTES];

    vsnprintf(text, sizeof text, format, args);
    l->text = str_of(text);
    write_line(l);
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

enum { SHOWN_FRONT = 4, SHOWN_END = 4, SHOWN_OF_SHORT = 2, SHORT_DIGITS = 9 };

static bool is_number(struct str text)
{
    struct str digits = text.n && text.p[0] == '+' ? str_skip(text, 1) : text;

    for (size_t i = 0; i < digits.n; i++)
        if (digits.p[i] < '0' || digits.p[i] > '9')
            return false;
    return digits.n > 0;
}

const char *log_number(struct str number, char out[LOG_NUMBER_SIZE])
{
    size_t plus = number.n && number.p[0] == '+';
    size_t digits = number.n - plus;

    if (!is_number(number))
        str_format(out, LOG_NUMBER_SIZE, "%.*s", STR_FMT(number));
    else if (digits < SHORT_DIGITS)
        str_format(out, LOG_NUMBER_SIZE, "***%.*s", SHOWN_OF_SHORT,
                   number.p + number.n - (digits < SHOWN_OF_SHORT ? digits : SHOWN_OF_SHORT));
    else
        str_format(out, LOG_NUMBER_SIZE, "%.*s***%.*s", (int)(plus + SHOWN_FRONT), number.p,
                   SHOWN_END, number.p + number.n - SHOWN_END);
    return out;
}
