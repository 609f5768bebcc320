/* skylark carriers test */
#include "cli/carriers.h"
#include "cli/mmsc_trial.h"
#include "cli/trial.h"

#include <stdio.h>

static const struct column columns[] = {
    {.name = "step"},
    {.name = "ok", .bare = true},
    {.name = "result"},
    {.name = "ms", .bare = true},
};

struct told {
    struct table table;
    bool aloud; /* each step is printed when it is over */
};

static void tell(void *told, const char *step, bool good, const char *result, int64_t ms)
{
    struct told *t = told;
    const char **row = table_add(&t->table);

    if (t->aloud) {
        printf("%6lld ms  %-17s  %s\n", (long long)ms, step, result);
        fflush(stdout);
    }
    if (!row)
        return;
    row[0] = step;
    row[1] = good ? "true" : "false";
    row[2] = table_text(&t->table, str_of(result));
    row[3] = arena_number(&t->table.memory, ms);
}

/* False after telling that there is none. */
static bool find(const struct config *c, const char *name, struct carrier_entry *ret)
{
    struct carrier_entries all = {.count = c->carrier_count + c->mmsc_count};
    struct carrier_entry list[2 * CONFIG_CARRIERS_MAX];

    if (all.count == 0) {
        talk("%s has no carriers; name the file that has them with --config.",
             c->file ? c->file : "The configuration");
        return false;
    }
    for (size_t i = 0; i < c->carrier_count; i++)
        list[i] = (struct carrier_entry){.name = c->carriers[i].name, .config = &c->carriers[i]};
    for (size_t i = 0; i < c->mmsc_count; i++)
        list[c->carrier_count + i] =
            (struct carrier_entry){.name = c->mmscs[i].name, .mmsc = &c->mmscs[i]};
    all.list = list;
    const struct carrier_entry *e = carriers_named(&all, name);
    if (!e && c->file)
        talk("%s was read; --config or $SKYLARK_CONFIG names another configuration.", c->file);
    else if (!e)
        talk("No configuration was read; --config or $SKYLARK_CONFIG names its file.");
    if (e)
        *ret = *e;
    return e;
}

static int try_carrier(const struct config_carrier *c, struct told *told)
{
    struct smpp_settings *settings;
    char why[512] = "memory is short";

    if (smpp_settings_new(&settings, c, why, sizeof why) < 0) {
        talk("%s", why);
        return CLI_BAD_CONFIG;
    }
    bool good = trial_run(settings, tell, told);
    smpp_settings_free(settings);
    return good ? CLI_OK : CLI_FAILED;
}

static int try_mmsc(const struct config_mmsc *c, struct told *told)
{
    struct mm7_settings *settings;
    char why[512] = "memory is short";

    if (mm7_settings_new(&settings, c, why, sizeof why) < 0) {
        talk("%s", why);
        return CLI_BAD_CONFIG;
    }
    bool good = mmsc_trial_run(settings, tell, told);
    mm7_settings_free(settings);
    return good ? CLI_OK : CLI_FAILED;
}

int run_carriers_test(const struct invocation *in)
{
    struct local l LOCAL_CLEANUP = {.config = NULL};
    enum output_format format;
    struct told told;

    if (!invocation_format(in, &format))
        return CLI_USAGE;
    int r = local_configure(&l, in);
    if (r != CLI_OK)
        return r;
    struct carrier_entry e;
    if (!find(l.config, in->arguments[0], &e))
        return CLI_NOT_FOUND;
    told.aloud = format == OUTPUT_TABLE;
    table_init(&told.table, columns, sizeof columns / sizeof *columns);
    r = e.mmsc ? try_mmsc(e.mmsc, &told) : try_carrier(e.config, &told);
    if (format != OUTPUT_TABLE)
        table_print(&told.table, format, stdout);
    else if (r != CLI_BAD_CONFIG)
        talk(r == CLI_OK ? "The carrier '%s' can be used." : "The carrier '%s' cannot be used.",
             e.name);
    table_done(&told.table);
    return r;
}
