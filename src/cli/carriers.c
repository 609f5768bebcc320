/* skylark carriers list, drain and enable; testing one is in carriers_try.c. */
#include "cli/carriers.h"

#include "base/clock.h"
#include "base/guess.h"
#include "messaging/words.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

/* A server that runs notes its carriers at least so often. */
#define FRESH_US (INT64_C(60) * 1000000)

/* ---- all of them ---- */

static bool is_fresh(int64_t told_us)
{
    return clock_now_us(&clock_real) - told_us < FRESH_US;
}

/* The file goes away when a server stops; when it was killed the notes grow old. */
static void look_for_server(const struct local *l, struct carrier_entries *all)
{
    char path[PATH_MAX];

    str_format(path, sizeof path, "%s/address", l->config->server_data_dir);
    all->server_is_there = access(path, F_OK) == 0;
    all->server_runs = all->server_is_there && is_fresh(all->told_us);
}

static struct carrier_entry *entry_for(struct carrier_entries *all, const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->list[i].name, name) == 0)
            return &all->list[i];
    all->list[all->count] = (struct carrier_entry){.name = name};
    return &all->list[all->count++];
}

int carriers_find(struct local *l, struct carrier_entries *ret)
{
    struct carrier_record *records;
    size_t count = 0;
    int r = store_carrier_list(l->reader, &l->memory, &records, &count);

    *ret = (struct carrier_entries){.list = NULL};
    if (r == 0)
        ret->list =
            arena_alloc(&l->memory, (l->config->carrier_count + l->config->mmsc_count + count + 1) *
                                        sizeof *ret->list);
    if (r < 0 || !ret->list) {
        talk("The carriers cannot be read: %s", strerror(r < 0 ? -r : ENOMEM));
        return CLI_FAILED;
    }
    for (size_t i = 0; i < l->config->carrier_count; i++)
        entry_for(ret, l->config->carriers[i].name)->config = &l->config->carriers[i];
    for (size_t i = 0; i < l->config->mmsc_count; i++)
        entry_for(ret, l->config->mmscs[i].name)->mmsc = &l->config->mmscs[i];
    for (size_t i = 0; i < count; i++) {
        entry_for(ret, records[i].name)->record = records[i];
        if (records[i].told_us > ret->told_us)
            ret->told_us = records[i].told_us;
    }
    look_for_server(l, ret);
    return CLI_OK;
}

struct carrier_entry *carriers_named(const struct carrier_entries *all, const char *name)
{
    struct guess guess = {.given = name};

    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->list[i].name, name) == 0)
            return &all->list[i];
        guess_try(&guess, all->list[i].name);
    }
    if (guess.best)
        talk("There is no carrier '%s'; did you mean '%s'?", name, guess.best);
    else
        talk("There is no carrier '%s'; 'skylark carriers list' shows them.", name);
    return NULL;
}

const char *carriers_name(const struct carrier_entries *all, unsigned number)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].record.id == number)
            return all->list[i].name;
    return NULL;
}

/* ---- how they stand ---- */

static bool is_configured(const struct carrier_entry *e)
{
    return e->config || e->mmsc;
}

bool carriers_elsewhere(const struct carrier_entries *all, const struct carrier_entry *e)
{
    return !is_configured(e) && all->server_runs && e->record.state != CARRIER_UNUSED &&
           is_fresh(e->record.told_us);
}

bool carriers_state(const struct carrier_entries *all, const struct carrier_entry *e,
                    enum carrier_state *ret)
{
    bool known = all->server_runs && e->record.id && is_fresh(e->record.told_us);

    if (!is_configured(e) && !carriers_elsewhere(all, e))
        *ret = CARRIER_UNUSED;
    else if (e->record.drained)
        *ret = CARRIER_DRAINED;
    else if (known)
        *ret = e->record.state;
    else
        return false;
    return true;
}

/* ---- carriers list ---- */

static const struct column columns[] = {
    {.title = "NAME", .name = "name"},
    {.title = "STATE", .name = "state"},
    {.title = "BINDS"},
    {.name = "bindsUp", .bare = true},
    {.name = "binds", .bare = true},
    {.title = "WAITING", .name = "waiting", .bare = true},
    {.title = "IN FLIGHT", .name = "inFlight", .bare = true},
    {.title = "SUBMITTED", .name = "submitted", .bare = true},
    {.title = "TAKEN", .name = "taken", .bare = true},
    {.title = "REFUSED", .name = "refused", .bare = true},
    {.title = "THROTTLED", .name = "throttled", .bare = true},
    {.title = "RECEIPTS", .name = "receipts", .bare = true},
    {.title = "STRAYS", .name = "strays", .bare = true},
    {.title = "MAYBE TWICE", .name = "maybeTwice", .bare = true},
    {.title = "LAST TROUBLE", .name = "lastTrouble", .widest = 80},
    {.name = "since"},
    {.name = "notedAt"},
};
enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

static const char *state_word(const struct carrier_entries *all, const struct carrier_entry *e)
{
    enum carrier_state state;
    return carriers_state(all, e, &state) ? carrier_state_word(state) : "unknown";
}

static void add_carrier(struct table *t, const struct carrier_entries *all,
                        const struct carrier_entry *e)
{
    const struct carrier_record *c = &e->record;
    const char **row = table_add(t);
    struct arena *a = &t->memory;
    bool up = all->server_runs, binds = e->config || c->binds; /* an MMSC has none */

    if (!row)
        return;
    const char *const cells[COLUMN_COUNT] = {
        e->name,
        state_word(all, e),
        up && binds ? arena_printf(a, "%u/%u", c->binds_up, c->binds) : NULL,
        binds ? arena_number(a, up ? c->binds_up : 0) : NULL,
        binds ? arena_number(a, c->binds) : NULL,
        arena_number(a, c->waiting),
        arena_number(a, up ? c->in_flight : 0),
        arena_number(a, c->submitted),
        arena_number(a, c->taken),
        arena_number(a, c->refused),
        arena_number(a, c->throttled),
        arena_number(a, c->receipts),
        arena_number(a, c->strays),
        arena_number(a, c->maybe_twice),
        c->note[0] ? c->note : NULL,
        local_time_cell(t, c->since_us),
        local_time_cell(t, c->told_us),
    };
    memcpy(row, cells, sizeof cells);
}

static void tell_elsewhere(const struct carrier_entries *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (carriers_elsewhere(all, &all->list[i])) {
            talk("\nThe server has '%s' from another configuration than was read here; name its "
                 "file with --config or $SKYLARK_CONFIG.",
                 all->list[i].name);
            return;
        }
}

static void tell_age(const struct carrier_entries *all)
{
    char at[RFC3339_SIZE];

    if (all->server_runs) {
        tell_elsewhere(all);
        return;
    }
    rfc3339_format(all->told_us, at);
    talk(all->server_is_there
             ? "\nThe server has not told of them of late: it was killed, or has not read this "
               "configuration yet (SIGHUP makes it)."
             : "\nNo server runs on this data folder.");
    if (all->told_us)
        talk("The numbers are those of %s.", at);
    else
        talk("'skylark carriers test NAME' tries a carrier without a server.");
}

int run_carriers_list(const struct invocation *in)
{
    struct local l LOCAL_CLEANUP = {.config = NULL};
    struct carrier_entries all;
    struct table t TABLE_CLEANUP;
    enum output_format format;

    table_init(&t, columns, COLUMN_COUNT);
    int r = local_start_list(&l, in, &format);
    if (r == CLI_OK)
        r = carriers_find(&l, &all);
    if (r != CLI_OK)
        return r;
    for (size_t i = 0; i < all.count; i++)
        add_carrier(&t, &all, &all.list[i]);
    if (t.count || format != OUTPUT_TABLE)
        table_print(&t, format, stdout);
    if (t.count && format == OUTPUT_TABLE)
        tell_age(&all);
    else if (t.count == 0)
        talk("There are no carriers yet. One is a section [carrier NAME] of the configuration, or "
             "[mmsc NAME] for MMS.");
    return CLI_OK;
}

/* ---- carriers drain, enable ---- */

struct drain {
    struct carrier_record *carrier;
    bool on;
};

/* One that no server has run with yet gets its number now. */
static int drain(struct store *s, void *drain)
{
    struct drain *d = drain;
    int r = d->carrier->id ? 0 : store_carrier_add(s, d->carrier);

    return r < 0 ? r : store_carrier_drain(s, d->carrier->id, d->on);
}

static int set_drained(const struct invocation *in, bool on)
{
    struct local l LOCAL_CLEANUP = {.config = NULL};
    struct carrier_entries all;
    int r = local_start(&l, in);

    if (r == CLI_OK)
        r = carriers_find(&l, &all);
    if (r != CLI_OK)
        return r;
    struct carrier_entry *e = carriers_named(&all, in->arguments[0]);
    if (!e)
        return CLI_NOT_FOUND;
    str_format(e->record.name, sizeof e->record.name, "%s", e->name);
    r = local_write(&l, drain, &(struct drain){&e->record, on});
    if (r < 0)
        return local_failed(&l, "The carrier cannot be changed", r);
    if (on)
        talk("The carrier '%s' is drained: it gets nothing new, and what it has comes to its end.",
             e->name);
    else
        talk("The carrier '%s' is enabled: it gets messages again.", e->name);
    return CLI_OK;
}

int run_carriers_drain(const struct invocation *in)
{
    return set_drained(in, true);
}

int run_carriers_enable(const struct invocation *in)
{
    return set_drained(in, false);
}
