#include "messaging/compose.h"

#include "base/utf8.h"
#include "messaging/media_url.h"
#include "messaging/segment.h"
#include "messaging/test_number.h"

#include <assert.h>

static const char internal_error[] = "Something went wrong on our side; please try again.";

static bool check_present(const struct send_request *r, struct problem *problem)
{
    if (!r->has_to)
        return problem_set(problem, PROBLEM_MISSING_REQUIRED_FIELD, "to",
                           "The field 'to' is required: the number to send to.");
    if (!r->has_text)
        return problem_set(problem, PROBLEM_MISSING_REQUIRED_FIELD, "text",
                           "The field 'text' is required; with mediaUrls it may be empty.");
    return true;
}

/* What the client wrote, so that it finds it again; cut short, and only if it can be printed. */
static bool refuse_number(struct str to, struct arena *a, struct problem *problem)
{
    enum { ECHO_MAX = 32 };
    struct str shown = utf8_shown(to, ECHO_MAX);
    const char *message =
        arena_printf(a,
                     "The number '%.*s%s' is not in international format; write + and 7 to "
                     "15 digits, for example +15551234567.",
                     STR_FMT(shown), shown.n < to.n ? "…" : "");
    return problem_set(problem, PROBLEM_INVALID_PHONE_NUMBER, "to", message);
}

/* The part that a test number acts at the door; the rest of its play is the carrier's. */
static bool act(const struct test_number *t, struct problem *problem)
{
    const char *field = NULL, *message = NULL;

    switch (t->problem) {
    case PROBLEM_NONE:
        return true;
    case PROBLEM_INVALID_PHONE_NUMBER:
        field = "to";
        message = "This test number always acts as an invalid one; use another to go on.";
        break;
    case PROBLEM_CARRIER_REJECTED:
        field = "to";
        message = "The carrier refuses this destination. This test number always acts so.";
        break;
    case PROBLEM_RATE_LIMIT_EXCEEDED:
        message = "The rate limit is reached; wait for Retry-After. This test number always acts "
                  "so.";
        break;
    case PROBLEM_SERVICE_UNAVAILABLE:
        message = "The service is not available; wait for Retry-After. This test number always "
                  "acts so.";
        break;
    default:
        message = "Something went wrong on our side. This test number always acts so.";
        break;
    }
    problem_set(problem, t->problem, field, message);
    problem->retry_after_s = t->retry_after_s;
    return false;
}

static bool check_to(const struct send_request *r, struct arena *a, struct problem *problem)
{
    if (!number_valid(r->to))
        return refuse_number(r->to, a, problem);
    return r->mode != MODE_TEST || act(test_number_find(r->to), problem);
}

static bool check_text(const struct send_request *r, struct arena *a, struct problem *problem)
{
    if (r->text.n == 0 && r->media_count == 0)
        return problem_set(problem, PROBLEM_TEXT_REQUIRED, "text",
                           "The text is empty; an empty text is allowed only with mediaUrls.");
    if (!utf8_valid(r->text))
        return problem_set(problem, PROBLEM_INVALID_PARAMETER, "text",
                           "The text is not valid UTF-8; encode it as UTF-8.");
    if (r->text.n > 0 && memchr(r->text.p, '\0', r->text.n))
        return problem_set(problem, PROBLEM_INVALID_PARAMETER, "text",
                           "The text contains a NUL character (U+0000); remove it.");
    if (r->text.n <= TEXT_MAX_POINTS)
        return true;
    size_t points = utf8_length(r->text);
    if (points <= TEXT_MAX_POINTS)
        return true;
    return problem_set(problem, PROBLEM_TEXT_TOO_LONG, "text",
                       arena_printf(a,
                                    "The text has %zu characters; at most %d are allowed. Shorten "
                                    "it or send several messages.",
                                    points, TEXT_MAX_POINTS));
}

static bool check_media(const struct send_request *r, struct arena *a, struct problem *problem)
{
    if (r->media_count > MEDIA_MAX)
        return problem_set(problem, PROBLEM_TOO_MANY_MEDIA, "mediaUrls",
                           arena_printf(a, "%zu media URLs were given; at most %d are allowed.",
                                        r->media_count, MEDIA_MAX));
    for (size_t i = 0; i < r->media_count; i++) {
        const char *fault = media_url_fault(r->media[i]);
        if (fault)
            return problem_set(problem, PROBLEM_INVALID_MEDIA_URL, "mediaUrls",
                               arena_printf(a, "mediaUrls[%zu] %s", i, fault));
    }
    return true;
}

/* One per line: the checks let no line break through. */
static bool join_media(const struct send_request *r, struct arena *a, struct str *ret)
{
    size_t n = 0;

    *ret = (struct str){"", 0};
    if (r->media_count == 0)
        return true;
    for (size_t i = 0; i < r->media_count; i++)
        n += r->media[i].n + 1;
    char *at = arena_bytes(a, n);
    if (!at)
        return false;
    *ret = (struct str){at, n - 1};
    for (size_t i = 0; i < r->media_count; i++) {
        memcpy(at, r->media[i].p, r->media[i].n);
        at += r->media[i].n;
        *at++ = '\n';
    }
    return true;
}

static const struct sender_table *senders_of(const struct send_request *r)
{
    if (r->senders)
        return r->senders;
    return r->mode == MODE_TEST ? &senders_test : &senders_none;
}

static void fill(const struct send_request *r, const struct number_place *place,
                 const struct route *route, struct message *m)
{
    const struct price_list *prices = r->prices ? r->prices : &price_list_builtin;
    int bad = segment_count(r->text, &m->encoding, &m->segments);

    assert(bad == 0); /* the text was checked */
    m->account = r->account;
    m->mode = r->mode;
    m->direction = DIRECTION_OUTBOUND;
    m->status = STATUS_QUEUED;
    m->type = TYPE_TRANSACTIONAL;
    m->kind = r->media_count > 0 ? KIND_MMS : KIND_SMS;
    m->from = route->sender->address;
    m->to = r->to;
    m->text = r->text;
    m->number_type = route->sender->type;
    m->rate_limit = route->sender->messages_per_minute;
    m->coverage = route->coverage;
    m->reason = route->reason;
    m->calling_code = place->calling_code;
    memcpy(m->country, place->country, sizeof m->country);
    m->cost_micros = price_message(prices, r->mode, m->kind, r->to, m->segments);
    memcpy(m->currency, "USD", sizeof m->currency);
}

bool message_compose(const struct send_request *request, struct arena *a, struct message *ret,
                     struct problem *problem)
{
    struct number_place place;
    struct route route;

    if (!check_present(request, problem) || !check_to(request, a, problem) ||
        !check_text(request, a, problem) || !check_media(request, a, problem))
        return false;
    number_place(request->to, &place);
    if (!route_choose(senders_of(request), &place, &route, a, problem))
        return false;
    *ret = (struct message){0};
    if (!join_media(request, a, &ret->media))
        return problem_set(problem, PROBLEM_INTERNAL_ERROR, NULL, internal_error);
    fill(request, &place, &route, ret);
    return true;
}
