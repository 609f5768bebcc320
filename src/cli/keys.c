/* skylark keys: works on the store itself, so its authority is the rights to the data folder. */
#include "base/file.h"
#include "base/guess.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/output.h"
#include "messaging/key.h"
#include "messaging/words.h"
#include "net/digest.h"
#include "store/store.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY_ID_SIZE = 4 + ID_DIGITS + 1, LIST_MAX = 64 << 20 };

static void format_id(const struct store *s, int64_t id, char out[KEY_ID_SIZE])
{
    memcpy(out, "key_", 4);
    id_encode(store_cipher(s), id, out + 4);
    out[KEY_ID_SIZE - 1] = '\0';
}

/* An exit code; the user has been told. A missing store is made only for the first key. */
static int open_store(const struct config *config, bool make, struct store **ret)
{
    const char *dir = config->server_data_dir;
    char path[PATH_MAX], why[STORE_WHY_SIZE];

    *ret = NULL;
    str_format(path, sizeof path, "%s/skylark.db", dir);
    if (access(path, F_OK) < 0 && errno == ENOENT) {
        if (!make) {
            talk("There is no store in %s. Name the server's data folder with --data-dir.", dir);
            return CLI_NOT_FOUND;
        }
        int r = file_make_folder(dir);
        if (r < 0) {
            talk("The data folder %s cannot be made: %s", dir, strerror(-r));
            return CLI_FAILED;
        }
        talk("There was no store in %s; a new one is made.", dir);
    }
    if (store_open_sqlite(ret, path, &clock_real, why) == 0)
        return CLI_OK;
    talk("The store cannot be opened: %s", why);
    return CLI_FAILED;
}

/* ---- keys create ---- */

static bool check_name(const char *name, char out[KEY_NAME_MAX + 1])
{
    if (!name || !*name) {
        talk("What is the key for? Give it a name, such as --name \"web shop\".");
        return false;
    }
    size_t n = strlen(name);
    bool control = false;
    for (size_t i = 0; i < n; i++)
        control |= (unsigned char)name[i] < 0x20 || name[i] == 0x7f;
    if (n > KEY_NAME_MAX || control || !utf8_valid(str_of(name))) {
        talk("The name of a key is a line of at most %d bytes in UTF-8.", KEY_NAME_MAX);
        return false;
    }
    memcpy(out, name, n + 1);
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

static int insert_key(struct store *s, struct key_record *k)
{
    int r = store_begin(s);

    if (r == 0)
        r = store_end(s, store_key_insert(s, k));
    if (r == 0)
        return CLI_OK;
    talk("The key cannot be stored: %s", store_error(s));
    return CLI_FAILED;
}

static void print_created(const struct store *s, const struct key_record *k, const char *key,
                          enum output_format format)
{
    static const struct column columns[] = {
        {.title = "Key", .name = "key"},   {.title = "Id", .name = "id"},
        {.title = "Name", .name = "name"}, {.title = "Type", .name = "type"},
        {.title = "Plan", .name = "plan"}, {.name = "createdAt"},
    };
    struct table t TABLE_CLEANUP;
    char id[KEY_ID_SIZE], created[RFC3339_SIZE];

    table_init(&t, columns, sizeof columns / sizeof *columns);
    const char **row = table_add(&t);
    if (!row)
        return;
    format_id(s, k->id, id);
    rfc3339_format(k->created_us, created);
    memcpy(row, (const char *[]){key, id, k->name, mode_word(k->mode), k->plan, created},
           t.width * sizeof *row);
    table_print_one(&t, format, stdout);
    if (format == OUTPUT_TABLE) {
        talk("\nCopy the key now: it is kept only as a hash and is not shown again.");
        talk("Clients send it as 'Authorization: Bearer KEY'; skylark reads it from "
             "$SKYLARK_API_KEY.");
    }
}

static int create_key(const struct config *config, struct key_record *k, enum output_format format)
{
    struct store *s;
    char key[KEY_CHARS + 1];
    int r = open_store(config, true, &s);

    if (r != CLI_OK)
        return r;
    key_make(k->mode, key);
    key_last_four(str_of(key), k->last_four);
    digest_sha256(str_of(key), k->hash);
    k->account = FIRST_ACCOUNT;
    k->created_us = clock_now_us(&clock_real);
    r = insert_key(s, k);
    if (r == CLI_OK)
        print_created(s, k, key, format);
    store_close(s);
    return r;
}

int run_keys_create(const struct invocation *in)
{
    struct config_source source;
    struct config *config;
    struct key_record k = {.per_minute = LIMIT_OF_PLAN, .per_hour = LIMIT_OF_PLAN};
    enum output_format format;
    int r = invocation_config(in, &source, &config);

    if (r != CLI_OK)
        return r;
    if (invocation_format(in, &format) && check_name(in->values[OPTION_NAME], k.name) &&
        check_type(in->values[OPTION_TYPE], &k.mode) &&
        check_plan(config, in->values[OPTION_PLAN], k.plan) &&
        check_permissions(in->values[OPTION_PERMISSIONS], &k.permissions))
        r = create_key(config, &k, format);
    else
        r = CLI_USAGE;
    config_free(config);
    return r;
}

/* ---- keys list ---- */

static const struct column list_columns[] = {
    {.title = "ID", .name = "id"},
    {.title = "NAME", .name = "name", .widest = 30},
    {.title = "TYPE", .name = "type"},
    {.title = "PLAN", .name = "plan"},
    {.title = "KEY", .name = "preview"},
    {.title = "STATE", .name = "state"},
    {.title = "CREATED (UTC)"},
    {.name = "createdAt"},
    {.name = "revokedAt"},
    {.name = "expiresAt"},
};
enum { LIST_COUNT = sizeof list_columns / sizeof *list_columns };

static const char *time_cell(struct table *t, int64_t us)
{
    char text[RFC3339_SIZE];

    if (!us)
        return NULL;
    rfc3339_format(us, text);
    return table_text(t, str_of(text));
}

static const char *state_of(const struct key_record *k, int64_t now_us)
{
    if (k->revoked_us && k->revoked_us <= now_us)
        return "revoked";
    return k->expires_us && k->expires_us <= now_us ? "expired" : "active";
}

static void add_key(struct table *t, const struct store *s, const struct key_record *k)
{
    const char **row = table_add(t);
    char id[KEY_ID_SIZE], created[RFC3339_SIZE], shown[24];

    if (!row)
        return;
    format_id(s, k->id, id);
    rfc3339_format(k->created_us, created);
    output_time(str_of(created), shown);
    const char *const cells[LIST_COUNT] = {
        table_text(t, str_of(id)),
        k->name,
        mode_word(k->mode),
        k->plan,
        arena_printf(&t->memory, "%s…%s", key_prefix(k->mode), k->last_four),
        state_of(k, clock_now_us(&clock_real)),
        table_text(t, str_of(shown)),
        table_text(t, str_of(created)),
        time_cell(t, k->revoked_us),
        time_cell(t, k->expires_us),
    };
    memcpy(row, cells, sizeof cells);
}

static int list_keys(struct store *s, struct arena *a, enum output_format format)
{
    struct store_reader *reader;
    struct key_record *keys;
    struct table t TABLE_CLEANUP;
    size_t count = 0;

    table_init(&t, list_columns, LIST_COUNT);
    int r = store_reader_open(s, &reader);
    if (r == 0) {
        r = store_key_list(reader, 0, 0, 1000, a, &keys, &count);
        store_reader_close(reader);
    }
    if (r < 0) {
        talk("The keys cannot be read: %s", strerror(-r));
        return CLI_FAILED;
    }
    for (size_t i = 0; i < count; i++)
        add_key(&t, s, &keys[i]);
    if (count || format != OUTPUT_TABLE)
        table_print(&t, format, stdout);
    else
        talk("There are no keys yet. Make one: skylark keys create --name \"first\"");
    return CLI_OK;
}

int run_keys_list(const struct invocation *in)
{
    struct config_source source;
    struct config *config;
    struct store *s;
    struct arena a;
    enum output_format format;

    if (!invocation_format(in, &format))
        return CLI_USAGE;
    int r = invocation_config(in, &source, &config);
    if (r != CLI_OK)
        return r;
    arena_init(&a, LIST_MAX);
    r = open_store(config, false, &s);
    if (r == CLI_OK) {
        r = list_keys(s, &a, format);
        store_close(s);
    }
    arena_done(&a);
    config_free(config);
    return r;
}

/* ---- keys revoke ---- */

static int revoke_key(struct store *s, const char *word)
{
    struct str text = str_of(word);
    int64_t id;

    if (!str_starts(text, STR("key_")) || !id_decode(store_cipher(s), str_skip(text, 4), &id)) {
        talk("'%s' is no id of a key; 'skylark keys list' shows them.", word);
        return CLI_NOT_FOUND;
    }
    int r = store_begin(s);
    if (r == 0)
        r = store_end(s, store_key_revoke(s, 0, id, clock_now_us(&clock_real)));
    if (r == -ENOENT) {
        talk("There is no key %s; 'skylark keys list' shows them.", word);
        return CLI_NOT_FOUND;
    }
    if (r < 0) {
        talk("The key cannot be revoked: %s", store_error(s));
        return CLI_FAILED;
    }
    talk("The key %s is revoked.", word);
    return CLI_OK;
}

int run_keys_revoke(const struct invocation *in)
{
    struct config_source source;
    struct config *config;
    struct store *s;
    int r = invocation_config(in, &source, &config);

    if (r != CLI_OK)
        return r;
    r = open_store(config, false, &s);
    if (r == CLI_OK) {
        r = revoke_key(s, in->arguments[0]);
        store_close(s);
    }
    config_free(config);
    return r;
}
