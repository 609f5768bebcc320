/* Requests that are answered once: the Idempotency-Key.
 *
 * Whether a key was used before is decided on the writer's thread, in the transaction that would
 * write, so there is no moment in which two requests could both be the first. What is kept is kept
 * in the same transaction: either both are there after a crash or neither. */
#include "api/call.h"
#include "base/log.h"
#include "net/seal.h"
#include "json/canon.h"

#include <errno.h>

enum { KEY_MAX = 255 };

/* ---- the request ---- */

static bool is_printable(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < ' ' || s.p[i] > '~')
            return false;
    return true;
}

static bool check_key(struct call *c, struct problem *p)
{
    struct str key = c->headers.idempotency_key;
    const char *message = NULL;

    if (c->headers.two_idempotency_keys)
        message = "The Idempotency-Key header is given twice; give it once.";
    else if (key.n > KEY_MAX)
        message = arena_printf(&c->http->arena,
                               "The Idempotency-Key has %zu characters; at most %d are allowed.",
                               key.n, KEY_MAX);
    else if (!is_printable(key))
        message = "The Idempotency-Key may hold printable ASCII characters only.";
    return !message || problem_set(p, PROBLEM_INVALID_IDEMPOTENCY_KEY, NULL, message);
}

static bool has_key(const struct call *c)
{
    return c->headers.idempotency_key.n > 0 || c->headers.two_idempotency_keys;
}

bool once_read(struct writing *w, struct problem *p)
{
    struct call *c = &w->call;
    struct siphash hash;

    if (!has_key(c))
        return true;
    if (!check_key(c, p))
        return false;
    w->has_once = true;
    w->once.account = w->account;
    w->once.mode = w->mode;
    siphash_init(&hash, store_secret(c->api->options.store));
    siphash_text(&hash, c->http->head.path);
    siphash_text(&hash, c->headers.idempotency_key);
    siphash_done(&hash, w->once.key);
    return true;
}

void once_print_begin(const struct writing *w, struct siphash *print)
{
    siphash_init(print, store_secret(w->call.api->options.store));
}

static void print_list(struct siphash *print, const struct str_list *list)
{
    siphash_u64(print, list->count);
    for (size_t i = 0; i < list->count; i++)
        siphash_text(print, list->items[i]);
}

static void print_value(struct writing *w, struct siphash *print, enum json_kind kind,
                        const void *at)
{
    switch (kind) {
    case JSON_TEXT:
    case JSON_TEXT_OR_NULL:
        siphash_text(print, *(const struct str *)at);
        break;
    case JSON_TEXT_LIST:
        print_list(print, at);
        break;
    case JSON_INT64:
        siphash_u64(print, (uint64_t) * (const int64_t *)at);
        break;
    case JSON_BOOLEAN:
        siphash_u64(print, *(const bool *)at);
        break;
    case JSON_RAW_OBJECT:
    case JSON_RAW_ARRAY:
        json_canon_hash(*(const struct str *)at, store_secret(w->call.api->options.store),
                        &w->call.http->arena, print);
        break;
    }
}

void once_print_body(struct writing *w, struct siphash *print, const struct body_table *table,
                     const void *body)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct json_field *field = &table->fields[i];
        if (!*(const bool *)((const char *)body + field->set_offset))
            continue;
        /* By its name: a request may be repeated at the next release, whose table is longer. */
        siphash_text(print, (struct str){field->name, field->name_size});
        print_value(w, print, field->kind, (const char *)body + field->offset);
    }
    siphash_u64(print, 0);
}

void once_print_end(struct writing *w, struct siphash *print)
{
    siphash_done(print, w->once.print);
}

bool writing_once(struct writing *w, const struct body_table *table, const void *body,
                  struct problem *p)
{
    bool readable = once_read(w, p);
    struct siphash print;

    if (!w->has_once) {
        if (w->refusal.code == PROBLEM_NONE)
            return readable;
        *p = w->refusal;
        return false;
    }
    once_print_begin(w, &print);
    once_print_body(w, &print, table, body);
    once_print_end(w, &print);
    return true;
}

/* ---- on the writer's thread ---- */

int once_find(struct writing *w, struct store *s)
{
    struct once_record found;
    int r = store_once_find(s, w->account, w->mode, w->once.key, &w->call.http->arena, &found);

    if (r < 0)
        return r;
    if (memcmp(found.print, w->once.print, sizeof found.print) == 0) {
        w->once = found;
        w->replayed = true;
    } else if (w->refusal.code != PROBLEM_NONE) {
        w->problem = w->refusal;
    } else {
        problem_set(&w->problem, PROBLEM_IDEMPOTENCY_KEY_MISMATCH, NULL,
                    "This Idempotency-Key was used with another request before; use a new one for "
                    "each new request.");
    }
    return 0;
}

static void make_seal_key(const struct writing *w, uint8_t out[SEAL_KEY_SIZE])
{
    struct str secret = {(const char *)store_secret(w->call.api->options.store), 16};
    seal_key(secret, w->call.headers.idempotency_key, out);
}

int once_keep(struct writing *w, struct store *s)
{
    struct buf *out = &w->call.http->out;
    uint8_t key[SEAL_KEY_SIZE];

    w->once.status = w->status;
    if (w->once.message)
        return store_once_keep(s, &w->once);
    struct json_writer json = answer_json(&w->call, w->status);
    w->ops->render(w, &json);
    if (out->failed)
        return -ENOMEM;
    w->once.answer = buf_str(out);
    if (w->ops->secret) {
        make_seal_key(w, key);
        int r = seal_close(key, buf_str(out), &w->call.http->arena, &w->once.answer);
        if (r < 0)
            return r;
    }
    return store_once_keep(s, &w->once);
}

/* ---- on the worker's thread ---- */

/* The message as it was when it was accepted, whatever became of it since. */
static void answer_message(struct writing *w)
{
    struct call *c = &w->call;
    struct message m;
    int r = store_message_get(c->worker->reader, w->account, w->mode, w->once.message,
                              &c->http->arena, &m);

    if (r == -ENOENT) { /* keys may be remembered longer than messages are kept */
        answer_simple_problem(c, PROBLEM_MESSAGE_NOT_FOUND, NULL,
                              "This request was done before; its message is past the time for "
                              "which messages are kept.");
        return;
    }
    if (r < 0) {
        answer_store_trouble(c, r);
        return;
    }
    m.status = m.scheduled_us ? STATUS_SCHEDULED : STATUS_QUEUED;
    m.updated_us = m.created_us;
    m.sent_us = m.delivered_us = m.failed_us = m.cancelled_us = 0;
    m.failure = FAILURE_NONE;
    m.retry_count = 0;
    struct json_writer out = answer_json(c, w->once.status);
    message_put(&out, api_ids(c->api), &m);
}

static void answer_body(struct writing *w)
{
    struct call *c = &w->call;
    struct str body = w->once.answer;
    uint8_t key[SEAL_KEY_SIZE];

    if (w->ops->secret) {
        make_seal_key(w, key);
        int r = seal_open(key, w->once.answer, &c->http->arena, &body);
        if (r < 0) {
            answer_store_trouble(c, r);
            return;
        }
    }
    answer_json(c, w->once.status);
    buf_add(&c->http->out, body);
}

void once_answer(struct writing *w)
{
    if (w->once.message)
        answer_message(w);
    else
        answer_body(w);
    if (w->call.http->status < 300)
        http_request_add_header(w->call.http, "Idempotency-Replayed", "true");
}
