/* What would become of a message, without anything being stored. */
#include "api/call.h"
#include "messaging/words.h"

void routes_refused_put(struct json_writer *w, const struct call *c, const struct message *m)
{
    const struct sender_table *table = api_senders(c->api, m->mode);
    struct route_query q = {.table = table, .kind = m->kind};
    struct route_refusal *refusals =
        arena_alloc(&c->http->arena, (table->count + 1) * sizeof *refusals);
    size_t count = 0;

    if (m->reason == REASON_USER)
        q.from = m->from;
    number_place(m->to, &q.to);
    if (refusals)
        count = route_explain(&q, m->from, &c->http->arena, refusals);
    json_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        json_begin_object(w);
        json_member_text(w, "from", refusals[i].sender->address);
        json_member_word(w, "numberType", number_type_word(refusals[i].sender->type));
        json_member_word(w, "reason", refusals[i].why);
        json_end(w);
    }
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
