#include "cli/message_print.h"

#include "net/http_client.h"

#include <unistd.h>

/* Where a cell comes from; the order is that of the columns. */
struct field {
    struct column column;
    const char *path;
    bool is_time; /* for people */
};

static const struct field message_fields[] = {
    {{.title = "ID", .name = "messageId"}, "messageId", false},
    {{.title = "STATUS", .name = "status"}, "status", false},
    {{.name = "from"}, "from", false},
    {{.title = "TO", .name = "to"}, "to", false},
    {{.title = "TEXT", .name = "text", .widest = 40}, "text", false},
    {{.name = "segments", .bare = true}, "segments", false},
    {{.name = "encoding"}, "encoding", false},
    {{.name = "costAmount", .bare = true}, "cost.amount", false},
    {{.name = "costCurrency"}, "cost.currency", false},
    {{.title = "CREATED (UTC)"}, "createdAt", true},
    {{.name = "createdAt"}, "createdAt", false},
    {{.name = "sentAt"}, "sentAt", false},
    {{.name = "deliveredAt"}, "deliveredAt", false},
    {{.name = "failedAt"}, "failedAt", false},
    {{.title = "ERROR", .name = "errorCode"}, "errorCode", false},
    {{.name = "direction"}, "direction", false},
    {{.name = "scheduledAt"}, "scheduledAt", false},
    {{.name = "cancelledAt"}, "cancelledAt", false},
    {{.name = "batchId"}, "batchId", false},
    {{.name = "tags"}, "tags", false},
};

static const struct field event_fields[] = {
    {{.title = "TIME (UTC)"}, "timestamp", true},
    {{.name = "timestamp"}, "timestamp", false},
    {{.title = "EVENT", .name = "type"}, "type", false},
    {{.title = "WHAT HAPPENED", .name = "description"}, "description", false},
    {{.name = "from"}, "from", false},
    {{.name = "numberType"}, "numberType", false},
    {{.name = "reason"}, "reason", false},
    {{.title = "ERROR", .name = "errorCode"}, "errorCode", false},
};

enum {
    MESSAGE_FIELDS = sizeof message_fields / sizeof *message_fields,
    EVENT_FIELDS = sizeof event_fields / sizeof *event_fields,
    FIELDS_MAX = 32
};

static const char *text_at(struct table *t, const struct json_node *node, const char *path)
{
    struct buf b BUF_CLEANUP = {.max = 1 << 16};
    const struct json_node *value = json_node_at(node, path);

    if (!value)
        return NULL;
    json_node_text(value, &b);
    return table_text(t, buf_str(&b));
}

/* "2026-01-31 09:00:00" of a time; nothing where it has not come. */
static const char *time_at(struct table *t, const struct json_node *node, const char *path)
{
    const char *text = text_at(t, node, path);
    char time[24];

    if (!text || !*text)
        return NULL;
    output_time(str_of(text), time);
    return table_text(t, str_of(time));
}

static void add_row(struct table *t, const struct field *fields, const struct json_node *node)
{
    const char **row = table_add(t);

    for (size_t i = 0; row && i < t->width; i++)
        row[i] =
            fields[i].is_time ? time_at(t, node, fields[i].path) : text_at(t, node, fields[i].path);
}

static void print_json(const struct json_node *node, bool indent)
{
    struct buf b BUF_CLEANUP;

    buf_init(&b, 2 * HTTP_REPLY_MAX);
    json_node_write(node, indent, &b);
    buf_add_char(&b, '\n');
    fwrite(b.p, 1, b.n, stdout);
}

/* ---- lists ---- */

static void print_list(const struct json_node *answer, const struct field *fields, size_t width,
                       enum output_format format)
{
    const struct json_node *data = json_node_at(answer, "data");
    struct column columns[FIELDS_MAX];
    struct table t TABLE_CLEANUP;

    for (size_t i = 0; i < width; i++)
        columns[i] = fields[i].column;
    table_init(&t, columns, width);
    switch (format) {
    case OUTPUT_JSON:
        print_json(answer, isatty(STDOUT_FILENO));
        return;
    case OUTPUT_JSONL:
        for (size_t i = 0; i < json_node_count(data); i++)
            print_json(json_node_item(data, i), false);
        return;
    case OUTPUT_TABLE:
    case OUTPUT_CSV:
        for (size_t i = 0; i < json_node_count(data); i++)
            add_row(&t, fields, json_node_item(data, i));
        if (format == OUTPUT_CSV || t.count)
            table_print(&t, format, stdout);
    }
}

void message_print_list(const struct json_node *answer, enum output_format format)
{
    print_list(answer, message_fields, MESSAGE_FIELDS, format);
}

void message_print_events(const struct json_node *answer, enum output_format format)
{
    print_list(answer, event_fields, EVENT_FIELDS, format);
}

/* ---- one message ---- */

enum line_kind { PLAIN, NOTED, WITH_UNIT, TIME };

/* A line of the record that people see; `second` is a note in brackets, or a unit. */
static const struct line {
    struct column column;
    enum line_kind kind;
    const char *path, *second;
} lines[] = {
    {{.title = "Message"}, PLAIN, "messageId", NULL},
    {{.title = "Status"}, PLAIN, "status", NULL},
    {{.title = "From"}, NOTED, "from", "routing.numberType"},
    {{.title = "To"}, PLAIN, "to", NULL},
    {{.title = "Subject"}, PLAIN, "subject", NULL},
    {{.title = "Text"}, PLAIN, "text", NULL},
    {{.title = "Media"}, PLAIN, "mediaUrls", NULL},
    {{.title = "Segments"}, NOTED, "segments", "encoding"},
    {{.title = "Cost"}, WITH_UNIT, "cost.amount", "cost.currency"},
    {{.title = "Tags"}, PLAIN, "tags", NULL},
    {{.title = "Metadata"}, PLAIN, "metadata", NULL},
    {{.title = "Batch"}, PLAIN, "batchId", NULL},
    {{.title = "Created"}, TIME, "createdAt", NULL},
    {{.title = "Scheduled"}, TIME, "scheduledAt", NULL},
    {{.title = "Sent"}, TIME, "sentAt", NULL},
    {{.title = "Delivered"}, TIME, "deliveredAt", NULL},
    {{.title = "Failed"}, TIME, "failedAt", NULL},
    {{.title = "Cancelled"}, TIME, "cancelledAt", NULL},
    {{.title = "Error"}, PLAIN, "errorCode", NULL},
    {{.title = "Because"}, PLAIN, "errorMessage", NULL},
};
enum { LINE_COUNT = sizeof lines / sizeof *lines };

static const char *line_text(struct table *t, const struct json_node *m, const struct line *l)
{
    const char *text = l->kind == TIME ? time_at(t, m, l->path) : text_at(t, m, l->path);
    const char *second = l->second ? text_at(t, m, l->second) : NULL;

    if (!text || (l->second && !second))
        return text;
    switch (l->kind) {
    case PLAIN:
        break;
    case NOTED:
        return arena_printf(&t->memory, "%s  (%s)", text, second);
    case WITH_UNIT:
        return arena_printf(&t->memory, "%s %s", text, second);
    case TIME:
        return arena_printf(&t->memory, "%s UTC", text);
    }
    return text;
}

static void print_record(const struct json_node *m)
{
    struct column columns[LINE_COUNT];
    struct table t TABLE_CLEANUP;

    for (size_t i = 0; i < LINE_COUNT; i++)
        columns[i] = lines[i].column;
    table_init(&t, columns, LINE_COUNT);
    const char **row = table_add(&t);
    for (size_t i = 0; row && i < LINE_COUNT; i++)
        row[i] = line_text(&t, m, &lines[i]);
    if (row)
        table_print_one(&t, OUTPUT_TABLE, stdout);
}

/* A sender, or a route of the one that was chosen. */
static const char *refused_name(struct table *t, const struct json_node *refused)
{
    const char *route = text_at(t, refused, "route");

    if (!route)
        return text_at(t, refused, "from");
    return arena_printf(&t->memory, "route %s to %s", route, text_at(t, refused, "carrier"));
}

/* A dry run also tells which senders and routes were passed over. */
static void print_refused(const struct json_node *refused)
{
    struct table t TABLE_CLEANUP;
    static const struct column columns[] = {{.title = "NOT TAKEN"}, {.title = "BECAUSE"}};

    table_init(&t, columns, 2);
    for (size_t i = 0; i < json_node_count(refused); i++) {
        const char **row = table_add(&t);
        if (!row)
            return;
        row[0] = refused_name(&t, json_node_item(refused, i));
        row[1] = text_at(&t, json_node_item(refused, i), "reason");
    }
    if (t.count == 0)
        return;
    putchar('\n');
    table_print(&t, OUTPUT_TABLE, stdout);
}

static void print_csv(const struct json_node *m)
{
    struct column columns[FIELDS_MAX];
    struct table t TABLE_CLEANUP;

    for (size_t i = 0; i < MESSAGE_FIELDS; i++)
        columns[i] = message_fields[i].column;
    table_init(&t, columns, MESSAGE_FIELDS);
    add_row(&t, message_fields, m);
    table_print_one(&t, OUTPUT_CSV, stdout);
}

void message_print(const struct json_node *m, enum output_format format)
{
    switch (format) {
    case OUTPUT_TABLE:
        print_record(m);
        print_refused(json_node_at(m, "routesRefused"));
        break;
    case OUTPUT_JSON:
        print_json(m, isatty(STDOUT_FILENO));
        break;
    case OUTPUT_JSONL:
        print_json(m, false);
        break;
    case OUTPUT_CSV:
        print_csv(m);
        break;
    }
}
