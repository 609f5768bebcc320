#include "cli/message_print.h"

#include "cli/answer_print.h"

static const struct answer_field message_fields[] = {
    {{.title = "ID", .name = "messageId"}, "messageId", CELL_TEXT, NULL},
    {{.title = "STATUS", .name = "status"}, "status", CELL_TEXT, NULL},
    {{.name = "from"}, "from", CELL_TEXT, NULL},
    {{.title = "TO", .name = "to"}, "to", CELL_TEXT, NULL},
    {{.title = "TEXT", .name = "text", .widest = 40}, "text", CELL_TEXT, NULL},
    {{.name = "segments", .bare = true}, "segments", CELL_TEXT, NULL},
    {{.name = "encoding"}, "encoding", CELL_TEXT, NULL},
    {{.name = "costAmount", .bare = true}, "cost.amount", CELL_TEXT, NULL},
    {{.name = "costCurrency"}, "cost.currency", CELL_TEXT, NULL},
    {{.title = "CREATED (UTC)"}, "createdAt", CELL_TIME, NULL},
    {{.name = "createdAt"}, "createdAt", CELL_TEXT, NULL},
    {{.name = "sentAt"}, "sentAt", CELL_TEXT, NULL},
    {{.name = "deliveredAt"}, "deliveredAt", CELL_TEXT, NULL},
    {{.name = "failedAt"}, "failedAt", CELL_TEXT, NULL},
    {{.title = "ERROR", .name = "errorCode"}, "errorCode", CELL_TEXT, NULL},
    {{.name = "direction"}, "direction", CELL_TEXT, NULL},
    {{.name = "scheduledAt"}, "scheduledAt", CELL_TEXT, NULL},
    {{.name = "cancelledAt"}, "cancelledAt", CELL_TEXT, NULL},
    {{.name = "batchId"}, "batchId", CELL_TEXT, NULL},
    {{.name = "tags"}, "tags", CELL_TEXT, NULL},
};

static const struct answer_field event_fields[] = {
    {{.title = "TIME (UTC)"}, "timestamp", CELL_TIME, NULL},
    {{.name = "timestamp"}, "timestamp", CELL_TEXT, NULL},
    {{.title = "EVENT", .name = "type"}, "type", CELL_TEXT, NULL},
    {{.title = "WHAT HAPPENED", .name = "description"}, "description", CELL_TEXT, NULL},
    {{.name = "from"}, "from", CELL_TEXT, NULL},
    {{.name = "numberType"}, "numberType", CELL_TEXT, NULL},
    {{.name = "reason"}, "reason", CELL_TEXT, NULL},
    {{.title = "ERROR", .name = "errorCode"}, "errorCode", CELL_TEXT, NULL},
};

void message_print_list(const struct json_node *answer, enum output_format format)
{
    answer_print_list(answer, message_fields, COUNT_OF(message_fields), format);
}

void message_print_events(const struct json_node *answer, enum output_format format)
{
    answer_print_list(answer, event_fields, COUNT_OF(event_fields), format);
}

/* ---- one message ---- */

static const struct answer_line lines[] = {
    {"Message", LINE_PLAIN, "messageId", NULL},
    {"Status", LINE_PLAIN, "status", NULL},
    {"Type", LINE_NOTED, "type", "messageType"},
    {"From", LINE_NOTED, "from", "routing.numberType"},
    {"To", LINE_PLAIN, "to", NULL},
    {"Subject", LINE_PLAIN, "subject", NULL},
    {"Text", LINE_PLAIN, "text", NULL},
    {"Media", LINE_EACH, "mediaUrls", NULL},
    {"Segments", LINE_NOTED, "segments", "encoding"},
    {"Cost", LINE_WITH_UNIT, "cost.amount", "cost.currency"},
    {"Tags", LINE_LIST, "tags", NULL},
    {"Metadata", LINE_PLAIN, "metadata", NULL},
    {"Batch", LINE_PLAIN, "batchId", NULL},
    {"Created", LINE_TIME, "createdAt", NULL},
    {"Scheduled", LINE_TIME, "scheduledAt", NULL},
    {"Sent", LINE_TIME, "sentAt", NULL},
    {"Delivered", LINE_TIME, "deliveredAt", NULL},
    {"Failed", LINE_TIME, "failedAt", NULL},
    {"Cancelled", LINE_TIME, "cancelledAt", NULL},
    {"Error", LINE_PLAIN, "errorCode", NULL},
    {"Because", LINE_PLAIN, "errorMessage", NULL},
};

/* A sender, or a route of the one that was chosen. */
static const char *refused_name(struct table *t, const struct json_node *refused)
{
    const char *route = answer_text(t, refused, "route");

    if (!route)
        return answer_text(t, refused, "from");
    return arena_printf(&t->memory, "route %s to %s", route, answer_text(t, refused, "carrier"));
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
        row[1] = answer_text(&t, json_node_item(refused, i), "reason");
    }
    if (t.count == 0)
        return;
    putchar('\n');
    table_print(&t, OUTPUT_TABLE, stdout);
}

/* The type of number is that of our own: where a received message came to. */
static void turn_around(struct answer_line shown[])
{
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        if (strcmp(shown[i].title, "From") == 0)
            shown[i].second = NULL;
        else if (strcmp(shown[i].title, "To") == 0)
            shown[i] = (struct answer_line){"To", LINE_NOTED, "to", "routing.numberType"};
}

void message_print(const struct json_node *m, enum output_format format)
{
    struct answer_line shown[COUNT_OF(lines)];

    memcpy(shown, lines, sizeof shown);
    if (str_is(json_node_string(json_node_at(m, "direction")), "inbound"))
        turn_around(shown);
    answer_print_one(m, shown, COUNT_OF(lines), message_fields, COUNT_OF(message_fields), format);
    if (format == OUTPUT_TABLE)
        print_refused(json_node_at(m, "routesRefused"));
}
