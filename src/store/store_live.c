/* The verbs of live carriers: what all engines have in common. */
#include "store/engine.h"

#include <assert.h>

#define DAY_US INT64_C(86400000000)

int64_t store_today(const struct store *s)
{
    return clock_now_us(s->clock) / DAY_US;
}

/* ---- reading ---- */

int store_work_list(struct store_reader *r, const struct work_query *query, struct arena *a,
                    struct message **ret, size_t *ret_count, int64_t *ret_looked, bool *ret_end)
{
    *ret = NULL;
    *ret_count = 0;
    *ret_looked = query->after;
    *ret_end = false;
    return r->store->engine->work_list(r, query, a, ret, ret_count, ret_looked, ret_end);
}

int store_work_carriers(struct store_reader *r, unsigned *ret, size_t max, size_t *ret_count)
{
    *ret_count = 0;
    return r->store->engine->work_carriers(r, ret, max, ret_count);
}

int store_carrier_list(struct store_reader *r, struct arena *a, struct carrier_record **ret,
                       size_t *ret_count)
{
    *ret = NULL;
    *ret_count = 0;
    return r->store->engine->carrier_list(r, a, ret, ret_count);
}

int store_reference_find(struct store_reader *r, unsigned carrier, struct str id, struct arena *a,
                         struct reference_record **ret, size_t *ret_count)
{
    *ret = NULL;
    *ret_count = 0;
    return r->store->engine->reference_find(r, carrier, id, store_today(r->store), a, ret,
                                            ret_count);
}

int store_message_find(struct store_reader *r, int64_t id, struct arena *a, struct message *ret)
{
    return r->store->engine->message_find(r, id, a, ret);
}

int store_stray_list(struct store_reader *r, int64_t cursor, size_t limit, struct arena *a,
                     struct stray_record **ret, size_t *ret_count)
{
    *ret = NULL;
    *ret_count = 0;
    return r->store->engine->stray_list(r, cursor, limit, a, ret, ret_count);
}

int store_inbound_part_overdue(struct store_reader *r, int64_t before_us, size_t limit,
                               struct arena *a, struct inbound_part_record **ret, size_t *ret_count)
{
    *ret = NULL;
    *ret_count = 0;
    return r->store->engine->inbound_part_overdue(r, before_us, limit, a, ret, ret_count);
}

int store_price_each(struct store_reader *r,
                     bool (*tell)(void *context, const struct price_record *p), void *context)
{
    return r->store->engine->price_each(r, tell, context);
}

/* ---- writing ---- */

int store_hand_over(struct store *s, const int64_t *ids, size_t count, unsigned carrier)
{
    assert(s->in_transaction);
    return s->engine->hand_over(s, ids, count, carrier);
}

int store_requeue(struct store *s, int64_t id, unsigned carrier, unsigned retry_count)
{
    assert(s->in_transaction);
    return s->engine->requeue(s, id, carrier, retry_count);
}

int store_carrier_add(struct store *s, struct carrier_record *c)
{
    assert(s->in_transaction && c->name[0]);
    return s->engine->carrier_add(s, c);
}

int store_carrier_note(struct store *s, const struct carrier_record *c)
{
    assert(s->in_transaction);
    return s->engine->carrier_note(s, c);
}

int store_carrier_twice(struct store *s, unsigned id)
{
    assert(s->in_transaction);
    return s->engine->carrier_twice(s, id);
}

int store_carrier_drain(struct store *s, unsigned id, bool drained)
{
    assert(s->in_transaction);
    return s->engine->carrier_drain(s, id, drained);
}

int store_reference_add(struct store *s, const struct reference_record *r)
{
    assert(s->in_transaction);
    return s->engine->reference_add(s, r, store_today(s));
}

int store_parts_open(struct store *s, int64_t message, unsigned parts)
{
    assert(s->in_transaction && parts <= STORE_PARTS_MAX);
    return s->engine->parts_open(s, message, parts);
}

int store_part_delivered(struct store *s, int64_t message, unsigned part, unsigned *ret_left)
{
    assert(s->in_transaction && part >= 1 && part <= STORE_PARTS_MAX);
    return s->engine->part_delivered(s, message, part, ret_left);
}

int store_stray_add(struct store *s, struct stray_record *r)
{
    assert(s->in_transaction);
    r->at_us = clock_now_us(s->clock);
    r->id = id_next(&s->ids, r->at_us);
    return s->engine->stray_add(s, r);
}

int store_stray_remove(struct store *s, int64_t id)
{
    assert(s->in_transaction);
    return s->engine->stray_remove(s, id);
}

int store_inbound_part_add(struct store *s, const struct inbound_part_record *p, bool force,
                           struct arena *a, struct inbound_part_record **ret, size_t *ret_count)
{
    assert(s->in_transaction);
    *ret = NULL;
    *ret_count = 0;
    return s->engine->inbound_part_add(s, p, force, a, ret, ret_count);
}

int store_price_put(struct store *s, const struct price_record *p)
{
    assert(s->in_transaction);
    return s->engine->price_put(s, p);
}

int store_price_clear(struct store *s)
{
    assert(s->in_transaction);
    return s->engine->price_clear(s);
}
