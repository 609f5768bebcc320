/* skylark usage, delivery and costs: what is asked for, and what each report is made of. */
#include "cli/analytics.h"

#include "cli/answer_print.h"
#include "cli/client.h"
#include "cli/when.h"

#include <unistd.h>

#define FIELDS(list) list, COUNT_OF(list), NULL, NULL

/* ---- usage ---- */

static const struct report_field usage_totals[] = {
    {"Messages", "totals.messages", FIGURE_COUNT}, {"  SMS", "totals.sms", FIGURE_COUNT},
    {"  MMS", "totals.mms", FIGURE_COUNT},         {"Segments", "totals.segments", FIGURE_COUNT},
    {"Received", "totals.inbound", FIGURE_COUNT},  {"API calls", "totals.requests", FIGURE_COUNT},
    {"Cost", "totals.cost", FIGURE_MONEY},
};
static const struct report_field usage_rows[] = {
    {"BEGINS (UTC)", "date", FIGURE_DATE},
    {"MESSAGES", "messages", FIGURE_COUNT},
    {"SMS", "sms", FIGURE_COUNT},
    {"MMS", "mms", FIGURE_COUNT},
    {"SEGMENTS", "segments", FIGURE_COUNT},
    {"RECEIVED", "inbound", FIGURE_COUNT},
    {"API CALLS", "requests", FIGURE_COUNT},
    {"COST", "cost", FIGURE_MONEY},
};
#define USAGE_PART(name, title, path)                                                              \
    static const struct report_field name[] = {                                                    \
        {title, path, FIGURE_WORD},                                                                \
        {"MESSAGES", "messages", FIGURE_COUNT},                                                    \
        {"SEGMENTS", "segments", FIGURE_COUNT},                                                    \
        {"COST", "cost", FIGURE_MONEY},                                                            \
    }
USAGE_PART(usage_country, "COUNTRY", "country");
USAGE_PART(usage_message_type, "MESSAGE TYPE", "messageType");
USAGE_PART(usage_number_type, "NUMBER TYPE", "numberType");
USAGE_PART(usage_tag, "TAG", "tag");

static const struct report_part usage_parts[] = {
    {"By country", "breakdown.byCountry", FIELDS(usage_country)},
    {"By message type", "breakdown.byMessageType", FIELDS(usage_message_type)},
    {"By type of the sender's number", "breakdown.byNumberType", FIELDS(usage_number_type)},
    {"By tag", "breakdown.byTag", usage_tag, COUNT_OF(usage_tag), "breakdown.otherTags",
     "(other sets of tags)"},
};

const struct report shown_usage = {
    .path = "/v1/analytics/usage",
    .title = "Usage",
    .totals = usage_totals,
    .total_count = COUNT_OF(usage_totals),
    .rows = usage_rows,
    .row_count = COUNT_OF(usage_rows),
    .parts = usage_parts,
    .part_count = COUNT_OF(usage_parts),
    .bars = {{"Messages", "messages", "36", FIGURE_COUNT, 8, '#'}},
    .bars_count = 1,
};

/* ---- delivery ---- */

static const struct report_field delivery_totals[] = {
    {"Messages", "totals.total", FIGURE_COUNT},
    {"  delivered", "totals.delivered", FIGURE_COUNT},
    {"  failed", "totals.failed", FIGURE_COUNT},
    {"  cancelled", "totals.cancelled", FIGURE_COUNT},
    {"  sent, no receipt yet", "totals.sent", FIGURE_COUNT},
    {"  queued", "totals.queued", FIGURE_COUNT},
    {"  scheduled", "totals.scheduled", FIGURE_COUNT},
    {"Delivery rate", "totals.deliveryRate", FIGURE_RATE},
    {"Delivery time", "totals.averageDeliverySeconds", FIGURE_SECONDS},
    {"  of 95 % up to about", "totals.p95DeliverySeconds", FIGURE_SECONDS},
};
#define DELIVERY_FIELDS                                                                            \
    {"MESSAGES", "total", FIGURE_COUNT}, {"DELIVERED", "delivered", FIGURE_COUNT},                 \
        {"FAILED", "failed", FIGURE_COUNT}, {"CANCELLED", "cancelled", FIGURE_COUNT},              \
        {"SENT", "sent", FIGURE_COUNT}, {"QUEUED", "queued", FIGURE_COUNT},                        \
        {"RATE", "deliveryRate", FIGURE_RATE}, {"TIME", "averageDeliverySeconds", FIGURE_SECONDS}, \
    {                                                                                              \
        "95 %", "p95DeliverySeconds", FIGURE_SECONDS                                               \
    }
static const struct report_field delivery_rows[] = {{"BEGINS (UTC)", "date", FIGURE_DATE},
                                                    DELIVERY_FIELDS};
static const struct report_field delivery_country[] = {{"COUNTRY", "country", FIGURE_WORD},
                                                       DELIVERY_FIELDS};
static const struct report_field delivery_number_type[] = {
    {"NUMBER TYPE", "numberType", FIGURE_WORD}, DELIVERY_FIELDS};
static const struct report_field delivery_failures[] = {
    {"ERROR", "errorCode", FIGURE_WORD},
    {"MESSAGES", "count", FIGURE_COUNT},
    {"MEANING", "errorMessage", FIGURE_WORD},
};

static const struct report_part delivery_parts[] = {
    {"Failures", "failures", FIELDS(delivery_failures)},
    {"By country", "byCountry", FIELDS(delivery_country)},
    {"By type of the sender's number", "byNumberType", FIELDS(delivery_number_type)},
};

const struct report shown_delivery = {
    .path = "/v1/analytics/delivery",
    .title = "Delivery",
    .totals = delivery_totals,
    .total_count = COUNT_OF(delivery_totals),
    .rows = delivery_rows,
    .row_count = COUNT_OF(delivery_rows),
    .parts = delivery_parts,
    .part_count = COUNT_OF(delivery_parts),
    .bars = {{"Delivered", "delivered", "32", FIGURE_COUNT, 8, '#'},
             {"Failed", "failed", "31", FIGURE_COUNT, 4, 'x'}},
    .bars_count = 2,
};

/* ---- costs ---- */

static const struct report_field cost_totals[] = {
    {"Cost", "totals.amount", FIGURE_MONEY},
    {"Messages", "totals.messages", FIGURE_COUNT},
    {"Average of a message", "totals.averagePerMessage", FIGURE_MONEY},
    {"Average of a segment", "totals.averagePerSegment", FIGURE_MONEY},
    {"This month, if it goes on", "projectedMonthTotal", FIGURE_MONEY},
};
static const struct report_field cost_rows[] = {
    {"BEGINS (UTC)", "date", FIGURE_DATE},
    {"COST", "amount", FIGURE_MONEY},
    {"MESSAGES", "messages", FIGURE_COUNT},
};
#define COST_PART(name, title, path)                                                               \
    static const struct report_field name[] = {                                                    \
        {title, path, FIGURE_WORD},                                                                \
        {"COST", "amount", FIGURE_MONEY},                                                          \
        {"MESSAGES", "messages", FIGURE_COUNT},                                                    \
    }
COST_PART(cost_country, "COUNTRY", "country");
COST_PART(cost_number_type, "NUMBER TYPE", "numberType");
COST_PART(cost_type, "TYPE", "type");

static const struct report_part cost_parts[] = {
    {"By country", "byCountry", FIELDS(cost_country)},
    {"By type of the sender's number", "byNumberType", FIELDS(cost_number_type)},
    {"By type of message", "byType", FIELDS(cost_type)},
};

const struct report shown_costs = {
    .path = "/v1/analytics/costs",
    .title = "Costs",
    .totals = cost_totals,
    .total_count = COUNT_OF(cost_totals),
    .rows = cost_rows,
    .row_count = COUNT_OF(cost_rows),
    .parts = cost_parts,
    .part_count = COUNT_OF(cost_parts),
    .bars = {{"Cost", "amount", "33", FIGURE_MONEY, 8, '#'}},
    .bars_count = 1,
};

/* ---- asking ---- */

static const struct client_parameter parameters[] = {
    {OPTION_START, "startDate"}, {OPTION_END, "endDate"},
    {OPTION_PERIOD, "period"},   {OPTION_INTERVAL, "interval"},
    {OPTION_COUNTRY, "country"}, {OPTION_MESSAGE_TYPE, "messageType"},
    {OPTION_TAG, "tag"},         {OPTION_FROM, "from"},
};

static bool check_options(const struct invocation *in, enum output_format format)
{
    if (in->values[OPTION_PLOT] && in->values[OPTION_NO_PLOT])
        talk("Give --plot or --no-plot, not both.");
    else if (in->values[OPTION_PLOT] && format != OUTPUT_TABLE)
        talk("A plot goes with the table only; leave out --plot or -o.");
    else if (in->repeated_count > 1)
        talk("Give --tag once: messages with any of several tags cannot be asked for.");
    else
        return true;
    return false;
}

/* How long ago becomes a time; what is neither that nor a time is left to the server, which names
 * the field and the remedy. */
static void ask_query(const struct invocation *in, const struct report *r, struct buf *path)
{
    int64_t now_us = clock_now_us(&clock_real);
    struct invocation with = *in;
    char start[RFC3339_SIZE], end[RFC3339_SIZE];

    if (in->values[OPTION_START] && when_parse(in->values[OPTION_START], now_us, start))
        with.values[OPTION_START] = start;
    if (in->values[OPTION_END] && when_parse(in->values[OPTION_END], now_us, end))
        with.values[OPTION_END] = end;
    buf_text(path, r->path);
    client_query(path, &with, parameters, COUNT_OF(parameters));
}

static int ask(const struct invocation *in, const struct report *r, bool csv,
               struct http_reply *reply)
{
    struct buf path BUF_CLEANUP = {.max = 1 << 16};
    struct client c;
    int code = client_open(&c, in);

    if (code != CLI_OK)
        return code;
    ask_query(in, r, &path);
    if (path.failed) {
        talk("The options are too long.");
        return CLI_USAGE;
    }
    c.wants_csv = csv;
    return client_call(&c, "GET", path.p, (struct str){NULL, 0}, reply);
}

/* ---- showing ---- */

static void print_table(const struct invocation *in, const struct report *r,
                        const struct json_node *answer)
{
    bool shown = in->values[OPTION_PLOT] || isatty(STDOUT_FILENO);

    report_print(r, answer,
                 &(struct report_style){.plot = shown && !in->values[OPTION_NO_PLOT],
                                        .ascii = !output_is_utf8(),
                                        .fancy = output_is_fancy(stdout),
                                        .width = output_width(stdout)},
                 stdout);
}

/* JSON and CSV are the server's own bytes. */
static int show(const struct invocation *in, const struct report *r, enum output_format format,
                struct str body)
{
    struct json_node *answer JSON_TREE_CLEANUP = NULL;
    bool as_it_is = format == OUTPUT_CSV || (format == OUTPUT_JSON && !isatty(STDOUT_FILENO));

    if (as_it_is) {
        printf("%.*s%s", STR_FMT(body), format == OUTPUT_JSON ? "\n" : "");
        return CLI_OK;
    }
    answer = json_tree_parse(body);
    if (!answer) {
        talk("The server gave an answer that is not JSON.");
        return CLI_FAILED;
    }
    if (format == OUTPUT_TABLE)
        print_table(in, r, answer);
    else
        answer_print_list(answer, NULL, 0, format);
    return CLI_OK;
}

static int run_report(const struct invocation *in, const struct report *r)
{
    struct http_reply reply HTTP_REPLY_CLEANUP = {.status = 0};
    enum output_format format;

    if (!invocation_format(in, &format) || !check_options(in, format))
        return CLI_USAGE;
    int code = ask(in, r, format == OUTPUT_CSV, &reply);
    return code == CLI_OK ? show(in, r, format, buf_str(&reply.body)) : code;
}

int run_usage(const struct invocation *in)
{
    return run_report(in, &shown_usage);
}

int run_delivery(const struct invocation *in)
{
    return run_report(in, &shown_delivery);
}

int run_costs(const struct invocation *in)
{
    return run_report(in, &shown_costs);
}
