#include "messaging/send_check.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "messaging/check.h"
#include "messaging/https_url.h"
#include "messaging/test_number.h"
#include "messaging/webhook_url.h"
#include "messaging/words.h"

/* ---- to ---- */

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

static bool check_to(const struct send_request *r, enum mode mode, struct arena *a,
                     struct problem *problem)
{
    return check_number(r->to, "to", a, problem) &&
           (mode != MODE_TEST || act(test_number_find(r->to), problem));
}

/* ---- media ---- */

static bool check_media(const struct send_request *r, struct arena *a, struct problem *problem)
{
    if (r->media.count > MEDIA_MAX)
        return problem_set(problem, PROBLEM_TOO_MANY_MEDIA, "mediaUrls",
                           arena_printf(a, "%zu media URLs were given; at most %d are allowed.",
                                        r->media.count, MEDIA_MAX));
    for (size_t i = 0; i < r->media.count; i++) {
        const char *fault = https_url_fault(r->media.items[i]);
        if (!fault && url_has_user(r->media.items[i])) /* whoever reads the message would read it */
            fault = "must not have a user name or password; use an address that is signed.";
        if (fault)
            return problem_set(problem, PROBLEM_INVALID_MEDIA_URL, "mediaUrls",
                               arena_printf(a, "mediaUrls[%zu] %s", i, fault));
    }
    return true;
}

/* ---- what few messages have ---- */

static bool check_type(const struct send_request *r, struct message *ret, struct problem *problem)
{
    ret->type = TYPE_TRANSACTIONAL;
    return !r->has_message_type || message_type_from_word(r->message_type, &ret->type) ||
           problem_set(problem, PROBLEM_INVALID_MESSAGE_TYPE, "messageType",
                       "messageType must be one of transactional, marketing, otp, alert, "
                       "promotional.");
}

static bool check_subject(const struct send_request *r, struct problem *problem)
{
    if (!r->has_subject)
        return true;
    if (utf8_length(r->subject) > SUBJECT_MAX_POINTS)
        return problem_set(problem, PROBLEM_INVALID_PARAMETER, "subject",
                           "The subject is longer than 256 characters; shorten it.");
    return !check_has_control(r->subject) ||
           problem_set(problem, PROBLEM_INVALID_PARAMETER, "subject",
                       "The subject contains a control character; a subject is one line.");
}

static const char *tag_fault(const struct str_list *tags, size_t i)
{
    struct str tag = tags->items[i];

    if (tag.n == 0)
        return "is empty.";
    if (utf8_length(tag) > TAG_MAX_POINTS)
        return "is longer than 50 characters.";
    if (check_has_control(tag))
        return "contains a control character.";
    for (size_t k = 0; k < i; k++)
        if (str_eq(tags->items[k], tag))
            return "is the same as one before it.";
    return NULL;
}

static bool check_tags(const struct send_request *r, struct arena *a, struct problem *problem)
{
    if (r->tags.count > TAGS_MAX)
        return problem_set(problem, PROBLEM_INVALID_TAGS, "tags",
                           arena_printf(a, "%zu tags were given; at most %d are allowed.",
                                        r->tags.count, TAGS_MAX));
    for (size_t i = 0; i < r->tags.count; i++) {
        const char *fault = tag_fault(&r->tags, i);
        if (fault)
            return problem_set(problem, PROBLEM_INVALID_TAGS, "tags",
                               arena_printf(a, "tags[%zu] %s", i, fault));
    }
    return true;
}

static bool check_metadata(const struct send_request *r, struct arena *a, struct problem *problem)
{
    return r->metadata.n <= METADATA_MAX ||
           problem_set(problem, PROBLEM_INVALID_METADATA, "metadata",
                       arena_printf(a, "metadata has %zu bytes; at most %d are allowed.",
                                    r->metadata.n, METADATA_MAX));
}

static bool check_validity(const struct send_request *r, struct problem *problem)
{
    return !r->has_validity_s ||
           (r->validity_s >= VALIDITY_MIN_S && r->validity_s <= VALIDITY_MAX_S) ||
           problem_set(problem, PROBLEM_INVALID_PARAMETER, "validityPeriod",
                       "validityPeriod must be from 60 to 172800 seconds.");
}

static bool check_schedule(const struct send_request *r, int64_t now_us, struct message *ret,
                           struct problem *problem)
{
    const char *message = NULL;

    if (!r->has_scheduled_at)
        return true;
    if (!rfc3339_parse(r->scheduled_at, &ret->scheduled_us))
        message = "scheduledAt must be a time that exists, like 2026-01-31T09:00:00Z.";
    else if (ret->scheduled_us < now_us + SCHEDULE_MIN_US)
        message = "scheduledAt must lie at least 5 minutes ahead; leave it out to send at once.";
    else if (ret->scheduled_us > now_us + SCHEDULE_MAX_US)
        message = "scheduledAt must lie at most 35 days ahead.";
    return !message || problem_set(problem, PROBLEM_INVALID_SCHEDULED_TIME, "scheduledAt", message);
}

static bool check_webhooks(const struct send_request *r, const struct address_guard *guard,
                           struct arena *a, struct problem *problem)
{
    if (r->has_webhook_url && !webhook_url_check(r->webhook_url, "webhookUrl", guard, a, problem))
        return false;
    if (!r->has_webhook_failover_url)
        return true;
    if (!r->has_webhook_url)
        return problem_set(problem, PROBLEM_INVALID_WEBHOOK_URL, "webhookFailoverUrl",
                           "webhookFailoverUrl needs a webhookUrl that it stands in for.");
    return webhook_url_check(r->webhook_failover_url, "webhookFailoverUrl", guard, a, problem);
}

static bool check_opt_outs(const struct send_request *r, const struct send_context *context,
                           struct arena *a, struct problem *problem)
{
    return !optouts_has(context->optouts, context->account, context->mode, r->to) ||
           problem_set(problem, PROBLEM_RECIPIENT_OPTED_OUT, "to",
                       arena_printf(a, "%.*s has opted out of your messages.", STR_FMT(r->to)));
}

bool send_check(const struct send_request *r, const struct send_context *context, struct arena *a,
                struct message *ret, struct problem *problem)
{
    return check_to(r, context->mode, a, problem) &&
           check_text(r->text, r->media.count > 0, a, problem) && check_media(r, a, problem) &&
           check_type(r, ret, problem) && check_subject(r, problem) && check_tags(r, a, problem) &&
           check_metadata(r, a, problem) && check_validity(r, problem) &&
           check_schedule(r, context->now_us, ret, problem) &&
           check_webhooks(r, context->guard, a, problem) && check_opt_outs(r, context, a, problem);
}
