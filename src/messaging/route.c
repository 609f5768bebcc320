#include "messaging/route.h"

/* Rates are those that networks commonly grant: three messages a second from a verified
 * toll-free number, one a second from an ordinary local one, ten a second under a name, which
 * has a wholesale route of its own and no handset's line behind it. */
static const struct sender test_senders[] = {
    {{"+18005551234", 12}, NUMBER_TOLL_FREE, 1, 180},
    {{"+447700900123", 13}, NUMBER_LOCAL, 44, 60},
    {{"Skylark", 7}, NUMBER_ALPHANUMERIC, 0, 600},
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

/* How good a sender is for a destination; 0 = does not reach it. A sender of the zone beats every
 * other. In North America toll-free comes first. Abroad a number that can be answered beats a
 * name. */
static unsigned sender_rank(const struct sender *s, const struct number_place *to)
{
    bool at_home = s->calling_code != 0 && s->calling_code == to->calling_code;

    if (!sender_reaches(s, to))
        return 0;
    if (at_home)
        return s->type == NUMBER_TOLL_FREE ? 4 : 3;
    return s->type == NUMBER_ALPHANUMERIC ? 1 : 2;
}

static void describe(struct route *r, const struct number_place *to)
{
    bool at_home = r->sender->calling_code != 0 && r->sender->calling_code == to->calling_code;

    r->coverage = at_home ? COVERAGE_HIGH : COVERAGE_MEDIUM;
    r->reason = !at_home ? REASON_INTERNATIONAL : number_is_nanp(to) ? REASON_SMART : REASON_LOCAL;
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

bool route_choose(const struct sender_table *table, const struct number_place *to,
                  struct route *ret, struct arena *a, struct problem *problem)
{
    const struct sender *best = NULL;
    unsigned best_rank = 0;

    for (size_t i = 0; i < table->count; i++) {
        unsigned rank = sender_rank(&table->senders[i], to);
        if (rank > best_rank) {
            best_rank = rank;
            best = &table->senders[i];
        }
    }
    if (!best)
        return unsupported(to, a, problem);
    ret->sender = best;
    describe(ret, to);
    return true;
}
