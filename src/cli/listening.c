#include "cli/listening.h"

#include "base/clock.h"
#include "messaging/notice.h"
#include "view/public_id.h"

#include <inttypes.h>
#include <signal.h>
#include <unistd.h>

enum {
    SILENCE_MS = 45000, /* of the server, which says something every 15 s */
    EVENT_MAX = 8 << 20,
    TRIES = 4,
    PAUSE_MS = 1000, /* between tries */
    BACKOFF_MIN_MS = 500,
    BACKOFF_MAX_MS = 10000,
    STEP_MS = 50
};

/* ---- being told to stop ---- */

static volatile sig_atomic_t told_to_stop;

static void on_signal(int number)
{
    told_to_stop = 1;
}

/* A second Ctrl-C ends it at once. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static bool is_stopped(void *context)
{
    return told_to_stop;
}

static void rest(int64_t ms)
{
    for (; ms > 0 && !told_to_stop; ms -= STEP_MS)
        usleep(STEP_MS * 1000);
}

/* ---- one event ---- */

static void print_line(const struct forward_event *e, struct str message,
                       const struct forward_result *result)
{
    char now[RFC3339_SIZE], shown[24], status[16] = "failed";

    rfc3339_format(clock_now_us(&clock_real), now);
    output_time(str_of(now), shown);
    if (result->status)
        str_format(status, sizeof status, "%u", result->status);
    printf("%s  %-17s  %.*s  %-15.*s  %-6s  %" PRId64 " ms\n", shown, notice_word(e->kind),
           STR_FMT(e->id), message.n ? (int)message.n : 1, message.n ? message.p : "-", status,
           result->duration_ms);
    fflush(stdout);
}

static void tell_failure(const struct forward *f, const struct forward_event *e,
                         const struct forward_result *result)
{
    char what[HTTP_REPLY_WHY + 32];

    if (result->status)
        str_format(what, sizeof what, "answered %u", result->status);
    else
        str_format(what, sizeof what, "did not answer (%s)", result->why);
    if (e->attempt < TRIES)
        talk("%s %s; %.*s is tried again in a second.", f->url, what, STR_FMT(e->id));
    else
        talk("%s %s; that was the last of %d tries with %.*s.", f->url, what, TRIES,
             STR_FMT(e->id));
}

/* False: it was told to stop before the event was done with. */
static bool forward_event(struct listening *l, struct forward_event *e, struct str message)
{
    struct forward_result result = {.status = 0};

    for (e->attempt = 1; e->attempt <= TRIES; e->attempt++) {
        forward_send(&l->forward, e, &result);
        if (result.taken)
            break;
        if (told_to_stop)
            return false;
        tell_failure(&l->forward, e, &result);
        if (e->attempt < TRIES)
            rest(PAUSE_MS);
        if (told_to_stop)
            return false;
    }
    print_line(e, message, &result);
    l->forwarded += result.taken;
    l->refused += !result.taken;
    return true;
}

/* Whether it has the form of our events; then everything of it that is shown is plain text. */
static bool read_event(const struct sse_event *event, const struct json_node *tree,
                       struct forward_event *ret, struct str *ret_message)
{
    char id[PUBLIC_ID_SIZE + 1];

    *ret = (struct forward_event){.id = json_node_string(json_node_at(tree, "id")),
                                  .body = event->data};
    str_format(id, sizeof id, "%.*s", STR_FMT(ret->id));
    if (ret->id.n != PUBLIC_ID_SIZE || !str_starts(ret->id, STR(NOTICE_ID_PREFIX)) ||
        !client_plain_id(id) ||
        !notice_from_word(json_node_string(json_node_at(tree, "type")), &ret->kind))
        return false;
    *ret_message = json_node_string(json_node_at(tree, "data.messageId"));
    str_format(id, sizeof id, "%.*s", STR_FMT(*ret_message));
    if (ret_message->n != PUBLIC_ID_SIZE || !client_plain_id(id))
        *ret_message = (struct str){NULL, 0};
    return true;
}

static bool take_event(void *context, const struct sse_event *event)
{
    struct listening *l = context;
    struct json_node *tree JSON_TREE_CLEANUP = json_tree_parse(event->data);
    struct forward_event e;
    struct str message;

    if (!read_event(event, tree, &e, &message))
        talk("The server told of something that this version does not know; it is not forwarded.");
    else if (!forward_event(l, &e, message))
        return false;
    str_format(l->last, sizeof l->last, "%.*s", STR_FMT(event->id));
    return !told_to_stop;
}

/* ---- the stream ---- */

static bool take_bytes(void *context, struct str bytes)
{
    struct listening *l = context;

    if (!l->connected && l->lost)
        talk("Connected again.");
    l->connected = true;
    l->lost = false;
    l->wait_ms = BACKOFF_MIN_MS;
    enum sse_result r = sse_feed(&l->sse, bytes);
    l->too_long = r == SSE_TOO_LONG;
    return r == SSE_MORE;
}

static enum http_outcome follow(struct listening *l, struct http_reply *reply)
{
    struct buf path BUF_CLEANUP;
    const char *mark = "?";

    buf_init(&path, 1 << 16);
    buf_text(&path, "/v1/events");
    if (l->types) {
        buf_text(&path, "?types=");
        client_escape(&path, l->types);
        mark = "&";
    }
    if (!l->last[0])
        buf_printf(&path, "%safter=start", mark);
    buf_add_char(&path, '\0');
    l->connected = l->too_long = false;
    sse_init(&l->sse, EVENT_MAX, take_event, l);
    enum http_outcome outcome = client_follow(
        &l->client, path.p, l->last,
        &(struct http_follow){
            .call.timeout_ms = SILENCE_MS, .take = take_bytes, .stopped = is_stopped, .context = l},
        reply);
    sse_done(&l->sse);
    return outcome;
}

/* Whether it makes sense to try again. It was reached and trusted before it began, so all that can
 * happen to a connection may pass; a key that is refused stays refused. */
static bool is_passing(enum http_outcome outcome, unsigned status)
{
    return outcome != HTTP_ANSWERED || status == 200 || status == 429 || status >= 500;
}

static void tell_lost(struct listening *l, enum http_outcome outcome,
                      const struct http_reply *reply)
{
    if (l->lost)
        return;
    l->lost = true;
    if (outcome != HTTP_ANSWERED)
        talk("The connection to %s is lost (%s); trying to come back.", l->client.url, reply->why);
    else if (reply->status == 200)
        talk("The server at %s ended the connection; trying to come back.", l->client.url);
    else
        talk("The server at %s answered %u; trying again.", l->client.url, reply->status);
}

int listening_run(struct listening *l)
{
    l->forward.stopped = is_stopped;
    l->wait_ms = BACKOFF_MIN_MS;
    catch_signals();
    for (;;) {
        struct http_reply reply HTTP_REPLY_CLEANUP = {.status = 0};
        enum http_outcome outcome = follow(l, &reply);
        if (told_to_stop)
            return CLI_OK;
        if (l->too_long) {
            talk("The server at %s told of an event that is larger than 8 MiB.", l->client.url);
            return CLI_FAILED;
        }
        if (!is_passing(outcome, reply.status))
            return client_tell(&l->client, outcome, &reply);
        tell_lost(l, outcome, &reply);
        rest(l->wait_ms);
        l->wait_ms = l->wait_ms * 2 < BACKOFF_MAX_MS ? l->wait_ms * 2 : BACKOFF_MAX_MS;
        client_look_again(&l->client);
    }
}
