#include "base/log.h"

#include "base/buf.h"
#include "base/clock.h"

#include <stdio.h>
#include <unistd.h>

static enum log_level least_level = LOG_INFO;
static bool as_json;

static const char *const level_names[] = {"debug", "info", "warning", "error"};

void log_init(enum log_level least, bool json)
{
    least_level = least;
    as_json = json;
}

static void add_json_text(struct buf *b, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            buf_add_char(b, '\\');
        if ((unsigned char)*c < 0x20)
            buf_printf(b, "\\u%04x", *c);
        else
            buf_add_char(b, *c);
    }
}

void log_event(enum log_level level, const char *event, const char *format, ...)
{
    char text[1024], time[RFC3339_SIZE];
    struct buf line BUF_CLEANUP;
    va_list args;

    if (level < least_level)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rfc3339_format(clock_now_us(&clock_real), time);
    buf_init(&line, 8192);
    if (as_json) {
        buf_printf(&line, "{\"time\":\"%s\",\"level\":\"%s\",\"event\":\"%s\",\"message\":\"", time,
                   level_names[level], event);
        add_json_text(&line, text);
        buf_text(&line, "\"}\n");
    } else {
        buf_printf(&line, "%.8s %-7s %s: %s\n", time + 11, level_names[level], event, text);
    }
    /* One write, so that lines of several threads do not mix. */
    if (!line.failed)
        (void)!write(STDERR_FILENO, line.p, line.n);
}
