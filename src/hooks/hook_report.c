/* What the writer is asked for: how attempts went and how endpoints stand, a secret, a piece of a
 * redelivery. Each is one piece of memory that begins with its errand. */
#include "hooks/hook_set_internal.h"

#include "base/log.h"
#include "base/metric.h"
#include "view/public_id.h"
#include "view/signature.h"

#include <errno.h>
#include <stdlib.h>

enum { REPLAY_STEP = 256, ENDPOINT_MEMORY = 1 << 16, REPORT_ROWS = 3 };

/* ---- how the endpoint stands ---- */

static void log_change(const struct hook_set *s, const struct hook_lane *l,
                       enum circuit_change change)
{
    char id[PUBLIC_ID_SIZE + 1] = "";

    public_id_format(store_cipher(s->options.store), ENDPOINT_ID_PREFIX, l->endpoint, id);
    switch (change) {
    case CIRCUIT_SAME:
        break;
    case CIRCUIT_RECOVERED:
        log_info("hooks", "endpoint %s answers again", id);
        break;
    case CIRCUIT_PAUSED:
        log_info("hooks", "endpoint %s is paused for five minutes after %u failures in a row", id,
                 l->circuit.failures);
        break;
    case CIRCUIT_SWITCHED_OFF:
        log_warning("hooks", "endpoint %s is switched off: %s", id,
                    l->circuit.off == ENDPOINT_OFF_GONE ? "it answered 410"
                                                        : "nothing but failures for five days");
        break;
    }
}

static enum circuit_change apply_effect(struct circuit *c, enum verdict_effect effect, bool lasting,
                                        int64_t now_us)
{
    switch (effect) {
    case VERDICT_NOTHING:
        break;
    case VERDICT_WELL:
        return circuit_succeeded(c, now_us);
    case VERDICT_FAILED:
        return circuit_failed(c, lasting, now_us);
    case VERDICT_GONE:
        return circuit_gone(c, now_us);
    }
    return CIRCUIT_SAME;
}

/* The lane's own copy, at once; returns what is worth writing. */
static enum verdict_effect note_effect(struct hook_set *s, struct hook_lane *l,
                                       enum verdict_effect effect)
{
    int64_t now_us = hook_now_us(s);

    if (effect == VERDICT_WELL && !circuit_wants_success(&l->circuit, now_us))
        return VERDICT_NOTHING;
    log_change(s, l, apply_effect(&l->circuit, effect, l->of_messages, now_us));
    return effect;
}

/* ---- reports ---- */

struct report {
    struct errand errand;
    struct hook_lane *lane;
    struct hook_job *job; /* NULL: it is not final */
    struct verdict verdict;
    enum verdict_effect effect;
    bool lasting;
    unsigned tries; /* of the delivery when it went */
    int64_t endpoint, now_us;
    struct attempt_record attempt;
    char bytes[]; /* of error, answer, signature and url */
};

/* On the writer's thread, from the row as it is now: the client may have changed it. */
static int write_effect(struct store *store, const struct report *r)
{
    struct endpoint_record e;
    struct arena memory;

    if (r->effect == VERDICT_NOTHING)
        return 0;
    arena_init(&memory, ENDPOINT_MEMORY);
    int failed = store_endpoint_find(store, 0, r->endpoint, &memory, &e);
    if (!failed) {
        struct circuit c = circuit_of(&e);

        apply_effect(&c, r->effect, r->lasting, r->now_us);
        circuit_put(&c, &e);
        failed = store_endpoint_put(store, &e, false);
    }
    arena_done(&memory);
    return failed == -ENOENT ? 0 : failed;
}

/* The client has asked for it again meanwhile, with all tries before it: that stands, unless it
 * arrived. */
static int heed_client(struct store *store, struct report *r)
{
    struct delivery_record d;

    if (r->verdict.state == DELIVERY_DONE || r->tries == 0)
        return 0;
    int failed = store_delivery_find(store, r->attempt.delivery, &d);
    if (!failed && d.tries < r->tries) {
        r->verdict.state = DELIVERY_WAITING;
        r->verdict.tries = d.tries;
        r->verdict.due_us = d.due_us;
    }
    return failed == -ENOENT ? 0 : failed;
}

static int write_report(struct write_job *job, struct store *store)
{
    struct report *r = (struct report *)job;
    int failed = heed_client(store, r);

    if (failed)
        return failed;
    int done = store_delivery_tried(store, &r->attempt, r->verdict.state, r->verdict.tries,
                                    r->verdict.due_us);

    return done < 0 ? done : write_effect(store, r);
}

static void leave(struct hook_set *s, struct hook_lane *l, const struct report *r)
{
    size_t held = l->held;

    if (r->verdict.state == DELIVERY_WAITING || r->errand.result < 0)
        hook_lane_drop_behind(l, r->job);
    if (r->verdict.state == DELIVERY_WAITING)
        hook_wake_at(s, l, r->verdict.due_us);
    hook_lane_drop(l, r->job);
    s->held -= held - l->held;
}

/* What could never be written would be sent again at once, and again: it waits a while. */
static void report_back(struct errand *e)
{
    struct report *r = (struct report *)e;
    struct hook_lane *l = r->lane;
    struct hook_set *s = l->set;

    l->owing--;
    if (e->result < 0) {
        l->rest_us = hook_now_us(s) + HOOK_FAULTY_US;
        l->more = true;
    }
    if (r->job)
        leave(s, l, r);
    hook_queue_lane(s, l);
    free(r);
}

static struct str put_bytes(char **at, struct str text)
{
    struct str copy = {*at, text.n};

    if (text.n)
        memcpy(*at, text.p, text.n);
    *at += text.n;
    return copy;
}

static struct report *report_new(const struct hook_job *j, const struct loop_http_reply *reply)
{
    struct str answer = reply->body, error = STR("");
    struct str signature = {j->signature, j->signature_size};

    if (answer.n > ATTEMPT_ANSWER_MAX)
        answer.n = ATTEMPT_ANSWER_MAX;
    if (reply->outcome != LOOP_HTTP_ANSWERED)
        error = str_of(reply->why);
    struct report *r = calloc(1, sizeof *r + error.n + answer.n + signature.n + reply->url.n);
    if (!r)
        return NULL;
    char *at = r->bytes;
    r->attempt = (struct attempt_record){.delivery = j->delivery.id,
                                         .number = j->delivery.attempts + 1,
                                         .failover = j->failover,
                                         .at_us = j->at_us,
                                         .duration_us = reply->duration_us,
                                         .connect_us = reply->connect_us,
                                         .status = reply->status,
                                         .error = put_bytes(&at, error),
                                         .answer = put_bytes(&at, answer),
                                         .signature = put_bytes(&at, signature),
                                         .url = put_bytes(&at, reply->url)};
    return r;
}

/* ---- counts ---- */

static unsigned result_of(const struct loop_http_reply *reply)
{
    switch (reply->outcome) {
    case LOOP_HTTP_ANSWERED:
        return reply_is_well(reply) ? METRIC_ATTEMPT_GOOD : METRIC_ATTEMPT_STATUS;
    case LOOP_HTTP_REFUSED:
        return METRIC_ATTEMPT_REFUSED;
    case LOOP_HTTP_UNREACHABLE:
        return METRIC_ATTEMPT_UNREACHABLE;
    case LOOP_HTTP_TIMED_OUT:
        return METRIC_ATTEMPT_TIMED_OUT;
    case LOOP_HTTP_DISTRUSTED:
        return METRIC_ATTEMPT_DISTRUSTED;
    case LOOP_HTTP_BROKEN:
        break;
    }
    return METRIC_ATTEMPT_BROKEN;
}

static void count_attempt(const struct hook_set *s, const struct hook_job *j,
                          const struct loop_http_reply *reply, enum delivery_state state)
{
    metric_add(METRIC_HOOK_ATTEMPTS, result_of(reply), 1);
    metric_observe(METRIC_HOOK_SECONDS, 0, reply->duration_us);
    if (state == DELIVERY_WAITING)
        return;
    metric_add(METRIC_HOOK_DELIVERIES,
               state == DELIVERY_DONE ? METRIC_DELIVERY_GOOD : METRIC_DELIVERY_BAD, 1);
    if (state == DELIVERY_DONE)
        metric_observe(METRIC_HOOK_LAG_SECONDS, 0, hook_now_us(s) - j->delivery.created_us);
}

void hook_report(struct hook_set *s, struct hook_job *j, const struct loop_http_reply *reply,
                 const struct verdict *v, bool final)
{
    struct hook_lane *l = j->lane;
    struct report *r = report_new(j, reply);

    if (!r) { /* nobody will know of this attempt: it is made again */
        if (final)
            j->stage = HOOK_WAITS;
        l->rest_us = hook_now_us(s) + HOOK_TROUBLE_US;
        return;
    }
    errand_init(&r->errand, &s->home, write_report, report_back);
    r->errand.job.weight = REPORT_ROWS;
    r->lane = l;
    r->job = final ? j : NULL;
    r->verdict = *v;
    r->effect = note_effect(s, l, v->effect);
    r->lasting = l->of_messages;
    r->tries = j->delivery.tries;
    r->endpoint = l->endpoint;
    r->now_us = hook_now_us(s);
    j->delivery.attempts++;
    count_attempt(s, j, reply, v->state);
    l->owing++;
    errand_owe(&r->errand, s->writer);
}

/* ---- a secret ---- */

struct secret_errand {
    struct errand errand;
    struct hook_lane *lane;
    int64_t account;
    enum mode mode;
};

/* Another lane, or the client, may have made one meanwhile. */
static int write_secret(struct write_job *job, struct store *store)
{
    struct secret_errand *n = (struct secret_errand *)job;
    struct secret_record record;
    char secret[SECRET_SIZE + 1];
    struct arena memory;

    arena_init(&memory, ENDPOINT_MEMORY);
    int r = store_secret_find(store, n->account, n->mode, &memory, &record);
    arena_done(&memory);
    if (r != -ENOENT)
        return r;
    secret_make(secret);
    record = (struct secret_record){
        .account = n->account, .mode = n->mode, .secret = str_of(secret), .old_secret = STR("")};
    return store_secret_put(store, &record);
}

/* For errands that are tried once: when they were lost, in a moment again. */
static void rest_if_lost(struct hook_lane *l, const struct errand *e)
{
    if (e->result < 0)
        l->rest_us = hook_now_us(l->set) + HOOK_TROUBLE_US;
}

static void secret_back(struct errand *e)
{
    struct secret_errand *n = (struct secret_errand *)e;

    n->lane->wants_secret = false;
    rest_if_lost(n->lane, e);
    hook_queue_lane(n->lane->set, n->lane);
    free(n);
}

void hook_make_secret(struct hook_set *s, struct hook_lane *l, int64_t account, enum mode mode)
{
    struct secret_errand *n = malloc(sizeof *n);

    if (!n) {
        hook_trouble(s, l, -ENOMEM);
        return;
    }
    errand_init(&n->errand, &s->home, write_secret, secret_back);
    n->lane = l;
    n->account = account;
    n->mode = mode;
    l->wants_secret = true;
    errand_try(&n->errand, s->writer);
}

/* ---- a piece of a redelivery ---- */

struct replay_errand {
    struct errand errand;
    struct hook_lane *lane;
    int64_t endpoint;
};

static int write_replay(struct write_job *job, struct store *store)
{
    struct replay_errand *n = (struct replay_errand *)job;
    struct endpoint_record e;
    struct arena memory;
    size_t count;

    arena_init(&memory, ENDPOINT_MEMORY);
    int r = store_endpoint_find(store, 0, n->endpoint, &memory, &e);
    if (!r)
        r = store_replay_step(store, &e, REPLAY_STEP, &count);
    arena_done(&memory);
    return r == -ENOENT ? 0 : r;
}

static void replay_back(struct errand *e)
{
    struct replay_errand *n = (struct replay_errand *)e;

    n->lane->replaying = false;
    n->lane->more = true;
    rest_if_lost(n->lane, e);
    hook_queue_lane(n->lane->set, n->lane);
    free(n);
}

void hook_replay(struct hook_set *s, struct hook_lane *l)
{
    struct replay_errand *n = malloc(sizeof *n);

    if (!n) {
        hook_trouble(s, l, -ENOMEM);
        return;
    }
    errand_init(&n->errand, &s->home, write_replay, replay_back);
    n->errand.job.weight = REPLAY_STEP;
    n->lane = l;
    n->endpoint = l->endpoint;
    l->replaying = true;
    errand_try(&n->errand, s->writer);
}
