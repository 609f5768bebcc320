/* POST /v1/webhooks/{webhookId}/redeliver: what was told in a time is told again; how much that is
 * can be asked first. The sender goes through it piece by piece (store_replay_step). */
#include "api/webhook.h"

struct redeliver_body {
    struct str since, until, status;
    bool dry_run;
    bool has_since, has_until, has_status, has_dry_run;
};

#define FIELD(member, kind, name) JSON_FIELD(struct redeliver_body, member, kind, name, NULL)

static const struct json_field fields[] = {
    FIELD(since, JSON_TEXT, "since"),
    FIELD(until, JSON_TEXT, "until"),
    FIELD(status, JSON_TEXT, "status"),
    FIELD(dry_run, JSON_BOOLEAN, "dryRun"),
};
static const struct body_table table = BODY_TABLE(fields, 1);

struct redelivering {
    struct writing w;
    struct delivery_filter filter;
    int64_t endpoint;
    int64_t since_us, until_us;
    const char *status;
    int64_t count;
    bool dry_run;
};

/* ---- the request ---- */

static bool read_time(struct call *c, struct str text, const char *field, int64_t *ret_us,
                      struct problem *p)
{
    return rfc3339_parse(text, ret_us) ||
           problem_set(p, PROBLEM_INVALID_DATE_RANGE, field,
                       arena_printf(&c->http->arena,
                                    "%s must be a time that exists, like 2026-01-31T09:00:00Z.",
                                    field));
}

static bool read_status(const struct redeliver_body *body, struct redelivering *n,
                        struct problem *p)
{
    const uint32_t failed = 1u << DELIVERY_FAILED, done = 1u << DELIVERY_DONE;
    bool all = body->has_status && str_is(body->status, "all");

    if (body->has_status && !all && !str_is(body->status, "failed"))
        return problem_set(p, PROBLEM_INVALID_PARAMETER, "status", "status must be failed or all.");
    n->status = all ? "all" : "failed";
    n->filter.states = all ? failed | done : failed; /* what waits goes out anyway */
    return true;
}

/* Without an end, or with one that lies ahead: up to now, with the millisecond that it is. What is
 * made while it runs is not sent twice. */
static bool read_range(struct call *c, const struct redeliver_body *body, struct redelivering *n,
                       struct problem *p)
{
    n->until_us = c->now_us;
    if (!read_time(c, body->since, "since", &n->since_us, p) ||
        (body->has_until && !read_time(c, body->until, "until", &n->until_us, p)))
        return false;
    bool to_now = n->until_us >= c->now_us;
    int64_t end_us = to_now ? c->now_us : n->until_us;
    if (n->since_us > end_us || (!to_now && n->since_us == end_us))
        return to_now ? problem_set(p, PROBLEM_INVALID_DATE_RANGE, "since",
                                    "since lies ahead; give a time that is over.")
                      : problem_set(p, PROBLEM_INVALID_DATE_RANGE, "until",
                                    "until must lie after since.");
    n->filter.after_us = n->since_us;
    n->filter.before_us = to_now ? end_us + 1000 : end_us;
    return true;
}

/* ---- on its way ---- */

static int redeliver_apply(struct writing *w, struct store *s)
{
    struct redelivering *n = (struct redelivering *)w;
    struct endpoint_record e;
    int r = webhook_of_writing(w, s, WEBHOOK_RESEND, &e);

    if (r || w->problem.code != PROBLEM_NONE)
        return r;
    if (e.replay_to) {
        problem_set(&w->problem, PROBLEM_INVALID_PARAMETER, NULL,
                    "A redelivery of this webhook is under way; try again when it is done.");
        return 0;
    }
    if (n->count == 0)
        return 0;
    e.replay_from = id_at_ms(n->filter.after_us / 1000);
    e.replay_to = id_at_ms(n->filter.before_us / 1000) - 1;
    e.replay_states = n->filter.states;
    e.replay_modes = n->filter.modes;
    return store_endpoint_put(s, &e, false);
}

static void redeliver_render(const struct writing *w, struct json_writer *out)
{
    const struct redelivering *n = (const struct redelivering *)w;

    json_begin_object(out);
    json_key(out, "webhookId");
    public_id_put(out, api_ids(w->call.api), ENDPOINT_ID_PREFIX, n->endpoint);
    json_member_time(out, "since", n->since_us);
    json_member_time(out, "until", n->until_us);
    json_member_word(out, "status", n->status);
    json_member_i64(out, "count", n->count);
    json_member_bool(out, "dryRun", n->dry_run);
    json_end(out);
}

static const struct writing_ops redeliver_ops = {
    .apply = redeliver_apply, .render = redeliver_render, .status = 200};

static void start(struct redelivering *n)
{
    struct call *c = &n->w.call;
    int failed = store_delivery_count(c->worker->reader, &n->filter, &n->count);

    if (failed) {
        answer_store_trouble(c, failed);
    } else if (n->dry_run) {
        struct json_writer w = answer_json(c, 200);
        redeliver_render(&n->w, &w);
    } else {
        writing_start(&n->w, &redeliver_ops, 1);
    }
}

void deliveries_redeliver(struct call *c)
{
    struct redelivering *n = writing_new(c, sizeof *n);
    struct redeliver_body body = {.has_since = false};
    struct endpoint_record e;
    struct problem p = {0};

    if (!n || !webhook_of_call(c, WEBHOOK_RESEND, &e))
        return;
    n->endpoint = n->filter.endpoint = e.id;
    n->filter.modes = 1u << n->w.mode;
    if (!body_decode(c, &table, &body, &p) || !read_status(&body, n, &p) ||
        !read_range(c, &body, n, &p) || !writing_once(&n->w, &table, &body, &p)) {
        answer_problem(c, &p);
        return;
    }
    n->dry_run = body.dry_run;
    start(n);
}
