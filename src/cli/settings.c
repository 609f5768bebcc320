/* skylark config: looks at the configuration without running anything. */
#include "cli/settings.h"
#include "cli/stand_in.h"
#include "net/tls.h"

enum { WHY_SIZE = 512 };

static int check_identity(const struct config *c)
{
    struct tls_identity *identity;
    char why[TLS_WHY_SIZE];

    if (!c->tls_certificate[0] || !c->tls_key[0])
        return CLI_OK;
    if (tls_identity_load(&identity, c->tls_certificate, c->tls_key, why) < 0) {
        talk("%s: %s", c->origins[CONFIG_tls_certificate], why);
        return CLI_BAD_CONFIG;
    }
    tls_identity_free(identity);
    return CLI_OK;
}

static bool has_faulty(const struct config *c, unsigned kind)
{
    for (size_t i = 0; i < c->lists[kind].count; i++)
        if (config_section_at(c, kind, i)->faulty)
            return true;
    return false;
}

/* What only the numbering plan and the carriers' kind can tell; sections refer to each other, so
 * this takes all of them. */
static int check_routing(const struct config *c)
{
    struct stand_in stand_in STAND_IN_CLEANUP = {.routing = NULL};

    for (unsigned kind = 0; kind < CONFIG_KIND_COUNT; kind++)
        if (has_faulty(c, kind))
            return CLI_OK;
    return stand_in_make(&stand_in, c, NULL);
}

/* Files that carriers name, and what only their protocol can tell. */
static int check_carriers(const struct invocation *in, const struct config *c)
{
    char why[WHY_SIZE];
    int r = CLI_OK;

    for (size_t i = 0; i < c->carrier_count; i++)
        if (!c->carriers[i].faulty &&
            !in->programs->carrier_good(&c->carriers[i], why, sizeof why)) {
            talk("%s: %s", c->carriers[i].place, why);
            r = CLI_BAD_CONFIG;
        }
    for (size_t i = 0; i < c->mmsc_count; i++)
        if (!c->mmscs[i].faulty && !in->programs->mmsc_good(&c->mmscs[i], why, sizeof why)) {
            talk("%s: %s", c->mmscs[i].place, why);
            r = CLI_BAD_CONFIG;
        }
    return r;
}

/* Networks that webhooks and media may reach, authorities that they trust, and doors for MMSCs,
 * which are judged together. */
static int check_reach(const struct invocation *in, const struct config *c)
{
    struct buf faults BUF_CLEANUP;
    struct config judged = *c;

    buf_init(&faults, 1 << 12);
    if (has_faulty(c, CONFIG_MMSC))
        judged.mmsc_count = 0;
    if (in->programs->reach_good(&judged, &faults))
        return CLI_OK;
    talk("%.*s", STR_FMT(str_trim(buf_str(&faults))));
    return CLI_BAD_CONFIG;
}

int settings_check(const struct invocation *in, const struct config *c)
{
    const int found[] = {check_identity(c), check_routing(c), check_carriers(in, c),
                         check_reach(in, c)};

    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        if (found[i] != CLI_OK)
            return found[i];
    return CLI_OK;
}

int run_config_check(const struct invocation *in)
{
    struct invocation named = *in;
    struct config_source source;
    struct config *config;

    if (in->argument_count)
        named.values[OPTION_CONFIG] = in->arguments[0];
    int read = invocation_read(&named, &source, &config);
    if (!config)
        return read;
    int r = settings_check(in, config);
    r = read == CLI_OK ? r : read;
    if (r == CLI_OK && config->file)
        talk("%s is in order.", config->file);
    else if (r == CLI_OK)
        talk("There is no configuration file; environment and defaults are in order.");
    config_free(config);
    return r;
}

static void add_setting(struct table *t, const char *name, const char *value, const char *origin)
{
    const char **row = table_add(t);

    if (!row)
        return;
    row[0] = name;
    row[1] = row[2] = value;
    if (!*value)
        row[1] = "(not set)";
    row[3] = origin;
}

/* Secrets are not shown, only whether there is one. */
static const char *shown(const struct config_row *row, const char *text)
{
    return row->type == CONFIG_SECRET && text[0] ? "****" : text;
}

static void add_section(struct table *t, const struct config_kind *k,
                        const struct config_section *section)
{
    for (size_t i = 0; i < k->row_count; i++)
        add_setting(t, arena_printf(&t->memory, "%s %s.%s", k->word, section->name, k->rows[i].key),
                    shown(&k->rows[i], section->texts[i]), section->origins[i]);
}

static void add_sections(struct table *t, const struct config *config)
{
    for (unsigned kind = 0; kind < CONFIG_KIND_COUNT; kind++)
        for (size_t i = 0; i < config->lists[kind].count; i++)
            add_section(t, &config_kinds[kind], config_section_at(config, kind, i));
}

int run_config_show(const struct invocation *in)
{
    static const struct column columns[] = {
        {.title = "SETTING", .name = "setting"},
        {.title = "VALUE"},
        {.name = "value"},
        {.title = "ORIGIN", .name = "origin"},
    };
    struct config_source source;
    struct config *config;
    struct table t TABLE_CLEANUP;
    enum output_format format;

    table_init(&t, columns, sizeof columns / sizeof *columns);
    if (!invocation_format(in, &format))
        return CLI_USAGE;
    int r = invocation_config(in, &source, &config);
    if (r != CLI_OK)
        return r;
    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++)
        add_setting(&t,
                    arena_printf(&t.memory, "%s.%s", config_rows[i].section, config_rows[i].key),
                    shown(&config_rows[i], config->texts[i]), config->origins[i]);
    add_sections(&t, config);
    table_print(&t, format, stdout);
    config_free(config);
    return CLI_OK;
}
