#include "cli/route.h"

#include "base/clock.h"
#include "messaging/words.h"

static int tell_no_carrier(const struct config *config, enum message_kind kind)
{
    static const char *const sections[] = {
        [KIND_SMS] = "[carrier acme]\n"
                     "address = smpp.example.com:2775\n"
                     "system_id = NAME\n"
                     "password = PASSWORD\n"
                     "\n"
                     "[sender +18005551234]\n",
        [KIND_MMS] = "[mmsc acme]\n"
                     "url = https://mmsc.example.com/mm7\n"
                     "username = NAME\n"
                     "password = PASSWORD\n"
                     "\n"
                     "[sender +18005551234]\n"
                     "capabilities = sms mms\n",
    };

    talk("No carrier is configured, so live messages go nowhere. Write into %s, with what your "
         "carrier gave you:\n"
         "\n"
         "%s"
         "\n"
         "Then look for faults with skylark config check. If the server has another configuration, "
         "name its file with --config or $SKYLARK_CONFIG.",
         config->file ? config->file : CONFIG_USUAL_FILE, sections[kind]);
    return CLI_NOT_FOUND;
}

static int read_query(const struct invocation *in, struct route_query *q)
{
    const char *type = in->values[OPTION_MESSAGE_TYPE];

    q->number = str_of(in->arguments[0]);
    if (!number_valid(q->number)) {
        talk("'%s' is no phone number; write it like +447700900123.", in->arguments[0]);
        return CLI_USAGE;
    }
    number_place(q->number, &q->to);
    if (!q->to.assigned) {
        talk("No country has the calling code that %s starts with.", in->arguments[0]);
        return CLI_NOT_FOUND;
    }
    q->kind = in->values[OPTION_MMS] ? KIND_MMS : KIND_SMS;
    q->type = TYPE_TRANSACTIONAL;
    q->from = str_of(in->values[OPTION_FROM]);
    if (!type || message_type_from_word(str_of(type), &q->type))
        return CLI_OK;
    talk("'%s' is no type of message; there are transactional, marketing, otp, alert and "
         "promotional.",
         type);
    return CLI_USAGE;
}

static int find_price(struct local *l, struct explanation *e)
{
    struct price_list *list;
    int failed = price_list_load(&list, l->reader, clock_now_us(&clock_real));

    if (failed) {
        talk("The prices cannot be read: %s", strerror(-failed));
        return CLI_FAILED;
    }
    e->price = price_find(list, e->query.kind, e->query.number, &e->query.to);
    if (e->price.prefix)
        e->price.prefix = arena_copy(&l->memory, str_of(e->price.prefix)).p;
    price_list_free(list);
    return CLI_OK;
}

/* As the server does it: where no MMS goes, an SMS with links may. What stands in the way of the
 * MMS is the answer in any case. */
static bool choose(struct explanation *e, struct arena *a)
{
    struct route_query as_links = e->query;
    struct problem no_sms;

    if (route_choose(&e->query, &e->choice, a, &e->problem))
        return true;
    as_links.kind = KIND_SMS;
    as_links.links = true;
    if (e->problem.code != PROBLEM_MMS_NOT_SUPPORTED ||
        !route_choose(&as_links, &e->choice, a, &no_sms))
        return false;
    e->query = as_links;
    return true;
}

static int find_ways(struct local *l, struct explanation *e)
{
    const struct routing *r = e->query.routing;
    struct str from = {NULL, 0};

    if (choose(e, &l->memory))
        from = e->choice.sender->address;
    e->steps = arena_alloc(&l->memory, (r->route_count + 1) * sizeof *e->steps);
    e->refusals =
        arena_alloc(&l->memory, (r->senders.count + r->route_count + 1) * sizeof *e->refusals);
    if (!e->steps || !e->refusals) {
        talk("There is not enough memory.");
        return CLI_FAILED;
    }
    e->step_count = routing_steps(r, e->choice.sender, e->query.number, e->query.kind,
                                  e->query.type, &l->memory, e->steps);
    /* The routes come behind the senders, and the steps tell more of them. */
    size_t count = route_explain(&e->query, from, 0, &l->memory, e->refusals);
    while (e->refusal_count < count && e->refusals[e->refusal_count].sender)
        e->refusal_count++;
    return CLI_OK;
}

static int explain(const struct invocation *in, struct local *l, struct explanation *e,
                   enum output_format format)
{
    struct account_record account;
    int r = local_account(l, in->values[OPTION_ACCOUNT], &account);

    if (r == CLI_OK)
        r = stand_in_make(&e->stand_in, l->config, l);
    if (r != CLI_OK)
        return r;
    e->query.routing = e->stand_in.routing;
    e->query.account = account.id;
    r = find_ways(l, e);
    if (r == CLI_OK)
        r = find_price(l, e);
    if (r != CLI_OK)
        return r;
    explanation_print(e, format);
    if (e->choice.sender)
        return CLI_OK;
    talk("%s: %s", problem_entry(e->problem.code)->code, e->problem.message);
    return CLI_NOT_FOUND;
}

int run_route_explain(const struct invocation *in)
{
    struct local l LOCAL_CLEANUP = {.config = NULL};
    struct explanation e = {.query = {.dice = 0}};
    enum output_format format;

    if (!invocation_format(in, &format))
        return CLI_USAGE;
    int r = read_query(in, &e.query);
    if (r == CLI_OK)
        r = local_configure(&l, in);
    if (r != CLI_OK)
        return r;
    if (!l.config->carrier_count && !l.config->mmsc_count)
        return tell_no_carrier(l.config, e.query.kind);
    r = local_open(&l, false);
    if (r == CLI_OK)
        r = explain(in, &l, &e, format);
    stand_in_done(&e.stand_in);
    return r;
}
