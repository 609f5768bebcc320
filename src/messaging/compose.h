/* From a send request to the message that is stored: every check of what the client wrote, then
 * encoding, route and price. Makes no copies but of lists: views in the message point into the
 * request. */
#pragma once

#include "messaging/check.h"
#include "messaging/optout.h"
#include "messaging/price.h"
#include "messaging/problem.h"
#include "messaging/route.h"
#include "net/address_guard.h"
#include "store/records.h"

enum {
    SUBJECT_MAX_POINTS = 256,
    TAGS_MAX = 20,
    TAG_MAX_POINTS = 50,
    METADATA_MAX = 4096,
    VALIDITY_MIN_S = 60,
    VALIDITY_MAX_S = 172800,
};
#define SCHEDULE_MIN_US (INT64_C(300) * 1000000)
#define SCHEDULE_MAX_US (INT64_C(35) * 86400 * 1000000)

/* What the client wrote; has_… says that a field was given. Decoders fill it by a table. */
struct send_request {
    struct str to, text;
    struct str_list media;
    struct str from;
    struct str message_type;
    struct str subject;
    struct str_list tags;
    struct str metadata; /* a JSON object */
    int64_t validity_s;
    struct str scheduled_at;
    struct str webhook_url, webhook_failover_url;
    bool dry_run;
    bool has_to, has_text, has_media, has_from, has_message_type, has_subject, has_tags;
    bool has_metadata, has_validity_s, has_scheduled_at, has_webhook_url;
    bool has_webhook_failover_url, has_dry_run;
};

/* Who sends, when, and with what. */
struct send_context {
    int64_t account;
    enum mode mode;
    int64_t now_us;
    const struct price_list *prices; /* NULL: the built-in list */
    const struct routing *routing;   /* of the mode */
    struct optouts *optouts;
    const struct address_guard *guard; /* where webhooks may lead */
};

/* False with a problem, or the message, queued or scheduled; the store gives it id and times. `ret`
 * is zeroed by the caller. */
bool message_compose(const struct send_request *request, const struct send_context *context,
                     struct arena *a, struct message *ret, struct problem *problem);
