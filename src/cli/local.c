#include "cli/local.h"

#include "base/file.h"
#include "base/guess.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

enum { MEMORY_MAX = 256 << 20 };

int local_configure(struct local *l, const struct invocation *in)
{
    struct config_source source;

    *l = (struct local){.config = NULL};
    arena_init(&l->memory, MEMORY_MAX);
    return invocation_config(in, &source, &l->config);
}

/* A missing store is made only for the first key or account. */
static int prepare_folder(const char *dir, const char *path, bool make)
{
    if (access(path, F_OK) == 0 || errno != ENOENT)
        return CLI_OK;
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
    return CLI_OK;
}

int local_open(struct local *l, bool make)
{
    char path[PATH_MAX], why[STORE_WHY_SIZE];

    str_format(path, sizeof path, "%s/skylark.db", l->config->server_data_dir);
    int r = prepare_folder(l->config->server_data_dir, path, make);
    if (r != CLI_OK)
        return r;
    if (store_open_sqlite(&l->store, path, &clock_real, why) < 0) {
        talk("The store cannot be opened: %s", why);
        return CLI_FAILED;
    }
    r = store_reader_open(l->store, &l->reader);
    if (r == 0)
        return CLI_OK;
    talk("The store cannot be read: %s", strerror(-r));
    return CLI_FAILED;
}

void local_close(struct local *l)
{
    if (l->reader)
        store_reader_close(l->reader);
    if (l->store)
        store_close(l->store);
    config_free(l->config);
    arena_done(&l->memory);
}

int local_start(struct local *l, const struct invocation *in)
{
    int r = local_configure(l, in);
    return r == CLI_OK ? local_open(l, false) : r;
}

int local_start_list(struct local *l, const struct invocation *in, enum output_format *format)
{
    return invocation_format(in, format) ? local_start(l, in) : CLI_USAGE;
}

static int tell_no_account(struct local *l, const char *name)
{
    struct account_record *accounts;
    struct guess guess = {.given = name};
    size_t count = 0;

    if (store_account_list(l->reader, &l->memory, &accounts, &count) == 0)
        for (size_t i = 0; i < count; i++)
            guess_try(&guess, accounts[i].name);
    if (guess.best)
        talk("There is no account '%s'; did you mean '%s'?", name, guess.best);
    else
        talk("There is no account '%s'; 'skylark accounts list' shows them.", name);
    return CLI_NOT_FOUND;
}

int local_account(struct local *l, const char *name, struct account_record *ret)
{
    int r = name ? store_account_find(l->reader, str_of(name), ret)
                 : store_account_get(l->reader, FIRST_ACCOUNT, ret);

    if (r == 0)
        return CLI_OK;
    if (r == -ENOENT)
        return tell_no_account(l, name ? name : "default");
    talk("The accounts cannot be read: %s", strerror(-r));
    return CLI_FAILED;
}

int local_write(struct local *l, int (*write)(struct store *s, void *context), void *context)
{
    int r = store_begin(l->store);
    return r ? r : store_end(l->store, write(l->store, context));
}

int local_failed(const struct local *l, const char *what, int error)
{
    const char *why = store_error(l->store);

    talk("%s: %s", what, why && *why ? why : strerror(-error));
    return CLI_FAILED;
}

const char *local_time_cell(struct table *t, int64_t us)
{
    char text[RFC3339_SIZE];

    if (!us)
        return NULL;
    rfc3339_format(us, text);
    return table_text(t, str_of(text));
}

const char *local_limit_cell(struct table *t, int64_t limit)
{
    return limit == LIMIT_OF_PLAN ? NULL : arena_number(&t->memory, limit);
}
