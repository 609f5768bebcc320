#include "view/message_json.h"

#include "messaging/price.h"
#include "messaging/words.h"
#include "view/public_id.h"
#include "view/public_url.h"

void routing_put(struct json_writer *w, const struct message *m)
{
    json_key(w, "routing");
    json_begin_object(w);
    json_member_word(w, "numberType", number_type_word(m->number_type));
    json_member_word(w, "coverage", coverage_word(m->coverage));
    json_member_word(w, "reason", reason_word(m->reason));
    json_member_i64(w, "rateLimit", m->rate_limit);
    json_key(w, "countryCode");
    if (m->calling_code == 0) {
        json_put_null(w);
    } else {
        char digits[16];
        struct buf code = {.p = digits, .size = sizeof digits, .max = sizeof digits};
        buf_add_i64(&code, m->calling_code);
        json_put_string(w, buf_str(&code));
    }
    json_end(w);
}

void cost_put(struct json_writer *w, const struct message *m)
{
    json_key(w, "cost");
    json_begin_object(w);
    json_key(w, "amount");
    json_put_micros(w, message_cost_micros(m));
    json_member_word(w, "currency", m->currency);
    json_end(w);
}

/* Lines as an array. */
static void put_lines(struct json_writer *w, const char *key, struct str lines)
{
    if (lines.n == 0)
        return;
    json_key(w, key);
    json_begin_array(w);
    while (lines.n)
        json_put_string(w, str_cut(&lines, '\n'));
    json_end(w);
}

/* Where this service has the files of a message that was sent to it; their types are what the
 * message itself knows of them. */
static void put_own_media(struct json_writer *w, const struct id_cipher *ids,
                          const struct message *m)
{
    struct str types = m->media, base = public_url();
    char id[PUBLIC_ID_SIZE], url[PUBLIC_URL_MAX + 64];

    public_id_format(ids, MESSAGE_ID_PREFIX, m->id, id);
    json_key(w, "mediaUrls");
    json_begin_array(w);
    for (int number = 1; types.n; number++) {
        str_cut(&types, '\n');
        str_format(url, sizeof url, "%.*s/v1/messages/%.*s/media/%d", STR_FMT(base), PUBLIC_ID_SIZE,
                   id, number);
        json_put_string(w, str_of(url));
    }
    json_end(w);
}

void media_put(struct json_writer *w, const struct message *m)
{
    put_lines(w, "mediaUrls", m->media);
}

static void put_media(struct json_writer *w, const struct id_cipher *ids, const struct message *m)
{
    if (m->media.n && m->direction == DIRECTION_INBOUND)
        put_own_media(w, ids, m);
    else
        media_put(w, m);
}

static void put_given(struct json_writer *w, const char *key, struct str text)
{
    if (text.n)
        json_member_text(w, key, text);
}

/* What few messages have. */
static void put_extras(struct json_writer *w, const struct id_cipher *ids, const struct message *m)
{
    put_given(w, "subject", m->subject);
    put_lines(w, "tags", m->tags);
    if (m->metadata.n) {
        json_key(w, "metadata");
        json_put_raw(w, m->metadata);
    }
    if (m->validity_s)
        json_member_i64(w, "validityPeriod", m->validity_s);
    if (m->scheduled_us)
        json_member_time(w, "scheduledAt", m->scheduled_us);
    if (m->batch) {
        json_key(w, "batchId");
        public_id_put(w, ids, BATCH_ID_PREFIX, m->batch);
    }
    put_given(w, "webhookUrl", m->webhook_url);
    put_given(w, "webhookFailoverUrl", m->webhook_failover_url);
}

void message_put(struct json_writer *w, const struct id_cipher *ids, const struct message *m)
{
    json_begin_object(w);
    json_key(w, "messageId");
    public_id_put(w, ids, MESSAGE_ID_PREFIX, m->id);
    json_member_word(w, "status", status_word(m->status));
    json_member_text(w, "from", m->from);
    json_member_text(w, "to", m->to);
    json_member_text(w, "text", m->text);
    put_media(w, ids, m);
    put_extras(w, ids, m);
    json_member_word(w, "type", kind_word(m->kind));
    json_member_word(w, "messageType", message_type_word(m->type));
    json_member_word(w, "direction", direction_word(m->direction));
    json_member_bool(w, "livemode", m->mode == MODE_LIVE);
    json_member_word(w, "encoding", encoding_word(m->encoding));
    json_member_i64(w, "segments", m->segments);
    routing_put(w, m);
    cost_put(w, m);
    json_member_i64(w, "retryCount", m->retry_count);
    json_member_time(w, "createdAt", m->created_us);
    json_member_time(w, "updatedAt", m->updated_us);
    json_member_time(w, "sentAt", m->sent_us);
    json_member_time(w, "deliveredAt", m->delivered_us);
    json_member_time(w, "failedAt", m->failed_us);
    json_member_time(w, "cancelledAt", m->cancelled_us);
    json_member_word(w, "errorCode", failure_code(m->failure));
    json_member_word(w, "errorMessage", failure_text(m->failure));
    json_end(w);
}
