/* POST /v1/keys and POST /v1/keys/{keyId}/rotate: both make a key and show it, once.
 *
 * Nobody gives what he lacks: the new key may do nothing that the caller's own may not. */
#include "api/call.h"
#include "base/guess.h"
#include "base/utf8.h"
#include "messaging/plan.h"
#include "net/digest.h"

#define HOUR_US INT64_C(3600000000)

enum { GRACE_HOURS_MAX = 168 };

/* ---- on its way to disk ---- */

struct creating {
    struct writing w;
    struct key_record record;
    char key[KEY_CHARS + 1];
    int64_t replaces; /* the key that goes for it; 0 = none */
    int64_t replaced_us;
};

/* One that is off has no place that another could take. Judged here, where no other change of it
 * can come between. */
static int check_on(struct creating *n, struct store *s)
{
    struct call *c = &n->w.call;
    struct key_record old = n->record;
    int64_t now_us = clock_now_us(c->api->options.clock);
    int r = store_key_off(s, n->replaces, &old.revoked_us);

    if (r == 0 && !key_is_on(&old, now_us))
        problem_set(&n->w.problem, PROBLEM_KEY_NOT_FOUND, NULL,
                    arena_printf(&c->http->arena,
                                 "The key %.*s is %s and cannot be rotated; make a new one.",
                                 STR_FMT(c->parameter), key_state_word(key_state(&old, now_us))));
    return r;
}

static int create_apply(struct writing *w, struct store *s)
{
    struct creating *n = (struct creating *)w;
    int r = n->replaces ? check_on(n, s) : 0;

    if (r < 0 || w->problem.code != PROBLEM_NONE)
        return r;
    r = store_key_insert(s, &n->record);
    if (r == 0 && n->replaces)
        r = store_key_revoke(s, w->account, n->replaces, n->replaced_us);
    return r;
}

static void create_render(const struct writing *w, struct json_writer *out)
{
    const struct creating *n = (const struct creating *)w;
    const struct key_usage unused = {.key = n->record.id};

    json_begin_object(out);
    key_put_fields(out, w->call.api, &n->record, &unused, w->call.now_us);
    json_member_text(out, "key", str_of(n->key));
    if (n->replaces) {
        json_key(out, "replaces");
        public_id_put(out, api_ids(w->call.api), KEY_ID_PREFIX, n->replaces);
    }
    json_end(out);
}

static const struct writing_ops create_ops = {
    .apply = create_apply, .render = create_render, .status = 201, .secret = true};

static void start(struct creating *n)
{
    key_make(n->record.mode, n->key);
    key_last_four(str_of(n->key), n->record.last_four);
    digest_sha256(str_of(n->key), n->record.hash);
    n->record.created_us = n->w.call.now_us;
    writing_start(&n->w, &create_ops, n->replaces ? 2 : 1);
}

/* ---- what a caller may give ---- */

static bool check_gift(struct call *c, uint32_t permissions, struct problem *p)
{
    for (int i = 0; i < PERMISSION_COUNT; i++) {
        enum permission one = (enum permission)i;
        if (permission_allows(permissions, one) && !permission_allows(c->key->permissions, one))
            return problem_set(p, PROBLEM_INSUFFICIENT_PERMISSIONS, NULL,
                               arena_printf(&c->http->arena,
                                            "This key lacks the permission %s and cannot give it.",
                                            permission_word(one)));
    }
    return true;
}

/* ---- create ---- */

struct key_body {
    struct str name;
    struct str_list permissions;
    int64_t per_minute, per_hour;
    struct str expires_at;
    bool has_name, has_permissions, has_per_minute, has_per_hour, has_expires_at;
};

static const struct json_field key_fields[] = {
    JSON_FIELD(struct key_body, name, JSON_TEXT, "name", NULL),
    JSON_FIELD(struct key_body, permissions, JSON_TEXT_LIST, "permissions", NULL),
    JSON_FIELD(struct key_body, per_minute, JSON_INT64, "perMinute", NULL),
    JSON_FIELD(struct key_body, per_hour, JSON_INT64, "perHour", NULL),
    JSON_FIELD(struct key_body, expires_at, JSON_TEXT, "expiresAt", NULL),
};
static const struct body_table key_table = BODY_TABLE(key_fields, 1);

static bool read_name(const struct key_body *body, struct key_record *k, struct problem *p)
{
    if (!key_name_valid(body->name))
        return problem_set(p, PROBLEM_INVALID_PARAMETER, "name",
                           "name must be one line of 1 to 64 characters.");
    memcpy(k->name, body->name.p, body->name.n);
    return true;
}

static bool unknown_permission(struct arena *a, struct str word, struct problem *p)
{
    struct str shown = arena_copy(a, utf8_shown(word, 40));
    struct guess guess = {.given = shown.p ? shown.p : ""};

    for (int i = 0; i < PERMISSION_COUNT; i++)
        guess_try(&guess, permission_word((enum permission)i));
    return problem_set(
        p, PROBLEM_INVALID_PARAMETER, "permissions",
        guess.best ? arena_printf(a, "There is no permission '%s'; did you mean '%s'?", guess.given,
                                  guess.best)
                   : arena_printf(a, "There is no permission '%s'; one is sms:send.", guess.given));
}

static bool read_permissions(struct call *c, const struct key_body *body, struct key_record *k,
                             struct problem *p)
{
    for (size_t i = 0; i < body->permissions.count; i++) {
        uint32_t bit = permission_bit(body->permissions.items[i]);
        if (!bit)
            return unknown_permission(&c->http->arena, body->permissions.items[i], p);
        if (k->permissions & bit)
            return problem_set(p, PROBLEM_INVALID_PARAMETER, "permissions",
                               "A permission is given twice; give each once.");
        k->permissions |= bit;
    }
    return true;
}

/* Its own limit: fewer requests than the plan has, which may have no limit (0). */
static bool read_limit(struct call *c, const char *field, int64_t value, uint32_t plan,
                       int64_t *ret, struct problem *p)
{
    int64_t most = plan ? plan : INT32_MAX;

    if (value < 1 || value > most)
        return problem_set(p, PROBLEM_INVALID_PARAMETER, field,
                           arena_printf(&c->http->arena,
                                        "%s must be a whole number from 1 to %lld%s.", field,
                                        (long long)most, plan ? ", which the plan allows" : ""));
    *ret = value;
    return true;
}

static bool read_limits(struct call *c, const struct key_body *body, struct key_record *k,
                        struct problem *p)
{
    k->per_minute = k->per_hour = LIMIT_OF_PLAN;
    struct limit_plan plan = plan_limits(k);
    return (!body->has_per_minute ||
            read_limit(c, "perMinute", body->per_minute, plan.per_minute, &k->per_minute, p)) &&
           (!body->has_per_hour ||
            read_limit(c, "perHour", body->per_hour, plan.per_hour, &k->per_hour, p));
}

static bool read_expiry(struct call *c, const struct key_body *body, struct key_record *k,
                        struct problem *p)
{
    if (!body->has_expires_at)
        return true;
    if (!rfc3339_parse(body->expires_at, &k->expires_us))
        return problem_set(p, PROBLEM_INVALID_PARAMETER, "expiresAt",
                           "expiresAt must be a time that exists, such as 2027-01-31T09:00:00Z.");
    if (k->expires_us <= c->now_us)
        return problem_set(p, PROBLEM_INVALID_PARAMETER, "expiresAt",
                           "expiresAt must be a time ahead.");
    return true;
}

static bool read_key(struct call *c, const struct key_body *body, struct key_record *k,
                     struct problem *p)
{
    k->account = c->key->account;
    k->mode = c->key->mode;
    memcpy(k->plan, c->key->plan, sizeof k->plan);
    return read_name(body, k, p) && read_permissions(c, body, k, p) &&
           check_gift(c, k->permissions, p);
}

/* What depends on the plan and the time of day; a repeated request gets its answer all the same. */
static void read_bounds(struct creating *n, const struct key_body *body)
{
    struct call *c = &n->w.call;

    if (read_limits(c, body, &n->record, &n->w.refusal))
        read_expiry(c, body, &n->record, &n->w.refusal);
}

void keys_create(struct call *c)
{
    struct creating *n = writing_new(c, sizeof *n);
    struct key_body body = {.has_name = false};
    struct problem p = {0};

    if (!n)
        return;
    if (!body_decode(c, &key_table, &body, &p) || !read_key(c, &body, &n->record, &p)) {
        answer_problem(c, &p);
        return;
    }
    read_bounds(n, &body);
    if (writing_once(&n->w, &key_table, &body, &p))
        start(n);
    else
        answer_problem(c, &p);
}

/* ---- rotate ---- */

struct rotate_body {
    int64_t grace_hours;
    bool has_grace_hours;
};

static const struct json_field rotate_fields[] = {
    JSON_FIELD(struct rotate_body, grace_hours, JSON_INT64, "gracePeriodHours", NULL),
};
static const struct body_table rotate_table = BODY_TABLE(rotate_fields, 0);

static bool check_grace(const struct rotate_body *body, struct problem *p)
{
    if (body->grace_hours < 0 || body->grace_hours > GRACE_HOURS_MAX)
        return problem_set(p, PROBLEM_INVALID_PARAMETER, "gracePeriodHours",
                           "gracePeriodHours must be a whole number from 0 to 168.");
    return true;
}

void keys_rotate(struct call *c)
{
    struct creating *n = writing_new(c, sizeof *n);
    struct rotate_body body = {.grace_hours = 0};
    struct key_record old;
    struct problem p = {0};

    if (!n || !key_of_call(c, &old))
        return;
    if (!body_decode(c, &rotate_table, &body, &p) || !check_grace(&body, &p) ||
        !check_gift(c, old.permissions, &p) || !writing_once(&n->w, &rotate_table, &body, &p)) {
        answer_problem(c, &p);
        return;
    }
    n->record = old;
    n->record.revoked_us = 0;
    n->replaces = old.id;
    n->replaced_us = c->now_us + body.grace_hours * HOUR_US;
    start(n);
}
