#include "messaging/routing.h"

#include "messaging/words.h"

#include <stdlib.h>

/* Rates are those that networks commonly grant: three messages a second from a verified
 * toll-free number, one a second from an ordinary local one, ten a second under a name, which
 * has a wholesale route of its own and no handset's line behind it. */
static const struct sender test_senders[] = {
    {.address = {"+18005551234", 12},
     .type = NUMBER_TOLL_FREE,
     .calling_code = 1,
     .messages_per_minute = 180},
    {.address = {"+447700900123", 13},
     .type = NUMBER_LOCAL,
     .calling_code = 44,
     .messages_per_minute = 60},
    {.address = {"Skylark", 7}, .type = NUMBER_ALPHANUMERIC, .messages_per_minute = 600},
};

const struct routing routing_test = {
    .senders = {test_senders, sizeof test_senders / sizeof *test_senders, NULL}};
const struct routing routing_none = {0};

static int address_compare(struct str a, struct str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int difference = n ? memcmp(a.p, b.p, n) : 0;

    return difference ? difference : (a.n > b.n) - (a.n < b.n);
}

const struct sender *sender_find(const struct sender_table *table, struct str address)
{
    size_t low = 0, high = table->by_address ? table->count : 0;

    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct sender *s = &table->senders[table->by_address[middle]];
        int difference = address_compare(s->address, address);
        if (difference == 0)
            return s;
        if (difference < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = 0; !table->by_address && i < table->count; i++)
        if (str_eq(table->senders[i].address, address))
            return &table->senders[i];
    return NULL;
}

int routing_place(const struct routing *r, unsigned carrier)
{
    for (size_t i = 0; i < r->carrier_count; i++)
        if (r->carriers[i]->number == carrier)
            return (int)i;
    return -1;
}

/* ---- order ---- */

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Within a prefix: last resorts last, then by priority; a last resort also by cost. */
static int rank_compare(const struct carrier_route *a, const struct carrier_route *b)
{
    int by_resort = compare(a->weight == 0, b->weight == 0);
    int by_priority = by_resort ? by_resort : compare(a->priority, b->priority);

    return by_priority || a->weight ? by_priority : compare(a->cost_micros, b->cost_micros);
}

static int route_compare(const void *a, const void *b)
{
    const struct carrier_route *left = a, *right = b;
    int by_prefix = strcmp(left->prefix, right->prefix);
    int by_rank = by_prefix ? by_prefix : rank_compare(left, right);

    if (by_rank)
        return by_rank;
    int by_cost = compare(left->cost_micros, right->cost_micros);
    return by_cost ? by_cost : address_compare(left->name, right->name);
}

void routing_sort(struct routing *r, struct carrier_route *routes, size_t count)
{
    if (count)
        qsort(routes, count, sizeof *routes, route_compare);
    r->routes = routes;
    r->route_count = count;
    r->lengths = 0;
    for (size_t i = 0; i < count; i++)
        r->lengths |= UINT32_C(1) << strlen(routes[i].prefix);
}

bool route_before(const struct carrier_route *a, const struct carrier_route *b)
{
    int by_resort = compare(a->weight == 0, b->weight == 0);
    int by_length = compare((int64_t)strlen(b->prefix), (int64_t)strlen(a->prefix));

    if (by_resort || by_length)
        return by_resort ? by_resort < 0 : by_length < 0;
    return rank_compare(a, b) < 0;
}

/* ---- finding ---- */

/* What is asked for. */
struct wish {
    const struct routing *routing;
    struct str digits;   /* of the destination, as many as prefixes have at most */
    uint32_t kind, type; /* one bit each */
    uint64_t carriers;   /* that may take it */
    uint32_t dice;
};

static struct wish wish_of(const struct routing *r, struct str to, enum message_kind kind,
                           enum message_type type)
{
    struct wish w = {.routing = r,
                     .digits = str_skip(to, 1),
                     .kind = UINT32_C(1) << kind,
                     .type = UINT32_C(1) << type,
                     .carriers = UINT64_MAX};

    if (w.digits.n > PREFIX_MAX)
        w.digits.n = PREFIX_MAX;
    return w;
}

static bool kind_fits(const struct wish *w, const struct carrier_route *route)
{
    return !route->kinds || route->kinds & w->kind;
}

static bool type_fits(const struct wish *w, const struct carrier_route *route)
{
    return !route->types || route->types & w->type;
}

static bool fits(const struct wish *w, const struct carrier_route *route)
{
    return kind_fits(w, route) && type_fits(w, route) && w->carriers >> route->carrier & 1;
}

/* A run of routes in the table: those of one prefix, or of one rank among them. */
struct run {
    const struct carrier_route *first, *end;
    int length; /* of the prefix */
};

/* The routes whose prefix is the first n digits of the destination. */
static struct run run_of(const struct wish *w, int n)
{
    const struct carrier_route *routes = w->routing->routes;
    size_t low = 0, high = w->routing->route_count, end;
    char prefix[PREFIX_MAX + 1] = "";

    if (n)
        memcpy(prefix, w->digits.p, (size_t)n);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(routes[middle].prefix, prefix) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (end = low; end < w->routing->route_count && strcmp(routes[end].prefix, prefix) == 0;)
        end++;
    return (struct run){routes + low, routes + end, n};
}

static struct run before_runs(const struct wish *w)
{
    return (struct run){NULL, NULL, (int)w->digits.n + 1};
}

/* From the longest prefix to the shortest; false behind the last. */
static bool next_run(const struct wish *w, struct run *run)
{
    int n = run->length - 1;

    while (n >= 0 && !(w->routing->lengths >> n & 1))
        n--;
    if (n < 0)
        return false;
    *run = run_of(w, n);
    return true;
}

uint64_t routing_carriers(const struct routing *r, struct str to, enum message_kind kind,
                          enum message_type type)
{
    struct wish w = wish_of(r, to, kind, type);
    uint64_t found = 0;

    for (struct run run = before_runs(&w); next_run(&w, &run);)
        for (const struct carrier_route *route = run.first; route < run.end; route++)
            if (fits(&w, route))
                found |= UINT64_C(1) << route->carrier;
    return r->carrier_count ? found : UINT64_MAX;
}

/* ---- choosing ---- */

static int health_of(const struct wish *w, const struct carrier_route *route)
{
    return atomic_load_explicit(&w->routing->carriers[route->carrier]->health,
                                memory_order_relaxed);
}

/* The share of a route among its equals. A carrier that is down has none, or, when that is no
 * matter, all that is due to it. */
static uint64_t share_of(const struct wish *w, const struct carrier_route *route, bool alive)
{
    int health = health_of(w, route);

    if (!fits(w, route))
        return 0;
    if (health <= 0)
        health = alive ? 0 : CARRIER_HEALTH_FULL;
    return (uint64_t)health * (route->weight ? route->weight : 1);
}

/* Of routes that are equal. Healths may change meanwhile, so the last one stands in. */
static const struct carrier_route *draw(const struct wish *w, struct run tier, bool alive)
{
    const struct carrier_route *last = NULL;
    uint64_t total = 0;

    for (const struct carrier_route *route = tier.first; route < tier.end; route++)
        total += share_of(w, route, alive);
    uint64_t point = (uint64_t)w->dice * total >> 32;
    for (const struct carrier_route *route = tier.first; route < tier.end; route++) {
        uint64_t share = share_of(w, route, alive);
        if (share == 0)
            continue;
        if (point < share)
            return route;
        point -= share;
        last = route;
    }
    return last;
}

/* The first ones of a run that are equal. */
static struct run tier_of(struct run run)
{
    const struct carrier_route *end = run.first + 1;

    while (end < run.end && rank_compare(run.first, end) == 0)
        end++;
    return (struct run){run.first, end, run.length};
}

static const struct carrier_route *pick_resort(const struct wish *w, bool alive, bool last_resort)
{
    for (struct run run = before_runs(w); next_run(w, &run);)
        for (struct run tier; run.first < run.end; run.first = tier.end) {
            tier = tier_of(run);
            const struct carrier_route *found =
                (tier.first->weight == 0) == last_resort ? draw(w, tier, alive) : NULL;
            if (found)
                return found;
        }
    return NULL;
}

static const struct carrier_route *pick(const struct wish *w, bool alive)
{
    const struct carrier_route *found = pick_resort(w, alive, false);
    return found ? found : pick_resort(w, alive, true);
}

/* Another number for a second draw, so that it does not depend on the first. */
static uint32_t dice_again(uint32_t dice)
{
    dice = (dice ^ dice >> 16) * UINT32_C(0x7feb352d);
    return dice ^ dice >> 15;
}

const struct carrier_route *routing_choose(const struct routing *r, const struct sender *sender,
                                           struct str to, enum message_kind kind,
                                           enum message_type type, uint32_t dice,
                                           bool *ret_failover)
{
    struct wish w = wish_of(r, to, kind, type);

    *ret_failover = false;
    w.carriers = sender_carriers(sender);
    w.dice = dice;
    const struct carrier_route *best = pick(&w, false);
    if (!best || health_of(&w, best) > 0)
        return best;
    w.dice = dice_again(dice);
    const struct carrier_route *other = pick(&w, true);
    *ret_failover = other != NULL;
    return other ? other : best;
}

const struct carrier_route *routing_next(const struct routing *r, const struct message *m,
                                         uint64_t tried, uint32_t dice)
{
    struct wish w = wish_of(r, m->to, m->kind, m->type);

    w.carriers = sender_carriers(sender_find(&r->senders, m->from)) & ~tried;
    w.dice = dice;
    const struct carrier_route *found = pick(&w, true);
    return found ? found : pick(&w, false);
}

/* ---- explaining ---- */

static const char *why_not(const struct wish *w, const struct carrier_route *route,
                           enum message_type type, struct arena *a)
{
    const char *why = NULL;

    if (fits(w, route))
        return NULL;
    if (!kind_fits(w, route))
        return w->kind == UINT32_C(1) << KIND_MMS ? "It takes no media." : "It takes only media.";
    if (!type_fits(w, route))
        why = arena_printf(a, "It takes no messages of the type %s.", message_type_word(type));
    else
        why = arena_printf(a, "The sender does not go over the carrier %s.",
                           w->routing->carriers[route->carrier]->name);
    return why ? why : "It cannot be taken.";
}

size_t routing_steps(const struct routing *r, const struct sender *sender, struct str to,
                     enum message_kind kind, enum message_type type, struct arena *a,
                     struct routing_step *ret)
{
    struct wish w = wish_of(r, to, kind, type);
    size_t n = 0;

    w.carriers = sender_carriers(sender);
    for (int last_resort = 0; last_resort < 2; last_resort++)
        for (struct run run = before_runs(&w); next_run(&w, &run);)
            for (const struct carrier_route *route = run.first; route < run.end; route++)
                if ((route->weight == 0) == last_resort)
                    ret[n++] = (struct routing_step){route, why_not(&w, route, type, a)};
    return n;
}
