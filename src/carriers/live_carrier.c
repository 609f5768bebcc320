#include "carriers/live_carrier.h"

#include "base/log.h"

#include <errno.h>
#include <stdlib.h>

enum { MS_US = 1000 };

void live_carrier_wake(struct live_carrier *c)
{
    if (c->awake)
        return;
    c->awake = true;
    loop_timer_start(c->timer, 0, 0);
}

static void on_timer(void *carrier)
{
    struct live_carrier *c = carrier;

    c->awake = false;
    int64_t next_us = c->kind->feed(c);
    if (next_us >= 0 && !c->awake)
        loop_timer_start(c->timer, (uint64_t)(next_us + MS_US - 1) / MS_US, 0);
}

void live_carrier_drain(struct live_carrier *c, bool drained)
{
    if (c->record.drained == drained)
        return;
    c->record.drained = drained;
    c->record.since_us = clock_now_us(c->options.clock);
    log_info("carrier", drained ? "%s is drained: it gets no messages" : "%s gets messages again",
             c->record.name);
    c->kind->drained(c);
    live_carrier_wake(c);
}

/* What it has counted is kept; what it was doing when the program ended is not. */
static void forget_moment(struct carrier_record *r)
{
    r->state = CARRIER_UNUSED;
    r->binds = r->binds_up = 0;
    r->waiting = r->in_flight = 0;
    r->note[0] = '\0';
}

int live_carrier_new(struct live_carrier **ret, const struct live_kind *kind,
                     const struct live_carrier_options *options,
                     const struct carrier_record *record)
{
    struct live_carrier *c = calloc(1, kind->size);

    *ret = NULL;
    if (!c)
        return -ENOMEM;
    c->kind = kind;
    c->options = *options;
    c->record = *record;
    forget_moment(&c->record);
    c->port = (struct carrier){
        .name = c->record.name, .ops = kind->ops, .number = record->id, .resend = true};
    carrier_limit_set(&c->port, CARRIER_LIMIT_LINK_DOWN, 0);
    kind->init(c);
    c->timer = loop_timer_new(options->loop, on_timer, c);
    if (!c->timer) {
        live_carrier_free(c);
        return -ENOMEM;
    }
    *ret = c;
    return 0;
}

void live_carrier_free(struct live_carrier *c)
{
    c->kind->done(c);
    free(c);
}
