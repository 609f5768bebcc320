/* Numbers: what messages come to, what happens now, and whether all is counted right. */
#include "store/engine.h"

#include <assert.h>

#define HOUR_US INT64_C(3600000000)

int store_rollup_each(struct store_reader *r, const struct rollup_query *query, rollup_tell *tell,
                      void *context)
{
    assert(query->from_us % HOUR_US == 0 && query->to_us % HOUR_US == 0);
    return r->store->engine->rollup_each(r, query, tell, context);
}

int store_request_each(struct store_reader *r, int64_t account, enum mode mode, int64_t from_us,
                       int64_t to_us, void (*tell)(void *context, int64_t start_us, int64_t count),
                       void *context)
{
    assert(from_us % HOUR_US == 0 && to_us % HOUR_US == 0);
    return r->store->engine->request_each(r, account, mode, from_us, to_us, tell, context);
}

int store_pulse_each(struct store_reader *r, int64_t account, enum mode mode, int64_t from_minute,
                     int64_t to_minute, void (*tell)(void *context, const struct pulse_minute *m),
                     void *context)
{
    return r->store->engine->pulse_each(r, account, mode, from_minute, to_minute, tell, context);
}

int store_queue_state(struct store_reader *r, int64_t account, enum mode mode,
                      struct queue_state *ret)
{
    *ret = (struct queue_state){0};
    return r->store->engine->queue_state(r, account, mode, ret);
}

int store_books(struct store_reader *r, bool scan, struct books *ret)
{
    *ret = (struct books){0};
    return r->store->engine->books(r, scan, ret);
}
