/* A message as clients see it. */
#include "api/call.h"
#include "messaging/words.h"

static void put_text(struct json_writer *w, const char *key, struct str text)
{
    json_key(w, key);
    json_put_string(w, text);
}

static void put_word(struct json_writer *w, const char *key, const char *word)
{
    json_key(w, key);
    if (word)
        json_put_string(w, str_of(word));
    else
        json_put_null(w);
}

static void put_number(struct json_writer *w, const char *key, int64_t number)
{
    json_key(w, key);
    json_put_i64(w, number);
}

static void put_time(struct json_writer *w, const char *key, int64_t unix_us)
{
    json_key(w, key);
    json_put_time(w, unix_us);
}

void routing_put(struct json_writer *w, const struct message *m)
{
    json_key(w, "routing");
    json_begin_object(w);
    put_word(w, "numberType", number_type_word(m->number_type));
    put_word(w, "coverage", coverage_word(m->coverage));
    put_word(w, "reason", reason_word(m->reason));
    put_number(w, "rateLimit", m->rate_limit);
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
    put_word(w, "currency", m->currency);
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

static void put_given(struct json_writer *w, const char *key, struct str text)
{
    if (text.n)
        put_text(w, key, text);
}

/* What few messages have. */
static void put_extras(struct json_writer *w, const struct api *a, const struct message *m)
{
    put_given(w, "subject", m->subject);
    put_lines(w, "tags", m->tags);
    if (m->metadata.n) {
        json_key(w, "metadata");
        json_put_raw(w, m->metadata);
    }
    if (m->validity_s)
        put_number(w, "validityPeriod", m->validity_s);
    if (m->scheduled_us)
        put_time(w, "scheduledAt", m->scheduled_us);
    if (m->batch) {
        json_key(w, "batchId");
        public_id_put(w, a, BATCH_ID_PREFIX, m->batch);
    }
    put_given(w, "webhookUrl", m->webhook_url);
    put_given(w, "webhookFailoverUrl", m->webhook_failover_url);
}

void message_put(struct json_writer *w, const struct api *a, const struct message *m)
{
    json_begin_object(w);
    json_key(w, "messageId");
    public_id_put(w, a, MESSAGE_ID_PREFIX, m->id);
    put_word(w, "status", status_word(m->status));
    put_text(w, "from", m->from);
    put_text(w, "to", m->to);
    put_text(w, "text", m->text);
    put_lines(w, "mediaUrls", m->media);
    put_extras(w, a, m);
    put_word(w, "type", kind_word(m->kind));
    put_word(w, "messageType", message_type_word(m->type));
    put_word(w, "direction", direction_word(m->direction));
    json_key(w, "livemode");
    json_put_bool(w, m->mode == MODE_LIVE);
    put_word(w, "encoding", encoding_word(m->encoding));
    put_number(w, "segments", m->segments);
    routing_put(w, m);
    cost_put(w, m);
    put_number(w, "retryCount", m->retry_count);
    put_time(w, "createdAt", m->created_us);
    put_time(w, "updatedAt", m->updated_us);
    put_time(w, "sentAt", m->sent_us);
    put_time(w, "deliveredAt", m->delivered_us);
    put_time(w, "failedAt", m->failed_us);
    put_time(w, "cancelledAt", m->cancelled_us);
    put_word(w, "errorCode", failure_code(m->failure));
    put_word(w, "errorMessage", failure_text(m->failure));
    json_end(w);
}
