#include "cli/stats.h"

#include "base/arena.h"
#include "cli/figure.h"
#include "cli/output.h"
#include "cli/plot.h"

#include <stdlib.h>

enum { LEFT = 12, CELL_MAX = 4096 };

/* ---- figures ---- */

/* What stands at the path, on one line and without anything that a terminal would obey. */
static struct str text_at(const struct json_node *node, const char *path, struct buf *room)
{
    struct buf raw BUF_CLEANUP = {.max = CELL_MAX};
    size_t from = room->n;

    json_node_text(json_node_at(node, path), &raw);
    output_plain(room, buf_str(&raw));
    return room->p ? (struct str){room->p + from, room->n - from} : (struct str){NULL, 0};
}

/* How one figure is shown. */
typedef const char *figure(struct str text, char out[FIGURE_SIZE]);

static void add_figure(struct buf *out, const struct json_node *stats, const char *path,
                       figure *show)
{
    struct buf room BUF_CLEANUP = {.max = CELL_MAX};
    char shown[FIGURE_SIZE];
    struct str text = text_at(stats, path, &room);

    buf_text(out, text.n ? show(text, shown) : "-");
}

static bool has(const struct json_node *stats, const char *path)
{
    struct buf room BUF_CLEANUP = {.max = CELL_MAX};
    return text_at(stats, path, &room).n > 0;
}

static void add_time(const struct json_node *stats, struct buf *out)
{
    struct buf room BUF_CLEANUP = {.max = CELL_MAX};
    char time[24];

    output_time(text_at(stats, "timestamp", &room), time);
    buf_text(out, time);
}

void stats_remember(struct stats_past *past, const struct json_node *stats)
{
    struct buf room BUF_CLEANUP = {.max = CELL_MAX};

    text_at(stats, "throughput.perSecond", &room);
    buf_add_char(&room, '\0');
    if (past->count == STATS_SPARK)
        memmove(past->sent, past->sent + 1, (STATS_SPARK - 1) * sizeof *past->sent);
    else
        past->count++;
    past->sent[past->count - 1] = room.failed ? 0 : strtod(room.p, NULL);
}

/* ---- the table of what happened ---- */

static const struct {
    const char *title, *path;
} windows[] = {
    {"LAST MINUTE", "lastMinute"},
    {"LAST HOUR", "lastHour"},
    {"LAST 24 HOURS", "last24Hours"},
};
static const char *const counts[] = {"accepted", "sent", "delivered", "failed"};

static void add_counts(const struct json_node *stats, const char *count, struct buf *out)
{
    buf_printf(out, "%-*s", LEFT, count);
    for (size_t i = 0; i < 3; i++) {
        struct buf cell BUF_CLEANUP = {.max = CELL_MAX};
        char path[64];
        str_format(path, sizeof path, "%s.%s", windows[i].path, count);
        add_figure(&cell, stats, path, figure_grouped);
        buf_printf(out, "  %*.*s", 13, STR_FMT(buf_str(&cell)));
    }
    buf_text(out, "\n");
}

static void add_table(const struct json_node *stats, struct buf *out)
{
    buf_printf(out, "%*s", LEFT, "");
    for (size_t i = 0; i < 3; i++)
        buf_printf(out, "  %13s", windows[i].title);
    buf_text(out, "\n");
    for (size_t i = 0; i < 4; i++)
        add_counts(stats, counts[i], out);
}

/* ---- how it stands ---- */

static void add_throughput(const struct json_node *stats, const struct stats_past *past, bool ascii,
                           struct buf *out)
{
    buf_printf(out, "%-*s  ", LEFT, "Throughput");
    add_figure(out, stats, "throughput.perSecond", figure_grouped);
    buf_text(out, " sent a second, ");
    add_figure(out, stats, "throughput.acceptedPerSecond", figure_grouped);
    buf_text(out, " accepted\n");
    if (!past)
        return;
    buf_printf(out, "%*s  ", LEFT, "");
    plot_spark(past->sent, past->count, ascii, out);
    buf_text(out, "\n");
}

static void add_queue(const struct json_node *stats, struct buf *out)
{
    buf_printf(out, "%-*s  ", LEFT, "Queue");
    add_figure(out, stats, "queue.queued", figure_grouped);
    buf_text(out, " queued");
    if (has(stats, "queue.oldestQueuedSeconds")) {
        buf_text(out, " (the oldest for ");
        add_figure(out, stats, "queue.oldestQueuedSeconds", figure_duration);
        buf_text(out, ")");
    }
    buf_text(out, ", ");
    add_figure(out, stats, "queue.scheduled", figure_grouped);
    buf_printf(out, " scheduled\n%-*s  ", LEFT, "On the way");
    add_figure(out, stats, "queue.sent", figure_grouped);
    buf_text(out, " sent, without a receipt yet\n");
}

static void add_rest(const struct json_node *stats, struct buf *out)
{
    buf_printf(out, "%-*s  ", LEFT, "Delivered");
    add_figure(out, stats, "deliveryRate", figure_percent);
    buf_printf(out, " of what ended in the last 24 hours\n%-*s  ", LEFT, "Webhooks");
    add_figure(out, stats, "webhooks.pending", figure_grouped);
    buf_text(out, " deliveries pending, ");
    add_figure(out, stats, "webhooks.failedLastHour", figure_grouped);
    buf_text(out, " attempts failed in the last hour\n");
}

static void add_limits(const struct json_node *stats, struct buf *out)
{
    const struct json_node *list = json_node_at(stats, "limitedBy");
    size_t count = json_node_count(list);

    buf_printf(out, "%-*s  ", LEFT, "Limited by");
    if (!count)
        buf_text(out, "nothing\n");
    for (size_t i = 0; i < count; i++) {
        struct buf text BUF_CLEANUP = {.max = CELL_MAX};
        text_at(json_node_item(list, i), "message", &text);
        buf_add_char(&text, '\0');
        buf_printf(out, "%*s", i ? LEFT + 2 : 0, "");
        if (!text.failed)
            output_wrap(out, text.p, LEFT + 2);
    }
}

static const char *mode_of(const struct json_node *stats)
{
    struct buf room BUF_CLEANUP = {.max = CELL_MAX};
    return str_is(text_at(stats, "livemode", &room), "true") ? "live" : "test";
}

void stats_block(const struct json_node *stats, const struct stats_past *past,
                 const struct stats_style *style, struct buf *out)
{
    buf_printf(out, "%sLive statistics%s of %s messages, ", style->fancy ? "\033[1m" : "",
               style->fancy ? "\033[0m" : "", mode_of(stats));
    add_time(stats, out);
    buf_text(out, " UTC\n\n");
    add_table(stats, out);
    buf_text(out, "\n");
    add_throughput(stats, past, style->ascii, out);
    add_queue(stats, out);
    add_rest(stats, out);
    add_limits(stats, out);
}

/* ---- one line ---- */

/* Its words, and the carrier when it is one's. */
static void add_limit_word(const struct json_node *stats, struct buf *out)
{
    struct buf room BUF_CLEANUP = {.max = CELL_MAX};
    struct str word = text_at(stats, "limitedBy.0.limit", &room);

    if (!word.n)
        return;
    buf_printf(out, "  limited by %.*s", STR_FMT(word));
    buf_clear(&room);
    struct str carrier = text_at(stats, "limitedBy.0.carrier", &room);
    if (carrier.n)
        buf_printf(out, " of %.*s", STR_FMT(carrier));
}

void stats_line(const struct json_node *stats, struct buf *out)
{
    add_time(stats, out);
    buf_text(out, "  accepted ");
    add_figure(out, stats, "throughput.acceptedPerSecond", figure_grouped);
    buf_text(out, "/s  sent ");
    add_figure(out, stats, "throughput.perSecond", figure_grouped);
    buf_text(out, "/s  queued ");
    add_figure(out, stats, "queue.queued", figure_grouped);
    if (has(stats, "queue.oldestQueuedSeconds")) {
        buf_text(out, " for ");
        add_figure(out, stats, "queue.oldestQueuedSeconds", figure_duration);
    }
    buf_text(out, "  delivered ");
    add_figure(out, stats, "deliveryRate", figure_percent);
    add_limit_word(stats, out);
    buf_text(out, "\n");
}

/* ---- on a terminal ---- */

/* A line, at most `width` characters of it; escape sequences take no room. */
static void add_fitting(struct str line, int width, struct buf *out)
{
    int column = 0;
    bool escape = false;

    for (size_t i = 0; i < line.n; i++) {
        unsigned char c = (unsigned char)line.p[i];
        bool shown = !escape && c != '\033';
        bool begins = shown && (c & 0xc0) != 0x80;
        escape = c == '\033' || (escape && c != 'm');
        column += begins;
        if (!shown || column <= width)
            buf_add_char(out, line.p[i]);
    }
}

void stats_redraw(struct str text, int width, int height, unsigned *lines, struct buf *out)
{
    unsigned drawn = 0;

    if (*lines)
        buf_printf(out, "\033[%uA", *lines);
    buf_text(out, "\r");
    while (text.n && (int)drawn + 1 < height) {
        add_fitting(str_cut(&text, '\n'), width, out);
        buf_text(out, "\033[K\n");
        drawn++;
    }
    buf_text(out, "\033[J");
    *lines = drawn;
}
