/* GET /v1/messages/{messageId}/events: the history of a message. */
#include "messaging/timeline.h"

#include "api/webhook.h"
#include "messaging/words.h"

#include <errno.h>

static void put_route(struct json_writer *w, const struct call *c, const struct message *m)
{
    json_member_text(w, "from", m->from);
    json_member_word(w, "numberType", number_type_word(m->number_type));
    json_member_word(w, "reason", reason_word(m->reason));
    json_key(w, "refused");
    routes_refused_put(w, c, m);
}

static void put_try(struct json_writer *w, const struct call *c, const struct timeline_try *t)
{
    json_key(w, "webhookId");
    public_id_put(w, api_ids(c->api), ENDPOINT_ID_PREFIX, t->endpoint);
    json_key(w, "deliveryId");
    public_id_put(w, api_ids(c->api), DELIVERY_ID_PREFIX, t->delivery);
    json_member_i64(w, "attempt", t->attempt.number);
    json_key(w, "responseStatus");
    if (t->attempt.status)
        json_put_i64(w, t->attempt.status);
    else
        json_put_null(w);
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
    if (e->tried)
        put_try(w, c, e->tried);
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

/* ---- how clients were told ---- */

struct tries {
    struct timeline_try *items;
    size_t count;
};

static int add_tries(struct call *c, const struct delivery_record *d, struct tries *tries)
{
    struct attempt_record *attempts;
    size_t count;
    int failed = store_attempt_list(c->worker->reader, d->id, ATTEMPTS_SHOWN, &c->http->arena,
                                    &attempts, &count);

    for (size_t i = 0; i < count && !failed; i++)
        tries->items[tries->count++] = (struct timeline_try){
            .endpoint = d->endpoint, .delivery = d->id, .kind = d->kind, .attempt = attempts[i]};
    return failed;
}

static int list_tries(struct call *c, const struct message *m, struct tries *ret)
{
    struct arena *a = &c->http->arena;
    struct delivery_record *deliveries;
    size_t count, most = 0;
    int failed = store_delivery_of_message(c->worker->reader, m->id, a, &deliveries, &count);

    for (size_t i = 0; i < count && !failed; i++)
        most += deliveries[i].attempts < ATTEMPTS_SHOWN ? deliveries[i].attempts : ATTEMPTS_SHOWN;
    if (failed || most == 0)
        return failed;
    ret->items = arena_alloc(a, most * sizeof *ret->items);
    if (!ret->items)
        return -ENOMEM;
    for (size_t i = 0; i < count && !failed; i++)
        failed = add_tries(c, &deliveries[i], ret);
    return failed;
}

void messages_events(struct call *c)
{
    struct arena *a = &c->http->arena;
    struct timeline_entry *entries;
    struct event_record *events;
    struct tries tries = {NULL, 0};
    struct message m;
    size_t event_count, count;

    if (!message_find(c, &m))
        return;
    int failed = store_event_list(c->worker->reader, m.id, a, &events, &event_count);
    if (!failed)
        failed = list_tries(c, &m, &tries);
    if (!failed) {
        struct timeline_sources from = {&m, events, event_count, tries.items, tries.count};
        failed = timeline_make(&from, a, &entries, &count);
    }
    if (failed)
        answer_store_trouble(c, failed);
    else
        answer_timeline(c, &m, entries, count);
}
