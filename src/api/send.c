/* POST /v1/send: decode, compose, hand to the writer, answer when it is on disk. */
#include "api/call.h"
#include "messaging/compose.h"

struct send_body {
    struct str to, text;
    struct str_list media;
    bool has_to, has_text, has_media;
};

static const struct json_field send_fields[] = {
    JSON_FIELD(struct send_body, to, JSON_TEXT, "to", NULL),
    JSON_FIELD(struct send_body, text, JSON_TEXT, "text", NULL),
    JSON_FIELD(struct send_body, media, JSON_TEXT_LIST, "mediaUrls", "media_urls"),
};
static const struct body_table send_table = BODY_TABLE(send_fields, 2);

/* A send on its way to disk. */
struct sending {
    struct writing writing;
    struct message message;
};

static int apply_send(struct writing *w, struct store *store)
{
    struct sending *s = (struct sending *)w;
    int r = store_accept(store, &s->message);

    w->once.message = s->message.id;
    return r;
}

static void send_written(struct writing *w)
{
    dispatch_offer(w->call.api->options.dispatch, &((struct sending *)w)->message);
}

static void render_send(const struct writing *w, struct json_writer *out)
{
    message_put(out, w->call.api, &((const struct sending *)w)->message);
}

static const struct writing_ops send_ops = {apply_send, send_written, render_send, 201, false};

void send_create(struct call *c)
{
    struct send_body body = {0};
    struct problem p = {0};

    if (!body_decode(c, &send_table, &body, &p)) {
        answer_problem(c, &p);
        return;
    }
    struct send_request request = {.to = body.to,
                                   .text = body.text,
                                   .media = body.media.items,
                                   .media_count = body.media.count,
                                   .has_to = body.has_to,
                                   .has_text = body.has_text,
                                   .account = c->key->account,
                                   .mode = c->key->mode};
    struct sending *s = writing_new(c, sizeof *s);
    if (!s)
        return;
    if (!message_compose(&request, &c->http->arena, &s->message, &p) ||
        !writing_once(&s->writing, &send_table, &body, &p))
        answer_problem(c, &p);
    else
        writing_start(&s->writing, &send_ops, 1);
}
