/* What would become of a message, without anything being stored. */
#include "api/call.h"
#include "messaging/words.h"

static void put_word(struct json_writer *w, const char *key, const char *word)
{
    json_key(w, key);
    json_put_string(w, str_of(word));
}

static void put_text(struct json_writer *w, const char *key, struct str text)
{
    json_key(w, key);
    json_put_string(w, text);
}

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
        put_text(w, "from", refusals[i].sender->address);
        put_word(w, "numberType", number_type_word(refusals[i].sender->type));
        put_word(w, "reason", refusals[i].why);
        json_end(w);
    }
    json_end(w);
}

void dry_run_answer(struct call *c, const struct message *m)
{
    struct json_writer w = answer_json(c, 200);

    json_begin_object(&w);
    json_key(&w, "dryRun");
    json_put_bool(&w, true);
    json_key(&w, "livemode");
    json_put_bool(&w, m->mode == MODE_LIVE);
    put_word(&w, "type", kind_word(m->kind));
    put_word(&w, "messageType", message_type_word(m->type));
    put_text(&w, "from", m->from);
    put_text(&w, "to", m->to);
    put_text(&w, "text", m->text);
    put_word(&w, "encoding", encoding_word(m->encoding));
    json_key(&w, "segments");
    json_put_i64(&w, m->segments);
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
