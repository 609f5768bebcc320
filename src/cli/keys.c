/* skylark keys list and revoke; making new ones is in keys_create.c. */
#include "cli/keys.h"

#include "messaging/words.h"

#include <errno.h>

enum { LIST_STRIDE = 1000 };

void key_id_format(const struct store *s, int64_t id, char out[KEY_ID_SIZE])
{
    memcpy(out, "key_", 4);
    id_encode(store_cipher(s), id, out + 4);
    out[KEY_ID_SIZE - 1] = '\0';
}

int key_at(struct local *l, const char *id, struct key_record *ret)
{
    struct str text = str_of(id);
    int64_t number;

    if (!str_starts(text, STR("key_")) ||
        !id_decode(store_cipher(l->store), str_skip(text, 4), &number)) {
        talk("'%s' is no id of a key; 'skylark keys list' shows them.", id);
        return CLI_NOT_FOUND;
    }
    int r = store_key_get(l->reader, 0, number, ret);
    if (r == -ENOENT) {
        talk("There is no key %s; 'skylark keys list' shows them.", id);
        return CLI_NOT_FOUND;
    }
    if (r == 0)
        return CLI_OK;
    talk("The keys cannot be read: %s", strerror(-r));
    return CLI_FAILED;
}

/* ---- keys list ---- */

static const struct column list_columns[] = {
    {.title = "ID", .name = "id"},
    {.title = "NAME", .name = "name", .widest = 30},
    {.title = "ACCOUNT", .name = "account", .widest = 20},
    {.title = "TYPE", .name = "type"},
    {.title = "KEY", .name = "preview"},
    {.title = "PERMISSIONS", .name = "permissions", .widest = 30},
    {.title = "PLAN", .name = "plan"},
    {.title = "/MIN", .name = "perMinute", .bare = true},
    {.title = "/HOUR", .name = "perHour", .bare = true},
    {.title = "STATE", .name = "state"},
    {.title = "LAST USED (UTC)"},
    {.name = "lastUsedAt"},
    {.title = "FROM", .name = "lastUsedFrom"},
    {.title = "REQUESTS", .name = "requests", .bare = true},
    {.name = "createdAt"},
    {.name = "expiresAt"},
    {.name = "revokedAt"},
};
enum { LIST_COUNT = sizeof list_columns / sizeof *list_columns };

static const char *shown_time(struct table *t, int64_t us)
{
    char shown[24];

    if (!us)
        return NULL;
    output_time(str_of(local_time_cell(t, us)), shown);
    return table_text(t, str_of(shown));
}

static const char *permissions_cell(struct table *t, uint32_t permissions)
{
    char text[PERMISSIONS_SIZE];

    permissions_format(permissions, text);
    return permissions ? table_text(t, str_of(text)) : NULL;
}

static const char *account_name(const struct account_record *accounts, size_t count, int64_t id)
{
    for (size_t i = 0; i < count; i++)
        if (accounts[i].id == id)
            return accounts[i].name;
    return NULL;
}

static int add_key(struct table *t, struct local *l, const struct key_record *k,
                   const char *account)
{
    const char **row = table_add(t);
    struct key_usage used;
    char id[KEY_ID_SIZE];
    int r = store_key_usage(l->reader, k->id, &used);

    if (r < 0 || !row)
        return r < 0 ? r : -ENOMEM;
    key_id_format(l->store, k->id, id);
    const char *const cells[LIST_COUNT] = {
        table_text(t, str_of(id)),
        k->name,
        account,
        mode_word(k->mode),
        arena_printf(&t->memory, "%s…%s", key_prefix(k->mode), k->last_four),
        permissions_cell(t, k->permissions),
        k->plan,
        local_limit_cell(t, k->per_minute),
        local_limit_cell(t, k->per_hour),
        key_state_word(key_state(k, clock_now_us(&clock_real))),
        shown_time(t, used.last_us),
        local_time_cell(t, used.last_us),
        used.address[0] ? table_text(t, str_of(used.address)) : NULL,
        arena_number(&t->memory, used.requests),
        local_time_cell(t, k->created_us),
        local_time_cell(t, k->expires_us),
        local_time_cell(t, k->revoked_us),
    };
    memcpy(row, cells, sizeof cells);
    return 0;
}

/* Of one account, or of all (0). */
static int fill_list(struct table *t, struct local *l, int64_t account)
{
    struct account_record *accounts;
    struct key_record *keys;
    size_t account_count = 0, count = LIST_STRIDE;
    int r = store_account_list(l->reader, &l->memory, &accounts, &account_count);

    for (int64_t from = 0; r == 0 && count == LIST_STRIDE; from = keys[count - 1].id + 1) {
        count = 0;
        r = store_key_list(l->reader, account, from, LIST_STRIDE, &l->memory, &keys, &count);
        for (size_t i = 0; r == 0 && i < count; i++)
            r = add_key(t, l, &keys[i], account_name(accounts, account_count, keys[i].account));
        if (count == 0)
            break;
    }
    return r;
}

int run_keys_list(const struct invocation *in)
{
    struct local l LOCAL_CLEANUP = {.config = NULL};
    struct account_record account = {.id = 0};
    struct table t TABLE_CLEANUP;
    enum output_format format;

    table_init(&t, list_columns, LIST_COUNT);
    int r = local_start_list(&l, in, &format);
    if (r == CLI_OK && in->values[OPTION_ACCOUNT])
        r = local_account(&l, in->values[OPTION_ACCOUNT], &account);
    if (r != CLI_OK)
        return r;
    r = fill_list(&t, &l, account.id);
    if (r < 0) {
        talk("The keys cannot be read: %s", strerror(-r));
        return CLI_FAILED;
    }
    if (t.count || format != OUTPUT_TABLE)
        table_print(&t, format, stdout);
    else
        talk("There are no keys yet. Make one: skylark keys create \"first\"");
    return CLI_OK;
}

/* ---- keys revoke ---- */

static int revoke(struct store *s, void *id)
{
    return store_key_revoke(s, 0, *(int64_t *)id, clock_now_us(&clock_real));
}

int run_keys_revoke(const struct invocation *in)
{
    struct local l LOCAL_CLEANUP = {.config = NULL};
    struct key_record k;
    int r = local_start(&l, in);

    if (r == CLI_OK)
        r = key_at(&l, in->arguments[0], &k);
    if (r != CLI_OK)
        return r;
    r = local_write(&l, revoke, &k.id);
    if (r < 0)
        return local_failed(&l, "The key cannot be revoked", r);
    talk("The key %s is revoked.", in->arguments[0]);
    return CLI_OK;
}
