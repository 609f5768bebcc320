/* skylark prices: the operator's own list, in the store. */
#include "cli/local.h"

#include "base/amount.h"
#include "base/clock.h"
#include "base/file.h"
#include "cli/price_file.h"
#include "messaging/price.h"
#include "messaging/words.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILE_MAX = 64 << 20 };

static int compare(const void *a, const void *b)
{
    return price_record_compare(a, b);
}

/* ---- what is there ---- */

struct found {
    struct price_record *prices; /* sorted */
    size_t count;
};

static void found_done(struct found *f)
{
    free(f->prices);
}
#define FOUND_CLEANUP __attribute__((cleanup(found_done)))

static int find_all(struct local *l, struct found *f)
{
    int r = price_records_load(&f->prices, &f->count, l->reader);

    if (r < 0) {
        talk("The prices cannot be read: %s", strerror(-r));
        return CLI_FAILED;
    }
    if (f->count)
        qsort(f->prices, f->count, sizeof *f->prices, compare);
    return CLI_OK;
}

/* ---- prices list ---- */

static const struct column columns[] = {
    {.title = "DESTINATION"},
    {.name = "prefix"},
    {.name = "country"},
    {.title = "TYPE", .name = "type"},
    {.title = "PRICE (USD)", .name = "price", .bare = true},
    {.name = "currency"},
    {.title = "VALID FROM (UTC)"},
    {.name = "valid_from"},
    {.title = "STATE", .name = "state"},
};
enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

static const char *state_of(const struct found *f, size_t at, int64_t now_us)
{
    const struct price_record *p = &f->prices[at];
    struct price_record later = {.micros = 0};

    if (p->from_us > now_us)
        return "later";
    if (at + 1 == f->count)
        return "valid";
    later = f->prices[at + 1];
    later.from_us = p->from_us;
    bool replaced = price_record_compare(p, &later) == 0 && f->prices[at + 1].from_us <= now_us;
    return replaced ? "past" : "valid";
}

static const char *destination(struct table *t, const struct price_record *p)
{
    if (p->country[0])
        return p->country;
    return p->prefix[0] ? arena_printf(&t->memory, "+%s", p->prefix) : "all others";
}

static void add_price(struct table *t, const struct found *f, size_t at, int64_t now_us)
{
    const struct price_record *p = &f->prices[at];
    const char **row = table_add(t), *from = local_time_cell(t, p->from_us);
    char price[AMOUNT_SIZE], shown[24] = "";

    if (!row)
        return;
    if (from)
        output_time(str_of(from), shown);
    const char *const cells[COLUMN_COUNT] = {
        destination(t, p),
        p->country[0]  ? NULL
        : p->prefix[0] ? p->prefix
                       : "*",
        p->country[0] ? p->country : NULL,
        kind_word(p->kind),
        table_text(t, str_of(amount_text(p->micros, price))),
        "USD",
        table_text(t, str_of(shown)),
        from,
        state_of(f, at, now_us),
    };
    memcpy(row, cells, sizeof cells);
}

static void tell_builtin(void)
{
    const struct price_table *t = &price_list_builtin.tables[KIND_SMS];
    char price[AMOUNT_SIZE];

    talk("No prices were imported; the built-in ones hold:");
    for (size_t i = 0; i < t->count; i++)
        talk("  %s%s: %s USD per segment", t->rows[i].prefix[0] ? "+" : "elsewhere",
             t->rows[i].prefix, amount_text(t->rows[i].micros, price));
    t = &price_list_builtin.tables[KIND_MMS];
    talk("  MMS: %s USD", amount_text(t->rows[0].micros, price));
}

int run_prices_list(const struct invocation *in)
{
    struct local l LOCAL_CLEANUP = {.config = NULL};
    struct found f FOUND_CLEANUP = {.prices = NULL};
    struct table t TABLE_CLEANUP;
    enum output_format format;

    table_init(&t, columns, COLUMN_COUNT);
    int r = local_start_list(&l, in, &format);
    if (r == CLI_OK)
        r = find_all(&l, &f);
    if (r != CLI_OK)
        return r;
    for (size_t i = 0; i < f.count; i++)
        add_price(&t, &f, i, clock_now_us(&clock_real));
    if (t.count || format != OUTPUT_TABLE)
        table_print(&t, format, stdout);
    else
        tell_builtin();
    return CLI_OK;
}

/* ---- prices import ---- */

struct import {
    const struct price_file *file;
    bool replace;
};

static int write_all(struct store *s, void *import)
{
    const struct import *i = import;
    int r = i->replace ? store_price_clear(s) : 0;

    for (size_t k = 0; r == 0 && k < i->file->count; k++)
        r = store_price_put(s, &i->file->records[k]);
    return r;
}

static int read_file(const char *path, struct buf *bytes)
{
    bool piped = strcmp(path, "-") == 0;
    int r = piped ? file_read_from(STDIN_FILENO, bytes) : file_read(path, bytes);

    if (r == 0)
        return CLI_OK;
    talk("%s cannot be read: %s", path, r == -EFBIG ? "it has more than 64 MiB" : strerror(-r));
    return r == -ENOENT ? CLI_NOT_FOUND : CLI_FAILED;
}

static int judge(const struct price_file *f)
{
    if (f->fault_count == 0)
        return CLI_OK;
    fwrite(f->faults.p, 1, f->faults.n, stderr);
    if (f->fault_count > PRICE_FAULTS_SHOWN)
        talk("… and %zu more.", f->fault_count - PRICE_FAULTS_SHOWN);
    talk("Nothing was imported.");
    return CLI_FAILED;
}

static void tell_import(const struct price_file *f, const struct found *old, bool replace)
{
    size_t replaced = 0, later = 0;
    int64_t now_us = clock_now_us(&clock_real);

    for (size_t i = 0; i < f->count; i++) {
        replaced += old->count &&
                    bsearch(&f->records[i], old->prices, old->count, sizeof *old->prices, compare);
        later += f->records[i].from_us > now_us;
    }
    if (replace)
        talk("Imported %zu price%s in the place of %zu.", f->count, f->count == 1 ? "" : "s",
             old->count);
    else
        talk("Imported %zu price%s (%zu replaced).", f->count, f->count == 1 ? "" : "s", replaced);
    if (later)
        talk("%zu of them %s later; 'skylark prices list' shows from when.", later,
             later == 1 ? "holds" : "hold");
    if (f->ignored.n)
        talk("These columns were not looked at: %.*s.", STR_FMT(buf_str(&f->ignored)));
}

int run_prices_import(const struct invocation *in)
{
    struct local l LOCAL_CLEANUP = {.config = NULL};
    struct price_file file PRICE_FILE_CLEANUP = {.records = NULL};
    struct import import = {&file, in->values[OPTION_REPLACE]};
    struct found old FOUND_CLEANUP = {.prices = NULL};
    struct buf bytes BUF_CLEANUP;

    buf_init(&bytes, FILE_MAX);
    int r = local_configure(&l, in);
    if (r == CLI_OK)
        r = read_file(in->arguments[0], &bytes);
    if (r != CLI_OK)
        return r;
    price_file_read(&file, in->arguments[0], buf_str(&bytes), &l.memory);
    r = judge(&file);
    if (r == CLI_OK)
        r = local_open(&l, true);
    if (r == CLI_OK)
        r = find_all(&l, &old);
    if (r != CLI_OK)
        return r;
    r = local_write(&l, write_all, &import);
    if (r < 0)
        return local_failed(&l, "The prices cannot be stored", r);
    tell_import(&file, &old, import.replace);
    return CLI_OK;
}

/* ---- prices clear ---- */

static int clear(struct store *s, void *unused)
{
    return store_price_clear(s);
}

int run_prices_clear(const struct invocation *in)
{
    struct local l LOCAL_CLEANUP = {.config = NULL};
    struct found old FOUND_CLEANUP = {.prices = NULL};
    int r = local_start(&l, in);

    if (r == CLI_OK)
        r = find_all(&l, &old);
    if (r != CLI_OK)
        return r;
    r = local_write(&l, clear, NULL);
    if (r < 0)
        return local_failed(&l, "The prices cannot be removed", r);
    talk("Removed %zu price%s; the built-in ones hold now.", old.count, old.count == 1 ? "" : "s");
    return CLI_OK;
}
