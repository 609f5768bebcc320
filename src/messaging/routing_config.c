#include "messaging/routing_config.h"

#include "messaging/number.h"

#include <errno.h>
#include <stdlib.h>

enum { MEMORY_MAX = 64 << 20, FAILOVER_DEFAULT_US = 30000000 };

/* The words of the configuration stand in the order of the enums; types come before kinds. */
_Static_assert(NUMBER_TOLL_FREE == 1 && NUMBER_LOCAL == 2 && NUMBER_SHORT_CODE == 3 &&
                   NUMBER_ALPHANUMERIC == 4,
               "sender.type");
_Static_assert(TYPE_TRANSACTIONAL == 1 && TYPE_MARKETING == 2 && TYPE_OTP == 3 && TYPE_ALERT == 4 &&
                   TYPE_PROMOTIONAL == 5,
               "route.type");
enum { TYPE_WORDS = 5, TYPE_MASK = (1 << TYPE_WORDS) - 1 };
enum { CAN_SMS = 1, CAN_MMS = 2 };

/* A routing and the memory it lies in. */
struct made {
    struct routing routing; /* first */
    struct arena memory;
};

struct making {
    const struct routing_source *source;
    struct made *made;
    char *why;
    size_t told; /* of it is faults */
};

__attribute__((format(printf, 3, 4))) static int fault(struct making *m, const char *place,
                                                       const char *format, ...)
{
    struct buf line BUF_CLEANUP;
    va_list args;

    buf_init(&line, ROUTING_WHY_SIZE);
    buf_printf(&line, "%s%s: ", m->told ? "\n" : "", place);
    va_start(args, format);
    buf_vprintf(&line, format, args);
    va_end(args);
    if (m->told == 0 || m->told + line.n < ROUTING_WHY_SIZE) {
        str_format(m->why + m->told, ROUTING_WHY_SIZE - m->told, "%.*s", STR_FMT(buf_str(&line)));
        m->told += strlen(m->why + m->told);
    }
    return -EINVAL;
}

/* Of two results the one to go by; what is faulty does not keep the rest from being looked at. */
static int worse(int a, int b)
{
    return a == -ENOMEM || !b ? a : b;
}

/* ---- carriers ---- */

/* First those over SMPP, then MMSCs; no two have the same name. */
static unsigned carrier_count(const struct config *c)
{
    return (unsigned)(c->carrier_count + c->mmsc_count);
}

static bool is_mmsc(const struct config *c, unsigned place)
{
    return place >= c->carrier_count;
}

static const struct config_section *section_at(const struct config *c, unsigned place)
{
    return is_mmsc(c, place) ? &c->mmscs[place - c->carrier_count].section
                             : &c->carriers[place].section;
}

static int add_carriers(struct making *m)
{
    const struct config *c = m->source->config;
    struct routing *r = &m->made->routing;

    _Static_assert((int)CONFIG_CARRIERS_MAX <= (int)ROUTING_CARRIERS_MAX, "room for all carriers");
    for (unsigned i = 0; i < carrier_count(c); i++) {
        const struct config_section *s = section_at(c, i);
        r->carriers[i] = m->source->carrier(m->source->context, s->name);
        if (!r->carriers[i])
            return fault(m, s->place, "the carrier %s is not there", s->name);
    }
    r->carrier_count = carrier_count(c);
    return 0;
}

/* Its place in the configuration is that in the routing. */
static unsigned place_of(const struct config *c, struct str name)
{
    unsigned place = 0;

    while (place < carrier_count(c) && !str_is(name, section_at(c, place)->name))
        place++;
    return place;
}

/* MMSCs take MMS and nothing else; carriers over SMPP take no media. */
static uint32_t kinds_at(const struct config *c, unsigned place)
{
    return UINT32_C(1) << (is_mmsc(c, place) ? KIND_MMS : KIND_SMS);
}

static uint64_t carriers_of(const struct config *c, const char *names)
{
    struct str rest = str_of(names);
    uint64_t bits = 0;

    for (struct str name = config_list_cut(&rest); name.n; name = config_list_cut(&rest))
        bits |= UINT64_C(1) << place_of(c, name);
    return bits;
}

/* ---- senders ---- */

static bool toll_free(struct str address)
{
    static const char *const codes[] = {"800", "833", "844", "855", "866", "877", "888"};

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (str_starts(address, STR("+1")) && str_starts(str_skip(address, 2), str_of(codes[i])))
            return address.n == 12;
    return false;
}

static enum number_type type_of(const struct config_sender *s)
{
    struct str address = str_of(s->name);

    if (s->type != CONFIG_SENDER_AUTO)
        return (enum number_type)s->type;
    if (address.p[0] == '+')
        return toll_free(address) ? NUMBER_TOLL_FREE : NUMBER_LOCAL;
    return strspn(s->name, "0123456789") == address.n ? NUMBER_SHORT_CODE : NUMBER_ALPHANUMERIC;
}

static int set_home(struct making *m, const struct config_sender *from, struct sender *to)
{
    struct number_place place;

    if (from->country[0]) {
        to->calling_code = number_calling_code(from->country);
        if (!to->calling_code)
            return fault(m, from->place, "sender %s.country is %s, which no country has",
                         from->name, from->country);
    }
    if (from->name[0] != '+')
        return 0;
    number_place(to->address, &place);
    if (to->calling_code && to->calling_code != place.calling_code)
        return fault(m, from->place, "sender %s.country is %s, but numbers there begin with +%u",
                     from->name, from->country, to->calling_code);
    to->calling_code = place.calling_code;
    return 0;
}

static int set_account(struct making *m, const struct config_sender *from, struct sender *to)
{
    if (!from->account[0] || !m->source->account)
        return 0;
    to->account = m->source->account(m->source->context, from->account);
    if (to->account)
        return 0;
    return fault(m, from->place,
                 "sender %s.account is '%s', which is no account; skylark accounts list shows "
                 "them, skylark accounts create makes one",
                 from->name, from->account);
}

static int make_sender(struct making *m, const struct config_sender *from, struct sender *to)
{
    to->address = arena_copy(&m->made->memory, str_of(from->name));
    if (!to->address.p)
        return -ENOMEM;
    to->type = type_of(from);
    to->messages_per_minute = (unsigned)from->messages_per_minute;
    to->no_sms = !(from->capabilities & CAN_SMS);
    to->no_media = !(from->capabilities & CAN_MMS);
    to->links = from->without_mms == CONFIG_WITHOUT_MMS_LINKS;
    to->carriers = carriers_of(m->source->config, from->carriers);
    int failed = set_home(m, from, to);
    return worse(failed, set_account(m, from, to));
}

static int address_compare(const void *a, const void *b, void *senders)
{
    const struct sender *all = senders;
    return strcmp(all[*(const uint16_t *)a].address.p, all[*(const uint16_t *)b].address.p);
}

static int add_senders(struct making *m)
{
    const struct config *c = m->source->config;
    struct sender *senders = arena_alloc(&m->made->memory, c->sender_count * sizeof *senders);
    uint16_t *places = arena_alloc(&m->made->memory, c->sender_count * sizeof *places);
    int failed = senders && places ? 0 : -ENOMEM;

    _Static_assert(CONFIG_SENDERS_MAX <= UINT16_MAX, "places of senders");
    for (size_t i = 0; i < c->sender_count && failed != -ENOMEM; i++) {
        places[i] = (uint16_t)i;
        failed = worse(failed, make_sender(m, &c->senders[i], &senders[i]));
    }
    if (failed)
        return failed;
    qsort_r(places, c->sender_count, sizeof *places, address_compare, senders);
    m->made->routing.senders = (struct sender_table){senders, c->sender_count, places};
    return 0;
}

/* ---- routes ---- */

static size_t count_prefixes(const char *list)
{
    struct str rest = str_of(list);
    size_t n = 0;

    while (config_list_cut(&rest).n)
        n++;
    return n ? n : 1;
}

static int set_types(struct making *m, const struct config_route *from, struct carrier_route *to)
{
    uint32_t kinds = from->type >> TYPE_WORDS;

    to->types = (from->type & TYPE_MASK) << 1; /* the enums begin with 1 */
    to->kinds = kinds_at(m->source->config, to->carrier);
    if (is_mmsc(m->source->config, to->carrier)) {
        if (kinds && !(kinds & CAN_MMS))
            return fault(m, from->place, "route %s.type is sms, but the MMSC %s takes only MMS",
                         from->name, from->carrier);
    } else if (kinds && !(kinds & CAN_SMS)) {
        return fault(m, from->place, "route %s.type is mms, but the carrier %s takes no media",
                     from->name, from->carrier);
    }
    return 0;
}

static int make_route(struct making *m, const struct config_route *from, struct carrier_route *to)
{
    *to = (struct carrier_route){
        .name = arena_copy(&m->made->memory, str_of(from->name)),
        .carrier = place_of(m->source->config, str_of(from->carrier)),
        .priority = (unsigned)from->priority,
        .weight = (unsigned)from->weight,
        .cost_micros = from->cost_micros,
        .failover_us = from->failover_after_ms * 1000,
    };
    return to->name.p ? set_types(m, from, to) : -ENOMEM;
}

/* One for each prefix. */
static int make_routes(struct making *m, const struct config_route *from, struct carrier_route **at)
{
    struct str rest = str_of(from->prefix);
    struct carrier_route route;
    int failed = make_route(m, from, &route);

    if (failed)
        return failed;
    struct str prefix = config_list_cut(&rest);
    do {
        if (prefix.n && prefix.p[0] == '+')
            prefix = str_skip(prefix, 1);
        str_format(route.prefix, sizeof route.prefix, "%.*s", STR_FMT(prefix));
        *(*at)++ = route;
        prefix = config_list_cut(&rest);
    } while (prefix.n);
    return 0;
}

/* Without any in the configuration: every carrier leads everywhere. */
static int make_usual_routes(struct making *m, struct carrier_route **at)
{
    const struct config *c = m->source->config;

    for (unsigned i = 0; i < carrier_count(c); i++) {
        struct str name = arena_copy(&m->made->memory, str_of(section_at(c, i)->name));
        if (!name.p)
            return -ENOMEM;
        *(*at)++ = (struct carrier_route){.name = name,
                                          .carrier = i,
                                          .kinds = kinds_at(c, i),
                                          .weight = 1,
                                          .failover_us = FAILOVER_DEFAULT_US};
    }
    return 0;
}

static int add_routes(struct making *m)
{
    const struct config *c = m->source->config;
    size_t room = carrier_count(c);
    int failed = 0;

    for (size_t i = 0; i < c->route_count; i++)
        room += count_prefixes(c->routes[i].prefix);
    struct carrier_route *routes = arena_alloc(&m->made->memory, room * sizeof *routes),
                         *at = routes;
    if (!routes)
        return -ENOMEM;
    for (size_t i = 0; i < c->route_count && failed != -ENOMEM; i++)
        failed = worse(failed, make_routes(m, &c->routes[i], &at));
    if (c->route_count == 0)
        failed = make_usual_routes(m, &at);
    if (!failed)
        routing_sort(&m->made->routing, routes, (size_t)(at - routes));
    return failed;
}

int routing_make(struct routing **ret, const struct routing_source *source,
                 char why[ROUTING_WHY_SIZE])
{
    struct making m = {.source = source, .made = calloc(1, sizeof(struct made)), .why = why};

    *ret = NULL;
    str_format(why, ROUTING_WHY_SIZE, "there is not enough memory for the routes");
    if (!m.made)
        return -ENOMEM;
    arena_init(&m.made->memory, MEMORY_MAX);
    int failed = add_carriers(&m);
    if (!failed) {
        failed = add_senders(&m);
        failed = worse(failed, add_routes(&m));
    }
    if (failed)
        routing_free(&m.made->routing);
    else
        *ret = &m.made->routing;
    return failed;
}

void routing_free(struct routing *r)
{
    struct made *made = (struct made *)r;

    if (!made)
        return;
    arena_done(&made->memory);
    free(made);
}
