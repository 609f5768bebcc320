#include "messaging/route.h"

#include "base/utf8.h"

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

const struct sender_table senders_test = {test_senders, sizeof test_senders / sizeof *test_senders};
const struct sender_table senders_none = {NULL, 0};

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

static bool at_home(const struct sender *s, const struct number_place *to)
{
    return s->calling_code != 0 && s->calling_code == to->calling_code;
}

static bool takes_media(const struct sender *s)
{
    return s->type != NUMBER_ALPHANUMERIC;
}

/* How good a sender is for a destination; 0 = does not reach it. A sender of the zone beats every
 * other. In North America toll-free comes first. Abroad a number that can be answered beats a
 * name. */
static unsigned sender_rank(const struct sender *s, const struct number_place *to)
{
    if (!sender_reaches(s, to))
        return 0;
    if (at_home(s, to))
        return s->type == NUMBER_TOLL_FREE ? 4 : 3;
    return s->type == NUMBER_ALPHANUMERIC ? 1 : 2;
}

/* ---- choosing ---- */

static void describe(struct route_choice *r, const struct route_query *q, const struct sender *s)
{
    bool home = at_home(s, &q->to);

    r->sender = s;
    r->coverage = home ? COVERAGE_HIGH : COVERAGE_MEDIUM;
    if (q->from.p)
        r->reason = REASON_USER;
    else if (!home)
        r->reason = REASON_INTERNATIONAL;
    else
        r->reason = number_is_nanp(&q->to) ? REASON_SMART : REASON_LOCAL;
}

static bool unsupported(const struct number_place *to, struct arena *a, struct problem *problem)
{
    const char *message =
        to->assigned
            ? arena_printf(a,
                           "No carrier is connected that reaches +%u…; connect one, or use a test "
                           "key, with which messages are simulated.",
                           to->calling_code)
            : "No country has the calling code that this number starts with; check the number.";

    return problem_set(problem, PROBLEM_UNSUPPORTED_DESTINATION, "to", message);
}

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

static const struct sender *find_sender(const struct sender_table *table, struct str address)
{
    for (size_t i = 0; i < table->count; i++)
        if (str_eq(table->senders[i].address, address))
            return &table->senders[i];
    return NULL;
}

static bool take_wanted(const struct route_query *q, struct route_choice *ret, struct arena *a,
                        struct problem *problem)
{
    const struct sender *s = find_sender(q->table, q->from);
    struct str shown = utf8_shown(q->from, 32);

    if (!s)
        return problem_set(problem, PROBLEM_INVALID_FROM_NUMBER, "from",
                           arena_printf(a,
                                        "'%.*s%s' is not one of your senders; leave 'from' out to "
                                        "have one chosen.",
                                        STR_FMT(shown), shown.n < q->from.n ? "…" : ""));
    if (!sender_reaches(s, &q->to))
        return problem_set(problem, PROBLEM_INVALID_FROM_NUMBER, "from",
                           arena_printf(a,
                                        "The sender '%.*s' cannot reach this destination. %s Leave "
                                        "'from' out to have one chosen.",
                                        STR_FMT(s->address), why_not_reached(s, a)));
    if (q->kind == KIND_MMS && !takes_media(s))
        return problem_set(problem, PROBLEM_MMS_NOT_SUPPORTED, "mediaUrls",
                           arena_printf(a,
                                        "The sender '%.*s' takes no media; leave mediaUrls out, or "
                                        "choose another sender.",
                                        STR_FMT(s->address)));
    describe(ret, q, s);
    return true;
}

bool route_choose(const struct route_query *q, struct route_choice *ret, struct arena *a,
                  struct problem *problem)
{
    const struct sender *best = NULL;
    unsigned best_rank = 0;
    bool passed_over = false;

    if (q->from.p)
        return take_wanted(q, ret, a, problem);
    for (size_t i = 0; i < q->table->count; i++) {
        const struct sender *s = &q->table->senders[i];
        unsigned rank = sender_rank(s, &q->to);
        if (rank > 0 && q->kind == KIND_MMS && !takes_media(s))
            passed_over = true;
        else if (rank > best_rank) {
            best_rank = rank;
            best = s;
        }
    }
    if (!best && passed_over)
        return problem_set(problem, PROBLEM_MMS_NOT_SUPPORTED, "mediaUrls",
                           "No sender that takes media reaches this destination; leave mediaUrls "
                           "out.");
    if (!best)
        return unsupported(&q->to, a, problem);
    describe(ret, q, best);
    return true;
}

/* ---- explaining ---- */

static const char *why_not(const struct route_query *q, const struct sender *s,
                           const struct sender *chosen, struct arena *a)
{
    if (!sender_reaches(s, &q->to))
        return why_not_reached(s, a);
    if (q->kind == KIND_MMS && !takes_media(s))
        return "A name takes no media.";
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

size_t route_explain(const struct route_query *q, struct str chosen, struct arena *a,
                     struct route_refusal *ret)
{
    const struct sender *best = find_sender(q->table, chosen);
    size_t n = 0;

    for (size_t i = 0; i < q->table->count; i++) {
        const struct sender *s = &q->table->senders[i];
        if (s == best)
            continue;
        const char *why = why_not(q, s, best, a);
        ret[n++] = (struct route_refusal){s, why ? why : ""};
    }
    return n;
}
