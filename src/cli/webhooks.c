/* skylark webhooks: list, get, create, update, delete, rotate-secret, message-secret, event-types.
 * What becomes of what is sent to them is in deliveries.c. */
#include "cli/webhooks.h"

#include "cli/answer_print.h"
#include "cli/secret_input.h"
#include "json/write.h"

enum { BODY_MAX = 1 << 20 };

typedef void print_answer(const struct json_node *answer, enum output_format format);

bool webhook_path(const struct invocation *in, const char *tail, char out[WEBHOOK_PATH_SIZE])
{
    if (!client_plain_id(in->arguments[0])) {
        talk("'%s' is no id of a webhook; one looks like whk_4fT9aKx02Lq. 'skylark webhooks list' "
             "shows them.",
             in->arguments[0]);
        return false;
    }
    str_format(out, WEBHOOK_PATH_SIZE, "/v1/webhooks/%s%s", in->arguments[0], tail);
    return true;
}

static int ask_and_print(const struct invocation *in, const char *method, const char *path,
                         struct str body, print_answer *print)
{
    struct json_node *answer JSON_TREE_CLEANUP = NULL;
    enum output_format format;

    if (!invocation_format(in, &format))
        return CLI_USAGE;
    int r = client_ask(in, method, path, body, &answer);
    if (r == CLI_OK)
        print(answer, format);
    return r;
}

static const struct str no_body = {NULL, 0};

/* ---- looking ---- */

static void print_all(const struct json_node *answer, enum output_format format)
{
    webhook_print_list(answer, format);
    if (format == OUTPUT_TABLE && json_node_count(json_node_at(answer, "data")) == 0)
        talk("There are no webhooks yet. Make one: skylark webhooks create "
             "https://example.com/hook");
}

int run_webhooks_list(const struct invocation *in)
{
    return ask_and_print(in, "GET", "/v1/webhooks", no_body, print_all);
}

int run_webhooks_get(const struct invocation *in)
{
    char path[WEBHOOK_PATH_SIZE];

    return webhook_path(in, "", path) ? ask_and_print(in, "GET", path, no_body, webhook_print)
                                      : CLI_USAGE;
}

int run_webhooks_event_types(const struct invocation *in)
{
    return ask_and_print(in, "GET", "/v1/webhooks/event-types", no_body, event_type_print_list);
}

/* ---- what may be said of a webhook ---- */

static void put_text(struct json_writer *w, const struct invocation *in, enum option_id option,
                     const char *name)
{
    if (!in->values[option])
        return;
    json_key(w, name);
    json_put_string(w, str_of(in->values[option]));
}

/* "a,b" as a list. */
static void put_events(struct json_writer *w, const char *given)
{
    struct str rest = str_of(given);

    if (!given)
        return;
    json_key(w, "events");
    json_begin_array(w);
    while (rest.p)
        json_put_string(w, str_trim(str_cut(&rest, ',')));
    json_end(w);
}

static void put_settings(struct json_writer *w, const struct invocation *in)
{
    put_events(w, in->values[OPTION_EVENTS]);
    put_text(w, in, OPTION_MODE, "mode");
    put_text(w, in, OPTION_DESCRIPTION, "description");
}

static int put_secret(const struct invocation *in, struct json_writer *w)
{
    struct buf secret BUF_CLEANUP;

    buf_init(&secret, SECRET_INPUT_MAX);
    int r = secret_input(in, NULL, &secret);
    if (r != CLI_OK || secret.n == 0)
        return r;
    json_key(w, "secret");
    json_put_string(w, str_trim(buf_str(&secret)));
    return CLI_OK;
}

/* ---- changing ---- */

static void print_made(const struct json_node *answer, enum output_format format)
{
    webhook_print(answer, format);
    if (format != OUTPUT_TABLE)
        return;
    talk("\nKeep the secret where your receiver reads it: it is not shown again.");
    talk("Try it: skylark webhooks test %.*s",
         STR_FMT(json_node_string(json_node_at(answer, "webhookId"))));
}

/* CSV has no place for the secret of a new webhook among its columns, so it is given alone. */
static void print_created(const struct json_node *answer, enum output_format format)
{
    if (format == OUTPUT_CSV)
        webhook_print_secret(answer, format);
    else
        print_made(answer, format);
}

int run_webhooks_create(const struct invocation *in)
{
    struct buf body BUF_CLEANUP;
    struct json_writer w;

    buf_init(&body, BODY_MAX);
    json_writer_init(&w, &body);
    json_begin_object(&w);
    json_key(&w, "url");
    json_put_string(&w, str_of(in->arguments[0]));
    put_settings(&w, in);
    int r = put_secret(in, &w);
    json_end(&w);
    return r == CLI_OK ? ask_and_print(in, "POST", "/v1/webhooks", buf_str(&body), print_created)
                       : r;
}

static bool changes_anything(const struct invocation *in)
{
    static const enum option_id all[] = {OPTION_ENDPOINT,    OPTION_EVENTS, OPTION_MODE,
                                         OPTION_DESCRIPTION, OPTION_ENABLE, OPTION_DISABLE};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (in->values[all[i]])
            return true;
    return false;
}

int run_webhooks_update(const struct invocation *in)
{
    struct buf body BUF_CLEANUP;
    char path[WEBHOOK_PATH_SIZE];
    struct json_writer w;
    bool enable = in->values[OPTION_ENABLE], disable = in->values[OPTION_DISABLE];

    buf_init(&body, BODY_MAX);
    if (!webhook_path(in, "", path))
        return CLI_USAGE;
    if (!changes_anything(in) || (enable && disable)) {
        talk("What shall change? Give --endpoint, --events, --mode, --description, and --enable or "
             "--disable.");
        return CLI_USAGE;
    }
    json_writer_init(&w, &body);
    json_begin_object(&w);
    put_text(&w, in, OPTION_ENDPOINT, "url");
    put_settings(&w, in);
    if (enable || disable)
        json_member_bool(&w, "enabled", enable);
    json_end(&w);
    return ask_and_print(in, "PATCH", path, buf_str(&body), webhook_print);
}

static void print_deleted(const struct json_node *answer, enum output_format format)
{
    static const struct answer_field fields[] = {
        {{.name = "webhookId"}, "webhookId", CELL_TEXT, NULL},
        {{.name = "deleted", .bare = true}, "deleted", CELL_TEXT, NULL},
    };

    if (format == OUTPUT_TABLE)
        talk("The webhook %.*s is deleted, and what waited for it.",
             STR_FMT(json_node_string(json_node_at(answer, "webhookId"))));
    else
        answer_print_one(answer, NULL, 0, fields, COUNT_OF(fields), format);
}

int run_webhooks_delete(const struct invocation *in)
{
    char path[WEBHOOK_PATH_SIZE];

    return webhook_path(in, "", path) ? ask_and_print(in, "DELETE", path, no_body, print_deleted)
                                      : CLI_USAGE;
}

/* ---- secrets ---- */

static void print_rotated(const struct json_node *answer, enum output_format format)
{
    webhook_print_secret(answer, format);
    if (format != OUTPUT_TABLE)
        return;
    talk("\nKeep the secret where your receiver reads it: it is not shown again.");
    if (json_node_string(json_node_at(answer, "previousSecretValidUntil")).n)
        talk("Until the old one's time is over X-Service-Signature is made with the old one, and\n"
             "webhook-signature lists both.");
}

static bool put_grace(struct json_writer *w, const char *given)
{
    int64_t hours;

    if (!given)
        return true;
    if (!str_to_i64(str_of(given), &hours)) {
        talk("--grace takes a number of hours, 0 to 168, not '%s'.", given);
        return false;
    }
    json_member_i64(w, "gracePeriodHours", hours);
    return true;
}

static int rotate(const struct invocation *in, const char *path)
{
    struct buf body BUF_CLEANUP;
    struct json_writer w;

    buf_init(&body, BODY_MAX);
    json_writer_init(&w, &body);
    json_begin_object(&w);
    if (!put_grace(&w, in->values[OPTION_GRACE]))
        return CLI_USAGE;
    int r = put_secret(in, &w);
    json_end(&w);
    return r == CLI_OK ? ask_and_print(in, "POST", path, buf_str(&body), print_rotated) : r;
}

int run_webhooks_rotate_secret(const struct invocation *in)
{
    char path[WEBHOOK_PATH_SIZE];

    return webhook_path(in, "/rotate-secret", path) ? rotate(in, path) : CLI_USAGE;
}

int run_webhooks_message_secret(const struct invocation *in)
{
    return rotate(in, "/v1/webhooks/message-secret/rotate");
}
