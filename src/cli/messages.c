/* skylark messages: list, get, events, cancel. */
#include "cli/client.h"
#include "cli/message_print.h"

/* ---- one message ---- */

/* "/v1/messages/ID" and what follows it; false after telling that it is no id. */
static bool message_path(const struct invocation *in, const char *tail, char out[256])
{
    if (!client_plain_id(in->arguments[0])) {
        talk("'%s' is no message id; one looks like msg_4fT9aKx02Lq.", in->arguments[0]);
        return false;
    }
    str_format(out, 256, "/v1/messages/%s%s", in->arguments[0], tail);
    return true;
}

static int ask_and_print(const struct invocation *in, const char *method, const char *tail,
                         void (*print)(const struct json_node *answer, enum output_format format))
{
    struct json_node *answer JSON_TREE_CLEANUP = NULL;
    enum output_format format;
    char path[256];

    if (!invocation_format(in, &format) || !message_path(in, tail, path))
        return CLI_USAGE;
    int r = client_ask(in, method, path, (struct str){NULL, 0}, &answer);
    if (r == CLI_OK)
        print(answer, format);
    return r;
}

int run_messages_get(const struct invocation *in)
{
    return ask_and_print(in, "GET", "", message_print);
}

int run_messages_cancel(const struct invocation *in)
{
    return ask_and_print(in, "POST", "/cancel", message_print);
}

int run_messages_events(const struct invocation *in)
{
    return ask_and_print(in, "GET", "/events", message_print_events);
}

/* ---- many ---- */

static const struct client_parameter list_parameters[] = {
    {OPTION_STATUS, "status"},
    {OPTION_TO, "to"},
    {OPTION_FROM, "from"},
    {OPTION_DIRECTION, "direction"},
    {OPTION_TAG, "tag"},
    {OPTION_BATCH, "batchId"},
    {OPTION_AFTER, "createdAfter"},
    {OPTION_BEFORE, "createdBefore"},
    {OPTION_LIMIT, "limit"},
    {OPTION_CURSOR, "cursor"},
};
enum { PARAMETERS = sizeof list_parameters / sizeof *list_parameters, FILTERS = PARAMETERS - 2 };

static bool is_filtered(const struct invocation *in)
{
    for (size_t i = 0; i < FILTERS; i++)
        if (in->values[list_parameters[i].option])
            return true;
    return false;
}

/* How many there are and how to go on: talk, so that pipes get rows only. */
static void tell_page(const struct json_node *answer, bool filtered)
{
    size_t shown = json_node_count(json_node_at(answer, "data"));
    struct str next = json_node_string(json_node_at(answer, "pagination.nextCursor"));
    struct buf total BUF_CLEANUP;

    buf_init(&total, 256);
    json_node_text(json_node_at(answer, "pagination.totalCount"), &total);
    if (shown == 0 && filtered)
        talk("There are no such messages.");
    else if (shown == 0)
        talk("There are no messages yet. Send one: skylark send +15550001234 \"Hello\"");
    else
        talk("\n%zu of %.*s message%s.", shown, STR_FMT(buf_str(&total)),
             str_is(buf_str(&total), "1") ? "" : "s");
    if (next.n)
        talk("Next page: the same with --cursor %.*s", STR_FMT(next));
}

int run_messages_list(const struct invocation *in)
{
    struct json_node *answer JSON_TREE_CLEANUP = NULL;
    enum output_format format;

    if (!invocation_format(in, &format))
        return CLI_USAGE;
    int r = client_list(in, "/v1/messages", list_parameters, PARAMETERS, &answer);
    if (r != CLI_OK)
        return r;
    message_print_list(answer, format);
    if (format == OUTPUT_TABLE)
        tell_page(answer, is_filtered(in));
    return CLI_OK;
}
