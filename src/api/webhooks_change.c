/* PATCH /v1/webhooks/{webhookId}: what is given changes, all else stays. */
#include "api/webhook.h"

struct changing {
    struct writing w;
    struct webhook_body body;
    struct endpoint_record wanted;  /* what the body says */
    struct endpoint_record changed; /* what becomes of it */
    int64_t pending;
};

/* As if nothing had ever failed. */
static void forgive(struct endpoint_record *e)
{
    e->failures = 0;
    e->failing_since_us = 0;
    e->paused_until_us = 0;
}

static void change_url(struct endpoint_record *e, struct str url)
{
    if (!str_eq(e->url, url)) /* its failures were those of another place */
        forgive(e);
    e->url = url;
}

static void switch_on_or_off(struct endpoint_record *e, bool on, int64_t now_us)
{
    if (on) {
        e->off = ENDPOINT_OFF_NONE;
        e->off_us = 0;
        forgive(e);
    } else if (e->off == ENDPOINT_OFF_NONE) {
        e->off = ENDPOINT_OFF_ASKED;
        e->off_us = now_us;
    }
}

static int change_apply(struct writing *w, struct store *s)
{
    struct changing *n = (struct changing *)w;
    struct endpoint_record *e = &n->changed;
    int r = webhook_of_writing(w, s, WEBHOOK_CHANGE, e);

    if (r || w->problem.code != PROBLEM_NONE)
        return r;
    if (n->body.has_url)
        change_url(e, n->wanted.url);
    if (n->body.has_events) {
        e->kinds = n->wanted.kinds;
        e->every_kind = n->wanted.every_kind;
    }
    if (n->body.has_mode)
        e->modes = n->wanted.modes;
    if (n->body.has_description)
        e->description = n->wanted.description;
    if (n->body.has_enabled)
        switch_on_or_off(e, n->body.enabled, w->call.now_us);
    return store_endpoint_put(s, e, true);
}

static void change_render(const struct writing *w, struct json_writer *out)
{
    const struct changing *n = (const struct changing *)w;
    webhook_put(out, w->call.api, &n->changed, n->pending, w->call.now_us);
}

static const struct writing_ops change_ops = {
    .apply = change_apply, .render = change_render, .status = 200};

void webhooks_change(struct call *c)
{
    struct changing *n = writing_new(c, sizeof *n);
    struct endpoint_record e;
    struct problem p = {0};

    if (!n || !webhook_of_call(c, WEBHOOK_CHANGE, &e))
        return;
    if (!body_decode(c, &webhook_change_table, &n->body, &p) ||
        !webhook_body_read(c, &n->body, &n->wanted, &p)) {
        answer_problem(c, &p);
        return;
    }
    int failed = webhook_pending(c, &e, &n->pending);
    if (failed)
        answer_store_trouble(c, failed);
    else
        writing_start(&n->w, &change_ops, 1);
}
