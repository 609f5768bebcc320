/* skylark accounts: whose keys and messages they are, and what is left to pay with. */
#include "cli/local.h"

#include "base/amount.h"
#include "base/utf8.h"

#include <errno.h>

/* ---- accounts list ---- */

static const struct column columns[] = {
    {.title = "NAME", .name = "name", .widest = 40},
    {.title = "STATE", .name = "state"},
    {.title = "BALANCE (USD)", .name = "balance", .bare = true},
    {.title = "CREATED (UTC)"},
    {.name = "createdAt"},
    {.name = "suspendedAt"},
};
enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

static void add_account(struct table *t, const struct account_record *a)
{
    const char **row = table_add(t);
    const char *created = local_time_cell(t, a->created_us);
    char shown[24] = "", balance[AMOUNT_SIZE];

    if (!row)
        return;
    if (created)
        output_time(str_of(created), shown);
    const char *const cells[COLUMN_COUNT] = {
        a->name,
        a->suspended_us ? "suspended" : "active",
        a->metered ? table_text(t, str_of(amount_text(a->balance_micros, balance))) : NULL,
        table_text(t, str_of(shown)),
        created,
        local_time_cell(t, a->suspended_us),
    };
    memcpy(row, cells, sizeof cells);
}

int run_accounts_list(const struct invocation *in)
{
    struct local l LOCAL_CLEANUP = {.config = NULL};
    struct account_record *accounts;
    struct table t TABLE_CLEANUP;
    enum output_format format;
    size_t count = 0;

    table_init(&t, columns, COLUMN_COUNT);
    int r = local_start_list(&l, in, &format);
    if (r != CLI_OK)
        return r;
    r = store_account_list(l.reader, &l.memory, &accounts, &count);
    if (r < 0) {
        talk("The accounts cannot be read: %s", strerror(-r));
        return CLI_FAILED;
    }
    for (size_t i = 0; i < count; i++)
        add_account(&t, &accounts[i]);
    table_print(&t, format, stdout);
    return CLI_OK;
}

/* ---- accounts create ---- */

static bool check_name(const char *name, char out[ACCOUNT_NAME_MAX + 1])
{
    struct str text = str_of(name);

    if (text.n == 0 || text.n > ACCOUNT_NAME_MAX || !utf8_valid(text) ||
        utf8_shown(text, text.n).n != text.n) {
        talk("The name of an account is a line of 1 to %d bytes in UTF-8.", ACCOUNT_NAME_MAX);
        return false;
    }
    memcpy(out, name, text.n + 1);
    return true;
}

static int insert(struct store *s, void *account)
{
    return store_account_insert(s, account);
}

int run_accounts_create(const struct invocation *in)
{
    struct local l LOCAL_CLEANUP = {.config = NULL};
    struct account_record a = {.id = 0};
    struct table t TABLE_CLEANUP;
    enum output_format format;

    table_init(&t, columns, COLUMN_COUNT);
    int r = local_configure(&l, in);
    if (r != CLI_OK)
        return r;
    if (!invocation_format(in, &format) || !check_name(in->arguments[0], a.name))
        return CLI_USAGE;
    r = local_open(&l, true);
    if (r != CLI_OK)
        return r;
    r = local_write(&l, insert, &a);
    if (r == -EEXIST) {
        talk("There is an account '%s' already.", a.name);
        return CLI_FAILED;
    }
    if (r < 0)
        return local_failed(&l, "The account cannot be stored", r);
    add_account(&t, &a);
    table_print_one(&t, format, stdout);
    if (format == OUTPUT_TABLE)
        talk("\nMake a key for it: skylark keys create \"first\" --account \"%s\"", a.name);
    return CLI_OK;
}

/* ---- accounts suspend, resume, credit ---- */

struct change {
    struct account_record account;
    int64_t at_us, micros;
};

static int suspend(struct store *s, void *change)
{
    struct change *c = change;
    return store_account_suspend(s, c->account.id, c->at_us);
}

static int credit(struct store *s, void *change)
{
    struct change *c = change;
    return store_account_credit(s, c->account.id, c->micros);
}

/* Changes the account that the command names, and tells it read anew in c->account. */
static int change(const struct invocation *in, struct change *c,
                  int (*write)(struct store *s, void *change))
{
    struct local l LOCAL_CLEANUP = {.config = NULL};
    int r = local_start(&l, in);

    if (r == CLI_OK)
        r = local_account(&l, in->arguments[0], &c->account);
    if (r != CLI_OK)
        return r;
    r = local_write(&l, write, c);
    if (r == -ERANGE) {
        talk("The balance of '%s' would be beyond all numbers.", c->account.name);
        return CLI_USAGE;
    }
    if (r < 0)
        return local_failed(&l, "The account cannot be changed", r);
    return local_account(&l, in->arguments[0], &c->account);
}

int run_accounts_suspend(const struct invocation *in)
{
    struct change c = {.at_us = clock_now_us(&clock_real)};
    int r = change(in, &c, suspend);

    if (r == CLI_OK)
        talk("The account '%s' is suspended: its keys are refused.", c.account.name);
    return r;
}

int run_accounts_resume(const struct invocation *in)
{
    struct change c = {.at_us = 0};
    int r = change(in, &c, suspend);

    if (r == CLI_OK)
        talk("The account '%s' is on: its keys work.", c.account.name);
    return r;
}

int run_accounts_credit(const struct invocation *in)
{
    struct change c = {.at_us = 0};
    char balance[AMOUNT_SIZE];

    if (!amount_parse(str_of(in->arguments[1]), &c.micros)) {
        talk("'%s' is no amount; write US dollars such as 25 or 0.0075, with at most 6 decimals.",
             in->arguments[1]);
        return CLI_USAGE;
    }
    int r = change(in, &c, credit);
    if (r == CLI_OK)
        talk("The balance of '%s' is %s USD.", c.account.name,
             amount_text(c.account.balance_micros, balance));
    return r;
}
