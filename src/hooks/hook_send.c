/* The way of one delivery out: its payload is made from the store each time, and signed. */
#include "hooks/hook_set_internal.h"

#include "view/hook_headers.h"
#include "view/notice_json.h"
#include "view/signature.h"

#include <errno.h>

#define GONE      "The event is not there any more."
#define TOO_LARGE "The event is larger than 1 MiB, and no endpoint is told so much."

/* What is needed of the store to send it. */
struct cargo {
    struct message message; /* zeroed for NOTICE_TEST */
    struct str url;         /* where it goes */
    struct str secret, old_secret;
};

/* ---- from the store; 0, -ENOENT when it is gone, -EMSGSIZE when it is more than anybody is told,
 * or another negative errno ---- */

static bool is_too_large(const struct hook_set *s)
{
    return s->memory.full || s->body.full;
}

static int load_payload(struct hook_set *s, const struct delivery_record *d, struct cargo *c)
{
    const struct id_cipher *ids = store_cipher(s->options.store);
    struct notice_record notice;
    struct json_writer w;
    int r = 0;

    buf_clear(&s->body);
    json_writer_init(&w, &s->body);
    if (d->kind == NOTICE_TEST) {
        notice_put_test(&w, ids, d);
    } else {
        r = store_notice_get(s->reader, d->account, d->mode, d->notice, &notice);
        if (!r)
            r = store_message_at(s->reader, &notice, &s->memory, &c->message);
        if (!r)
            notice_put(&w, ids, &notice, &c->message);
    }
    if (!r && s->body.failed)
        r = -ENOMEM;
    return r == -ENOMEM && is_too_large(s) ? -EMSGSIZE : r;
}

/* After its time the old secret is not used any more, wherever it still stands. */
static struct str still_good(struct str old_secret, int64_t until_us, int64_t now_us)
{
    return now_us < until_us ? old_secret : STR("");
}

static int load_secret(struct hook_set *s, const struct delivery_record *d,
                       const struct endpoint_record *e, int64_t now_us, struct cargo *c)
{
    struct secret_record record;

    if (e) {
        c->secret = e->secret;
        c->old_secret = still_good(e->old_secret, e->old_until_us, now_us);
        return 0;
    }
    int r = store_secret_get(s->reader, d->account, d->mode, &s->memory, &record);
    if (!r) {
        c->secret = record.secret;
        c->old_secret = still_good(record.old_secret, record.old_until_us, now_us);
    }
    return r;
}

/* ---- out ---- */

static void sign(struct hook_set *s, struct hook_job *j, const struct cargo *c,
                 struct hook_headers *h)
{
    struct buf out = {.p = j->signature, .size = sizeof j->signature, .max = sizeof j->signature};
    struct signing signing = {.secret = c->secret,
                              .old_secret = c->old_secret,
                              .id = {h->event, PUBLIC_ID_SIZE},
                              .timestamp_s = h->at_us / 1000000,
                              .body = buf_str(&s->body)};

    signature_of_body(&signing, &out);
    h->signature = (struct str){j->signature, out.n};
    buf_add_char(&out, '\n');
    h->standard = (struct str){j->signature + out.n, 0};
    signature_standard(&signing, &out);
    h->standard.n = (size_t)(j->signature + out.n - h->standard.p);
    j->signature_size = out.n;
}

static const char *const *make_headers(struct hook_set *s, struct hook_job *j,
                                       const struct cargo *c)
{
    const struct id_cipher *ids = store_cipher(s->options.store);
    struct hook_headers h = {
        .kind = j->delivery.kind, .attempt = j->delivery.attempts + 1, .at_us = j->at_us};

    public_id_format(ids, NOTICE_ID_PREFIX, j->delivery.notice, h.event);
    public_id_format(ids, DELIVERY_ID_PREFIX, j->delivery.id, h.delivery);
    sign(s, j, c, &h);
    return hook_headers_make(&h, &s->memory);
}

static void count_out(struct hook_set *s, struct hook_job *j)
{
    j->doubtful = hook_lane_is_doubtful(j->lane);
    s->flying++;
    s->doubtful_flying += j->doubtful;
}

static void count_in(struct hook_set *s, struct hook_job *j)
{
    s->flying--;
    s->doubtful_flying -= j->doubtful;
}

static void answered(void *job, const struct loop_http_reply *reply);

static int start(struct hook_set *s, struct hook_job *j, const struct cargo *c)
{
    struct str url = arena_copy(&s->memory, c->url);
    struct loop_http_call call = {.method = "POST",
                                  .url = url.p,
                                  .headers = make_headers(s, j, c),
                                  .body = buf_str(&s->body),
                                  .body_max = HOOK_ANSWER_MAX,
                                  .done = answered,
                                  .context = j};

    return url.p && call.headers ? s->options.port.start(s->options.port.context, &call) : -ENOMEM;
}

/* ---- back ---- */

/* The same try goes to the message's other address. If that cannot be sent now the whole try is
 * made again later. */
static void go_on(struct hook_set *s, struct hook_job *j, const struct loop_http_reply *reply,
                  struct verdict v)
{
    v.state = DELIVERY_WAITING;
    v.tries = j->delivery.tries;
    v.due_us = j->delivery.due_us;
    hook_report(s, j, reply, &v, false);
    j->failover = true;
    enum hook_sending sent = hook_send(s, j, NULL);
    if (sent != HOOK_SENT && sent != HOOK_LOST)
        j->stage = HOOK_WAITS;
}

static enum verdict_address address_of(const struct hook_job *j)
{
    if (!j->lane->of_messages)
        return ADDRESS_OF_ENDPOINT;
    return j->failover ? ADDRESS_BESIDE : ADDRESS_OF_MESSAGE;
}

static void answered(void *job, const struct loop_http_reply *reply)
{
    struct hook_job *j = job;
    struct hook_lane *l = j->lane;
    struct hook_set *s = l->set;
    struct verdict v =
        verdict_of(reply, &j->delivery, address_of(j), hook_now_us(s), s->options.random());

    count_in(s, j);
    hook_lane_land(l, j, reply_is_well(reply), reply->duration_us, s->options.per_endpoint);
    if (j->failover)
        v.effect = VERDICT_NOTHING; /* it is not this endpoint that has answered */
    if (!reply_is_well(reply) && j->has_failover && !j->failover)
        go_on(s, j, reply, v);
    else
        hook_report(s, j, reply, &v, true);
    hook_queue_lane(s, l);
    loop_signal_raise(s->signal);
}

/* It would be in the way for ever. */
static bool is_hopeless(int r)
{
    return r == -ENOENT || r == -EBADMSG /* damaged */ || r == -EMSGSIZE;
}

/* An attempt that never left. */
static enum hook_sending give_up(struct hook_set *s, struct hook_job *j, int r)
{
    struct loop_http_reply reply = {.outcome = LOOP_HTTP_BROKEN};
    struct verdict v = verdict_lost(&j->delivery);

    str_format(reply.why, sizeof reply.why, "%s", r == -EMSGSIZE ? TOO_LARGE : GONE);
    j->signature_size = 0;
    j->stage = HOOK_LANDED;
    hook_report(s, j, &reply, &v, true);
    return HOOK_LOST;
}

/* ---- all of it ---- */

static enum hook_sending launch(struct hook_set *s, struct hook_job *j, const struct cargo *c)
{
    int r = start(s, j, c);

    if (r) {
        hook_trouble(s, j->lane, r);
        return HOOK_TROUBLE;
    }
    hook_lane_fly(j->lane, j);
    count_out(s, j);
    return HOOK_SENT;
}

enum hook_sending hook_send(struct hook_set *s, struct hook_job *j, const struct endpoint_record *e)
{
    const struct delivery_record *d = &j->delivery;
    const struct message *m;
    struct cargo c = {0};

    if (j->lane->of_messages)
        e = NULL;
    arena_reset(&s->memory);
    j->at_us = hook_now_us(s);
    int r = load_payload(s, d, &c);
    if (is_hopeless(r))
        return give_up(s, j, r);
    m = &c.message;
    j->has_failover = !e && m->webhook_failover_url.n;
    if (j->failover && !j->has_failover)
        return HOOK_NO_OTHER;
    c.url = e ? e->url : j->failover ? m->webhook_failover_url : m->webhook_url;
    if (!r)
        r = load_secret(s, d, e, j->at_us, &c);
    if (r == -ENOENT) {
        hook_make_secret(s, j->lane, d->account, d->mode);
        return HOOK_NO_SECRET;
    }
    if (r) {
        hook_trouble(s, j->lane, r);
        return HOOK_TROUBLE;
    }
    return launch(s, j, &c);
}
