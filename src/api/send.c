/* POST /v1/send: decode, compose, hand to the writer, answer when it is on disk. */
#include "api/call.h"

/* A send on its way to disk. */
struct sending {
    struct writing writing;
    struct message message;
};

static bool refuse_unpaid(const struct message *m, struct arena *a, struct problem *p)
{
    char digits[32];
    struct buf amount = {.p = digits, .size = sizeof digits, .max = sizeof digits};
    struct json_writer w;

    json_writer_init(&w, &amount);
    json_put_micros(&w, m->cost_micros);
    return problem_set(p, PROBLEM_INSUFFICIENT_BALANCE, NULL,
                       arena_printf(a, "The message costs %.*s %s; the balance does not cover it.",
                                    (int)amount.n, digits, m->currency));
}

int send_accept(struct store *s, struct message *m, struct arena *a, struct problem *p)
{
    if (m->mode == MODE_LIVE && m->cost_micros > 0) {
        int r = store_account_charge(s, m->account, m->cost_micros);
        if (r < 0)
            return r;
        if (r == 0) {
            refuse_unpaid(m, a, p);
            return 0;
        }
    }
    return store_accept(s, m);
}

static int apply_send(struct writing *w, struct store *store)
{
    struct sending *s = (struct sending *)w;
    int r = send_accept(store, &s->message, &w->call.http->arena, &w->problem);

    w->once.message = s->message.id;
    return r;
}

static void send_written(struct writing *w)
{
    dispatch_offer(w->call.api->options.dispatch, &((struct sending *)w)->message);
}

static void render_send(const struct writing *w, struct json_writer *out)
{
    message_put(out, api_ids(w->call.api), &((const struct sending *)w)->message);
}

static const struct writing_ops send_ops = {
    .apply = apply_send, .written = send_written, .render = render_send, .status = 201};

void send_create(struct call *c)
{
    struct send_request request = {0};
    struct send_context context = send_context_of(c);
    struct problem p = {0};

    if (!body_decode(c, &send_table, &request, &p)) {
        answer_problem(c, &p);
        return;
    }
    struct sending *s = writing_new(c, sizeof *s);
    if (!s)
        return;
    bool composed =
        message_compose(&request, &context, &c->http->arena, &s->message, &s->writing.refusal);
    if (!writing_once(&s->writing, &send_table, &request, &p))
        answer_problem(c, &p);
    else if (!request.dry_run)
        writing_start(&s->writing, &send_ops, 1);
    else if (composed)
        dry_run_answer(c, &s->message);
    else
        answer_problem(c, &s->writing.refusal);
}
