#include "messaging/route.h"

#include "base/utf8.h"
#include "messaging/words.h"

bool sender_reaches(const struct sender *s, const struct number_place *to)
{
    switch (s->type) {
    case NUMBER_TOLL_FREE:
    case NUMBER_SHORT_CODE:
        return s->calling_code == to->calling_code;
    case NUMBER_LOCAL:
        return true;
    case NUMBER_ALPHANUMERIC:
        return !number_is_nanp(to); /* North American networks take no names */
    }
    return false;
}

bool sender_open_to(const struct sender *s, int64_t account)
{
    return s->account == 0 || s->account == account;
}

static bool at_home(const struct sender *s, const struct number_place *to)
{
    return s->calling_code != 0 && s->calling_code == to->calling_code;
}

static bool takes_media(const struct sender *s)
{
    return s->type != NUMBER_ALPHANUMERIC && !s->no_media;
}

/* How good a sender is for a destination that it reaches. A sender of the zone beats every other.
 * In North America toll-free comes first. Abroad a number that can be answered beats a name. */
static unsigned sender_rank(const struct sender *s, const struct number_place *to)
{
    if (at_home(s, to))
        return s->type == NUMBER_TOLL_FREE ? 4 : 3;
    return s->type == NUMBER_ALPHANUMERIC ? 1 : 2;
}

/* What stands between a sender and the destination; the order is that of telling. */
enum obstacle { NOTHING, REACH, MEDIA, ONLY_MEDIA, ROUTE, OBSTACLES };

/* `carriers`: bits of those that lead there for such a message. */
static enum obstacle obstacle_of(const struct route_query *q, const struct sender *s,
                                 uint64_t carriers)
{
    if (!sender_reaches(s, &q->to))
        return REACH;
    if ((q->kind == KIND_MMS && !takes_media(s)) || (q->links && !s->links))
        return MEDIA;
    if (q->kind == KIND_SMS && s->no_sms)
        return ONLY_MEDIA;
    return (sender_carriers(s) & carriers) ? NOTHING : ROUTE;
}

static uint64_t carriers_to(const struct route_query *q)
{
    return routing_carriers(q->routing, q->number, q->kind, q->type);
}

/* Media have no way where texts have one. */
static bool only_media_lack(const struct route_query *q)
{
    return q->kind == KIND_MMS && routing_carriers(q->routing, q->number, KIND_SMS, q->type) != 0;
}

/* ---- problems ---- */

static const char *why_not_reached(const struct sender *s, struct arena *a)
{
    switch (s->type) {
    case NUMBER_TOLL_FREE:
        return arena_printf(a, "A toll-free number reaches only +%u.", s->calling_code);
    case NUMBER_SHORT_CODE:
        return arena_printf(a, "A short code reaches only +%u.", s->calling_code);
    case NUMBER_ALPHANUMERIC:
        return "Networks of +1 take no names as senders.";
    case NUMBER_LOCAL:
        break;
    }
    return "It does not reach the destination.";
}

static bool unsupported(struct problem *problem, const char *message)
{
    return problem_set(problem, PROBLEM_UNSUPPORTED_DESTINATION, "to", message);
}

/* Nothing leads there, not even with another sender; `met` says what the senders met. */
static bool refuse(const struct route_query *q, const bool met[OBSTACLES], struct arena *a,
                   struct problem *problem)
{
    unsigned code = q->to.calling_code;

    if (!q->to.assigned)
        return unsupported(
            problem,
            "No country has the calling code that this number starts with; check the number.");
    if (met[MEDIA] || (met[ROUTE] && only_media_lack(q)))
        return problem_set(problem, PROBLEM_MMS_NOT_SUPPORTED, "mediaUrls",
                           "No MMS goes to this destination from any of your senders; leave "
                           "mediaUrls out, or put links into the text.");
    if (met[ROUTE])
        return unsupported(problem,
                           arena_printf(a,
                                        "A sender reaches +%u…, but no route leads there for "
                                        "messages of the type %s; the operator of this service "
                                        "can add one.",
                                        code, message_type_word(q->type)));
    if (met[ONLY_MEDIA])
        return unsupported(problem, arena_printf(a,
                                                 "Those of your senders that reach +%u… send only "
                                                 "media; the operator of this service can let one "
                                                 "send texts, too.",
                                                 code));
    if (q->routing->carrier_count)
        return unsupported(problem, arena_printf(a,
                                                 "A carrier is connected, but none of your senders "
                                                 "reaches +%u…; the operator of this service can "
                                                 "add one.",
                                                 code));
    return unsupported(
        problem, arena_printf(a,
                              "No carrier is connected that reaches +%u…; connect one, or use a "
                              "test key, with which messages are simulated.",
                              code));
}

static bool bad_sender(struct problem *problem, const char *message)
{
    return problem_set(problem, PROBLEM_INVALID_FROM_NUMBER, "from", message);
}

static bool refuse_unknown(const struct route_query *q, struct arena *a, struct problem *problem)
{
    struct str shown = utf8_shown(q->from, 32);

    return bad_sender(problem, arena_printf(a,
                                            "'%.*s%s' is not one of your senders; leave 'from' out "
                                            "to have one chosen.",
                                            STR_FMT(shown), shown.n < q->from.n ? "…" : ""));
}

static bool refuse_wanted(const struct route_query *q, const struct sender *s,
                          enum obstacle obstacle, struct arena *a, struct problem *problem)
{
    struct str name = s->address;

    if (obstacle == REACH)
        return bad_sender(problem,
                          arena_printf(a,
                                       "The sender '%.*s' cannot reach this destination. %s Leave "
                                       "'from' out to have one chosen.",
                                       STR_FMT(name), why_not_reached(s, a)));
    if (obstacle == ONLY_MEDIA)
        return bad_sender(problem, arena_printf(a,
                                                "The sender '%.*s' sends only media; leave 'from' "
                                                "out to have another chosen.",
                                                STR_FMT(name)));
    if (obstacle == ROUTE && only_media_lack(q))
        return problem_set(problem, PROBLEM_MMS_NOT_SUPPORTED, "mediaUrls",
                           arena_printf(a,
                                        "No MMS goes to +%u… from the sender '%.*s'; leave "
                                        "mediaUrls out, or choose another sender.",
                                        q->to.calling_code, STR_FMT(name)));
    if (obstacle == MEDIA)
        return problem_set(problem, PROBLEM_MMS_NOT_SUPPORTED, "mediaUrls",
                           arena_printf(a,
                                        "The sender '%.*s' takes no media; leave mediaUrls out, or "
                                        "choose another sender.",
                                        STR_FMT(name)));
    return unsupported(
        problem, arena_printf(a,
                              "No route leads to +%u… from the sender '%.*s' for messages of the "
                              "type %s; leave 'from' out, or have the operator add one.",
                              q->to.calling_code, STR_FMT(name), message_type_word(q->type)));
}

/* ---- choosing ---- */

static void describe(struct route_choice *r, const struct route_query *q, const struct sender *s)
{
    bool home = at_home(s, &q->to), failover = false;

    r->sender = s;
    r->route = routing_choose(q->routing, s, q->number, q->kind, q->type, q->dice, &failover);
    r->coverage = home ? COVERAGE_HIGH : COVERAGE_MEDIUM;
    if (r->route && r->route->weight == 0)
        r->coverage = COVERAGE_LOW;
    if (failover)
        r->reason = REASON_FAILOVER;
    else if (q->from.p)
        r->reason = REASON_USER;
    else if (!home)
        r->reason = REASON_INTERNATIONAL;
    else
        r->reason = number_is_nanp(&q->to) ? REASON_SMART : REASON_LOCAL;
}

static bool take_wanted(const struct route_query *q, struct route_choice *ret, struct arena *a,
                        struct problem *problem)
{
    const struct sender *s = sender_find(&q->routing->senders, q->from);

    if (!s || !sender_open_to(s, q->account))
        return refuse_unknown(q, a, problem);
    enum obstacle obstacle = obstacle_of(q, s, carriers_to(q));
    if (obstacle != NOTHING)
        return refuse_wanted(q, s, obstacle, a, problem);
    describe(ret, q, s);
    return true;
}

bool route_choose(const struct route_query *q, struct route_choice *ret, struct arena *a,
                  struct problem *problem)
{
    const struct sender_table *table = &q->routing->senders;
    const struct sender *best = NULL;
    bool met[OBSTACLES] = {false};

    if (q->from.p)
        return take_wanted(q, ret, a, problem);
    uint64_t carriers = carriers_to(q);
    for (size_t i = 0; i < table->count; i++) {
        const struct sender *s = &table->senders[i];
        if (!sender_open_to(s, q->account))
            continue;
        enum obstacle obstacle = obstacle_of(q, s, carriers);
        met[obstacle] = true;
        if (obstacle == NOTHING && (!best || sender_rank(s, &q->to) > sender_rank(best, &q->to)))
            best = s;
    }
    if (!best)
        return refuse(q, met, a, problem);
    describe(ret, q, best);
    return true;
}

/* ---- explaining ---- */

static const char *why_not_sender(const struct route_query *q, const struct sender *s,
                                  const struct sender *chosen, uint64_t carriers, struct arena *a)
{
    switch (obstacle_of(q, s, carriers)) {
    case REACH:
        return why_not_reached(s, a);
    case MEDIA:
        return s->type == NUMBER_ALPHANUMERIC ? "A name takes no media." : "It takes no media.";
    case ONLY_MEDIA:
        return "It sends only media.";
    case ROUTE:
        return "No route leads to the destination from it.";
    case NOTHING:
    case OBSTACLES:
        break;
    }
    if (q->from.p)
        return "Another sender was asked for.";
    if (!chosen || sender_rank(s, &q->to) == sender_rank(chosen, &q->to))
        return "An equally good sender comes before it.";
    if (!at_home(s, &q->to) && at_home(chosen, &q->to))
        return "A sender of the destination's own zone comes first.";
    if (s->type == NUMBER_ALPHANUMERIC)
        return "A number, which can be answered, comes before a name.";
    return "A toll-free number comes before other numbers of its zone.";
}

/* Whether a carrier was down is not known afterwards. */
static const char *why_not_route(const struct carrier_route *route,
                                 const struct carrier_route *chosen)
{
    if (!chosen)
        return "Another one was taken.";
    if (route_before(route, chosen))
        return "Its carrier could not take the message.";
    if (!route_before(chosen, route))
        return "An equal route was taken.";
    if (route->weight == 0)
        return "It is a last resort.";
    if (strlen(chosen->prefix) > strlen(route->prefix))
        return "A route with a longer prefix comes first.";
    return "A route with a lesser priority comes first.";
}

/* The first one that leads to the carrier. */
static const struct carrier_route *chosen_route(const struct routing *r,
                                                const struct routing_step *steps, size_t count,
                                                unsigned carrier)
{
    for (size_t i = 0; i < count; i++)
        if (!steps[i].why && r->carriers[steps[i].route->carrier]->number == carrier)
            return steps[i].route;
    return NULL;
}

static size_t explain_routes(const struct route_query *q, const struct sender *sender,
                             unsigned carrier, struct arena *a, struct route_refusal *ret)
{
    const struct routing *r = q->routing;
    struct routing_step *steps = arena_alloc(a, (r->route_count + 1) * sizeof *steps);
    size_t count = 0, n = 0;

    if (steps)
        count = routing_steps(r, sender, q->number, q->kind, q->type, a, steps);
    const struct carrier_route *chosen = chosen_route(r, steps, count, carrier);
    for (size_t i = 0; i < count; i++)
        if (steps[i].route != chosen)
            ret[n++] = (struct route_refusal){NULL, steps[i].route,
                                              steps[i].why ? steps[i].why
                                                           : why_not_route(steps[i].route, chosen)};
    return n;
}

size_t route_explain(const struct route_query *q, struct str chosen, unsigned carrier,
                     struct arena *a, struct route_refusal *ret)
{
    const struct sender_table *table = &q->routing->senders;
    const struct sender *best = sender_find(table, chosen);
    uint64_t carriers = carriers_to(q);
    size_t n = 0;

    for (size_t i = 0; i < table->count; i++) {
        const struct sender *s = &table->senders[i];
        if (s == best || !sender_open_to(s, q->account))
            continue;
        const char *why = why_not_sender(q, s, best, carriers, a);
        ret[n++] = (struct route_refusal){s, NULL, why ? why : ""};
    }
    return n + explain_routes(q, best, carrier, a, ret + n);
}
