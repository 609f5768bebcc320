/* GET /v1/messages/{messageId}/events: the history of a message. */
#include "messaging/timeline.h"

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

static void put_route(struct json_writer *w, const struct call *c, const struct message *m)
{
    put_text(w, "from", m->from);
    put_word(w, "numberType", number_type_word(m->number_type));
    put_word(w, "reason", reason_word(m->reason));
    json_key(w, "refused");
    routes_refused_put(w, c, m);
}

static void put_entry(struct json_writer *w, const struct call *c, const struct message *m,
                      const struct timeline_entry *e)
{
    json_begin_object(w);
    put_word(w, "type", timeline_word(e->type));
    json_key(w, "timestamp");
    json_put_time(w, e->at_us);
    put_text(w, "description", e->description);
    if (e->type == TIMELINE_ROUTED)
        put_route(w, c, m);
    if (e->type == TIMELINE_FAILED)
        put_word(w, "errorCode", failure_code(e->failure));
    json_end(w);
}

static void answer_timeline(struct call *c, const struct message *m,
                            const struct timeline_entry *entries, size_t count)
{
    struct json_writer w = answer_json(c, 200);

    json_begin_object(&w);
    json_key(&w, "messageId");
    public_id_put(&w, c->api, MESSAGE_ID_PREFIX, m->id);
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
