/* skylark send. */
#include "cli/client.h"
#include "cli/message_print.h"
#include "json/write.h"

#include <unistd.h>

enum value_kind { TEXT, TEXTS, NUMBER, OBJECT, SWITCH };

/* Which option becomes which field of the request. */
static const struct send_field {
    enum option_id option;
    const char *name;
    enum value_kind kind;
} send_fields[] = {
    {OPTION_FROM, "from", TEXT},
    {OPTION_MEDIA, "mediaUrls", TEXTS},
    {OPTION_MESSAGE_TYPE, "messageType", TEXT},
    {OPTION_SUBJECT, "subject", TEXT},
    {OPTION_TAG, "tags", TEXTS},
    {OPTION_METADATA, "metadata", OBJECT},
    {OPTION_VALIDITY, "validityPeriod", NUMBER},
    {OPTION_SCHEDULE, "scheduledAt", TEXT},
    {OPTION_DRY_RUN, "dryRun", SWITCH},
};

static void put_texts(struct json_writer *w, const struct invocation *in, enum option_id id)
{
    json_begin_array(w);
    for (size_t i = 0; i < in->repeated_count; i++)
        if (in->repeated[i].id == id)
            json_put_string(w, str_of(in->repeated[i].value));
    json_end(w);
}

static bool put_number(struct json_writer *w, enum option_id id, const char *text)
{
    int64_t value;

    if (!str_to_i64(str_of(text), &value)) {
        talk("--%s takes a whole number, not '%s'.", options[id].name, text);
        return false;
    }
    json_put_i64(w, value);
    return true;
}

static bool put_object(struct json_writer *w, enum option_id id, const char *text)
{
    struct json_node *object JSON_TREE_CLEANUP = json_tree_parse(str_of(text));

    if (!object) {
        talk("--%s takes a JSON object such as '{\"order\":17}'; this is no JSON: %s",
             options[id].name, text);
        return false;
    }
    json_put_raw(w, str_of(text));
    return true;
}

static bool put_field(struct json_writer *w, const struct invocation *in,
                      const struct send_field *f)
{
    const char *value = in->values[f->option];

    json_key(w, f->name);
    switch (f->kind) {
    case TEXT:
        json_put_string(w, str_of(value));
        break;
    case TEXTS:
        put_texts(w, in, f->option);
        break;
    case SWITCH:
        json_put_bool(w, true);
        break;
    case NUMBER:
        return put_number(w, f->option, value);
    case OBJECT:
        return put_object(w, f->option, value);
    }
    return true;
}

/* False after telling which option makes no sense. */
static bool write_body(const struct invocation *in, const char *to, const char *text,
                       struct buf *out)
{
    struct json_writer w;

    json_writer_init(&w, out);
    json_begin_object(&w);
    json_key(&w, "to");
    json_put_string(&w, str_of(to));
    json_key(&w, "text");
    json_put_string(&w, str_of(text));
    for (size_t i = 0; i < sizeof send_fields / sizeof *send_fields; i++)
        if (in->values[send_fields[i].option] && !put_field(&w, in, &send_fields[i]))
            return false;
    json_end(&w);
    return true;
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
    if (!*ret_text && in->values[OPTION_MEDIA])
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
    if (!invocation_format(in, &format) || !find_send_words(in, &to, &text) ||
        !write_body(in, to, text, &body))
        return CLI_USAGE;
    int r = client_ask(in, "POST", "/v1/send", buf_str(&body), &message);
    if (r != CLI_OK)
        return r;
    message_print(message, format);
    struct str id = json_node_string(json_node_at(message, "messageId"));
    if (format == OUTPUT_TABLE && in->values[OPTION_DRY_RUN])
        talk("\nThis was a dry run: nothing was sent.");
    else if (format == OUTPUT_TABLE && id.n && isatty(STDERR_FILENO))
        talk("\nFollow it with: skylark messages get %.*s", STR_FMT(id));
    return CLI_OK;
}
