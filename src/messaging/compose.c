#include "messaging/compose.h"

#include "base/random.h"
#include "base/utf8.h"
#include "messaging/segment.h"
#include "messaging/send_check.h"

#include <assert.h>

static const char internal_error[] = "Something went wrong on our side; please try again.";

/* One per line: the checks let no line break through. */
static bool join(const struct str_list *list, struct arena *a, struct str *ret)
{
    size_t n = 0;

    if (list->count == 0)
        return true;
    for (size_t i = 0; i < list->count; i++)
        n += list->items[i].n + 1;
    char *at = arena_bytes(a, n);
    if (!at)
        return false;
    *ret = (struct str){at, n - 1};
    for (size_t i = 0; i < list->count; i++) {
        memcpy(at, list->items[i].p, list->items[i].n);
        at += list->items[i].n;
        *at++ = '\n';
    }
    return true;
}

static bool choose_route(const struct send_request *r, const struct send_context *context,
                         struct route_query *q, struct route_choice *ret, struct arena *a,
                         struct problem *problem)
{
    number_place(r->to, &q->to);
    /* Test messages reach even numbers that nobody has. */
    bool reachable = context->mode == MODE_TEST || q->to.assigned;
    q->routing = reachable ? context->routing : &routing_none;
    q->account = context->account;
    q->number = r->to;
    q->kind = r->media.count > 0 ? KIND_MMS : KIND_SMS;
    q->from = r->has_from && reachable ? r->from : (struct str){NULL, 0};
    q->dice = (uint32_t)random_fast();
    return route_choose(q, ret, a, problem);
}

/* ---- links ---- */

/* The text, then each URL on a line of its own. */
static struct str text_with_links(const struct send_request *r, struct arena *a)
{
    struct str links = {NULL, 0};

    if (!join(&r->media, a, &links))
        return links;
    const char *both =
        r->text.n ? arena_printf(a, "%.*s\n%.*s", STR_FMT(r->text), STR_FMT(links)) : links.p;
    return (struct str){both, both ? r->text.n + (r->text.n > 0) + links.n : 0};
}

static bool refuse_long_links(struct str text, struct arena *a, struct problem *problem)
{
    return problem_set(problem, PROBLEM_MMS_NOT_SUPPORTED, "mediaUrls",
                       arena_printf(a,
                                    "No MMS goes to this destination, and with the links in its "
                                    "place the text has %zu characters; at most %d are allowed. "
                                    "Shorten the text, or leave mediaUrls out.",
                                    utf8_length(text), TEXT_MAX_POINTS));
}

/* No MMS goes there, which `problem` says; an SMS with links may, from a sender that is meant to
 * send such. */
static bool choose_links(const struct send_request *r, struct route_query *q,
                         struct route_choice *ret, struct str *text, struct arena *a,
                         struct problem *problem)
{
    struct problem no_sms = {0};

    q->kind = KIND_SMS;
    q->links = true;
    if (!route_choose(q, ret, a, &no_sms))
        return false;
    *text = text_with_links(r, a);
    if (!text->p)
        return problem_set(problem, PROBLEM_INTERNAL_ERROR, NULL, internal_error);
    if (utf8_length(*text) > TEXT_MAX_POINTS)
        return refuse_long_links(*text, a, problem);
    *problem = (struct problem){0};
    return true;
}

/* ---- the message ---- */

static void fill_route(const struct route_query *q, const struct route_choice *route,
                       struct message *m)
{
    m->carrier = route->route ? q->routing->carriers[route->route->carrier]->number : 0;
    m->from = route->sender->address;
    m->number_type = route->sender->type;
    m->rate_limit = route->sender->messages_per_minute;
    m->coverage = route->coverage;
    m->reason = route->reason;
    m->calling_code = q->to.calling_code;
    memcpy(m->country, q->to.country, sizeof m->country);
}

static void fill(const struct send_request *r, struct str text, const struct send_context *context,
                 struct message *m)
{
    const struct price_list *prices = context->prices ? context->prices : &price_list_builtin;
    int bad = segment_count(text, &m->encoding, &m->segments);

    assert(bad == 0); /* the text was checked */
    if (m->kind == KIND_MMS)
        m->segments = 1;
    m->account = context->account;
    m->mode = context->mode;
    m->direction = DIRECTION_OUTBOUND;
    m->status = m->scheduled_us ? STATUS_SCHEDULED : STATUS_QUEUED;
    m->to = r->to;
    m->text = text;
    m->subject = r->subject;
    m->metadata = r->metadata;
    m->validity_s = r->validity_s;
    m->webhook_url = r->webhook_url;
    m->webhook_failover_url = r->webhook_failover_url;
    m->cost_micros = price_message(prices, m);
    memcpy(m->currency, "USD", sizeof m->currency);
}

bool message_compose(const struct send_request *request, const struct send_context *context,
                     struct arena *a, struct message *ret, struct problem *problem)
{
    struct route_query query = {0};
    struct route_choice route;
    struct str text = request->text;

    if (!send_check(request, context, a, ret, problem))
        return false;
    query.type = ret->type;
    if (!choose_route(request, context, &query, &route, a, problem) &&
        (problem->code != PROBLEM_MMS_NOT_SUPPORTED ||
         !choose_links(request, &query, &route, &text, a, problem)))
        return false;
    ret->kind = query.kind;
    if (!join(&request->media, a, &ret->media) || !join(&request->tags, a, &ret->tags))
        return problem_set(problem, PROBLEM_INTERNAL_ERROR, NULL, internal_error);
    fill_route(&query, &route, ret);
    fill(request, text, context, ret);
    return true;
}
