#include "base/log.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/utf8.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 8192 }; /* enough for a text of control characters, each escaped */

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

void log_event(enum log_level level, const char *event, const char *format, ...)
{
    char text[1024], time[RFC3339_SIZE];
    struct buf line BUF_CLEANUP = {.max = LINE_MAX_BYTES};
    va_list args;

    if (!log_wants(level))
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rfc3339_format(clock_now_us(&clock_real), time);
    if (atomic_load_explicit(&as_json, memory_order_relaxed)) {
        buf_printf(&line, "{\"time\":\"%s\",\"level\":\"%s\",\"event\":\"%s\",\"message\":\"", time,
                   level_names[level], event);
        add_json_text(&line, str_of(text));
        buf_text(&line, "\"}\n");
    } else {
        buf_printf(&line, "%.8s %-7s %s: ", time + 11, level_names[level], event);
        add_plain_text(&line, str_of(text));
        buf_add_char(&line, '\n');
    }
    /* One write, so that lines of several threads do not mix. */
    if (!line.failed)
        (void)!write(STDERR_FILENO, line.p, line.n);
}
