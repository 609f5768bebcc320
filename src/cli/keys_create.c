/* skylark keys create and rotate: both make a key and show it, once. */
#include "cli/keys.h"

#include "base/guess.h"
#include "messaging/words.h"
#include "net/digest.h"

enum { GRACE_HOURS_MAX = 168 };

/* ---- what was asked for ---- */

static bool check_name(const struct invocation *in, struct key_record *k)
{
    const char *name = in->argument_count ? in->arguments[0] : in->values[OPTION_NAME];

    if (in->argument_count && in->values[OPTION_NAME]) {
        talk("The key has two names, '%s' and '%s'; give it one.", name, in->values[OPTION_NAME]);
        return false;
    }
    if (!name || !*name) {
        talk("What is the key for? Give it a name, such as skylark keys create \"web shop\".");
        return false;
    }
    if (!key_name_valid(str_of(name))) {
        talk("The name of a key is a line of at most %d characters in UTF-8.", KEY_NAME_CHARS);
        return false;
    }
    str_format(k->name, sizeof k->name, "%s", name);
    return true;
}

static bool check_type(const char *word, enum mode *ret)
{
    if (mode_from_word(str_of(word ? word : "test"), ret))
        return true;
    talk("'%s' is no type of key; there are test and live.", word);
    return false;
}

static bool check_plan(const struct config *config, const char *name, char out[PLAN_NAME_MAX + 1])
{
    struct guess guess = {.given = name ? name : "default"};

    if (config_plan_find(config, guess.given)) {
        str_format(out, PLAN_NAME_MAX + 1, "%s", guess.given);
        return true;
    }
    for (size_t i = 0; i < config->plan_count; i++)
        guess_try(&guess, config->plans[i].name);
    if (guess.best)
        talk("There is no plan '%s'; did you mean '%s'?", guess.given, guess.best);
    else
        talk("There is no plan '%s'; plans stand in the configuration file, and 'skylark config "
             "show' lists them.",
             guess.given);
    return false;
}

static bool check_permissions(const char *list, uint32_t *ret)
{
#define X(name, number, word) " " word
    static const char all[] = PERMISSIONS(X);
#undef X
    struct str unknown;

    if (permissions_parse(str_of(list ? list : ""), ret, &unknown))
        return true;
    talk("There is no permission '%.*s'; there are%s.", STR_FMT(unknown), all);
    return false;
}

/* A whole number of an option, from 0; *ret stays when it is not given. */
static bool check_number(const struct invocation *in, enum option_id id, uint64_t most,
                         int64_t *ret)
{
    uint64_t value;

    if (!in->values[id])
        return true;
    if (!str_to_u64(str_of(in->values[id]), &value) || value > most) {
        talk("--%s takes a whole number from 0 to %llu, not '%s'.", options[id].name,
             (unsigned long long)most, in->values[id]);
        return false;
    }
    *ret = (int64_t)value;
    return true;
}

static bool check_expiry(const char *text, int64_t *ret_us)
{
    if (!text)
        return true;
    if (!rfc3339_parse(str_of(text), ret_us)) {
        talk("--expires takes a time such as 2026-12-31T00:00:00Z, not '%s'.", text);
        return false;
    }
    if (*ret_us > clock_now_us(&clock_real))
        return true;
    talk("The time '%s' is past; a key must expire later than now.", text);
    return false;
}

static bool read_request(const struct invocation *in, const struct config *config,
                         struct key_record *k)
{
    return check_name(in, k) && check_type(in->values[OPTION_TYPE], &k->mode) &&
           check_plan(config, in->values[OPTION_PLAN], k->plan) &&
           check_permissions(in->values[OPTION_PERMISSIONS], &k->permissions) &&
           check_number(in, OPTION_PER_MINUTE, UINT32_MAX, &k->per_minute) &&
           check_number(in, OPTION_PER_HOUR, UINT32_MAX, &k->per_hour) &&
           check_expiry(in->values[OPTION_EXPIRES], &k->expires_us);
}

/* ---- making it ---- */

/* A key that comes, and one that goes for it. */
struct creation {
    struct key_record record;
    char key[KEY_CHARS + 1];
    int64_t replaces; /* 0 = none */
    int64_t replaced_us;
};

static void make_secret(struct creation *c)
{
    key_make(c->record.mode, c->key);
    key_last_four(str_of(c->key), c->record.last_four);
    digest_sha256(str_of(c->key), c->record.hash);
    c->record.created_us = clock_now_us(&clock_real);
}

static int insert(struct store *s, void *creation)
{
    struct creation *c = creation;
    int r = store_key_insert(s, &c->record);

    if (r == 0 && c->replaces)
        r = store_key_revoke(s, 0, c->replaces, c->replaced_us);
    return r;
}

static void print_created(const struct local *l, const struct creation *c,
                          enum output_format format)
{
    static const struct column columns[] = {
        {.title = "Key", .name = "key"},
        {.title = "Id", .name = "id"},
        {.title = "Name", .name = "name"},
        {.title = "Type", .name = "type"},
        {.title = "Plan", .name = "plan"},
        {.title = "Permissions", .name = "permissions"},
        {.title = "Per minute", .name = "perMinute", .bare = true},
        {.title = "Per hour", .name = "perHour", .bare = true},
        {.name = "createdAt"},
        {.title = "Expires", .name = "expiresAt"},
    };
    struct table t TABLE_CLEANUP;
    char id[KEY_ID_SIZE], permissions[PERMISSIONS_SIZE];
    const struct key_record *k = &c->record;

    table_init(&t, columns, sizeof columns / sizeof *columns);
    const char **row = table_add(&t);
    if (!row)
        return;
    key_id_format(l->store, k->id, id);
    permissions_format(k->permissions, permissions);
    memcpy(row,
           (const char *[]){c->key, id, k->name, mode_word(k->mode), k->plan,
                            *permissions ? permissions : NULL, local_limit_cell(&t, k->per_minute),
                            local_limit_cell(&t, k->per_hour), local_time_cell(&t, k->created_us),
                            local_time_cell(&t, k->expires_us)},
           t.width * sizeof *row);
    table_print_one(&t, format, stdout);
    if (format == OUTPUT_TABLE) {
        talk("\nCopy the key now: it is kept only as a hash and is not shown again.");
        talk("Clients send it as 'Authorization: Bearer KEY'; skylark reads it from "
             "$SKYLARK_API_KEY.");
    }
}

static int create(struct local *l, struct creation *c, enum output_format format)
{
    make_secret(c);
    int r = local_write(l, insert, c);
    if (r < 0)
        return local_failed(l, "The key cannot be stored", r);
    print_created(l, c, format);
    return CLI_OK;
}

int run_keys_create(const struct invocation *in)
{
    struct local l LOCAL_CLEANUP = {.config = NULL};
    struct creation c = {.record = {.per_minute = LIMIT_OF_PLAN, .per_hour = LIMIT_OF_PLAN}};
    struct account_record account;
    enum output_format format;
    int r = local_configure(&l, in);

    if (r != CLI_OK)
        return r;
    if (!invocation_format(in, &format) || !read_request(in, l.config, &c.record))
        return CLI_USAGE;
    r = local_open(&l, true);
    if (r == CLI_OK)
        r = local_account(&l, in->values[OPTION_ACCOUNT], &account);
    if (r != CLI_OK)
        return r;
    c.record.account = account.id;
    return create(&l, &c, format);
}

/* ---- keys rotate ---- */

static void tell_rotated(const char *id, int64_t grace_hours)
{
    if (grace_hours == 0)
        talk("The old key %s is off.", id);
    else
        talk("The old key %s works for %lld more hour%s.", id, (long long)grace_hours,
             grace_hours == 1 ? "" : "s");
}

static int find_rotated(struct local *l, const char *id, struct key_record *ret)
{
    int r = key_at(l, id, ret);

    if (r != CLI_OK || key_is_on(ret, clock_now_us(&clock_real)))
        return r;
    talk("The key %s is %s; make another with 'skylark keys create'.", id,
         key_state_word(key_state(ret, clock_now_us(&clock_real))));
    return CLI_NOT_FOUND;
}

int run_keys_rotate(const struct invocation *in)
{
    struct local l LOCAL_CLEANUP = {.config = NULL};
    struct creation c = {.replaces = 0};
    enum output_format format;
    int64_t grace_hours = 0;

    if (!invocation_format(in, &format) ||
        !check_number(in, OPTION_GRACE, GRACE_HOURS_MAX, &grace_hours))
        return CLI_USAGE;
    int r = local_start(&l, in);
    if (r == CLI_OK)
        r = find_rotated(&l, in->arguments[0], &c.record);
    if (r != CLI_OK)
        return r;
    c.replaces = c.record.id;
    c.replaced_us = clock_now_us(&clock_real) + grace_hours * INT64_C(3600000000);
    c.record.revoked_us = 0;
    r = create(&l, &c, format);
    if (r == CLI_OK)
        tell_rotated(in->arguments[0], grace_hours);
    return r;
}
