/* skylark webhooks test, deliveries, delivery, retry, redeliver: what becomes of what is sent to
 * webhooks. */
#include "base/clock.h"
#include "cli/webhooks.h"
#include "cli/when.h"
#include "json/write.h"

#include <inttypes.h>
#include <unistd.h>

static const struct str no_body = {NULL, 0};

/* "/v1/webhooks/ID/deliveries/ID" of the two arguments, and what follows them. */
static bool delivery_path(const struct invocation *in, const char *tail,
                          char out[WEBHOOK_PATH_SIZE])
{
    char rest[WEBHOOK_PATH_SIZE];

    if (!client_plain_id(in->arguments[1])) {
        talk("'%s' is no id of a delivery; one looks like dlv_4fT9aKx02Lq. 'skylark webhooks "
             "deliveries %s' shows them.",
             in->arguments[1], in->arguments[0]);
        return false;
    }
    str_format(rest, sizeof rest, "/deliveries/%s%s", in->arguments[1], tail);
    return webhook_path(in, rest, out);
}

static int show(const struct invocation *in, const char *method, const char *tail,
                void (*print)(const struct json_node *answer, enum output_format format))
{
    struct json_node *answer JSON_TREE_CLEANUP = NULL;
    char path[WEBHOOK_PATH_SIZE];
    enum output_format format;

    if (!invocation_format(in, &format) || !delivery_path(in, tail, path))
        return CLI_USAGE;
    int r = client_ask(in, method, path, no_body, &answer);
    if (r == CLI_OK)
        print(answer, format);
    return r;
}

int run_webhooks_delivery(const struct invocation *in)
{
    return show(in, "GET", "", delivery_print_whole);
}

int run_webhooks_retry(const struct invocation *in)
{
    return show(in, "POST", "/retry", delivery_print);
}

/* ---- the log ---- */

/* A time of the command line as the API takes it; false after telling that it is none. */
static bool read_when(const struct invocation *in, enum option_id option, char out[RFC3339_SIZE])
{
    out[0] = '\0';
    if (!in->values[option] || when_parse(in->values[option], clock_now_us(&clock_real), out))
        return true;
    talk("--%s takes a time such as 2026-01-31T09:00:00Z, or how long ago: 90s, 15m, 1h, 7d; not "
         "'%s'.",
         options[option].name, in->values[option]);
    return false;
}

static void tell_page(const struct json_node *answer)
{
    size_t shown = json_node_count(json_node_at(answer, "data"));
    struct str next = json_node_string(json_node_at(answer, "pagination.nextCursor"));

    if (shown == 0)
        talk("There are no such deliveries.");
    if (next.n)
        talk("\nNext page: the same with --cursor %.*s", STR_FMT(next));
}

int run_webhooks_deliveries(const struct invocation *in)
{
    static const struct client_parameter parameters[] = {{OPTION_STATUS, "status"},
                                                         {OPTION_LIMIT, "limit"},
                                                         {OPTION_CURSOR, "cursor"},
                                                         {OPTION_SINCE, "since"},
                                                         {OPTION_UNTIL, "until"}};
    struct json_node *answer JSON_TREE_CLEANUP = NULL;
    struct invocation exact = *in;
    char since[RFC3339_SIZE], until[RFC3339_SIZE], path[WEBHOOK_PATH_SIZE];
    enum output_format format;

    if (!invocation_format(in, &format) || !webhook_path(in, "/deliveries", path) ||
        !read_when(in, OPTION_SINCE, since) || !read_when(in, OPTION_UNTIL, until))
        return CLI_USAGE;
    exact.values[OPTION_SINCE] = since[0] ? since : NULL;
    exact.values[OPTION_UNTIL] = until[0] ? until : NULL;
    int r = client_list(&exact, path, parameters, sizeof parameters / sizeof *parameters, &answer);
    if (r != CLI_OK)
        return r;
    delivery_print_list(answer, format);
    if (format == OUTPUT_TABLE)
        tell_page(answer);
    return CLI_OK;
}

/* ---- trying a webhook ---- */

enum { TEST_MS = 35000, TEST_EVERY_MS = 200, PATIENCE_MS = 500 };

static int64_t number_at(const struct json_node *node, const char *path)
{
    struct buf text BUF_CLEANUP;
    int64_t n;

    buf_init(&text, 64);
    json_node_text(json_node_at(node, path), &text);
    return str_to_i64(buf_str(&text), &n) ? n : 0;
}

static struct str text_at(const struct json_node *node, const char *path)
{
    return json_node_string(json_node_at(node, path));
}

/* Whether there is something to tell: it was tried, or it will not be soon. */
static bool is_settled(const struct json_node *delivery)
{
    return number_at(delivery, "attempts") > 0 || !str_is(text_at(delivery, "status"), "pending");
}

/* Asks for the delivery until it was tried; the last answer is in *delivery. */
static int await(const struct client *c, const char *webhook, struct json_node **delivery)
{
    char path[WEBHOOK_PATH_SIZE];
    bool told = !isatty(STDERR_FILENO);
    int r = CLI_OK;

    str_format(path, sizeof path, "/v1/webhooks/%s/deliveries/%.*s", webhook,
               STR_FMT(text_at(*delivery, "deliveryId")));
    for (int ms = 0; r == CLI_OK && !is_settled(*delivery) && ms < TEST_MS; ms += TEST_EVERY_MS) {
        if (!told && ms >= PATIENCE_MS) {
            talk("Waiting for the answer of %.*s …", STR_FMT(text_at(*delivery, "url")));
            told = true;
        }
        usleep(TEST_EVERY_MS * 1000);
        json_tree_free(*delivery);
        r = client_fetch(c, "GET", path, no_body, delivery);
    }
    return r;
}

/* What happened, in a sentence. */
static int tell_test(const struct json_node *delivery)
{
    struct str url = text_at(delivery, "url"), error = text_at(delivery, "lastAttempt.error");
    int64_t status = number_at(delivery, "lastAttempt.responseStatus");
    int64_t ms = number_at(delivery, "lastAttempt.durationMs");

    if (str_is(text_at(delivery, "status"), "delivered")) {
        talk("%.*s answered %" PRId64 " after %" PRId64 " ms: the webhook works.", STR_FMT(url),
             status, ms);
        return CLI_OK;
    }
    if (str_is(text_at(delivery, "status"), "parked"))
        talk(
            "The webhook is switched off or paused: the event waits until it goes on. 'skylark "
            "webhooks get %.*s' tells why; 'skylark webhooks update %.*s --enable' switches it on.",
            STR_FMT(text_at(delivery, "webhookId")), STR_FMT(text_at(delivery, "webhookId")));
    else if (status)
        talk("%.*s answered %" PRId64 " after %" PRId64 " ms; anything but 2xx is a failure, and "
             "tried again later.",
             STR_FMT(url), status, ms);
    else if (error.n)
        talk("%.*s did not answer: %.*s", STR_FMT(url), STR_FMT(error));
    else {
        talk("The event was not sent within %d seconds; it is still on its way.", TEST_MS / 1000);
        return CLI_TIMED_OUT;
    }
    return CLI_FAILED;
}

int run_webhooks_test(const struct invocation *in)
{
    struct json_node *delivery JSON_TREE_CLEANUP = NULL;
    char path[WEBHOOK_PATH_SIZE];
    enum output_format format;
    struct client c;

    if (!invocation_format(in, &format) || !webhook_path(in, "/test", path))
        return CLI_USAGE;
    int r = client_open(&c, in);
    if (r == CLI_OK)
        r = client_fetch(&c, "POST", path, no_body, &delivery);
    if (r == CLI_OK)
        r = await(&c, in->arguments[0], &delivery);
    if (r != CLI_OK)
        return r;
    delivery_print(delivery, format);
    if (format == OUTPUT_TABLE)
        talk("%s", "");
    return tell_test(delivery);
}

/* ---- once more ---- */

struct range {
    char since[RFC3339_SIZE], until[RFC3339_SIZE];
    bool all;
};

static int redeliver(const struct client *c, const char *path, const struct range *range,
                     bool dry_run, struct json_node **ret)
{
    struct buf body BUF_CLEANUP;
    struct json_writer w;

    buf_init(&body, 4096);
    json_writer_init(&w, &body);
    json_begin_object(&w);
    json_member_word(&w, "since", range->since);
    if (range->until[0])
        json_member_word(&w, "until", range->until);
    json_member_word(&w, "status", range->all ? "all" : "failed");
    json_member_bool(&w, "dryRun", dry_run);
    json_end(&w);
    return client_fetch(c, "POST", path, buf_str(&body), ret);
}

/* On a terminal only: a script has said what it wants. */
static bool is_agreed(int64_t count)
{
    char answer[8];

    fprintf(stderr, "Send %" PRId64 " deliver%s once more? [y/N] ", count,
            count == 1 ? "y" : "ies");
    return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

static void tell_redelivery(const struct invocation *in, const struct json_node *answer)
{
    int64_t count = number_at(answer, "count");

    if (count == 0)
        talk("\nThere is nothing to send again in this time%s.",
             in->values[OPTION_ALL] ? "" : "; --all takes those that were delivered, too");
    else if (in->values[OPTION_DRY_RUN])
        talk("\nThis was a dry run: nothing is sent again.");
    else
        talk("\nThey go out now, oldest first; follow them with: skylark webhooks deliveries %s",
             in->arguments[0]);
}

int run_webhooks_redeliver(const struct invocation *in)
{
    struct json_node *preview JSON_TREE_CLEANUP = NULL, *answer JSON_TREE_CLEANUP = NULL;
    bool dry_run = in->values[OPTION_DRY_RUN];
    struct range range = {.all = in->values[OPTION_ALL]};
    char path[WEBHOOK_PATH_SIZE];
    enum output_format format;
    struct client c;

    if (!invocation_format(in, &format) || !webhook_path(in, "/redeliver", path) ||
        !read_when(in, OPTION_SINCE, range.since) || !read_when(in, OPTION_UNTIL, range.until))
        return CLI_USAGE;
    if (!range.since[0]) {
        talk("From when on? Give --since 1h, or --since 2026-01-31T09:00:00Z.");
        return CLI_USAGE;
    }
    int r = client_open(&c, in);
    if (r == CLI_OK && !dry_run && isatty(STDIN_FILENO) && isatty(STDERR_FILENO)) {
        r = redeliver(&c, path, &range, true, &preview);
        int64_t count = number_at(preview, "count");
        if (r == CLI_OK && count && !is_agreed(count)) {
            talk("Nothing is sent again.");
            return CLI_OK;
        }
    }
    if (r == CLI_OK)
        r = redeliver(&c, path, &range, dry_run, &answer);
    if (r != CLI_OK)
        return r;
    redelivery_print(answer, format);
    if (format == OUTPUT_TABLE)
        tell_redelivery(in, answer);
    return CLI_OK;
}
