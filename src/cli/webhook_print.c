#include "cli/answer_print.h"
#include "cli/webhooks.h"

/* ---- webhooks ---- */

static const struct answer_field webhook_fields[] = {
    {{.title = "ID", .name = "webhookId"}, "webhookId", CELL_TEXT, NULL},
    {{.title = "STATUS", .name = "status"}, "status", CELL_TEXT, NULL},
    {{.title = "MODE", .name = "mode"}, "mode", CELL_TEXT, NULL},
    {{.title = "URL", .name = "url", .widest = 60}, "url", CELL_TEXT, NULL},
    {{.title = "EVENTS", .name = "events", .widest = 45}, "events", CELL_LIST, NULL},
    {{.title = "WAITING", .name = "pendingDeliveries", .bare = true},
     "pendingDeliveries",
     CELL_TEXT,
     NULL},
    {{.title = "LAST SUCCESS (UTC)"}, "lastSuccessAt", CELL_TIME, NULL},
    {{.name = "lastSuccessAt"}, "lastSuccessAt", CELL_TEXT, NULL},
    {{.name = "enabled", .bare = true}, "enabled", CELL_TEXT, NULL},
    {{.name = "disabledReason"}, "disabledReason", CELL_TEXT, NULL},
    {{.name = "pausedUntil"}, "pausedUntil", CELL_TEXT, NULL},
    {{.name = "failingSince"}, "failingSince", CELL_TEXT, NULL},
    {{.name = "consecutiveFailures", .bare = true}, "consecutiveFailures", CELL_TEXT, NULL},
    {{.name = "description"}, "description", CELL_TEXT, NULL},
    {{.name = "createdAt"}, "createdAt", CELL_TEXT, NULL},
};

static const struct answer_line webhook_lines[] = {
    {"Webhook", LINE_PLAIN, "webhookId", NULL},
    {"URL", LINE_PLAIN, "url", NULL},
    {"Events", LINE_LIST, "events", NULL},
    {"Mode", LINE_PLAIN, "mode", NULL},
    {"Description", LINE_PLAIN, "description", NULL},
    {"Status", LINE_NOTED, "status", "disabledReason"},
    {"Disabled", LINE_TIME, "disabledAt", NULL},
    {"Paused until", LINE_TIME, "pausedUntil", NULL},
    {"Failing since", LINE_TIME, "failingSince", NULL},
    {"Failed in a row", LINE_PLAIN, "consecutiveFailures", NULL},
    {"Last success", LINE_TIME, "lastSuccessAt", NULL},
    {"Waiting", LINE_PLAIN, "pendingDeliveries", NULL},
    {"Secret", LINE_PLAIN, "secret", NULL},
    {"Old secret until", LINE_TIME, "previousSecretValidUntil", NULL},
    {"Created", LINE_TIME, "createdAt", NULL},
    {"Changed", LINE_TIME, "updatedAt", NULL},
};

void webhook_print(const struct json_node *webhook, enum output_format format)
{
    answer_print_one(webhook, webhook_lines, COUNT_OF(webhook_lines), webhook_fields,
                     COUNT_OF(webhook_fields), format);
}

void webhook_print_list(const struct json_node *answer, enum output_format format)
{
    answer_print_list(answer, webhook_fields, COUNT_OF(webhook_fields), format);
}

/* ---- new secrets ---- */

static const struct answer_field secret_fields[] = {
    {{.name = "webhookId"}, "webhookId", CELL_TEXT, NULL},
    {{.name = "secret"}, "secret", CELL_TEXT, NULL},
    {{.name = "previousSecretValidUntil"}, "previousSecretValidUntil", CELL_TEXT, NULL},
};

static const struct answer_line secret_lines[] = {
    {"Webhook", LINE_PLAIN, "webhookId", NULL},
    {"Secret", LINE_PLAIN, "secret", NULL},
    {"Old secret until", LINE_TIME, "previousSecretValidUntil", NULL},
};

void webhook_print_secret(const struct json_node *answer, enum output_format format)
{
    answer_print_one(answer, secret_lines, COUNT_OF(secret_lines), secret_fields,
                     COUNT_OF(secret_fields), format);
}

/* ---- types of events ---- */

static const struct answer_field type_fields[] = {
    {{.title = "EVENT", .name = "type"}, "type", CELL_TEXT, NULL},
    {{.title = "DEFAULT", .name = "default", .bare = true}, "default", CELL_TEXT, NULL},
    {{.title = "MEANING", .name = "description"}, "description", CELL_TEXT, NULL},
};

void event_type_print_list(const struct json_node *answer, enum output_format format)
{
    answer_print_list(answer, type_fields, COUNT_OF(type_fields), format);
}

/* ---- redeliveries ---- */

static const struct answer_field redelivery_fields[] = {
    {{.name = "webhookId"}, "webhookId", CELL_TEXT, NULL},
    {{.name = "since"}, "since", CELL_TEXT, NULL},
    {{.name = "until"}, "until", CELL_TEXT, NULL},
    {{.name = "status"}, "status", CELL_TEXT, NULL},
    {{.name = "count", .bare = true}, "count", CELL_TEXT, NULL},
    {{.name = "dryRun", .bare = true}, "dryRun", CELL_TEXT, NULL},
};

static const struct answer_line redelivery_lines[] = {
    {"Webhook", LINE_PLAIN, "webhookId", NULL}, {"Since", LINE_TIME, "since", NULL},
    {"Until", LINE_TIME, "until", NULL},        {"Which", LINE_PLAIN, "status", NULL},
    {"Deliveries", LINE_PLAIN, "count", NULL},
};

void redelivery_print(const struct json_node *answer, enum output_format format)
{
    answer_print_one(answer, redelivery_lines, COUNT_OF(redelivery_lines), redelivery_fields,
                     COUNT_OF(redelivery_fields), format);
}

/* ---- events ---- */

static const struct answer_field event_fields[] = {
    {{.title = "TIME (UTC)"}, "timestamp", CELL_TIME, NULL},
    {{.name = "timestamp"}, "timestamp", CELL_TEXT, NULL},
    {{.title = "ID", .name = "id"}, "id", CELL_TEXT, NULL},
    {{.title = "TYPE", .name = "type"}, "type", CELL_TEXT, NULL},
    {{.title = "MESSAGE", .name = "messageId"}, "data.messageId", CELL_TEXT, NULL},
    {{.title = "TO", .name = "to"}, "data.to", CELL_TEXT, NULL},
    {{.title = "ERROR", .name = "errorCode"}, "data.errorCode", CELL_TEXT, NULL},
    {{.name = "sequence", .bare = true}, "sequence", CELL_TEXT, NULL},
    {{.name = "livemode", .bare = true}, "livemode", CELL_TEXT, NULL},
};

void event_print_list(const struct json_node *answer, enum output_format format)
{
    answer_print_list(answer, event_fields, COUNT_OF(event_fields), format);
}
