/* POST /v1/webhooks: another place where the account wants to be told. The answer shows the secret,
 * once. */
#include "api/webhook.h"
#include "view/signature.h"

#include <errno.h>

struct creating {
    struct writing w;
    struct endpoint_record endpoint;
    char secret[SECRET_SIZE + 1];
};

static int create_apply(struct writing *w, struct store *s)
{
    struct creating *n = (struct creating *)w;
    int r = store_endpoint_add(s, &n->endpoint);

    if (r != -EDQUOT)
        return r;
    problem_set(&w->problem, PROBLEM_WEBHOOK_LIMIT_EXCEEDED, NULL,
                "The account has 10 webhooks already; change one, or remove one first.");
    return 0;
}

static void create_render(const struct writing *w, struct json_writer *out)
{
    const struct creating *n = (const struct creating *)w;

    json_begin_object(out);
    webhook_put_fields(out, w->call.api, &n->endpoint, 0, w->call.now_us);
    json_member_text(out, "secret", n->endpoint.secret);
    json_end(out);
}

static const struct writing_ops create_ops = {
    .apply = create_apply, .render = create_render, .status = 201, .secret = true};

void webhooks_create(struct call *c)
{
    struct creating *n = writing_new(c, sizeof *n);
    struct webhook_body body = {.has_url = false};
    struct problem p = {0};

    if (!n)
        return;
    n->endpoint.account = n->w.account;
    n->endpoint.kinds = notice_default_kinds();
    n->endpoint.modes = 1u << MODE_TEST | (uint32_t)(n->w.mode == MODE_LIVE) << MODE_LIVE;
    if (!body_decode(c, &webhook_create_table, &body, &p) ||
        !webhook_body_read(c, &body, &n->endpoint, &p) ||
        !writing_once(&n->w, &webhook_create_table, &body, &p)) {
        answer_problem(c, &p);
        return;
    }
    if (!body.has_secret) {
        secret_make(n->secret);
        n->endpoint.secret = str_of(n->secret);
    }
    writing_start(&n->w, &create_ops, 1);
}
