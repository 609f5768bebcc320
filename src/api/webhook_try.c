/* POST /v1/webhooks/{webhookId}/test: a webhook.test event, on its way like any other. */
#include "api/webhook.h"

struct trying {
    struct writing w;
    struct endpoint_record endpoint;
    struct delivery_view view;
};

static int try_apply(struct writing *w, struct store *s)
{
    struct trying *n = (struct trying *)w;
    int r = webhook_of_writing(w, s, WEBHOOK_CHANGE, &n->endpoint);

    if (r || w->problem.code != PROBLEM_NONE)
        return r;
    n->view = (struct delivery_view){.endpoint = &n->endpoint,
                                     .url = n->endpoint.url,
                                     .record = {.endpoint = n->endpoint.id,
                                                .account = w->account,
                                                .mode = w->mode,
                                                .kind = NOTICE_TEST}};
    return store_delivery_add(s, &n->view.record);
}

static void try_render(const struct writing *w, struct json_writer *out)
{
    delivery_put(out, w->call.api, &((const struct trying *)w)->view, w->call.now_us);
}

static const struct writing_ops try_ops = {.apply = try_apply, .render = try_render, .status = 201};

void webhook_try(struct call *c)
{
    static const struct body_table nothing = {NULL, 0, 0, false};
    struct trying *n = writing_new(c, sizeof *n);
    struct problem p = {0};

    if (!n || !webhook_of_call(c, WEBHOOK_CHANGE, &n->endpoint))
        return;
    if (writing_once(&n->w, &nothing, NULL, &p))
        writing_start(&n->w, &try_ops, 1);
    else
        answer_problem(c, &p);
}
