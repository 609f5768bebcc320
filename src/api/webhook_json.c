/* A webhook as clients see it: everything but its secret. */
#include "api/webhook.h"

static void put_events(struct json_writer *w, const struct endpoint_record *e)
{
    uint32_t kinds = e->of_messages ? notice_default_kinds() : e->kinds;

    json_key(w, "events");
    json_begin_array(w);
    if (e->every_kind)
        json_put_string(w, STR("*"));
    for (unsigned kind = NOTICE_SCHEDULED; !e->every_kind && kind <= NOTICE_TEST; kind++)
        if (kinds & notice_bit((enum notice_kind)kind))
            json_put_string(w, str_of(notice_word((enum notice_kind)kind)));
    json_end(w);
}

static const char *modes_word(uint32_t modes)
{
    if (modes == 1u << MODE_TEST)
        return "test";
    return modes == 1u << MODE_LIVE ? "live" : "all";
}

static const char *off_word(enum endpoint_off off)
{
    static const char *const words[] = {
#define X(name, number, word) [ENDPOINT_OFF_##name] = (word),
        ENDPOINT_OFF_REASONS(X)
#undef X
    };
    return off == ENDPOINT_OFF_NONE ? NULL : words[off];
}

static bool is_resting(const struct endpoint_record *e, int64_t now_us)
{
    return e->paused_until_us > now_us;
}

bool webhook_is_paused(const struct endpoint_record *e, int64_t now_us)
{
    return e->off != ENDPOINT_OFF_NONE || is_resting(e, now_us);
}

static void put_standing(struct json_writer *w, const struct endpoint_record *e, int64_t now_us)
{
    bool on = e->off == ENDPOINT_OFF_NONE, resting = is_resting(e, now_us);
    const char *on_word = resting ? "paused" : "enabled";

    json_member_bool(w, "enabled", on);
    json_member_word(w, "status", on ? on_word : "disabled");
    json_member_word(w, "disabledReason", off_word(e->off));
    json_member_time(w, "disabledAt", on ? 0 : e->off_us);
    json_member_time(w, "pausedUntil", on && resting ? e->paused_until_us : 0);
    json_member_time(w, "failingSince", e->failing_since_us);
    json_member_i64(w, "consecutiveFailures", e->failures);
    json_member_time(w, "lastSuccessAt", e->last_success_us);
}

void webhook_put_id(struct json_writer *w, const struct api *a, const struct endpoint_record *e)
{
    json_key(w, "webhookId");
    public_id_put(w, api_ids(a), ENDPOINT_ID_PREFIX, e->id);
}

void webhook_put_fields(struct json_writer *w, const struct api *a, const struct endpoint_record *e,
                        int64_t pending, int64_t now_us)
{
    webhook_put_id(w, a, e);
    json_member_text(w, "url", e->url);
    put_events(w, e);
    json_member_word(w, "mode", modes_word(e->modes));
    json_key(w, "description");
    if (e->description.n)
        json_put_string(w, e->description);
    else
        json_put_null(w);
    put_standing(w, e, now_us);
    json_member_i64(w, "pendingDeliveries", pending);
    json_member_time(w, "previousSecretValidUntil",
                     e->old_secret.n && e->old_until_us > now_us ? e->old_until_us : 0);
    json_member_time(w, "createdAt", e->created_us);
    json_member_time(w, "updatedAt", e->updated_us);
}

void webhook_put(struct json_writer *w, const struct api *a, const struct endpoint_record *e,
                 int64_t pending, int64_t now_us)
{
    json_begin_object(w);
    webhook_put_fields(w, a, e, pending, now_us);
    json_end(w);
}
