/* POST /v1/test/inbound: as if a handset had written. */
#include "messaging/inbound.h"

#include "api/call.h"
#include "messaging/optout.h"

static const struct json_field fields[] = {
    JSON_FIELD(struct inbound_request, from, JSON_TEXT, "from", NULL),
    JSON_FIELD(struct inbound_request, text, JSON_TEXT, "text", NULL),
    JSON_FIELD(struct inbound_request, to, JSON_TEXT, "to", NULL),
};
static const struct body_table inbound_table = BODY_TABLE(fields, 2);

struct receiving {
    struct writing writing;
    struct message message;
    enum keyword_wish wish; /* that was fulfilled */
};

static int apply_inbound(struct writing *w, struct store *s)
{
    struct receiving *r = (struct receiving *)w;
    return inbound_accept(s, &r->message, &w->call.http->arena, &r->wish);
}

static void inbound_written(struct writing *w)
{
    struct receiving *r = (struct receiving *)w;
    inbound_done(w->call.api->options.optouts, &r->message, r->wish);
}

static void render_inbound(const struct writing *w, struct json_writer *out)
{
    message_put(out, api_ids(w->call.api), &((const struct receiving *)w)->message);
}

static const struct writing_ops inbound_ops = {apply_inbound, inbound_written, render_inbound, 201,
                                               false};

void inbound_create(struct call *c)
{
    struct inbound_request request = {0};
    struct send_context context = send_context_of(c);
    struct problem p = {0};

    if (!body_decode(c, &inbound_table, &request, &p)) {
        answer_problem(c, &p);
        return;
    }
    struct receiving *r = writing_new(c, sizeof *r);
    if (!r)
        return;
    inbound_compose(&request, &context, &c->http->arena, &r->message, &r->writing.refusal);
    if (!writing_once(&r->writing, &inbound_table, &request, &p))
        answer_problem(c, &p);
    else
        writing_start(&r->writing, &inbound_ops, 1);
}
