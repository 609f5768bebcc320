#include "cli/listening.h"

#include "base/clock.h"
#include "cli/following.h"
#include "messaging/notice.h"
#include "view/public_id.h"

#include <inttypes.h>

enum {
    SILENCE_MS = 45000, /* of the server, which says something every 15 s */
    TRIES = 4,
    PAUSE_MS = 1000 /* between tries */
};

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
        if (following_is_stopped(NULL))
            return false;
        tell_failure(&l->forward, e, &result);
        if (e->attempt < TRIES)
            following_rest(PAUSE_MS);
        if (following_is_stopped(NULL))
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
    return !following_is_stopped(NULL);
}

/* ---- the stream ---- */

static void add_path(void *context, struct buf *out)
{
    const struct listening *l = context;
    const char *mark = "?";

    buf_text(out, "/v1/events");
    if (l->types) {
        buf_text(out, "?types=");
        client_escape(out, l->types);
        mark = "&";
    }
    if (!l->last[0])
        buf_printf(out, "%safter=start", mark);
}

int listening_run(struct listening *l)
{
    struct following f = {.client = &l->client,
                          .path = add_path,
                          .take = take_event,
                          .context = l,
                          .last = l->last,
                          .silence_ms = SILENCE_MS};

    l->forward.stopped = following_is_stopped;
    return following_run(&f);
}
