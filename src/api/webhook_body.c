/* What clients say about a webhook: the same checks for one that is made and one that is changed.
 */
#include "api/webhook.h"
#include "base/guess.h"
#include "base/utf8.h"
#include "messaging/webhook_url.h"
#include "view/signature.h"

enum { GRACE_HOURS_MAX = 168 };

#define FIELD(member, kind, name) JSON_FIELD(struct webhook_body, member, kind, name, NULL)

static const struct json_field create_fields[] = {
    FIELD(url, JSON_TEXT, "url"),       FIELD(events, JSON_TEXT_LIST, "events"),
    FIELD(mode, JSON_TEXT, "mode"),     FIELD(description, JSON_TEXT_OR_NULL, "description"),
    FIELD(secret, JSON_TEXT, "secret"),
};
const struct body_table webhook_create_table = BODY_TABLE(create_fields, 1);

static const struct json_field change_fields[] = {
    FIELD(url, JSON_TEXT, "url"),
    FIELD(events, JSON_TEXT_LIST, "events"),
    FIELD(mode, JSON_TEXT, "mode"),
    FIELD(description, JSON_TEXT_OR_NULL, "description"),
    FIELD(enabled, JSON_BOOLEAN, "enabled"),
};
const struct body_table webhook_change_table = BODY_TABLE(change_fields, 0);

/* ---- events ---- */

static bool bad_events(struct problem *p, const char *message)
{
    return problem_set(p, PROBLEM_INVALID_EVENTS, "events", message);
}

static bool unknown_event(struct arena *a, struct str word, struct problem *p)
{
    struct str shown = arena_copy(a, utf8_shown(word, 40));
    struct guess guess = {.given = shown.p ? shown.p : ""};

    for (int kind = NOTICE_SCHEDULED; kind < NOTICE_TEST; kind++)
        guess_try(&guess, notice_word((enum notice_kind)kind));
    return bad_events(
        p,
        guess.best
            ? arena_printf(a, "There is no event '%s'; did you mean '%s'?", guess.given, guess.best)
            : arena_printf(a, "There is no event '%s'; GET /v1/webhooks/event-types lists them.",
                           guess.given));
}

static bool read_event(struct arena *a, struct str word, uint32_t *kinds, struct problem *p)
{
    enum notice_kind kind;

    if (str_is(word, "*"))
        return bad_events(p, "'*' stands for all events; give it alone.");
    if (!notice_from_word(word, &kind))
        return unknown_event(a, word, p);
    if (kind == NOTICE_TEST)
        return bad_events(p,
                          "webhook.test cannot be chosen: it comes when you ask for it with POST "
                          "/v1/webhooks/{webhookId}/test.");
    if (*kinds & notice_bit(kind))
        return bad_events(
            p, arena_printf(a, "'%s' is given twice; give each event once.", notice_word(kind)));
    *kinds |= notice_bit(kind);
    return true;
}

static bool read_events(struct arena *a, const struct str_list *events, struct endpoint_record *e,
                        struct problem *p)
{
    e->kinds = 0;
    e->every_kind = events->count == 1 && str_is(events->items[0], "*");
    if (e->every_kind)
        return true;
    if (events->count == 0)
        return bad_events(p, "events is empty; name at least one, or give [\"*\"] for all.");
    for (size_t i = 0; i < events->count; i++)
        if (!read_event(a, events->items[i], &e->kinds, p))
            return false;
    return true;
}

/* ---- the rest ---- */

static bool read_mode(struct call *c, struct str word, struct endpoint_record *e, struct problem *p)
{
    const uint32_t test = 1u << MODE_TEST, live = 1u << MODE_LIVE;

    if (str_is(word, "all"))
        e->modes = test | live;
    else if (str_is(word, "test"))
        e->modes = test;
    else if (str_is(word, "live"))
        e->modes = live;
    else
        return problem_set(p, PROBLEM_INVALID_PARAMETER, "mode",
                           "mode must be one of all, test, live.");
    return c->key->mode == MODE_LIVE || e->modes == test ||
           problem_set(p, PROBLEM_LIVE_KEY_REQUIRED, "mode",
                       "With a test key mode can only be 'test'; use a live key (sl_live_…) for "
                       "webhooks that tell of live messages.");
}

static bool check_description(struct str text, struct problem *p)
{
    if (utf8_length(text) > ENDPOINT_DESCRIPTION_CHARS)
        return problem_set(p, PROBLEM_INVALID_PARAMETER, "description",
                           "The description is longer than 256 characters; shorten it.");
    return !check_has_control(text) ||
           problem_set(p, PROBLEM_INVALID_PARAMETER, "description",
                       "The description contains a control character; it is one line.");
}

bool webhook_check_secret(struct call *c, struct str secret, struct problem *p)
{
    const char *fault = secret_fault(secret);

    return !fault || problem_set(p, PROBLEM_INVALID_PARAMETER, "secret",
                                 arena_printf(&c->http->arena, "secret %s.", fault));
}

bool webhook_check_grace(int64_t hours, struct problem *p)
{
    return (hours >= 0 && hours <= GRACE_HOURS_MAX) ||
           problem_set(p, PROBLEM_INVALID_PARAMETER, "gracePeriodHours",
                       "gracePeriodHours must be a whole number from 0 to 168.");
}

bool webhook_body_read(struct call *c, const struct webhook_body *body, struct endpoint_record *e,
                       struct problem *p)
{
    struct arena *a = &c->http->arena;

    e->url = body->url;
    e->description = body->description;
    e->secret = body->secret;
    return (!body->has_url || webhook_url_check(body->url, "url", c->api->options.guard, a, p)) &&
           (!body->has_events || read_events(a, &body->events, e, p)) &&
           (!body->has_mode || read_mode(c, body->mode, e, p)) &&
           (!body->has_description || check_description(body->description, p)) &&
           (!body->has_secret || webhook_check_secret(c, body->secret, p));
}
