/* Deliveries, and what went over the wire in them. */
#include "cli/answer_print.h"
#include "cli/webhooks.h"

static const struct answer_field fields[] = {
    {{.title = "ID", .name = "deliveryId"}, "deliveryId", CELL_TEXT, NULL},
    {{.title = "STATUS", .name = "status"}, "status", CELL_TEXT, NULL},
    {{.title = "EVENT", .name = "eventType"}, "eventType", CELL_TEXT, NULL},
    {{.name = "eventId"}, "eventId", CELL_TEXT, NULL},
    {{.title = "MESSAGE", .name = "messageId"}, "messageId", CELL_TEXT, NULL},
    {{.title = "TRIES", .name = "attempts", .bare = true}, "attempts", CELL_TEXT, NULL},
    {{.title = "LAST ANSWER", .widest = 40},
     "lastAttempt.responseStatus",
     CELL_TEXT,
     "lastAttempt.error"},
    {{.name = "lastStatus", .bare = true}, "lastAttempt.responseStatus", CELL_TEXT, NULL},
    {{.name = "lastError"}, "lastAttempt.error", CELL_TEXT, NULL},
    {{.name = "lastDurationMs", .bare = true}, "lastAttempt.durationMs", CELL_TEXT, NULL},
    {{.title = "NEXT TRY (UTC)"}, "nextAttemptAt", CELL_TIME, NULL},
    {{.name = "nextAttemptAt"}, "nextAttemptAt", CELL_TEXT, NULL},
    {{.title = "CREATED (UTC)"}, "createdAt", CELL_TIME, NULL},
    {{.name = "createdAt"}, "createdAt", CELL_TEXT, NULL},
    {{.name = "url"}, "url", CELL_TEXT, NULL},
};

static const struct answer_line lines[] = {
    {"Delivery", LINE_PLAIN, "deliveryId", NULL},
    {"Webhook", LINE_PLAIN, "webhookId", NULL},
    {"Event", LINE_NOTED, "eventId", "eventType"},
    {"Message", LINE_PLAIN, "messageId", NULL},
    {"URL", LINE_PLAIN, "url", NULL},
    {"Status", LINE_PLAIN, "status", NULL},
    {"Tries", LINE_PLAIN, "attempts", NULL},
    {"Last try", LINE_TIME, "lastAttempt.at", NULL},
    {"Last answer", LINE_PLAIN, "lastAttempt.responseStatus", NULL},
    {"Last error", LINE_PLAIN, "lastAttempt.error", NULL},
    {"Next try", LINE_TIME, "nextAttemptAt", NULL},
    {"Created", LINE_TIME, "createdAt", NULL},
};

void delivery_print(const struct json_node *delivery, enum output_format format)
{
    answer_print_one(delivery, lines, COUNT_OF(lines), fields, COUNT_OF(fields), format);
}

void delivery_print_list(const struct json_node *answer, enum output_format format)
{
    answer_print_list(answer, fields, COUNT_OF(fields), format);
}

/* ---- the whole ---- */

enum { INDENT = 2, TOLD_MAX = 1 << 22 };

static bool is_c1(struct str text, size_t i)
{
    return text.p[i] == '\xc2' && i + 1 < text.n && (unsigned char)text.p[i + 1] >= 0x80 &&
           (unsigned char)text.p[i + 1] < 0xa0;
}

/* Text from outside, each of its lines indented. What a terminal would obey is written out. */
static void add_block(struct buf *out, struct str text)
{
    if (text.n == 0)
        return;
    buf_printf(out, "%*s", INDENT, "");
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c == '\n' && i + 1 < text.n)
            buf_printf(out, "\n%*s", INDENT, "");
        else if (c == '\t' || (c >= 0x20 && c != 0x7f && !is_c1(text, i)))
            buf_add_char(out, text.p[i]);
        else if (is_c1(text, i))
            buf_printf(out, "\\u%04x", (unsigned char)text.p[++i]);
        else if (c != '\n' && !(c == '\r' && i + 1 < text.n && text.p[i + 1] == '\n'))
            buf_printf(out, "\\x%02x", c);
    }
    buf_add_char(out, '\n');
}

static struct str text_of(const struct json_node *node, const char *path)
{
    return json_node_string(json_node_at(node, path));
}

/* Two texts on a line of their own. */
static void add_pair(struct buf *out, struct str first, const char *mark, struct str second)
{
    struct buf line BUF_CLEANUP;

    buf_init(&line, TOLD_MAX);
    buf_printf(&line, "%.*s%s%.*s", STR_FMT(first), mark, STR_FMT(second));
    add_block(out, buf_str(&line));
}

static void add_header(void *context, struct str name, const struct json_node *value)
{
    add_pair(context, name, ": ", json_node_string(value));
}

static void add_request(struct buf *out, const struct json_node *delivery, bool fancy)
{
    const struct json_node *request = json_node_at(delivery, "request");
    struct str body = text_of(request, "body");

    buf_printf(out, "\n%sRequest%s\n", fancy ? "\033[1m" : "", fancy ? "\033[0m" : "");
    add_pair(out, text_of(request, "method"), " ", text_of(request, "url"));
    json_node_each(json_node_at(request, "headers"), add_header, out);
    buf_add_char(out, '\n');
    if (body.n)
        add_block(out, body);
    else
        buf_text(out, "  (The event is not kept any more.)\n");
}

static void add_number(struct buf *out, const struct json_node *node, const char *path,
                       const char *before, const char *after)
{
    struct buf number BUF_CLEANUP;

    buf_init(&number, 64);
    json_node_text(json_node_at(node, path), &number);
    if (number.n)
        buf_printf(out, "%s%.*s%s", before, STR_FMT(buf_str(&number)), after);
}

/* "Try 2  2026-01-31 09:00:00 UTC  500  34 ms (connected after 12 ms)", then what was answered. */
static void add_attempt(struct buf *out, const struct json_node *attempt, bool fancy)
{
    struct str error = text_of(attempt, "error");
    char at[24];

    output_time(text_of(attempt, "at"), at);
    buf_printf(out, "\n%s", fancy ? "\033[1m" : "");
    add_number(out, attempt, "number", "Try ", "");
    buf_printf(out, "%s  %s UTC", fancy ? "\033[0m" : "", at);
    add_number(out, attempt, "responseStatus", "  answer ", "");
    add_number(out, attempt, "durationMs", "  ", " ms");
    add_number(out, attempt, "connectMs", " (connected after ", " ms)");
    buf_add_char(out, '\n');
    add_pair(out, STR("to"), " ", text_of(attempt, "url"));
    add_block(out, error);
    add_block(out, text_of(attempt, "responseBody"));
}

void delivery_print_whole(const struct json_node *delivery, enum output_format format)
{
    const struct json_node *log = json_node_at(delivery, "attemptLog");
    struct buf out BUF_CLEANUP;
    bool fancy = output_is_fancy(stdout);

    buf_init(&out, TOLD_MAX);
    delivery_print(delivery, format);
    if (format != OUTPUT_TABLE)
        return;
    add_request(&out, delivery, fancy);
    for (size_t i = 0; i < json_node_count(log); i++)
        add_attempt(&out, json_node_item(log, i), fancy);
    fwrite(out.p, 1, out.n, stdout);
}
