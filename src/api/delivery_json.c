/* A delivery as clients see it, and with all that went over the wire. */
#include "api/webhook.h"
#include "base/utf8.h"
#include "view/hook_headers.h"

/* ---- in short ---- */

static const char *state_word(const struct delivery_view *v, int64_t now_us)
{
    switch (v->record.state) {
    case DELIVERY_DONE:
        return "delivered";
    case DELIVERY_FAILED:
        return "failed";
    case DELIVERY_WAITING:
        break;
    }
    return webhook_is_paused(v->endpoint, now_us) ? "parked" : "pending";
}

/* When it is tried next, as far as that is known; 0 = it is not. */
static int64_t next_us(const struct delivery_view *v)
{
    const struct endpoint_record *e = v->endpoint;

    if (v->record.state != DELIVERY_WAITING || e->off != ENDPOINT_OFF_NONE)
        return 0;
    return v->record.due_us > e->paused_until_us ? v->record.due_us : e->paused_until_us;
}

static void put_number_or_null(struct json_writer *w, const char *name, int64_t number)
{
    json_key(w, name);
    if (number)
        json_put_i64(w, number);
    else
        json_put_null(w);
}

static void put_text_or_null(struct json_writer *w, const char *name, struct str text)
{
    json_key(w, name);
    if (text.n)
        json_put_string(w, text);
    else
        json_put_null(w);
}

/* Rounded up, so that what took time does not look as if it took none. */
static int64_t ms_of(int64_t us)
{
    return (us + 999) / 1000;
}

static void put_outcome(struct json_writer *w, const struct attempt_record *t)
{
    json_member_i64(w, "number", t->number);
    json_member_time(w, "at", t->at_us);
    json_member_i64(w, "durationMs", ms_of(t->duration_us));
    put_number_or_null(w, "responseStatus", t->status);
    put_text_or_null(w, "error", t->error);
}

static void put_last(struct json_writer *w, const struct delivery_view *v)
{
    json_key(w, "lastAttempt");
    if (v->attempt_count == 0) {
        json_put_null(w);
        return;
    }
    json_begin_object(w);
    put_outcome(w, &v->attempts[v->attempt_count - 1]);
    json_end(w);
}

static void put_fields(struct json_writer *w, const struct api *a, const struct delivery_view *v,
                       int64_t now_us)
{
    const struct delivery_record *d = &v->record;

    json_key(w, "deliveryId");
    public_id_put(w, api_ids(a), DELIVERY_ID_PREFIX, d->id);
    webhook_put_id(w, a, v->endpoint);
    json_key(w, "eventId");
    public_id_put(w, api_ids(a), NOTICE_ID_PREFIX, d->notice);
    json_member_word(w, "eventType", notice_word(d->kind));
    json_key(w, "messageId");
    if (d->message)
        public_id_put(w, api_ids(a), MESSAGE_ID_PREFIX, d->message);
    else
        json_put_null(w);
    json_member_text(w, "url", v->url);
    json_member_bool(w, "livemode", d->mode == MODE_LIVE);
    json_member_word(w, "status", state_word(v, now_us));
    json_member_i64(w, "attempts", d->attempts);
    json_member_time(w, "nextAttemptAt", next_us(v));
    json_member_time(w, "createdAt", d->created_us);
    put_last(w, v);
}

void delivery_put(struct json_writer *w, const struct api *a, const struct delivery_view *v,
                  int64_t now_us)
{
    json_begin_object(w);
    put_fields(w, a, v, now_us);
    json_end(w);
}

/* ---- in full ---- */

/* The header of an attempt, made again from what is kept of it. */
static void put_headers(struct json_writer *w, struct call *c, const struct delivery_record *d,
                        const struct attempt_record *t)
{
    struct str rest = t->signature;
    struct hook_headers h = {.kind = d->kind,
                             .attempt = t->number,
                             .at_us = t->at_us,
                             .signature = str_cut(&rest, '\n')};

    h.standard = rest;
    public_id_format(api_ids(c->api), NOTICE_ID_PREFIX, d->notice, h.event);
    public_id_format(api_ids(c->api), DELIVERY_ID_PREFIX, d->id, h.delivery);
    const char *const *lines = hook_headers_make(&h, &c->http->arena);
    json_begin_object(w);
    for (; lines && *lines; lines++) {
        struct str value = str_of(*lines), name = str_cut(&value, ':');
        json_put_name(w, name);
        json_put_string(w, str_trim(value));
    }
    json_end(w);
}

/* Where it went; if it never left, where it would have. */
static struct str address_of(const struct delivery_view *v, const struct attempt_record *t)
{
    return t->url.n ? t->url : v->url;
}

/* The first bytes of an answer may be anything, and may end inside a character. */
static void put_answer(struct json_writer *w, const struct attempt_record *t)
{
    struct buf text BUF_CLEANUP;
    char character[UTF8_MAX];

    buf_init(&text, ATTEMPT_ANSWER_MAX * UTF8_MAX);
    json_key(w, "responseBody");
    if (t->status == 0) {
        json_put_null(w);
        return;
    }
    for (struct str rest = t->answer; rest.n;) {
        unsigned bytes = 1;
        int32_t point = utf8_decode(rest, &bytes);
        bool good = point >= 0;
        unsigned n = utf8_encode(good ? point : UTF8_REPLACEMENT, character);
        buf_add(&text, (struct str){character, n});
        rest = str_skip(rest, good ? bytes : 1);
    }
    json_put_string(w, buf_str(&text));
}

static void put_attempt(struct json_writer *w, struct call *c, const struct delivery_view *v,
                        const struct attempt_record *t)
{
    json_begin_object(w);
    put_outcome(w, t);
    json_member_text(w, "url", address_of(v, t));
    json_member_i64(w, "connectMs", ms_of(t->connect_us));
    put_answer(w, t);
    json_key(w, "requestHeaders");
    put_headers(w, c, &v->record, t);
    json_end(w);
}

static void put_request(struct json_writer *w, struct call *c, const struct delivery_view *v,
                        struct str body)
{
    const struct attempt_record *last =
        v->attempt_count ? &v->attempts[v->attempt_count - 1] : NULL;

    json_key(w, "request");
    json_begin_object(w);
    json_member_word(w, "method", "POST");
    json_member_text(w, "url", last ? address_of(v, last) : v->url);
    json_key(w, "headers");
    if (last) {
        put_headers(w, c, &v->record, last);
    } else {
        json_begin_object(w);
        json_end(w);
    }
    put_text_or_null(w, "body", body);
    json_end(w);
}

void delivery_put_whole(struct json_writer *w, struct call *c, const struct delivery_view *v,
                        struct str body)
{
    json_begin_object(w);
    put_fields(w, c->api, v, c->now_us);
    put_request(w, c, v, body);
    json_key(w, "attemptLog");
    json_begin_array(w);
    for (size_t i = 0; i < v->attempt_count; i++)
        put_attempt(w, c, v, &v->attempts[i]);
    json_end(w);
    json_end(w);
}
