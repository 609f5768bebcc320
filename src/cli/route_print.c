#include "cli/route.h"

#include "base/amount.h"
#include "messaging/words.h"
#include "json/write.h"

enum { OUTPUT_MAX = 16 << 20, SENDERS_SHOWN = 20 };

static const struct column route_columns[] = {
    {.title = "ROUTE", .name = "route"},
    {.title = "CARRIER", .name = "carrier"},
    {.title = "STATE", .name = "state"},
    {.title = "PREFIX", .name = "prefix"},
    {.title = "PRIORITY", .name = "priority", .bare = true},
    {.title = "WEIGHT", .name = "weight", .bare = true},
    {.title = "COST (USD)", .name = "cost", .bare = true},
    {.name = "canTake"},
    {.title = "EXPLANATION", .name = "explanation"},
};
enum { ROUTE_COLUMNS = sizeof route_columns / sizeof *route_columns };

static const struct carrier *carrier_of(const struct explanation *e,
                                        const struct carrier_route *route)
{
    return e->query.routing->carriers[route->carrier];
}

/* ---- sentences ---- */

static bool equal(const struct carrier_route *a, const struct carrier_route *b)
{
    return !route_before(a, b) && !route_before(b, a);
}

/* How much of the messages a route gets, of those that are equal to it and up: in hundredths. */
static unsigned share_of(const struct explanation *e, const struct carrier_route *route)
{
    int64_t all = 0, own = (int64_t)route->weight * carrier_of(e, route)->health;

    for (size_t i = 0; i < e->step_count; i++) {
        const struct carrier_route *other = e->steps[i].route;
        if (!e->steps[i].why && equal(route, other))
            all += (int64_t)other->weight * carrier_of(e, other)->health;
    }
    return all ? (unsigned)((own * 100 + all / 2) / all) : 0;
}

/* Without a sender nothing can be taken, whatever the route. */
static bool can_take(const struct explanation *e, const struct routing_step *step)
{
    return !step->why && e->choice.route;
}

static const char *explain_step(const struct explanation *e, const struct routing_step *step,
                                struct arena *a)
{
    const struct carrier_route *route = step->route, *taken = e->choice.route;
    char *text = NULL;

    if (step->why)
        return step->why;
    if (!taken)
        return "No sender can use it.";
    if (!equal(route, taken) && carrier_of(e, route)->health == 0)
        return "Its carrier takes nothing now, so it is passed over.";
    if (route->weight && equal(route, taken) && share_of(e, route) < 100) {
        text = arena_printf(a, "It gets %u %% of such messages.", share_of(e, route));
        return text ? text : "It gets a share of such messages.";
    }
    if (route == taken && carrier_of(e, route)->health == 0)
        return "It is taken; messages wait until its carrier is back.";
    if (route == taken)
        return "It is taken.";
    return route->weight ? "It is taken when those before it cannot be." : "It is a last resort.";
}

static const char *explain_price(const struct explanation *e, struct arena *a)
{
    char *text = NULL;

    switch (e->price.source) {
    case PRICE_OF_PREFIX:
        text = e->price.prefix[0] ? arena_printf(a, "the price of +%s", e->price.prefix)
                                  : arena_printf(a, "the price of all other destinations");
        break;
    case PRICE_OF_COUNTRY:
        text = arena_printf(a, "the price of %s", e->query.to.country);
        break;
    case PRICE_BUILT_IN:
        text = arena_printf(a, "the built-in price");
        break;
    }
    return text ? text : "";
}

/* ---- tables ---- */

static void add_step(struct table *t, const struct explanation *e, const struct routing_step *step)
{
    const struct carrier_route *route = step->route;
    const char **row = table_add(t), *state = e->stand_in.states[route->carrier];
    char cost[AMOUNT_SIZE];

    if (!row)
        return;
    const char *const cells[ROUTE_COLUMNS] = {
        table_text(t, route->name),
        carrier_of(e, route)->name,
        state ? state : "not noted",
        route->prefix[0] ? arena_printf(&t->memory, "+%s", route->prefix) : "any",
        arena_number(&t->memory, route->priority),
        arena_number(&t->memory, route->weight),
        table_text(t, str_of(amount_text(route->cost_micros, cost))),
        can_take(e, step) ? "yes" : "no",
        explain_step(e, step, &t->memory),
    };
    memcpy(row, cells, sizeof cells);
}

static void print_routes(const struct explanation *e, enum output_format format)
{
    struct table t TABLE_CLEANUP;

    table_init(&t, route_columns, ROUTE_COLUMNS);
    for (size_t i = 0; i < e->step_count; i++)
        add_step(&t, e, &e->steps[i]);
    table_print(&t, format, stdout);
}

static void print_senders(const struct explanation *e)
{
    static const struct column columns[] = {{.title = "OTHER SENDER", .name = "from"},
                                            {.title = "TYPE", .name = "numberType"},
                                            {.title = "WHY NOT", .name = "reason"}};
    struct table t TABLE_CLEANUP;

    table_init(&t, columns, 3);
    for (size_t i = 0; i < e->refusal_count && i < SENDERS_SHOWN; i++) {
        const char **row = table_add(&t);
        if (!row)
            break;
        row[0] = table_text(&t, e->refusals[i].sender->address);
        row[1] = number_type_word(e->refusals[i].sender->type);
        row[2] = e->refusals[i].why;
    }
    putchar('\n');
    table_print(&t, OUTPUT_TABLE, stdout);
    if (e->refusal_count > SENDERS_SHOWN)
        printf("and %zu more; -o json shows all\n", e->refusal_count - SENDERS_SHOWN);
}

static void print_people(const struct explanation *e)
{
    const struct sender *sender = e->choice.sender;
    char price[AMOUNT_SIZE];
    struct arena memory;

    arena_init(&memory, 1 << 16);
    printf("To       %.*s%s%s\n", STR_FMT(e->query.number), e->query.to.country[0] ? ", " : "",
           e->query.to.country);
    if (sender) {
        printf("From     %.*s, %s: %s\n", STR_FMT(sender->address), number_type_word(sender->type),
               reason_word(e->choice.reason));
        const char *carrier = carrier_of(e, e->choice.route)->name;
        printf("Carrier  %s, by the route %.*s\n", carrier, STR_FMT(e->choice.route->name));
    }
    if (e->query.links)
        printf("Media    as links in an SMS. %s\n", e->problem.message);
    printf("Price    %s USD for a %s, %s\n", amount_text(e->price.micros, price),
           e->query.kind == KIND_MMS ? "message" : "segment", explain_price(e, &memory));
    if (e->step_count) {
        putchar('\n');
        print_routes(e, OUTPUT_TABLE);
    }
    if (e->refusal_count)
        print_senders(e);
    arena_done(&memory);
}

/* ---- JSON ---- */

static void put_choice(struct json_writer *w, const struct explanation *e)
{
    const struct sender *sender = e->choice.sender;

    if (!sender || e->query.links) {
        json_member_word(w, "problem", e->problem.message);
        json_member_word(w, "problemCode", problem_entry(e->problem.code)->code);
    }
    if (!sender)
        return;
    json_member_text(w, "from", sender->address);
    json_member_word(w, "numberType", number_type_word(sender->type));
    json_member_word(w, "coverage", coverage_word(e->choice.coverage));
    json_member_word(w, "reason", reason_word(e->choice.reason));
    json_member_text(w, "route", e->choice.route->name);
    json_member_word(w, "carrier", carrier_of(e, e->choice.route)->name);
}

static void put_price(struct json_writer *w, const struct explanation *e, struct arena *a)
{
    json_key(w, "price");
    json_begin_object(w);
    json_key(w, "amount");
    json_put_micros(w, e->price.micros);
    json_member_word(w, "currency", "USD");
    json_member_word(w, "source", explain_price(e, a));
    json_end(w);
}

static void put_routes(struct json_writer *w, const struct explanation *e, struct arena *a)
{
    json_key(w, "routes");
    json_begin_array(w);
    for (size_t i = 0; i < e->step_count; i++) {
        const struct carrier_route *route = e->steps[i].route;
        json_begin_object(w);
        json_member_text(w, "route", route->name);
        json_member_word(w, "carrier", carrier_of(e, route)->name);
        json_member_word(w, "state", e->stand_in.states[route->carrier]);
        json_member_word(w, "prefix", route->prefix);
        json_member_i64(w, "priority", route->priority);
        json_member_i64(w, "weight", route->weight);
        json_key(w, "cost");
        json_put_micros(w, route->cost_micros);
        json_member_bool(w, "canTake", can_take(e, &e->steps[i]));
        json_member_word(w, "explanation", explain_step(e, &e->steps[i], a));
        json_end(w);
    }
    json_end(w);
}

static void put_senders(struct json_writer *w, const struct explanation *e)
{
    json_key(w, "otherSenders");
    json_begin_array(w);
    for (size_t i = 0; i < e->refusal_count; i++) {
        json_begin_object(w);
        json_member_text(w, "from", e->refusals[i].sender->address);
        json_member_word(w, "numberType", number_type_word(e->refusals[i].sender->type));
        json_member_word(w, "reason", e->refusals[i].why);
        json_end(w);
    }
    json_end(w);
}

static void print_json(const struct explanation *e)
{
    struct buf text BUF_CLEANUP;
    struct json_writer w;
    struct arena memory;

    buf_init(&text, OUTPUT_MAX);
    arena_init(&memory, OUTPUT_MAX);
    json_writer_init(&w, &text);
    json_begin_object(&w);
    json_member_text(&w, "to", e->query.number);
    json_member_word(&w, "country", e->query.to.country[0] ? e->query.to.country : NULL);
    json_member_word(&w, "type", kind_word(e->query.kind));
    json_member_bool(&w, "links", e->query.links);
    put_choice(&w, e);
    put_price(&w, e, &memory);
    put_routes(&w, e, &memory);
    put_senders(&w, e);
    json_end(&w);
    printf("%.*s\n", STR_FMT(buf_str(&text)));
    arena_done(&memory);
}

void explanation_print(const struct explanation *e, enum output_format format)
{
    if (format == OUTPUT_TABLE)
        print_people(e);
    else if (format == OUTPUT_JSON)
        print_json(e);
    else
        print_routes(e, format);
}
