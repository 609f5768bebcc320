/* skylark events list. */
#include "cli/webhooks.h"

/* With --after they come oldest first, and the next page begins behind the last one. */
static void tell_page(const struct invocation *in, const struct json_node *answer)
{
    const struct json_node *data = json_node_at(answer, "data");
    struct str next = json_node_string(json_node_at(answer, "pagination.nextCursor"));
    struct buf more BUF_CLEANUP;
    size_t shown = json_node_count(data);

    buf_init(&more, 64);
    json_node_text(json_node_at(answer, "pagination.hasMore"), &more);
    if (shown == 0)
        talk(in->values[OPTION_AFTER] ? "Nothing has happened since."
                                      : "There are no such events.");
    else if (!str_is(buf_str(&more), "true"))
        return;
    else if (in->values[OPTION_AFTER])
        talk("\nNext page: the same with --after %.*s",
             STR_FMT(json_node_string(json_node_at(json_node_item(data, shown - 1), "id"))));
    else
        talk("\nNext page: the same with --cursor %.*s", STR_FMT(next));
}

int run_events_list(const struct invocation *in)
{
    static const struct client_parameter parameters[] = {{OPTION_EVENTS, "types"},
                                                         {OPTION_AFTER, "after"},
                                                         {OPTION_LIMIT, "limit"},
                                                         {OPTION_CURSOR, "cursor"}};
    struct json_node *answer JSON_TREE_CLEANUP = NULL;
    enum output_format format;

    if (!invocation_format(in, &format))
        return CLI_USAGE;
    int r =
        client_list(in, "/v1/events", parameters, sizeof parameters / sizeof *parameters, &answer);
    if (r != CLI_OK)
        return r;
    event_print_list(answer, format);
    if (format == OUTPUT_TABLE)
        tell_page(in, answer);
    return CLI_OK;
}
