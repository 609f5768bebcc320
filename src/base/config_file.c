/* Reads the INI file: finds the row of each line, with a helpful word for slips. */
#include "base/config_internal.h"
#include "base/file.h"
#include "base/guess.h"

#include <ini.h>
#include <stdio.h>

enum {
    FILE_MAX = 1 << 20,
    LINE_MAX_SIZE = 4096,
    PLACE_SIZE = 4200,
    PLAN_LIMIT_MAX = 1000000000,
    SECTION_SIZE = 64
};

struct reading {
    struct config_load *load;
    const char *path;
    struct str rest; /* of the text, behind the line inih works on */
    unsigned line;
    unsigned row_lines[CONFIG_ROW_COUNT]; /* where each row was set; 0 = not yet */
    unsigned plan_lines[CONFIG_PLANS_MAX][2];
    char place[PLACE_SIZE];
};

static const char *const plan_keys[] = {"per_minute", "per_hour"};

/* inih does not tell line numbers, so it reads through this. */
static char *next_line(char *out, int size, void *context)
{
    struct reading *r = context;

    if (r->rest.n == 0)
        return NULL;
    struct str line = str_cut(&r->rest, '\n');
    r->line++;
    str_format(r->place, sizeof r->place, "%s:%u", r->path, r->line);
    if (line.n > (size_t)size - 2) {
        config_fault(r->load, r->place, "the line is longer than %d characters", size - 2);
        line.n = 0;
    }
    str_format(out, (size_t)size, "%.*s\n", STR_FMT(line));
    return out;
}

static bool section_exists(const char *section)
{
    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++)
        if (strcmp(config_rows[i].section, section) == 0)
            return true;
    return false;
}

/* "[server], [tls]": rows of one section stand together in the table. */
static void list_sections(struct buf *out)
{
    const char *before = "";

    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++) {
        if (strcmp(config_rows[i].section, before) == 0)
            continue;
        before = config_rows[i].section;
        buf_printf(out, "%s[%s]", i ? ", " : "", before);
    }
}

static void report_section(struct reading *r, const char *section)
{
    struct guess guess = {.given = section};

    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++)
        guess_try(&guess, config_rows[i].section);
    if (guess.best) {
        config_fault(r->load, r->place, "there is no section [%s]; did you mean [%s]?", section,
                     guess.best);
        return;
    }
    struct buf list BUF_CLEANUP = {.max = LINE_MAX_SIZE};
    list_sections(&list);
    config_fault(r->load, r->place, "there is no section [%s]; there are %.*s and [plan NAME]",
                 section, STR_FMT(buf_str(&list)));
}

static const char *section_of(const char *key)
{
    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++)
        if (strcmp(config_rows[i].key, key) == 0)
            return config_rows[i].section;
    return NULL;
}

/* A known key in the wrong section is the likeliest slip, then a misspelt one. */
static void report_key(struct reading *r, const char *section, const char *key)
{
    struct guess guess = {.given = key};
    const char *home = section_of(key);

    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++)
        if (strcmp(config_rows[i].section, section) == 0)
            guess_try(&guess, config_rows[i].key);
    if (strpbrk(key, " \t")) /* inih takes the colon of an address for a = sign */
        config_fault(r->load, r->place, "'%s' is no key; write key = value", key);
    else if (!section[0])
        config_fault(r->load, r->place, "'%s' stands before any section; write [%s] above it", key,
                     home ? home : "server");
    else if (home)
        config_fault(r->load, r->place, "there is no key '%s' in [%s]; it belongs under [%s]", key,
                     section, home);
    else if (guess.best)
        config_fault(r->load, r->place, "there is no key '%s' in [%s]; did you mean '%s'?", key,
                     section, guess.best);
    else
        config_fault(r->load, r->place, "there is no key '%s' in [%s]", key, section);
}

static bool set_before(struct reading *r, unsigned *line, const char *section, const char *key)
{
    if (*line) {
        config_fault(r->load, r->place, "%s.%s is set twice; the first time on line %u", section,
                     key, *line);
        return true;
    }
    *line = r->line;
    return false;
}

static bool plan_name_good(const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    return n > 0 && n <= CONFIG_PLAN_NAME_MAX && name[n] == '\0';
}

static void report_plan_key(struct reading *r, const char *section, const char *key)
{
    struct guess guess = {.given = key};

    guess_try(&guess, plan_keys[0]);
    guess_try(&guess, plan_keys[1]);
    if (guess.best)
        config_fault(r->load, r->place, "there is no key '%s' in [%s]; did you mean '%s'?", key,
                     section, guess.best);
    else
        config_fault(r->load, r->place,
                     "there is no key '%s' in [%s]; there are per_minute and per_hour", key,
                     section);
}

static void set_limit(struct reading *r, struct config_plan *p, const char *key, const char *value)
{
    struct config *c = r->load->config;
    char section[CONFIG_PLAN_NAME_MAX + 6], fault[CONFIG_FAULT_SIZE];
    bool hourly = strcmp(key, plan_keys[1]) == 0;

    snprintf(section, sizeof section, "plan %s", p->name);
    if (!hourly && strcmp(key, plan_keys[0]) != 0) {
        report_plan_key(r, section, key);
        return;
    }
    if (set_before(r, &r->plan_lines[p - c->plans][hourly], section, key))
        return;
    p->origins[hourly] = arena_copy(&c->memory, str_of(r->place)).p;
    if (!config_value_integer(value, 0, PLAN_LIMIT_MAX, hourly ? &p->per_hour : &p->per_minute,
                              fault))
        config_fault(r->load, r->place, "%s.%s %s", section, key, fault);
}

static void set_plan(struct reading *r, struct str given, const char *key, const char *value)
{
    char name[SECTION_SIZE];

    str_format(name, sizeof name, "%.*s", STR_FMT(given));
    if (!plan_name_good(name)) {
        config_fault(r->load, r->place,
                     "a plan's name has 1 to %d small letters, digits, - and _, not '%s'",
                     CONFIG_PLAN_NAME_MAX, name);
        return;
    }
    struct config_plan *p = config_plan_add(r->load->config, name);
    if (p)
        set_limit(r, p, key, value);
    else
        config_fault(r->load, r->place, "there are more than %d plans", CONFIG_PLANS_MAX);
}

/* Called by inih for each key = value; always says "go on", so that all faults are found. */
static int take(void *context, const char *section, const char *key, const char *value)
{
    struct reading *r = context;

    if (str_starts(str_of(section), STR("plan "))) {
        set_plan(r, str_trim(str_skip(str_of(section), 5)), key, value);
        return 1;
    }
    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++) {
        const struct config_row *row = &config_rows[i];
        if (strcmp(row->section, section) == 0 && strcmp(row->key, key) == 0) {
            if (!set_before(r, &r->row_lines[i], section, key))
                config_apply(r->load, row, value, r->place);
            return 1;
        }
    }
    if (section[0] && !section_exists(section))
        report_section(r, section);
    else
        report_key(r, section, key);
    return 1;
}

static void report_syntax(struct reading *r, struct str text, int line)
{
    struct str found = {NULL, 0};

    for (int i = 0; i < line; i++)
        found = str_cut(&text, '\n');
    found = str_trim(found);
    str_format(r->place, sizeof r->place, "%s:%d", r->path, line);
    config_fault(r->load, r->place, "'%.*s' is neither [section] nor key = value",
                 found.n > 80 ? 80 : (int)found.n, found.p);
}

static void parse(struct reading *r, struct str text)
{
    ini_use_stack = false;
    ini_initial_alloc = ini_max_line = LINE_MAX_SIZE;
    ini_allow_multiline = false; /* an indented line is a line */
    r->rest = text;
    int line = ini_parse_stream(next_line, r, take, r);
    if (line > 0)
        report_syntax(r, text, line);
    if (line < 0)
        config_fault(r->load, r->path, "does not fit into memory");
}

void config_file_read(struct config_load *l, const char *path)
{
    struct reading r = {.load = l, .path = path};
    struct buf text BUF_CLEANUP;

    buf_init(&text, FILE_MAX);
    int e = file_read(path, &text);
    if (e < 0)
        config_fault(l, path, "cannot be read: %s", strerror(-e));
    else if (text.n && memchr(text.p, '\0', text.n))
        config_fault(l, path, "holds a NUL byte; it is no text file");
    else
        parse(&r, buf_str(&text));
    l->config->file = arena_copy(&l->config->memory, str_of(path)).p;
}
