#include "live.h"

#include "base/log.h"
#include "base/retired.h"
#include "carriers/carrier_set.h"
#include "carriers/mm7_settings.h"
#include "carriers/smpp_settings.h"
#include "messaging/https_url.h"
#include "messaging/routing_config.h"

#include <errno.h>
#include <stdlib.h>

/* Longer than any request takes that may look at what was replaced. */
#define KEPT_US (INT64_C(3600) * 1000000)
/* A carrier has three seconds to answer, and one to unbind. */
enum { UNBIND_MS = 5000, LIST_MEMORY = 16 << 20 };

struct live {
    struct live_options options;
    struct store_reader *reader;
    struct receipts *receipts;
    struct arrivals *arrivals;
    struct carrier_set *carriers;
    struct api *api; /* NULL before live_serve */

    struct routing *routing;
    struct price_list *prices;
    struct retired *retired; /* earlier ones of both */
    uint64_t generation;     /* of the store when prices and drains were last read */

    struct loop_signal *swapped; /* makes the engine take the routing over */
    _Atomic(const struct routing *) for_engine;
};

bool live_carrier_good(const struct config_carrier *carrier, char *why, size_t why_size)
{
    struct smpp_settings *settings;
    int failed = smpp_settings_new(&settings, carrier, why, why_size);

    if (failed == 0)
        smpp_settings_free(settings);
    else if (failed != -EINVAL)
        str_format(why, why_size, "[carrier %s] cannot be read: %s", carrier->name,
                   strerror(-failed));
    return failed == 0;
}

bool live_mmsc_good(const struct config_mmsc *mmsc, char *why, size_t why_size)
{
    struct mm7_settings *settings;
    int failed = mm7_settings_new(&settings, mmsc, why, why_size);

    if (failed == 0)
        mm7_settings_free(settings);
    else if (failed != -EINVAL)
        str_format(why, why_size, "[mmsc %s] cannot be read: %s", mmsc->name, strerror(-failed));
    return failed == 0;
}

/* ---- routing ---- */

/* On the engine's thread, or before it starts. */
static void take_routing(void *live)
{
    struct live *l = live;
    const struct routing *routing = atomic_load_explicit(&l->for_engine, memory_order_acquire);

    dispatch_set_routing(l->options.dispatch, routing);
    arrivals_set_routing(l->arrivals, routing);
}

static void release_routing(void *routing)
{
    routing_free(routing);
}

static void set_routing(struct live *l, struct routing *routing)
{
    retire(&l->retired, l->routing, release_routing, clock_now_us(l->options.clock));
    l->routing = routing;
    atomic_store_explicit(&l->for_engine, routing, memory_order_release);
    if (l->api)
        api_set_routing(l->api, routing);
}

static struct carrier *find_carrier(void *live, const char *name)
{
    return carrier_set_find(((struct live *)live)->carriers, name);
}

/* A carrier for a rehearsal. */
static struct carrier *find_any(void *live, const char *name)
{
    static struct carrier any;
    return &any;
}

static int64_t find_account(void *live, const char *name)
{
    struct live *l = live;
    struct account_record account;

    return store_account_find(l->reader, str_of(name), &account) == 0 ? account.id : 0;
}

static int make_routing(struct live *l, const struct config *config, bool rehearsal,
                        struct routing **ret, char why[LIVE_WHY_SIZE])
{
    struct routing_source source = {.config = config,
                                    .carrier = rehearsal ? find_any : find_carrier,
                                    .account = find_account,
                                    .context = l};

    _Static_assert((int)LIVE_WHY_SIZE >= (int)ROUTING_WHY_SIZE, "room for its reasons");
    return routing_make(ret, &source, why);
}

/* The routes are tried before anything is changed, because they can be faulty: then nothing is. */
static int set_carriers(struct live *l, const struct config *config, char why[LIVE_WHY_SIZE])
{
    struct routing *routing;
    int failed = make_routing(l, config, true, &routing, why);

    if (failed)
        return failed;
    routing_free(routing);
    failed = carrier_set_update(l->carriers, config, why);
    if (!failed)
        failed = make_routing(l, config, false, &routing, why);
    if (failed)
        return failed;
    set_routing(l, routing);
    return 0;
}

static void log_mmscs(const struct config *config)
{
    for (size_t i = 0; i < config->mmsc_count; i++) {
        const struct config_mmsc *m = &config->mmscs[i];
        struct str host = url_host(str_of(m->url));
        bool tls = str_starts_nocase(str_of(m->url), STR("https:"));
        log_info("live", "mmsc %s: %.*s%s, window %lld", m->name, STR_FMT(host),
                 tls ? " over TLS" : "", (long long)m->window);
    }
}

static void log_carriers(const struct config *config)
{
    for (size_t i = 0; i < config->carrier_count; i++) {
        const struct config_carrier *c = &config->carriers[i];
        log_info("live", "carrier %s: %s:%u%s, %lld bind%s, window %lld", c->name, c->address.host,
                 c->address.port, c->tls ? " over TLS" : "", (long long)c->binds,
                 c->binds == 1 ? "" : "s", (long long)c->window);
    }
    log_mmscs(config);
}

int live_update(struct live *l, const struct config *config, char why[LIVE_WHY_SIZE])
{
    int failed = set_carriers(l, config, why);

    if (failed)
        return failed;
    loop_signal_raise(l->swapped);
    log_carriers(config);
    return 0;
}

/* ---- prices and drains ---- */

static void release_prices(void *prices)
{
    price_list_free(prices);
}

static void load_prices(struct live *l)
{
    int64_t now_us = clock_now_us(l->options.clock);
    struct price_list *prices;
    int failed = price_list_load(&prices, l->reader, now_us);

    if (failed) {
        log_error("live", "the prices in use stay: the list cannot be read: %s", strerror(-failed));
        return;
    }
    retire(&l->retired, l->prices, release_prices, now_us);
    l->prices = prices;
    if (l->api)
        api_set_prices(l->api, prices);
}

static void read_drains(struct live *l)
{
    struct carrier_record *records;
    struct arena memory;
    size_t count = 0;

    arena_init(&memory, LIST_MEMORY);
    if (store_carrier_list(l->reader, &memory, &records, &count) == 0)
        for (size_t i = 0; i < count; i++)
            carrier_set_drain(l->carriers, records[i].id, records[i].drained);
    arena_done(&memory);
}

/* The generation moves when another process has written, and when a price of the list becomes valid
 * it is time, too. */
void live_poll(struct live *l)
{
    uint64_t generation = store_key_generation(l->options.store);
    int64_t now_us = clock_now_us(l->options.clock), change_us = l->prices->next_change_us;
    bool moved = generation != l->generation;

    l->generation = generation;
    if (moved)
        read_drains(l);
    if (moved || (change_us && change_us <= now_us))
        load_prices(l);
    retired_free(&l->retired, now_us - KEPT_US);
    store_reader_rest(l->reader);
}

/* ---- life ---- */

static int make_parts(struct live *l)
{
    const struct live_options *o = &l->options;
    struct receipts_options receipts = {.store = o->store,
                                        .writer = o->writer,
                                        .clock = o->clock,
                                        .home = dispatch_box(o->dispatch)};
    struct arrivals_options arrivals = {.store = o->store,
                                        .writer = o->writer,
                                        .clock = o->clock,
                                        .optouts = o->optouts,
                                        .home = dispatch_box(o->dispatch)};
    struct carrier_set_options carriers = {.loop = o->loop,
                                           .clock = o->clock,
                                           .writer = o->writer,
                                           .dispatch = o->dispatch,
                                           .wire = o->wire};
    int failed = store_reader_open(o->store, &l->reader);

    if (!failed)
        failed = receipts_new(&l->receipts, &receipts);
    if (!failed)
        failed = arrivals_new(&l->arrivals, &arrivals);
    if (failed)
        return failed;
    dispatch_set_receipts(o->dispatch, l->receipts);
    carriers.receipts = l->receipts;
    carriers.arrivals = l->arrivals;
    l->swapped = loop_signal_new(o->loop, take_routing, l);
    return l->swapped ? carrier_set_new(&l->carriers, &carriers) : -ENOMEM;
}

static int start(struct live *l, const struct config *config, char why[LIVE_WHY_SIZE])
{
    int failed = make_parts(l);

    if (failed) {
        str_format(why, LIVE_WHY_SIZE, "cannot start live mode: %s", strerror(-failed));
        return failed;
    }
    l->generation = store_key_generation(l->options.store);
    load_prices(l);
    if (!l->prices) {
        str_format(why, LIVE_WHY_SIZE, "cannot read the prices");
        return -EIO;
    }
    failed = set_carriers(l, config, why);
    if (failed)
        return failed;
    take_routing(l);
    carrier_set_start(l->carriers);
    log_carriers(config);
    return 0;
}

int live_new(struct live **ret, const struct live_options *options, const struct config *config,
             char why[LIVE_WHY_SIZE])
{
    struct live *l = calloc(1, sizeof *l);
    int failed = -ENOMEM;

    *ret = NULL;
    if (l) {
        l->options = *options;
        failed = start(l, config, why);
    } else {
        str_format(why, LIVE_WHY_SIZE, "cannot start live mode: there is not enough memory");
    }
    if (failed)
        live_free(l);
    else
        *ret = l;
    return failed;
}

void live_serve(struct live *l, struct api *api)
{
    l->api = api;
    api_set_routing(api, l->routing);
    api_set_prices(api, l->prices);
}

struct receipts *live_receipts(struct live *l)
{
    return l->receipts;
}

struct arrivals *live_arrivals(struct live *l)
{
    return l->arrivals;
}

unsigned live_carrier_number(const struct live *l, const char *name)
{
    const struct carrier *c = carrier_set_find(l->carriers, name);
    return c ? c->number : 0;
}

void live_count_receipt(struct live *l, unsigned carrier, bool stray)
{
    carrier_set_count_receipt(l->carriers, carrier, stray);
}

void live_stop(struct live *l)
{
    if (!carrier_set_stop(l->carriers, UNBIND_MS))
        log_warning("live", "a carrier did not unbind in time");
}

void live_free(struct live *l)
{
    if (!l)
        return;
    if (l->carriers)
        carrier_set_free(l->carriers);
    if (l->arrivals)
        arrivals_free(l->arrivals);
    if (l->receipts)
        receipts_free(l->receipts);
    if (l->reader)
        store_reader_close(l->reader);
    routing_free(l->routing);
    price_list_free(l->prices);
    retired_free(&l->retired, INT64_MAX);
    free(l);
}
