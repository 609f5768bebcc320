/* POST /v1/send: decode, compose, hand to the writer, answer when it is on disk. */
#include "api/call.h"
#include "messaging/compose.h"

#include <errno.h>

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

/* A send on its way to disk; lives in the request's arena. */
struct sending {
    struct write_job job;
    struct call call;
    struct message message;
    int result;
};

/* ---- on the writer's thread ---- */

static int apply_send(struct write_job *job, struct store *store)
{
    return store_accept(store, &((struct sending *)job)->message);
}

static void send_written(struct write_job *job, int result)
{
    struct sending *s = (struct sending *)job;

    s->result = result;
    if (result == 0)
        dispatch_offer(s->call.api->options.dispatch, &s->message);
    http_request_resume(s->call.http);
}

/* ---- on the worker's thread ---- */

static void answer_not_stored(struct call *c)
{
    answer_problem(c, &(struct problem){.code = PROBLEM_SERVICE_UNAVAILABLE,
                                        .message = "The message could not be stored; nothing was "
                                                   "accepted. Try again in 5 seconds.",
                                        .retry_after_s = 5});
}

static void answer_queue_full(struct call *c)
{
    answer_problem(c, &(struct problem){.code = PROBLEM_QUEUE_FULL,
                                        .message = "Too many requests are waiting; nothing was "
                                                   "accepted. Try again in 1 second.",
                                        .retry_after_s = 1});
}

static void finish_send(struct http_request *r)
{
    struct sending *s = r->continuation;

    if (s->result == -EAGAIN) {
        answer_queue_full(&s->call);
    } else if (s->result < 0) {
        answer_not_stored(&s->call);
    } else {
        struct json_writer w = answer_json(&s->call, 201);
        message_put(&w, s->call.api, &s->message);
    }
}

static void start_send(struct sending *s)
{
    struct http_request *r = s->call.http;

    s->job.apply = apply_send;
    s->job.done = send_written;
    s->call.key = NULL; /* the worker may forget the key meanwhile */
    r->continuation = s;
    http_request_suspend(r, finish_send);
    int failed = writer_post(s->call.api->options.writer, &s->job);
    if (failed) {
        s->result = failed;
        http_request_resume(r);
    }
}

void send_create(struct call *c)
{
    struct send_body body = {0};
    struct problem p = {0};
    struct sending *s = arena_new(&c->http->arena, struct sending);

    if (!s) {
        answer_queue_full(c);
        return;
    }
    s->call = *c;
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
    if (!message_compose(&request, &c->http->arena, &s->message, &p))
        answer_problem(c, &p);
    else
        start_send(s);
}
