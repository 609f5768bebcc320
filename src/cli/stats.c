/* skylark stats: how it stands now, once or every second. */
#include "cli/stats.h"

#include "cli/answer_print.h"
#include "cli/following.h"

#include <sys/ioctl.h>
#include <unistd.h>

#define STATS_PATH "/v1/stats/live"

enum { SILENCE_MS = 10000, BLOCK_MAX = 1 << 16 };

/* ---- as CSV ---- */

#define FIELD(field)                                                                               \
    {                                                                                              \
        .column = {.name = field}, .path = field                                                   \
    }
static const struct answer_field fields[] = {
    FIELD("timestamp"),
    FIELD("livemode"),
    FIELD("queue.queued"),
    FIELD("queue.scheduled"),
    FIELD("queue.sent"),
    FIELD("queue.oldestQueuedSeconds"),
    FIELD("lastMinute.accepted"),
    FIELD("lastMinute.sent"),
    FIELD("lastMinute.delivered"),
    FIELD("lastMinute.failed"),
    FIELD("lastHour.accepted"),
    FIELD("lastHour.sent"),
    FIELD("lastHour.delivered"),
    FIELD("lastHour.failed"),
    FIELD("last24Hours.accepted"),
    FIELD("last24Hours.sent"),
    FIELD("last24Hours.delivered"),
    FIELD("last24Hours.failed"),
    FIELD("deliveryRate"),
    FIELD("throughput.perSecond"),
    FIELD("throughput.acceptedPerSecond"),
    FIELD("webhooks.pending"),
    FIELD("webhooks.failedLastHour"),
    FIELD("limitedBy.0.limit"),
    FIELD("limitedBy.0.carrier"),
};

/* ---- once ---- */

static struct stats_style style_here(void)
{
    return (struct stats_style){.ascii = !output_is_utf8(), .fancy = output_is_fancy(stdout)};
}

static int show_once(const struct client *c, enum output_format format)
{
    struct json_node *stats JSON_TREE_CLEANUP = NULL;
    struct stats_style style = style_here();
    struct buf out BUF_CLEANUP = {.max = BLOCK_MAX};
    int r = client_fetch(c, "GET", STATS_PATH, (struct str){NULL, 0}, &stats);

    if (r != CLI_OK)
        return r;
    if (format != OUTPUT_TABLE) {
        answer_print_one(stats, NULL, 0, fields, COUNT_OF(fields), format);
        return CLI_OK;
    }
    stats_block(stats, NULL, &style, &out);
    fwrite(out.p, 1, out.n, stdout);
    return CLI_OK;
}

/* ---- every second ---- */

struct watch {
    struct client client;
    enum output_format format;
    bool terminal;
    struct stats_style style;
    struct stats_past past;
    struct following following;
    unsigned lines;      /* drawn on the terminal */
    unsigned connection; /* in which they were: below it, something else was told since */
    bool headed;         /* the line with the names of columns is written */
};

static void draw(struct watch *w, const struct json_node *stats)
{
    struct buf block BUF_CLEANUP = {.max = BLOCK_MAX};
    struct buf out BUF_CLEANUP = {.max = 2 * BLOCK_MAX};
    struct winsize size = {.ws_row = 0};

    if (w->connection != w->following.connections)
        w->lines = 0;
    w->connection = w->following.connections;
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    stats_block(stats, &w->past, &w->style, &block);
    stats_redraw(buf_str(&block), output_width(stdout), size.ws_row ? size.ws_row : 24, &w->lines,
                 &out);
    fwrite(out.p, 1, out.n, stdout);
}

static void print_line(const struct json_node *stats)
{
    struct buf out BUF_CLEANUP = {.max = BLOCK_MAX};

    stats_line(stats, &out);
    fwrite(out.p, 1, out.n, stdout);
}

static void show(struct watch *w, const struct json_node *stats, struct str json)
{
    switch (w->format) {
    case OUTPUT_TABLE:
        if (w->terminal)
            draw(w, stats);
        else
            print_line(stats);
        break;
    case OUTPUT_JSON:
    case OUTPUT_JSONL:
        printf("%.*s\n", STR_FMT(json));
        break;
    case OUTPUT_CSV:
        answer_print_csv(stats, fields, COUNT_OF(fields), !w->headed);
        w->headed = true;
        break;
    }
    fflush(stdout);
}

static bool take_event(void *context, const struct sse_event *event)
{
    struct watch *w = context;
    struct json_node *stats JSON_TREE_CLEANUP = NULL;

    if (str_is(event->type, "stats"))
        stats = json_tree_parse(event->data);
    if (stats) {
        stats_remember(&w->past, stats);
        show(w, stats, event->data);
    }
    return !following_is_stopped(NULL) && !ferror(stdout);
}

static void add_path(void *context, struct buf *out)
{
    buf_text(out, STATS_PATH);
}

/* What is wrong with address or key is told before anything begins. */
static int check(const struct client *c)
{
    struct json_node *stats JSON_TREE_CLEANUP = NULL;
    return client_fetch(c, "GET", STATS_PATH, (struct str){NULL, 0}, &stats);
}

static int watch(struct watch *w)
{
    int r = check(&w->client);

    if (r != CLI_OK)
        return r;
    w->terminal = isatty(STDOUT_FILENO);
    w->style = style_here();
    w->following = (struct following){.client = &w->client,
                                      .path = add_path,
                                      .take = take_event,
                                      .context = w,
                                      .last = "",
                                      .silence_ms = SILENCE_MS};
    return following_run(&w->following);
}

int run_stats(const struct invocation *in)
{
    struct watch w = {.format = OUTPUT_TABLE};

    if (!invocation_format(in, &w.format))
        return CLI_USAGE;
    int r = client_open(&w.client, in);
    if (r != CLI_OK)
        return r;
    return in->values[OPTION_WATCH] ? watch(&w) : show_once(&w.client, w.format);
}
