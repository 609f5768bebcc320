/* GET /v1/messages/{messageId}/events: the history of a message. */
#include "messaging/timeline.h"

#include "api/call.h"
#include "messaging/words.h"

static void put_route(struct json_writer *w, const struct call *c, const struct message *m)
{
    json_member_text(w, "from", m->from);
    json_member_word(w, "numberType", number_type_word(m->number_type));
    json_member_word(w, "reason", reason_word(m->reason));
    json_key(w, "refused");
    routes_refused_put(w, c, m);
}

static void put_entry(struct json_writer *w, const struct call *c, const struct message *m,
                      const struct timeline_entry *e)
{
    json_begin_object(w);
    json_member_word(w, "type", timeline_word(e->type));
    json_member_time(w, "timestamp", e->at_us);
    json_member_text(w, "description", e->description);
    if (e->type == TIMELINE_ROUTED)
        put_route(w, c, m);
    if (e->type == TIMELINE_FAILED)
        json_member_word(w, "errorCode", failure_code(e->failure));
    json_end(w);
}

static void answer_timeline(struct call *c, const struct message *m,
                            const struct timeline_entry *entries, size_t count)
{
    struct json_writer w = answer_json(c, 200);

    json_begin_object(&w);
    json_key(&w, "messageId");
    public_id_put(&w, api_ids(c->api), MESSAGE_ID_PREFIX, m->id);
    json_key(&w, "data");
    json_begin_array(&w);
    for (size_t i = 0; i < count; i++)
        put_entry(&w, c, m, &entries[i]);
    json_end(&w);
    json_end(&w);
}

void messages_events(struct call *c)
{
    struct arena *a = &c->http->arena;
    struct event_record *events;
    struct timeline_entry *entries;
    struct message m;
    size_t event_count, count;

    if (!message_find(c, &m))
        return;
    int failed = store_event_list(c->worker->reader, m.id, a, &events, &event_count);
    if (!failed)
        failed = timeline_make(&m, events, event_count, a, &entries, &count);
    if (failed)
        answer_store_trouble(c, failed);
    else
        answer_timeline(c, &m, entries, count);
}
