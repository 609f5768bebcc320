/* The verbs of what clients are told: what all engines have in common. */
#include "store/engine.h"

#include <assert.h>
#include <errno.h>

/* ---- news ---- */

void store_set_news(struct store *s, store_news *tell, void *context)
{
    s->news.tell = tell;
    s->news.context = context;
}

void store_note_news(struct store *s, int64_t endpoint)
{
    struct store_newsboard *n = &s->news;

    for (size_t i = n->count; i-- > 0 && !n->any;)
        if (n->endpoints[i] == endpoint)
            return;
    if (n->count < NEWS_MAX)
        n->endpoints[n->count++] = endpoint;
    else
        n->any = true;
}

void store_forget_news(struct store *s)
{
    s->news.count = 0;
    s->news.any = false;
}

void store_tell_news(struct store *s)
{
    struct store_newsboard *n = &s->news;

    if (n->tell && (n->any || n->count))
        n->tell(n->context, n->endpoints, n->any ? 0 : n->count);
    store_forget_news(s);
}

/* ---- reading ---- */

int store_notice_list(struct store_reader *r, int64_t account, enum mode mode,
                      const struct notice_query *query, struct arena *a, struct notice_record **ret,
                      size_t *ret_count)
{
    int64_t since_us = clock_now_us(r->store->clock) - r->store->retention.notices_us;

    *ret = NULL;
    *ret_count = 0;
    return r->store->engine->notice_list(r, account, mode, query, since_us, a, ret, ret_count);
}

int store_notice_get(struct store_reader *r, int64_t account, enum mode mode, int64_t id,
                     struct notice_record *ret)
{
    return r->store->engine->notice_get(r, account, mode, id, ret);
}

int store_message_at(struct store_reader *r, const struct notice_record *n, struct arena *a,
                     struct message *ret)
{
    return n->message ? r->store->engine->message_at(r, n, a, ret) : -ENOENT;
}

int store_notice_last(struct store_reader *r, int64_t account, enum mode mode, int64_t *ret)
{
    *ret = 0;
    return r->store->engine->notice_last(r, account, mode, ret);
}

int store_endpoint_list(struct store_reader *r, int64_t account, struct arena *a,
                        struct endpoint_record **ret, size_t *ret_count)
{
    *ret = NULL;
    *ret_count = 0;
    return r->store->engine->endpoint_list(r, account, a, ret, ret_count);
}

int store_endpoint_get(struct store_reader *r, int64_t account, int64_t id, struct arena *a,
                       struct endpoint_record *ret)
{
    return r->store->engine->endpoint_get(r, account, id, a, ret);
}

int store_endpoint_busy(struct store_reader *r, int64_t after, int64_t *ret, size_t max,
                        size_t *ret_count)
{
    *ret_count = 0;
    return r->store->engine->endpoint_busy(r, after, ret, max, ret_count);
}

int store_secret_get(struct store_reader *r, int64_t account, enum mode mode, struct arena *a,
                     struct secret_record *ret)
{
    return r->store->engine->secret_get(r, account, mode, a, ret);
}

int store_delivery_page(struct store_reader *r, const struct delivery_filter *filter,
                        int64_t cursor, size_t limit, struct arena *a, struct delivery_page *ret)
{
    *ret = (struct delivery_page){0};
    return r->store->engine->delivery_page(r, filter, cursor, limit, a, ret);
}

int store_delivery_count(struct store_reader *r, const struct delivery_filter *filter, int64_t *ret)
{
    *ret = 0;
    return r->store->engine->delivery_count(r, filter, ret);
}

int store_delivery_get(struct store_reader *r, int64_t id, struct delivery_record *ret)
{
    return r->store->engine->delivery_get(r, id, ret);
}

int store_delivery_of_message(struct store_reader *r, int64_t message, struct arena *a,
                              struct delivery_record **ret, size_t *ret_count)
{
    *ret = NULL;
    *ret_count = 0;
    return r->store->engine->delivery_of_message(r, message, a, ret, ret_count);
}

int store_delivery_due(struct store_reader *r, int64_t endpoint, struct delivery_place after,
                       int64_t now_us, size_t limit, struct arena *a, struct delivery_record **ret,
                       size_t *ret_count)
{
    *ret = NULL;
    *ret_count = 0;
    return r->store->engine->delivery_due(r, endpoint, after, now_us, limit, a, ret, ret_count);
}

int store_delivery_next(struct store_reader *r, int64_t endpoint, int64_t now_us, int64_t *ret_us)
{
    return r->store->engine->delivery_next(r, endpoint, now_us, ret_us);
}

int store_attempt_list(struct store_reader *r, int64_t delivery, size_t most, struct arena *a,
                       struct attempt_record **ret, size_t *ret_count)
{
    *ret = NULL;
    *ret_count = 0;
    return r->store->engine->attempt_list(r, delivery, most, a, ret, ret_count);
}

/* ---- writing ---- */

int store_notice_add(struct store *s, struct notice_record *n)
{
    assert(s->in_transaction && n->message && n->kind != NOTICE_TEST);
    n->id = id_next(&s->ids, clock_now_us(s->clock));
    return s->engine->notice_add(s, n);
}

int store_endpoint_add(struct store *s, struct endpoint_record *e)
{
    assert(s->in_transaction && !e->of_messages);
    e->created_us = e->updated_us = clock_now_us(s->clock);
    e->id = id_next(&s->ids, e->created_us);
    store_note_news(s, e->id);
    return s->engine->endpoint_add(s, e);
}

int store_endpoint_find(struct store *s, int64_t account, int64_t id, struct arena *a,
                        struct endpoint_record *ret)
{
    assert(s->in_transaction);
    return s->engine->endpoint_find(s, account, id, a, ret);
}

int store_endpoint_put(struct store *s, struct endpoint_record *e, bool changed)
{
    assert(s->in_transaction);
    if (changed)
        e->updated_us = clock_now_us(s->clock);
    if (changed || e->replay_to)
        store_note_news(s, e->id);
    return s->engine->endpoint_put(s, e);
}

int store_endpoint_remove(struct store *s, int64_t account, int64_t id)
{
    assert(s->in_transaction);
    store_note_news(s, id);
    return s->engine->endpoint_remove(s, account, id);
}

int store_secret_find(struct store *s, int64_t account, enum mode mode, struct arena *a,
                      struct secret_record *ret)
{
    assert(s->in_transaction);
    return s->engine->secret_find(s, account, mode, a, ret);
}

int store_secret_put(struct store *s, const struct secret_record *r)
{
    assert(s->in_transaction);
    return s->engine->secret_put(s, r);
}

int store_delivery_add(struct store *s, struct delivery_record *d)
{
    assert(s->in_transaction && d->kind == NOTICE_TEST && !d->message);
    d->created_us = d->due_us = clock_now_us(s->clock);
    d->id = d->notice = id_next(&s->ids, d->created_us);
    d->state = DELIVERY_WAITING;
    d->attempts = d->tries = 0;
    return s->engine->delivery_add(s, d);
}

int store_delivery_find(struct store *s, int64_t id, struct delivery_record *ret)
{
    assert(s->in_transaction);
    return s->engine->delivery_find(s, id, ret);
}

int store_delivery_tried(struct store *s, const struct attempt_record *attempt,
                         enum delivery_state state, unsigned tries, int64_t due_us)
{
    assert(s->in_transaction);
    return s->engine->delivery_tried(s, attempt, state, tries, due_us);
}

int store_delivery_again(struct store *s, int64_t id, int64_t now_us)
{
    assert(s->in_transaction);
    return s->engine->delivery_again(s, id, now_us);
}

int store_replay_step(struct store *s, struct endpoint_record *e, size_t limit, size_t *ret_count)
{
    assert(s->in_transaction && limit);
    *ret_count = 0;
    if (!e->replay_to)
        return 0;
    return s->engine->replay_step(s, e, clock_now_us(s->clock), limit, ret_count);
}
