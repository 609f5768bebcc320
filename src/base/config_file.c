/* Reads the INI file: finds the row of each line, with a helpful word for slips. */
#include "base/config_internal.h"
#include "base/file.h"
#include "base/guess.h"

#include <ini.h>
#include <stdio.h>

enum { FILE_MAX = 1 << 20, LINE_MAX_SIZE = 4096, PLACE_SIZE = 4200, HEADER_SIZE = 64 };

struct reading {
    struct config_load *load;
    const char *path;
    struct str rest; /* of the text, behind the line inih works on */
    unsigned line;
    char place[PLACE_SIZE];

    /* The section that the line is in. */
    char header[HEADER_SIZE];       /* what stands between the brackets; "" before the first */
    unsigned kind;                  /* of a section with a name */
    struct config_section *section; /* that section */
    bool unknown;                   /* a faulty one, which has been told: its lines are not read */
};

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
    for (unsigned i = 0; i < CONFIG_KIND_COUNT; i++)
        buf_printf(out, "%s[%s %s]", i + 1 < CONFIG_KIND_COUNT ? ", " : " and ",
                   config_kinds[i].word, config_kinds[i].sample);
}

/* The first word is compared: what a section is called comes behind it. */
static void report_section(struct reading *r)
{
    char word[HEADER_SIZE];
    struct guess guess = {.given = word};
    unsigned kind = 0;

    str_format(word, sizeof word, "%.*s", (int)strcspn(r->header, " \t"), r->header);
    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++)
        guess_try(&guess, config_rows[i].section);
    for (unsigned i = 0; i < CONFIG_KIND_COUNT; i++)
        guess_try(&guess, config_kinds[i].word);
    if (guess.best)
        kind = config_kind_find(str_of(guess.best));
    if (guess.best && kind < CONFIG_KIND_COUNT) {
        config_fault(r->load, r->place, "there is no section [%s]; did you mean [%s %s]?",
                     r->header, guess.best, config_kinds[kind].sample);
        return;
    }
    if (guess.best) {
        config_fault(r->load, r->place, "there is no section [%s]; did you mean [%s]?", r->header,
                     guess.best);
        return;
    }
    struct buf list BUF_CLEANUP = {.max = LINE_MAX_SIZE};
    list_sections(&list);
    config_fault(r->load, r->place, "there is no section [%s]; there are %.*s", r->header,
                 STR_FMT(buf_str(&list)));
}

/* ---- sections ---- */

/* Its lines belong to nobody then. */
static void lose_section(struct reading *r)
{
    r->section = NULL;
    r->unknown = r->load->lost = true;
}

static void enter_section(struct reading *r, struct str header)
{
    struct str rest = str_trim(header), word = config_list_cut(&rest);
    char name[HEADER_SIZE];

    str_format(r->header, sizeof r->header, "%.*s", STR_FMT(header));
    r->section = NULL;
    r->unknown = false;
    r->kind = config_kind_find(word);
    if (r->kind < CONFIG_KIND_COUNT) {
        str_format(name, sizeof name, "%.*s", STR_FMT(str_trim(rest)));
        r->section = config_section_open(r->load, r->kind, name, r->place);
        if (!r->section)
            lose_section(r);
    } else if (!section_exists(r->header)) {
        lose_section(r);
        report_section(r);
    }
}

/* Whether inih will understand the line; it tells of the first only that it does not. A remark
 * begins a line, or stands behind a blank and a semicolon. */
static bool is_understood(struct str line)
{
    if (line.n == 0 || line.p[0] == ';' || line.p[0] == '#')
        return true;
    for (size_t i = 0; i < line.n; i++) {
        if (line.p[i] == '=' || line.p[i] == ':')
            return line.p[0] != '[';
        if (line.p[i] == ';' && i > 0 && strchr(" \t", line.p[i - 1]))
            break;
    }
    return false;
}

static void report_syntax(struct reading *r, struct str line)
{
    config_fault(r->load, r->place, "'%.*s' is neither [section] nor key = value",
                 line.n > 80 ? 80 : (int)line.n, line.p);
    if (line.p[0] == '[')
        lose_section(r);
}

/* inih tells neither line numbers nor sections without keys, so it reads through this. */
static char *next_line(char *out, int size, void *context)
{
    struct reading *r = context;

    if (r->rest.n == 0)
        return NULL;
    struct str line = str_cut(&r->rest, '\n'), header = str_trim(line);
    r->line++;
    str_format(r->place, sizeof r->place, "%s:%u", r->path, r->line);
    if (line.n > (size_t)size - 2) {
        config_fault(r->load, r->place, "the line is longer than %d characters", size - 2);
        r->load->lost |= header.n && header.p[0] == '[';
        line.n = 0;
    } else if (header.n && header.p[0] == '[' && memchr(header.p, ']', header.n)) {
        header = str_skip(header, 1);
        enter_section(r, str_cut(&header, ']'));
    } else if (!is_understood(header)) {
        report_syntax(r, header);
        line.n = 0;
    }
    str_format(out, (size_t)size, "%.*s\n", STR_FMT(line));
    return out;
}

/* ---- keys ---- */

/* Where a key belongs that does not belong here: a section; "carrier NAME"; NULL. */
static const char *section_of(const char *key, char out[HEADER_SIZE])
{
    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++)
        if (strcmp(config_rows[i].key, key) == 0)
            return config_rows[i].section;
    for (unsigned kind = 0; kind < CONFIG_KIND_COUNT; kind++)
        for (size_t i = 0; i < config_kinds[kind].row_count; i++)
            if (strcmp(config_kinds[kind].rows[i].key, key) == 0) {
                str_format(out, HEADER_SIZE, "%s %s", config_kinds[kind].word,
                           config_kinds[kind].sample);
                return out;
            }
    return NULL;
}

static void guess_key(struct guess *guess, const struct reading *r)
{
    if (r->section)
        for (size_t i = 0; i < config_kinds[r->kind].row_count; i++)
            guess_try(guess, config_kinds[r->kind].rows[i].key);
    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++)
        if (strcmp(config_rows[i].section, r->header) == 0)
            guess_try(guess, config_rows[i].key);
}

/* A known key in the wrong section is the likeliest slip, then a misspelt one; the other way round
 * where names are much alike: carrier and carriers. */
static void report_key(struct reading *r, const char *key)
{
    char room[HEADER_SIZE];
    struct guess guess = {.given = key};
    const char *home = section_of(key, room);

    guess_key(&guess, r);
    if (strpbrk(key, " \t")) /* inih takes the colon of an address for a = sign */
        config_fault(r->load, r->place, "'%s' is no key; write key = value", key);
    else if (!r->header[0])
        config_fault(r->load, r->place, "'%s' stands before any section; write [%s] above it", key,
                     home ? home : "server");
    else if (home && !(r->section && guess.best))
        config_fault(r->load, r->place, "there is no key '%s' in [%s]; it belongs under [%s]", key,
                     r->header, home);
    else if (guess.best)
        config_fault(r->load, r->place, "there is no key '%s' in [%s]; did you mean '%s'?", key,
                     r->header, guess.best);
    else
        config_fault(r->load, r->place, "there is no key '%s' in [%s]", key, r->header);
}

/* `origin` is where the value comes from that a second one would replace. */
static bool set_before(struct reading *r, const char *origin, const char *key)
{
    const char *line = strrchr(origin, ':');

    if (!line)
        return false;
    config_fault(r->load, r->place, "%s.%s is set twice; the first time on line %s", r->header, key,
                 line + 1);
    return true;
}

static bool take_plain(struct reading *r, const char *key, const char *value)
{
    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++) {
        const struct config_row *row = &config_rows[i];
        if (strcmp(row->section, r->header) != 0 || strcmp(row->key, key) != 0)
            continue;
        if (!set_before(r, r->load->config->origins[i], key))
            config_apply(r->load, row, value, r->place);
        return true;
    }
    return false;
}

static bool take_named(struct reading *r, const char *key, const char *value)
{
    const struct config_kind *k = &config_kinds[r->kind];

    for (size_t i = 0; i < k->row_count; i++) {
        if (strcmp(k->rows[i].key, key) != 0)
            continue;
        if (!set_before(r, r->section->origins[i], key))
            config_section_apply(r->load, r->kind, r->section, &k->rows[i], value, r->place);
        return true;
    }
    return false;
}

/* Called by inih for each key = value; always says "go on", so that all faults are found. */
static int take(void *context, const char *section, const char *key, const char *value)
{
    struct reading *r = context;

    if (r->unknown)
        return 1;
    if (!(r->section ? take_named(r, key, value) : take_plain(r, key, value)))
        report_key(r, key);
    return 1;
}

static void parse(struct reading *r, struct str text)
{
    ini_use_stack = false;
    ini_initial_alloc = ini_max_line = LINE_MAX_SIZE;
    ini_allow_multiline = false; /* an indented line is a line */
    r->rest = str_starts(text, STR("\xef\xbb\xbf")) ? str_skip(text, 3) : text; /* a mark */
    int line = ini_parse_stream(next_line, r, take, r);
    if (line > 0) {
        str_format(r->place, sizeof r->place, "%s:%d", r->path, line);
        config_fault(r->load, r->place, "the line is neither [section] nor key = value");
    }
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
