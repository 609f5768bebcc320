/* skylark send, skylark messages: what the API shows, for people and for pipes. */
#include "cli/client.h"
#include "cli/output.h"
#include "json/tree.h"
#include "json/write.h"

#include <unistd.h>

/* Where a cell of a message comes from; the order is that of the columns. */
struct field {
    struct column column;
    const char *path;
    bool is_time;
};

static const struct field fields[] = {
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
};

enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static const char *text_at(struct table *t, const struct json_node *message, const char *path)
{
    struct buf b BUF_CLEANUP = {.max = 1 << 16};
    const struct json_node *node = json_node_at(message, path);

    if (!node)
        return NULL;
    json_node_text(node, &b);
    return table_text(t, buf_str(&b));
}

static void add_message(struct table *t, const struct json_node *message)
{
    const char **row = table_add(t);
    char time[24];

    for (size_t i = 0; row && i < FIELD_COUNT; i++) {
        row[i] = text_at(t, message, fields[i].path);
        if (fields[i].is_time && row[i]) {
            output_time(str_of(row[i]), time);
            row[i] = table_text(t, str_of(time));
        }
    }
}

static void fill_columns(struct column columns[FIELD_COUNT])
{
    for (size_t i = 0; i < FIELD_COUNT; i++)
        columns[i] = fields[i].column;
}

static void print_json(const struct json_node *node, bool indent)
{
    struct buf b BUF_CLEANUP;

    buf_init(&b, 2 * HTTP_REPLY_MAX);
    json_node_write(node, indent, &b);
    buf_add_char(&b, '\n');
    fwrite(b.p, 1, b.n, stdout);
}

/* ---- one message ---- */

static const struct column record_columns[] = {
    {.title = "Message"}, {.title = "Status"},  {.title = "From"},      {.title = "To"},
    {.title = "Text"},    {.title = "Media"},   {.title = "Segments"},  {.title = "Cost"},
    {.title = "Created"}, {.title = "Sent"},    {.title = "Delivered"}, {.title = "Failed"},
    {.title = "Error"},   {.title = "Because"},
};
enum { RECORD_COUNT = sizeof record_columns / sizeof *record_columns };

static const char *joined(struct table *t, const struct json_node *m, const char *first,
                          const char *before, const char *second, const char *after)
{
    const char *a = text_at(t, m, first), *b = text_at(t, m, second);

    if (!a || !b)
        return a;
    return arena_printf(&t->memory, "%s%s%s%s", a, before, b, after);
}

static const char *time_at(struct table *t, const struct json_node *m, const char *path)
{
    const char *text = text_at(t, m, path);
    char time[24];

    if (!text || !*text)
        return NULL;
    output_time(str_of(text), time);
    return arena_printf(&t->memory, "%s UTC", time);
}

static void print_record(const struct json_node *m)
{
    struct table t TABLE_CLEANUP;

    table_init(&t, record_columns, RECORD_COUNT);
    const char **row = table_add(&t);
    if (!row)
        return;
    const char *const cells[RECORD_COUNT] = {
        text_at(&t, m, "messageId"),
        text_at(&t, m, "status"),
        joined(&t, m, "from", "  (", "routing.numberType", ")"),
        text_at(&t, m, "to"),
        text_at(&t, m, "text"),
        text_at(&t, m, "mediaUrls"),
        joined(&t, m, "segments", "  (", "encoding", ")"),
        joined(&t, m, "cost.amount", " ", "cost.currency", ""),
        time_at(&t, m, "createdAt"),
        time_at(&t, m, "sentAt"),
        time_at(&t, m, "deliveredAt"),
        time_at(&t, m, "failedAt"),
        text_at(&t, m, "errorCode"),
        text_at(&t, m, "errorMessage"),
    };
    memcpy(row, cells, sizeof cells);
    table_print_one(&t, OUTPUT_TABLE, stdout);
}

static void print_message(const struct json_node *m, enum output_format format)
{
    struct column columns[FIELD_COUNT];
    struct table t TABLE_CLEANUP;

    fill_columns(columns);
    table_init(&t, columns, FIELD_COUNT);
    switch (format) {
    case OUTPUT_TABLE:
        print_record(m);
        break;
    case OUTPUT_JSON:
        print_json(m, isatty(STDOUT_FILENO));
        break;
    case OUTPUT_JSONL:
        print_json(m, false);
        break;
    case OUTPUT_CSV:
        add_message(&t, m);
        table_print_one(&t, format, stdout);
        break;
    }
}

/* ---- calling ---- */

/* Makes the request and parses the answer; the tree is the caller's. */
static int ask(const struct invocation *in, const char *method, const char *path, struct str body,
               struct json_node **ret)
{
    struct client c;
    struct http_reply reply HTTP_REPLY_CLEANUP = {.status = 0};

    *ret = NULL;
    int r = client_open(&c, in);
    if (r == CLI_OK)
        r = client_call(&c, method, path, body, &reply);
    if (r != CLI_OK)
        return r;
    *ret = json_tree_parse(buf_str(&reply.body));
    if (*ret)
        return CLI_OK;
    talk("The server at %s gave an answer that is not JSON.", c.url);
    return CLI_FAILED;
}

static void write_send_body(const struct invocation *in, const char *to, const char *text,
                            struct buf *out)
{
    struct json_writer w;

    json_writer_init(&w, out);
    json_begin_object(&w);
    json_key(&w, "to");
    json_put_string(&w, str_of(to));
    json_key(&w, "text");
    json_put_string(&w, str_of(text));
    if (in->media_count) {
        json_key(&w, "mediaUrls");
        json_begin_array(&w);
        for (size_t i = 0; i < in->media_count; i++)
            json_put_string(&w, str_of(in->media[i]));
        json_end(&w);
    }
    json_end(&w);
}

/* Number and text, from options or from the words that are left, in this order. */
static bool find_send_words(const struct invocation *in, const char **ret_to, const char **ret_text)
{
    size_t used = 0;

    *ret_to = in->values[OPTION_TO];
    *ret_text = in->values[OPTION_TEXT];
    if (!*ret_to && used < in->argument_count)
        *ret_to = in->arguments[used++];
    if (!*ret_text && used < in->argument_count)
        *ret_text = in->arguments[used++];
    if (!*ret_text && in->media_count)
        *ret_text = "";
    if (used < in->argument_count)
        talk("'%s' is one word too many.", in->arguments[used]);
    else if (!*ret_to)
        talk("Where to? Write skylark send +15550001234 \"Hello\"");
    else if (!*ret_text)
        talk("What shall it say? Write skylark send %s \"Hello\"", *ret_to);
    else
        return true;
    return false;
}

int run_send(const struct invocation *in)
{
    struct buf body BUF_CLEANUP;
    struct json_node *message JSON_TREE_CLEANUP = NULL;
    enum output_format format;
    const char *to, *text;

    buf_init(&body, 1 << 20);
    if (!invocation_format(in, &format) || !find_send_words(in, &to, &text))
        return CLI_USAGE;
    write_send_body(in, to, text, &body);
    int r = ask(in, "POST", "/v1/send", buf_str(&body), &message);
    if (r != CLI_OK)
        return r;
    print_message(message, format);
    struct str id = json_node_string(json_node_at(message, "messageId"));
    if (format == OUTPUT_TABLE && id.n && isatty(STDERR_FILENO))
        talk("\nFollow it with: skylark messages get %.*s", STR_FMT(id));
    return CLI_OK;
}

int run_messages_get(const struct invocation *in)
{
    struct json_node *message JSON_TREE_CLEANUP = NULL;
    enum output_format format;
    char path[256];

    if (!invocation_format(in, &format))
        return CLI_USAGE;
    if (!client_plain_id(in->arguments[0])) {
        talk("'%s' is no message id; one looks like msg_4fT9aKx02Lq.", in->arguments[0]);
        return CLI_USAGE;
    }
    str_format(path, sizeof path, "/v1/messages/%s", in->arguments[0]);
    int r = ask(in, "GET", path, (struct str){NULL, 0}, &message);
    if (r == CLI_OK)
        print_message(message, format);
    return r;
}

static void print_list(const struct json_node *answer, enum output_format format)
{
    const struct json_node *data = json_node_at(answer, "data");
    struct column columns[FIELD_COUNT];
    struct table t TABLE_CLEANUP;

    fill_columns(columns);
    table_init(&t, columns, FIELD_COUNT);
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
            add_message(&t, json_node_item(data, i));
        if (format == OUTPUT_CSV || t.count)
            table_print(&t, format, stdout);
    }
}

/* How many there are and how to go on: talk, so that pipes get rows only. */
static void tell_page(const struct json_node *answer)
{
    size_t shown = json_node_count(json_node_at(answer, "data"));
    struct str next = json_node_string(json_node_at(answer, "pagination.nextCursor"));
    struct buf total BUF_CLEANUP;

    buf_init(&total, 256);
    json_node_text(json_node_at(answer, "pagination.totalCount"), &total);
    if (shown == 0)
        talk("There are no messages yet. Send one: skylark send +15550001234 \"Hello\"");
    else
        talk("\n%zu of %.*s message%s.", shown, STR_FMT(buf_str(&total)),
             str_is(buf_str(&total), "1") ? "" : "s");
    if (next.n)
        talk("Next page: skylark messages list --cursor %.*s", STR_FMT(next));
}

int run_messages_list(const struct invocation *in)
{
    struct json_node *answer JSON_TREE_CLEANUP = NULL;
    const char *limit = in->values[OPTION_LIMIT], *cursor = in->values[OPTION_CURSOR];
    enum output_format format;
    char path[512];

    if (!invocation_format(in, &format))
        return CLI_USAGE;
    if ((limit && !client_plain_id(limit)) || (cursor && !client_plain_id(cursor))) {
        talk("--limit takes a number from 1 to 100, --cursor the id of a message.");
        return CLI_USAGE;
    }
    str_format(path, sizeof path, "/v1/messages?limit=%s%s%s", limit ? limit : "50",
               cursor ? "&cursor=" : "", cursor ? cursor : "");
    int r = ask(in, "GET", path, (struct str){NULL, 0}, &answer);
    if (r != CLI_OK)
        return r;
    print_list(answer, format);
    if (format == OUTPUT_TABLE)
        tell_page(answer);
    return CLI_OK;
}
