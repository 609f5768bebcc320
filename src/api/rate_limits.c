/* GET /v1/rate-limits: how much of its windows the key has used, and how fast its senders are. */
#include "api/call.h"
#include "messaging/plan.h"
#include "messaging/route.h"
#include "messaging/words.h"

/* A number that means nothing where there is no limit. */
static void put_limited(struct json_writer *w, const char *key, bool limited, int64_t value)
{
    json_key(w, key);
    if (limited)
        json_put_i64(w, value);
    else
        json_put_null(w);
}

static void put_window(struct json_writer *w, const struct limit_window *window)
{
    json_begin_object(w);
    json_member_text(w, "name", str_of(window->name));
    json_member_i64(w, "windowSeconds", window->seconds);
    put_limited(w, "limit", window->limit, window->limit);
    json_member_i64(w, "used", window->used);
    put_limited(w, "remaining", window->limit, window->remaining);
    json_member_time(w, "resetAt", window->reset_s * 1000000);
    json_end(w);
}

static void put_sender(struct json_writer *w, const struct sender *s)
{
    json_begin_object(w);
    json_member_text(w, "numberType", str_of(number_type_word(s->type)));
    json_member_text(w, "from", s->address);
    json_member_i64(w, "messagesPerMinute", s->messages_per_minute);
    json_end(w);
}

void rate_limits_get(struct call *c)
{
    const struct sender_table *table = &api_routing(c->api, c->key->mode)->senders;
    struct limit_window windows[LIMIT_WINDOWS];
    struct json_writer w = answer_json(c, 200);

    limiter_peek(c->api->options.limiter, c->key->id, plan_limits(c->key), c->now_us, windows);
    json_begin_object(&w);
    json_member_text(&w, "keyType", str_of(mode_word(c->key->mode)));
    json_member_text(&w, "plan", str_of(c->key->plan));
    json_key(&w, "limits");
    json_begin_array(&w);
    for (size_t i = 0; i < LIMIT_WINDOWS; i++)
        put_window(&w, &windows[i]);
    json_end(&w);
    json_key(&w, "sending");
    json_begin_array(&w);
    for (size_t i = 0; i < table->count; i++)
        if (sender_open_to(&table->senders[i], c->key->account))
            put_sender(&w, &table->senders[i]);
    json_end(&w);
    json_end(&w);
}
