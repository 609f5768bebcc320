#include "store/engine.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

void store_init(struct store *s, const struct store_engine *engine, const struct clock *clock)
{
    *s = (struct store){.engine = engine,
                        .clock = clock,
                        .retention = {.notices_us = NOTICE_TIME_US,
                                      .deliveries_us = NOTICE_TIME_US,
                                      .once_us = ONCE_TIME_US}};
}

void store_set_retention(struct store *s, const struct store_retention *retention)
{
    s->retention = *retention;
}

const struct store_retention *store_retention(const struct store *s)
{
    return &s->retention;
}

int store_fail(struct store *s, int r, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(s->error, sizeof s->error, format, args);
    va_end(args);
    return r;
}

void store_close(struct store *s)
{
    if (s)
        s->engine->close(s);
}

const struct id_cipher *store_cipher(const struct store *s)
{
    return &s->cipher;
}

const uint8_t *store_secret(const struct store *s)
{
    return s->secret;
}

uint64_t store_commits(const struct store *s)
{
    return atomic_load(&s->commits);
}

const char *store_error(const struct store *s)
{
    return s->error;
}

int store_reader_open(struct store *s, struct store_reader **ret)
{
    *ret = NULL;
    int r = s->engine->reader_open(s, ret);
    if (r == 0)
        (*ret)->store = s;
    return r;
}

void store_reader_close(struct store_reader *r)
{
    if (r)
        r->store->engine->reader_close(r);
}

void store_reader_rest(struct store_reader *r)
{
    if (r->store->engine->reader_rest)
        r->store->engine->reader_rest(r);
}

int store_message_get(struct store_reader *r, int64_t account, enum mode mode, int64_t id,
                      struct arena *a, struct message *ret)
{
    return r->store->engine->message_get(r, account, mode, id, a, ret);
}

int store_message_page(struct store_reader *r, int64_t account, enum mode mode,
                       const struct message_filter *filter, int64_t cursor, size_t limit,
                       struct arena *a, struct message_page *ret)
{
    *ret = (struct message_page){0};
    return r->store->engine->message_page(r, account, mode, filter, cursor, limit, a, ret);
}

int store_due(struct store_reader *r, int64_t at_us, size_t limit, struct arena *a,
              struct message **ret, size_t *ret_count)
{
    *ret = NULL;
    *ret_count = 0;
    return r->store->engine->due(r, at_us, limit, a, ret, ret_count);
}

int store_next_due(struct store_reader *r, int64_t *ret_us)
{
    return r->store->engine->next_due(r, ret_us);
}

int store_batch_get(struct store_reader *r, int64_t account, enum mode mode, int64_t id,
                    struct batch_record *ret, unsigned counts[STATUS_SLOTS])
{
    memset(counts, 0, STATUS_SLOTS * sizeof *counts);
    return r->store->engine->batch_get(r, account, mode, id, ret, counts);
}

int store_event_list(struct store_reader *r, int64_t message, struct arena *a,
                     struct event_record **ret, size_t *ret_count)
{
    *ret = NULL;
    *ret_count = 0;
    return r->store->engine->event_list(r, message, a, ret, ret_count);
}

int store_key_find(struct store_reader *r, const uint8_t hash[KEY_HASH_SIZE],
                   struct key_record *ret)
{
    return r->store->engine->key_find(r, hash, ret);
}

int store_key_list(struct store_reader *r, int64_t account, int64_t from, size_t limit,
                   struct arena *a, struct key_record **ret, size_t *ret_count)
{
    *ret = NULL;
    *ret_count = 0;
    return r->store->engine->key_list(r, account, from, limit, a, ret, ret_count);
}

int store_key_get(struct store_reader *r, int64_t account, int64_t id, struct key_record *ret)
{
    return r->store->engine->key_get(r, account, id, ret);
}

int store_key_page(struct store_reader *r, int64_t account, enum mode mode, int64_t cursor,
                   size_t limit, struct arena *a, struct key_page *ret)
{
    *ret = (struct key_page){0};
    return r->store->engine->key_page(r, account, mode, cursor, limit, a, ret);
}

int store_key_usage(struct store_reader *r, int64_t key, struct key_usage *ret)
{
    *ret = (struct key_usage){.key = key};
    return r->store->engine->key_usage(r, key, ret);
}

int store_account_list(struct store_reader *r, struct arena *a, struct account_record **ret,
                       size_t *ret_count)
{
    *ret = NULL;
    *ret_count = 0;
    return r->store->engine->account_list(r, a, ret, ret_count);
}

int store_account_find(struct store_reader *r, struct str name, struct account_record *ret)
{
    return r->store->engine->account_find(r, name, ret);
}

int store_account_get(struct store_reader *r, int64_t id, struct account_record *ret)
{
    return r->store->engine->account_get(r, id, ret);
}

int store_limit_list(struct store_reader *r, int64_t now_us, struct arena *a,
                     struct limit_count **ret, size_t *ret_count)
{
    *ret = NULL;
    *ret_count = 0;
    return r->store->engine->limit_list(r, now_us, a, ret, ret_count);
}

int store_opt_out_page(struct store_reader *r, int64_t account, enum mode mode, int64_t cursor,
                       size_t limit, struct arena *a, struct opt_out_page *ret)
{
    *ret = (struct opt_out_page){0};
    return r->store->engine->opt_out_page(r, account, mode, cursor, limit, a, ret);
}

int store_opt_out_get(struct store_reader *r, int64_t account, enum mode mode, struct str number,
                      struct arena *a, struct opt_out_record *ret)
{
    return r->store->engine->opt_out_get(r, account, mode, number, a, ret);
}

int store_opt_out_each(struct store_reader *r,
                       bool (*tell)(void *context, const struct opt_out_record *o), void *context)
{
    return r->store->engine->opt_out_each(r, tell, context);
}

int store_begin(struct store *s)
{
    assert(!s->in_transaction);
    s->keys_changed = false;
    store_forget_news(s);
    deeds_forget(&s->deeds);
    int r = s->engine->begin(s);
    s->in_transaction = r == 0;
    return r;
}

int store_commit(struct store *s)
{
    assert(s->in_transaction);
    s->in_transaction = false;
    int r = s->engine->commit(s);
    /* After the commit: a cache that looks at the old count still finds the old key. */
    if (r == 0 && s->keys_changed)
        atomic_fetch_add(&s->key_generation, 1);
    if (r == 0) {
        deeds_count(&s->deeds);
        store_tell_news(s);
    }
    return r;
}

void store_rollback(struct store *s)
{
    assert(s->in_transaction);
    s->in_transaction = false;
    s->engine->rollback(s);
}

int store_end(struct store *s, int result)
{
    if (result == 0)
        return store_commit(s);
    store_rollback(s);
    return result;
}

/* Neither a borrowed millisecond nor a clock turned back may put a message's time behind its
 * place in the order of numbers. */
static int64_t created_time(struct store *s, int64_t id, int64_t now_us)
{
    int64_t at = id_time_ms(id) * 1000;

    if (at < now_us)
        at = now_us;
    if (at < s->last_created_us)
        at = s->last_created_us;
    s->last_created_us = at;
    return at;
}

int store_accept(struct store *s, struct message *m)
{
    assert(s->in_transaction);
    assert(m->status == STATUS_QUEUED || m->status == STATUS_SCHEDULED ||
           m->status == STATUS_RECEIVED);
    assert(m->status != STATUS_SCHEDULED || m->scheduled_us);
    int64_t now_us = clock_now_us(s->clock);
    m->id = id_next(&s->ids, now_us);
    m->created_us = m->updated_us = created_time(s, m->id, now_us);
    int failed = s->engine->message_insert(s, m);
    if (!failed)
        deeds_accepted(&s->deeds, m);
    return failed;
}

int store_batch_open(struct store *s, struct batch_record *b)
{
    assert(s->in_transaction);
    int64_t now_us = clock_now_us(s->clock);
    b->id = id_next(&s->ids, now_us);
    b->created_us = created_time(s, b->id, now_us);
    return 0;
}

int store_batch_close(struct store *s, struct batch_record *b)
{
    assert(s->in_transaction && b->id);
    b->last = s->ids.last;
    return s->engine->batch_insert(s, b);
}

int store_event_add(struct store *s, const struct event_record *e)
{
    assert(s->in_transaction);
    return s->engine->event_add(s, e);
}

int store_edge(struct store *s, int64_t *ret)
{
    assert(s->in_transaction);
    return s->engine->edge(s, ret);
}

int store_once_find(struct store *s, int64_t account, enum mode mode,
                    const uint8_t key[ONCE_KEY_SIZE], struct arena *a, struct once_record *ret)
{
    return store_once_find_within(s, account, mode, key, s->retention.once_us, a, ret);
}

int store_once_find_within(struct store *s, int64_t account, enum mode mode,
                           const uint8_t key[ONCE_KEY_SIZE], int64_t within_us, struct arena *a,
                           struct once_record *ret)
{
    int64_t kept_us = s->retention.once_us;
    int64_t since_us = clock_now_us(s->clock) - (within_us < kept_us ? within_us : kept_us);

    assert(s->in_transaction);
    return s->engine->once_find(s, account, mode, key, since_us, a, ret);
}

int store_once_keep(struct store *s, struct once_record *o)
{
    assert(s->in_transaction);
    o->created_us = clock_now_us(s->clock);
    return s->engine->once_keep(s, o);
}

int store_move(struct store *s, const struct message_move *move)
{
    struct message_move checked = *move;

    assert(s->in_transaction && move->to != STATUS_SCHEDULED);
    /* Final states stay final, whatever the caller believes. */
    checked.from &= STATUS_OPEN_BITS;
    return checked.from ? s->engine->message_move(s, &checked) : 0;
}

int store_key_insert(struct store *s, struct key_record *k)
{
    assert(s->in_transaction);
    s->keys_changed = true;
    return s->engine->key_insert(s, k);
}

int store_key_off(struct store *s, int64_t id, int64_t *ret_us)
{
    assert(s->in_transaction);
    return s->engine->key_off(s, id, ret_us);
}

int store_key_revoke(struct store *s, int64_t account, int64_t id, int64_t at_us)
{
    assert(s->in_transaction);
    s->keys_changed = true;
    return s->engine->key_revoke(s, account, id, at_us);
}

int store_key_used(struct store *s, const struct key_usage *u)
{
    assert(s->in_transaction);
    return s->engine->key_used(s, u);
}

int store_account_insert(struct store *s, struct account_record *a)
{
    assert(s->in_transaction);
    a->created_us = clock_now_us(s->clock);
    return s->engine->account_insert(s, a);
}

int store_account_suspend(struct store *s, int64_t id, int64_t at_us)
{
    assert(s->in_transaction);
    s->keys_changed = true; /* what is remembered of a key says whether its account is on */
    return s->engine->account_suspend(s, id, at_us);
}

int store_account_credit(struct store *s, int64_t id, int64_t micros)
{
    assert(s->in_transaction);
    return s->engine->account_credit(s, id, micros);
}

int store_account_charge(struct store *s, int64_t id, int64_t micros)
{
    assert(s->in_transaction);
    return s->engine->account_charge(s, id, micros);
}

int store_limit_save(struct store *s, const struct limit_count *c)
{
    assert(s->in_transaction);
    return s->engine->limit_save(s, c);
}

int store_opt_out_add(struct store *s, struct arena *a, struct opt_out_record *o)
{
    assert(s->in_transaction);
    int64_t now_us = clock_now_us(s->clock);
    o->id = id_next(&s->ids, now_us);
    o->created_us = now_us;
    return s->engine->opt_out_add(s, a, o);
}

int store_opt_out_remove(struct store *s, int64_t account, enum mode mode, struct str number,
                         struct arena *a, struct opt_out_record *ret)
{
    assert(s->in_transaction);
    return s->engine->opt_out_remove(s, account, mode, number, a, ret);
}

bool store_housekeep(struct store *s, bool idle)
{
    assert(!s->in_transaction);
    return s->engine->housekeep(s, idle);
}

int store_touch(struct store *s)
{
    assert(s->in_transaction);
    return s->engine->touch ? s->engine->touch(s) : 0;
}

uint64_t store_key_generation(const struct store *s)
{
    return atomic_load(&s->key_generation);
}

void store_look_elsewhere(struct store *s)
{
    assert(!s->in_transaction);
    if (!s->engine->wrote_elsewhere || !s->engine->wrote_elsewhere(s))
        return;
    atomic_fetch_add(&s->key_generation, 1);
    s->news.any = true; /* endpoints may be among it */
    store_tell_news(s);
}

void store_tidy(struct store *s)
{
    assert(!s->in_transaction);
    if (s->engine->tidy)
        s->engine->tidy(s);
}
