/* POST /v1/messages/{messageId}/cancel: the request waits while the engine judges (see
 * messaging/cancel.h) and the change becomes durable. */
#include "messaging/cancel.h"
#include "api/call.h"
#include "messaging/status.h"
#include "messaging/words.h"

/* A cancel and the call that waits for it; lives in the request's arena. */
struct cancelling {
    struct cancel cancel;
    struct call call;
};

static void refuse(struct call *c, enum message_status status)
{
    const char *message =
        status == STATUS_QUEUED
            ? "The message is being handed to a carrier; what a carrier has cannot be called back."
            : arena_printf(&c->http->arena,
                           "The message is %s; only scheduled and queued messages can be "
                           "cancelled.",
                           status_word(status));

    answer_simple_problem(c, PROBLEM_MESSAGE_NOT_CANCELLABLE, NULL, message);
}

static void answer_lost(struct call *c)
{
    answer_problem(c, &(struct problem){.code = PROBLEM_SERVICE_UNAVAILABLE,
                                        .message = "The cancelling could not be stored; nothing "
                                                   "was changed. Try again in 5 seconds.",
                                        .retry_after_s = 5});
}

/* On the worker's thread. */
static void finish_cancel(struct http_request *r)
{
    struct cancelling *k = r->continuation;
    struct call *c = &k->call;
    struct message m;

    if (k->cancel.outcome == CANCEL_LOST) {
        answer_lost(c);
        return;
    }
    int failed = store_message_get(c->worker->reader, k->cancel.account, k->cancel.mode,
                                   k->cancel.message, &r->arena, &m);
    if (failed) {
        answer_store_trouble(c, failed);
    } else if (k->cancel.outcome == CANCEL_REFUSED) {
        refuse(c, m.status);
    } else {
        struct json_writer w = answer_json(c, 200);
        message_put(&w, api_ids(c->api), &m);
    }
}

/* On the engine's thread. */
static void judged(struct cancel *cancel)
{
    http_request_resume(((struct cancelling *)cancel)->call.http);
}

void messages_cancel(struct call *c)
{
    struct message m;

    if (!message_find(c, &m))
        return;
    if (!status_may_move(m.status, STATUS_CANCELLED)) {
        refuse(c, m.status);
        return;
    }
    struct cancelling *k = arena_new(&c->http->arena, struct cancelling);
    if (!k) {
        answer_lost(c);
        return;
    }
    k->cancel = (struct cancel){.message = m.id,
                                .account = m.account,
                                .mode = m.mode,
                                .cost_micros = m.cost_micros,
                                .done = judged};
    k->call = *c;
    k->call.key = NULL;
    c->http->continuation = k;
    http_request_suspend(c->http, finish_cancel);
    cancel_ask(&k->cancel, c->api->options.dispatch);
}
