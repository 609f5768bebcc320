/* The fields of a message to send, as JSON or as a form. */
#include "api/call.h"

#define FIELD(member, kind, name, alias) JSON_FIELD(struct send_request, member, kind, name, alias)

static const struct json_field fields[] = {
    FIELD(to, JSON_TEXT, "to", NULL),
    FIELD(text, JSON_TEXT, "text", NULL),
    FIELD(media, JSON_TEXT_LIST, "mediaUrls", "media_urls"),
    FIELD(from, JSON_TEXT, "from", NULL),
    FIELD(message_type, JSON_TEXT, "messageType", NULL),
    FIELD(subject, JSON_TEXT, "subject", NULL),
    FIELD(tags, JSON_TEXT_LIST, "tags", NULL),
    FIELD(metadata, JSON_RAW_OBJECT, "metadata", NULL),
    FIELD(validity_s, JSON_INT64, "validityPeriod", NULL),
    FIELD(scheduled_at, JSON_TEXT, "scheduledAt", NULL),
    FIELD(webhook_url, JSON_TEXT, "webhookUrl", "webhook_url"),
    FIELD(webhook_failover_url, JSON_TEXT, "webhookFailoverUrl", "webhook_failover_url"),
    FIELD(dry_run, JSON_BOOLEAN, "dryRun", NULL),
};

const struct body_table send_table = BODY_TABLE(fields, 2);

const struct routing *api_routing(const struct api *a, enum mode mode)
{
    if (mode == MODE_TEST)
        return &routing_test;
    const struct routing *live = atomic_load_explicit(&a->routing, memory_order_acquire);
    return live ? live : &routing_none;
}

struct send_context send_context_of(const struct call *c)
{
    return (struct send_context){.account = c->key->account,
                                 .mode = c->key->mode,
                                 .now_us = c->now_us,
                                 .prices =
                                     atomic_load_explicit(&c->api->prices, memory_order_acquire),
                                 .routing = api_routing(c->api, c->key->mode),
                                 .optouts = c->api->options.optouts,
                                 .guard = c->api->options.guard};
}
