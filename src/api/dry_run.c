/* What would become of a message, without anything being stored. */
#include "api/call.h"
#include "messaging/words.h"

static void put_refusal(struct json_writer *w, const struct routing *routing,
                        const struct message *m, const struct route_refusal *r)
{
    json_begin_object(w);
    json_member_text(w, "from", r->sender ? r->sender->address : m->from);
    json_member_word(w, "numberType",
                     number_type_word(r->sender ? r->sender->type : m->number_type));
    if (r->route) {
        json_member_text(w, "route", r->route->name);
        json_member_word(w, "carrier", routing->carriers[r->route->carrier]->name);
    }
    json_member_word(w, "reason", r->why);
    json_end(w);
}

void routes_refused_put(struct json_writer *w, const struct call *c, const struct message *m)
{
    const struct routing *routing = api_routing(c->api, m->mode);
    struct route_query q = {.routing = routing,
                            .account = m->account,
                            .number = m->to,
                            .kind = m->kind,
                            .type = m->type};
    struct route_refusal *refusals = arena_alloc(
        &c->http->arena, (routing->senders.count + routing->route_count + 1) * sizeof *refusals);
    size_t count = 0;

    if (m->reason == REASON_USER)
        q.from = m->from;
    number_place(m->to, &q.to);
    if (refusals)
        count = route_explain(&q, m->from, m->carrier, &c->http->arena, refusals);
    json_begin_array(w);
    for (size_t i = 0; i < count; i++)
        put_refusal(w, routing, m, &refusals[i]);
    json_end(w);
}

void dry_run_answer(struct call *c, const struct message *m)
{
    struct json_writer w = answer_json(c, 200);

    json_begin_object(&w);
    json_member_bool(&w, "dryRun", true);
    json_member_bool(&w, "livemode", m->mode == MODE_LIVE);
    json_member_word(&w, "type", kind_word(m->kind));
    json_member_word(&w, "messageType", message_type_word(m->type));
    json_member_text(&w, "from", m->from);
    json_member_text(&w, "to", m->to);
    json_member_text(&w, "text", m->text);
    media_put(&w, m);
    if (m->subject.n)
        json_member_text(&w, "subject", m->subject);
    json_member_word(&w, "encoding", encoding_word(m->encoding));
    json_member_i64(&w, "segments", m->segments);
    routing_put(&w, m);
    json_key(&w, "routesRefused");
    routes_refused_put(&w, c, m);
    cost_put(&w, m);
    if (m->scheduled_us) {
        json_key(&w, "scheduledAt");
        json_put_time(&w, m->scheduled_us);
    }
    json_end(&w);
}
