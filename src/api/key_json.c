/* A key as clients see it: everything but its secret part. */
#include "api/call.h"
#include "messaging/words.h"

static void put_limit(struct json_writer *w, const char *key, int64_t limit)
{
    json_key(w, key);
    if (limit == LIMIT_OF_PLAN)
        json_put_null(w);
    else
        json_put_i64(w, limit);
}

static void put_permissions(struct json_writer *w, uint32_t permissions)
{
    json_key(w, "permissions");
    json_begin_array(w);
    for (int p = 0; p < PERMISSION_COUNT; p++)
        if (permissions >> p & 1)
            json_put_string(w, str_of(permission_word((enum permission)p)));
    json_end(w);
}

static void put_usage(struct json_writer *w, const struct key_usage *usage)
{
    json_member_time(w, "lastUsedAt", usage->last_us);
    json_key(w, "lastUsedFrom");
    if (usage->address[0])
        json_put_string(w, str_of(usage->address));
    else
        json_put_null(w);
    json_member_i64(w, "requestCount", usage->requests);
}

void key_put_fields(struct json_writer *w, const struct api *a, const struct key_record *k,
                    const struct key_usage *usage, int64_t now_us)
{
    json_key(w, "keyId");
    public_id_put(w, api_ids(a), KEY_ID_PREFIX, k->id);
    json_member_word(w, "name", k->name);
    json_member_word(w, "keyType", mode_word(k->mode));
    json_member_word(w, "prefix", key_prefix(k->mode));
    json_member_word(w, "lastFour", k->last_four);
    put_permissions(w, k->permissions);
    json_member_word(w, "plan", k->plan);
    put_limit(w, "perMinute", k->per_minute);
    put_limit(w, "perHour", k->per_hour);
    json_member_time(w, "createdAt", k->created_us);
    json_member_time(w, "expiresAt", k->expires_us);
    json_member_time(w, "revokedAt", k->revoked_us);
    put_usage(w, usage);
    json_member_word(w, "status", key_state_word(key_state(k, now_us)));
}

void key_put(struct json_writer *w, const struct api *a, const struct key_record *k,
             const struct key_usage *usage, int64_t now_us)
{
    json_begin_object(w);
    key_put_fields(w, a, k, usage, now_us);
    json_end(w);
}
