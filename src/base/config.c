#include "base/config.h"

#include "base/config_internal.h"
#include "base/guess.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MEMORY_MAX = 64 << 20, REPORT_MAX = 64 << 10, PATH_SIZE = 4096 };

#define FIELD_ADDRESS(section, key)  section##_##key
#define FIELD_PATH(section, key)     section##_##key
#define FIELD_TEXT(section, key)     section##_##key
#define FIELD_SECRET(section, key)   section##_##key
#define FIELD_INTEGER(section, key)  section##_##key
#define FIELD_DURATION(section, key) section##_##key##_ms
#define FIELD_WORD(section, key)     section##_##key

const struct config_row config_rows[CONFIG_ROW_COUNT] = {
#define X(s, k, t, i, l, m, w, f, h)                                                               \
    [CONFIG_##s##_##k] = {.section = #s,                                                           \
                          .key = #k,                                                               \
                          .type = CONFIG_##t,                                                      \
                          .initial = i,                                                            \
                          .least = l,                                                              \
                          .most = m,                                                               \
                          .words = w,                                                              \
                          .flag = f,                                                               \
                          .help = h,                                                               \
                          .offset = offsetof(struct config, FIELD_##t(s, k))},
    CONFIG_ROWS(X)
#undef X
};

/* Variables of ours that are no settings. */
static const char *const other_variables[] = {"SKYLARK_API_KEY", "SKYLARK_URL", "SKYLARK_CONFIG",
                                              "SKYLARK_WEBHOOK_SECRET", "SKYLARK_SOURCE"};

void config_report_init(struct config_report *r)
{
    buf_init(&r->errors, REPORT_MAX);
    buf_init(&r->warnings, REPORT_MAX);
    r->error_count = 0;
}

void config_report_done(struct config_report *r)
{
    buf_done(&r->errors);
    buf_done(&r->warnings);
}

static void add_line(struct buf *b, const char *place, const char *format, va_list args)
{
    buf_printf(b, "%s: ", place);
    buf_vprintf(b, format, args);
    buf_add_char(b, '\n');
}

void config_fault(struct config_load *l, const char *place, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_line(&l->report->errors, place, format, args);
    va_end(args);
    l->report->error_count++;
}

void config_warn(struct config_load *l, const char *place, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_line(&l->report->warnings, place, format, args);
    va_end(args);
}

void config_row_environment(const struct config_row *row, char out[CONFIG_NAME_SIZE])
{
    snprintf(out, CONFIG_NAME_SIZE, "SKYLARK_%s_%s", row->section, row->key);
    for (char *c = out; *c; c++)
        *c = (char)toupper((unsigned char)*c);
}

void config_apply(struct config_load *l, const struct config_row *row, const char *text,
                  const char *place)
{
    struct config *c = l->config;
    size_t index = (size_t)(row - config_rows);
    char fault[CONFIG_FAULT_SIZE];

    if (!config_value_set(&c->memory, c, row, text, fault)) {
        config_fault(l, place, "%s.%s %s", row->section, row->key, fault);
        return;
    }
    c->texts[index] = arena_copy(&c->memory, str_of(text)).p;
    c->origins[index] = arena_copy(&c->memory, str_of(place)).p;
    if (!c->texts[index] || !c->origins[index])
        config_fault(l, place, "does not fit into memory");
}

const char *config_variable(char *const *environment, const char *name)
{
    size_t n = strlen(name);

    for (char *const *e = environment; e && *e; e++)
        if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
            return *e + n + 1;
    return NULL;
}

static void read_file(struct config_load *l, const struct config_source *source)
{
    const char *named =
        source->file ? source->file : config_variable(source->environment, "SKYLARK_CONFIG");
    const char *usual = source->usual_file ? source->usual_file : CONFIG_USUAL_FILE;

    if (named && *named)
        config_file_read(l, named);
    else if (access(usual, F_OK) == 0)
        config_file_read(l, usual);
}

/* Names are compared without the prefix, which would make all of them look alike. */
static void warn_of_unknown_variable(struct config_load *l, const char *name)
{
    char known[CONFIG_ROW_COUNT][CONFIG_NAME_SIZE];
    const size_t prefix = strlen("SKYLARK_");
    struct guess guess = {.given = name + prefix};

    for (size_t i = 0; i < sizeof other_variables / sizeof *other_variables; i++) {
        if (strcmp(name, other_variables[i]) == 0)
            return;
        guess_try(&guess, other_variables[i] + prefix);
    }
    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++) {
        config_row_environment(&config_rows[i], known[i]);
        if (strcmp(name, known[i]) == 0)
            return;
        guess_try(&guess, known[i] + prefix);
    }
    if (guess.best)
        config_warn(l, name, "is no setting; did you mean SKYLARK_%s?", guess.best);
    else
        config_warn(l, name, "is no setting");
}

static void read_environment(struct config_load *l, const struct config_source *source)
{
    char name[CONFIG_NAME_SIZE];

    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++) {
        config_row_environment(&config_rows[i], name);
        const char *value = config_variable(source->environment, name);
        if (value)
            config_apply(l, &config_rows[i], value, name);
    }
    for (char *const *e = source->environment; e && *e; e++) {
        struct str rest = str_of(*e), head = str_cut(&rest, '=');
        if (!str_starts(head, STR("SKYLARK_")))
            continue;
        str_format(name, sizeof name, "%.*s", STR_FMT(head));
        warn_of_unknown_variable(l, name);
    }
}

static void read_flags(struct config_load *l, const struct config_source *source)
{
    char place[CONFIG_NAME_SIZE];

    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++)
        if (source->flags[i]) {
            snprintf(place, sizeof place, "--%s", config_rows[i].flag);
            config_apply(l, &config_rows[i], source->flags[i], place);
        }
}

/* systemd may name several folders; the first is ours. */
static bool usual_data_dir(const struct config_source *source, char out[PATH_SIZE])
{
    const char *value = config_variable(source->environment, "STATE_DIRECTORY");

    if (value && *value) {
        str_format(out, PATH_SIZE, "%.*s", (int)strcspn(value, ":"), value);
        return true;
    }
    value = config_variable(source->environment, "XDG_DATA_HOME");
    if (value && value[0] == '/') {
        str_format(out, PATH_SIZE, "%s/skylark", value);
        return true;
    }
    value = config_variable(source->environment, "HOME");
    if (value && *value)
        str_format(out, PATH_SIZE, "%s/.local/share/skylark", value);
    return value && *value;
}

static void settle_data_dir(struct config_load *l, const struct config_source *source)
{
    char path[PATH_SIZE];

    if (l->config->server_data_dir[0])
        return;
    if (usual_data_dir(source, path))
        config_apply(l, &config_rows[CONFIG_server_data_dir], path, "default");
    else
        config_fault(l, "server.data_dir",
                     "has no default because HOME is not set; set it, or "
                     "use --data-dir");
}

static void set_defaults(struct config_load *l)
{
    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++)
        config_apply(l, &config_rows[i], config_rows[i].initial, "default");
    config_plans_ship(l);
}

/* The lists move while they grow; now they do not any more. */
static void settle_lists(struct config *c)
{
    c->plans = c->lists[CONFIG_PLAN].items;
    c->plan_count = c->lists[CONFIG_PLAN].count;
    c->carriers = c->lists[CONFIG_CARRIER].items;
    c->carrier_count = c->lists[CONFIG_CARRIER].count;
    c->mmscs = c->lists[CONFIG_MMSC].items;
    c->mmsc_count = c->lists[CONFIG_MMSC].count;
    c->senders = c->lists[CONFIG_SENDER].items;
    c->sender_count = c->lists[CONFIG_SENDER].count;
    c->routes = c->lists[CONFIG_ROUTE].items;
    c->route_count = c->lists[CONFIG_ROUTE].count;
}

int config_read(struct config **ret, const struct config_source *source,
                struct config_report *report)
{
    struct config_load l = {.config = calloc(1, sizeof(struct config)), .report = report};

    *ret = NULL;
    if (!l.config)
        return -ENOMEM;
    arena_init(&l.config->memory, MEMORY_MAX);
    set_defaults(&l);
    read_file(&l, source);
    read_environment(&l, source);
    read_flags(&l, source);
    settle_data_dir(&l, source);
    settle_lists(l.config);
    config_check(&l);
    *ret = l.config;
    return report->error_count ? -EINVAL : 0;
}

int config_load(struct config **ret, const struct config_source *source,
                struct config_report *report)
{
    int failed = config_read(ret, source, report);

    if (failed) {
        config_free(*ret);
        *ret = NULL;
    }
    return failed;
}

void config_free(struct config *c)
{
    if (!c)
        return;
    for (unsigned kind = 0; kind < CONFIG_KIND_COUNT; kind++)
        free(c->lists[kind].items);
    arena_done(&c->memory);
    free(c);
}
