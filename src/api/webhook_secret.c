/* POST /v1/webhooks/{webhookId}/rotate-secret, and /v1/webhooks/message-secret/rotate for what
 * messages with a webhookUrl are signed with: a new secret, and for a while the old one beside it.
 */
#include "api/webhook.h"
#include "view/signature.h"

#include <errno.h>

#define HOUR_US INT64_C(3600000000)

enum { GRACE_HOURS_DEFAULT = 24 };

struct rotate_body {
    int64_t grace_hours;
    struct str secret;
    bool has_grace_hours, has_secret;
};

static const struct json_field rotate_fields[] = {
    JSON_FIELD(struct rotate_body, grace_hours, JSON_INT64, "gracePeriodHours", NULL),
    JSON_FIELD(struct rotate_body, secret, JSON_TEXT, "secret", NULL),
};
static const struct body_table rotate_table = BODY_TABLE(rotate_fields, 0);
/* The server makes the secret of messages: the first field only. */
static const struct body_table message_rotate_table = {rotate_fields, 1, 0, false};

struct rotating {
    struct writing w;
    int64_t grace_us;
    struct str secret; /* the new one */
    char made[SECRET_SIZE + 1];
    int64_t endpoint;     /* 0: of messages */
    int64_t old_until_us; /* 0: the old one is not valid any more */
};

/* The secret becomes the old one, whose own old one is forgotten. */
static void turn(struct rotating *n, struct str *secret, struct str *old_secret,
                 int64_t *old_until_us)
{
    bool graceful = n->grace_us > 0 && secret->n > 0;

    n->old_until_us = graceful ? n->w.call.now_us + n->grace_us : 0;
    *old_secret = graceful ? *secret : (struct str){"", 0};
    *old_until_us = n->old_until_us;
    *secret = n->secret;
}

static int rotate_apply(struct writing *w, struct store *s)
{
    struct rotating *n = (struct rotating *)w;
    struct endpoint_record e;
    int r = webhook_of_writing(w, s, WEBHOOK_CHANGE, &e);

    if (r || w->problem.code != PROBLEM_NONE)
        return r;
    if (str_eq(e.secret, n->secret)) {
        problem_set(&w->problem, PROBLEM_INVALID_PARAMETER, "secret",
                    "secret is the one in use; give another, or leave it out to have one made.");
        return 0;
    }
    n->endpoint = e.id;
    turn(n, &e.secret, &e.old_secret, &e.old_until_us);
    return store_endpoint_put(s, &e, true);
}

static int message_apply(struct writing *w, struct store *s)
{
    struct rotating *n = (struct rotating *)w;
    struct secret_record record = {.account = w->account, .mode = w->mode};
    int r = store_secret_find(s, w->account, w->mode, &w->call.http->arena, &record);

    if (r == -ENOENT)
        record = (struct secret_record){.account = w->account, .mode = w->mode};
    else if (r < 0)
        return r;
    turn(n, &record.secret, &record.old_secret, &record.old_until_us);
    return store_secret_put(s, &record);
}

static void rotate_render(const struct writing *w, struct json_writer *out)
{
    const struct rotating *n = (const struct rotating *)w;

    json_begin_object(out);
    if (n->endpoint) {
        json_key(out, "webhookId");
        public_id_put(out, api_ids(w->call.api), ENDPOINT_ID_PREFIX, n->endpoint);
    }
    json_member_text(out, "secret", n->secret);
    json_member_time(out, "previousSecretValidUntil", n->old_until_us);
    json_end(out);
}

static const struct writing_ops rotate_ops = {
    .apply = rotate_apply, .render = rotate_render, .status = 200, .secret = true};
static const struct writing_ops message_ops = {
    .apply = message_apply, .render = rotate_render, .status = 200, .secret = true};

static void rotate(struct call *c, const struct body_table *table, const struct writing_ops *ops)
{
    struct rotating *n = writing_new(c, sizeof *n);
    struct rotate_body body = {.grace_hours = GRACE_HOURS_DEFAULT};
    struct problem p = {0};

    if (!n)
        return;
    if (!body_decode(c, table, &body, &p) || !webhook_check_grace(body.grace_hours, &p) ||
        (body.has_secret && !webhook_check_secret(c, body.secret, &p)) ||
        !writing_once(&n->w, table, &body, &p)) {
        answer_problem(c, &p);
        return;
    }
    if (!body.has_secret)
        secret_make(n->made);
    n->secret = body.has_secret ? body.secret : str_of(n->made);
    n->grace_us = body.grace_hours * HOUR_US;
    writing_start(&n->w, ops, 1);
}

void webhook_secret_rotate(struct call *c)
{
    struct endpoint_record e;

    if (webhook_of_call(c, WEBHOOK_CHANGE, &e))
        rotate(c, &rotate_table, &rotate_ops);
}

void message_secret_rotate(struct call *c)
{
    rotate(c, &message_rotate_table, &message_ops);
}
