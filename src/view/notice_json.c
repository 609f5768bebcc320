#include "view/notice_json.h"

#include "view/message_json.h"
#include "view/public_id.h"

static void put_head(struct json_writer *w, const struct id_cipher *ids,
                     const struct notice_record *n, unsigned sequence)
{
    json_key(w, "id");
    public_id_put(w, ids, NOTICE_ID_PREFIX, n->id);
    json_member_word(w, "type", notice_word(n->kind));
    json_member_time(w, "timestamp", n->at_us);
    json_member_word(w, "apiVersion", "v1");
    json_member_bool(w, "livemode", n->mode == MODE_LIVE);
    json_member_i64(w, "sequence", sequence);
    json_key(w, "data");
}

void notice_put(struct json_writer *w, const struct id_cipher *ids, const struct notice_record *n,
                const struct message *m)
{
    json_begin_object(w);
    put_head(w, ids, n, notice_sequence(n, m));
    message_put(w, ids, m);
    json_end(w);
}

void notice_put_test(struct json_writer *w, const struct id_cipher *ids,
                     const struct delivery_record *d)
{
    struct notice_record n = {
        .id = d->notice, .mode = d->mode, .kind = NOTICE_TEST, .at_us = d->created_us};

    json_begin_object(w);
    put_head(w, ids, &n, 1);
    json_begin_object(w);
    json_key(w, "webhookId");
    public_id_put(w, ids, ENDPOINT_ID_PREFIX, d->endpoint);
    json_member_word(w, "message", "A test of your webhook. Nothing was sent to any phone.");
    json_end(w);
    json_end(w);
}
