#include "messaging/inbound.h"

#include "messaging/segment.h"

#include <assert.h>

/* ---- composing ---- */

/* The sender that the client named. */
static bool named_receiver(const struct inbound_request *r, const struct sender_table *table,
                           const struct number_place *from, struct route_choice *ret,
                           struct problem *problem)
{
    const struct sender *s = sender_find(table, r->to);

    if (!s)
        return problem_set(problem, PROBLEM_INVALID_PARAMETER, "to",
                           "to is not one of your test senders; GET /v1/rate-limits lists them "
                           "under 'sending'.");
    if (s->type == NUMBER_ALPHANUMERIC)
        return problem_set(problem, PROBLEM_INVALID_PARAMETER, "to",
                           "Nobody can write to a name; give a sender that is a number.");
    bool at_home = s->calling_code == from->calling_code;
    *ret = (struct route_choice){
        .sender = s, .coverage = at_home ? COVERAGE_HIGH : COVERAGE_MEDIUM, .reason = REASON_USER};
    return true;
}

static void fill(const struct inbound_request *r, const struct send_context *context,
                 const struct number_place *from, const struct route_choice *receiver,
                 struct message *m)
{
    int bad = segment_count(r->text, &m->encoding, &m->segments);

    assert(bad == 0); /* the text was checked */
    m->account = context->account;
    m->mode = context->mode;
    m->direction = DIRECTION_INBOUND;
    m->status = STATUS_RECEIVED;
    m->kind = r->media_count ? KIND_MMS : KIND_SMS;
    if (r->media_count)
        m->segments = 1;
    m->type = TYPE_TRANSACTIONAL;
    m->from = r->from;
    m->to = receiver->sender->address;
    m->text = r->text;
    m->number_type = receiver->sender->type;
    m->rate_limit = receiver->sender->messages_per_minute;
    m->coverage = receiver->coverage;
    m->reason = receiver->reason;
    m->calling_code = from->calling_code;
    memcpy(m->country, from->country, sizeof m->country);
    memcpy(m->currency, "USD", sizeof m->currency);
}

static bool check(const struct inbound_request *r, struct arena *a, struct problem *problem)
{
    if (r->text.n == 0 && r->media_count == 0)
        return problem_set(problem, PROBLEM_TEXT_REQUIRED, "text",
                           "The text is empty; an empty text is allowed only with media.");
    return check_text(r->text, r->media_count > 0, a, problem);
}

bool inbound_compose(const struct inbound_request *request, const struct send_context *context,
                     struct arena *a, struct message *ret, struct problem *problem)
{
    struct route_query query = {.routing = context->routing,
                                .account = context->account,
                                .number = request->from,
                                .kind = KIND_SMS,
                                .type = TYPE_TRANSACTIONAL};
    struct route_choice receiver = {0};

    if (!check_number(request->from, "from", a, problem))
        return false;
    number_place(request->from, &query.to);
    bool found = request->has_to ? named_receiver(request, &context->routing->senders, &query.to,
                                                  &receiver, problem)
                                 : route_choose(&query, &receiver, a, problem);
    if (!found || !check(request, a, problem))
        return false;
    assert(receiver.sender);
    *ret = (struct message){0};
    if (request->media_count) /* "" when memory is short: who composes looks at the arena */
        ret->media = arrival_media_types(request->media, request->media_count, a);
    fill(request, context, &query.to, &receiver, ret);
    return true;
}

/* ---- keywords ---- */

/* In the history of the message, and for those who want to be told. */
static int note(struct store *s, const struct message *m, bool out, const char *word,
                const char *what, struct arena *a)
{
    char *text = arena_printf(a, "The word %s %s the opt-out list.", word, what);
    struct event_record e = {.message = m->id,
                             .at_us = m->created_us,
                             .kind = out ? EVENT_OPTED_OUT : EVENT_OPTED_IN,
                             .detail = text ? str_of(text) : str_of(word)};
    struct notice_record n = {.account = m->account,
                              .mode = m->mode,
                              .kind = out ? NOTICE_OPT_OUT : NOTICE_OPT_IN,
                              .message = m->id,
                              .at_us = m->created_us,
                              .carrier = m->carrier};
    int failed = store_event_add(s, &e);
    return failed ? failed : store_notice_add(s, &n);
}

static int opt_out(struct store *s, const struct message *m, const char *word, struct arena *a,
                   enum keyword_wish *ret_wish)
{
    struct opt_out_record o = {.account = m->account,
                               .mode = m->mode,
                               .number = m->from,
                               .source = OPT_OUT_BY_KEYWORD,
                               .keyword = str_of(word)};
    int added = store_opt_out_add(s, a, &o);

    if (added != 1)
        return added; /* 0: it was there already */
    *ret_wish = KEYWORD_OPT_OUT;
    return note(s, m, true, word, "put the number on", a);
}

static int opt_in(struct store *s, const struct message *m, const char *word, struct arena *a,
                  enum keyword_wish *ret_wish)
{
    struct opt_out_record o;
    int removed = store_opt_out_remove(s, m->account, m->mode, m->from, a, &o);

    if (removed != 1)
        return removed;
    *ret_wish = KEYWORD_OPT_IN;
    return note(s, m, false, word, "took the number off", a);
}

int inbound_accept(struct store *s, struct message *m, struct arena *a, enum keyword_wish *ret_wish)
{
    const struct keyword *k = keyword_find(m->text);
    int r = store_accept(s, m);

    *ret_wish = KEYWORD_NONE;
    if (r < 0)
        return r;
    switch (k->wish) {
    case KEYWORD_OPT_OUT:
        return opt_out(s, m, k->word, a, ret_wish);
    case KEYWORD_OPT_IN:
        return opt_in(s, m, k->word, a, ret_wish);
    case KEYWORD_HELP:
    case KEYWORD_NONE:
        break;
    }
    return 0;
}

void inbound_done(struct optouts *o, const struct message *m, enum keyword_wish wish)
{
    if (wish == KEYWORD_OPT_OUT)
        optouts_add(o, m->account, m->mode, m->from);
    else if (wish == KEYWORD_OPT_IN)
        optouts_remove(o, m->account, m->mode, m->from);
}
