#include "cli/price_file_internal.h"

#include "base/guess.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>

enum { FAULTS_MAX = 64 << 10, TITLE_SIZE = 32 };

/* Some have two names. */
static const struct {
    const char *title;
    enum price_column column;
} titles[] = {
    {"prefix", PREFIX},     {"country", COUNTRY},       {"price", PRICE}, {"rate", PRICE},
    {"currency", CURRENCY}, {"valid_from", VALID_FROM}, {"type", TYPE},
};
enum { TITLE_COUNT = sizeof titles / sizeof *titles };

#define NEEDED                                                                                     \
    "needed are 'prefix' or 'country', and 'price'; there may be 'currency', 'valid_from' and "    \
    "'type'"

/* A record and the line it stands on. */
struct price_line {
    struct price_record record;
    unsigned line;
};

void price_fault(struct price_reading *r, unsigned line, const char *format, ...)
{
    struct buf *out = &r->file->faults;
    va_list args;

    if (r->file->fault_count++ >= PRICE_FAULTS_SHOWN)
        return;
    buf_printf(out, "%s:%u: ", r->name, line);
    va_start(args, format);
    buf_vprintf(out, format, args);
    va_end(args);
    buf_add_char(out, '\n');
}

/* ---- titles ---- */

/* "Valid From" is "valid_from". */
static void normalize(struct str title, char out[TITLE_SIZE])
{
    size_t n = 0;

    title = utf8_shown(str_trim(title), TITLE_SIZE - 1);
    for (size_t i = 0; i < title.n; i++) {
        char c = title.p[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        out[n++] = c == ' ' || c == '-' ? '_' : c;
    }
    out[n] = '\0';
}

static bool has(const struct price_reading *r, enum price_column column)
{
    if (column == PREFIX || column == COUNTRY)
        return r->places[PREFIX] >= 0 || r->places[COUNTRY] >= 0;
    return r->places[column] >= 0;
}

/* An unknown column is passed over, unless it looks like a slip for one that is not there: a price
 * that should hold from next month on must not hold from now. */
static void take_unknown(struct price_reading *r, const char *title)
{
    struct guess guess = {.given = title};

    for (size_t i = 0; i < TITLE_COUNT; i++)
        if (!has(r, titles[i].column))
            guess_try(&guess, titles[i].title);
    if (guess.best && guess.distance <= (strlen(title) < 8 ? 1 : 2))
        price_fault(r, r->record.line, "there is no column '%s'; did you mean '%s'?", title,
                    guess.best);
    else
        buf_printf(&r->file->ignored, "%s%s", r->file->ignored.n ? ", " : "", title);
}

static int title_column(const char *title)
{
    for (size_t i = 0; i < TITLE_COUNT; i++)
        if (strcmp(title, titles[i].title) == 0)
            return (int)titles[i].column;
    return -1;
}

static void take_title(struct price_reading *r, size_t at)
{
    char title[TITLE_SIZE];

    normalize(r->record.fields[at], title);
    int column = title_column(title);
    if (column < 0)
        return;
    if (r->places[column] >= 0)
        price_fault(r, r->record.line, "there are two columns for the %s", title);
    r->places[column] = (int)at;
}

static void fault_missing(struct price_reading *r, const char *what)
{
    struct buf *ignored = &r->file->ignored;

    price_fault(r, r->record.line, "there is no column %s%s%.*s: " NEEDED, what,
                ignored->n ? " but " : "", STR_FMT(utf8_shown(buf_str(ignored), 200)));
}

static bool take_titles(struct price_reading *r)
{
    char title[TITLE_SIZE];

    r->width = r->record.count;
    for (int i = 0; i < PRICE_COLUMNS; i++)
        r->places[i] = -1;
    for (size_t i = 0; i < r->width; i++)
        take_title(r, i);
    for (size_t i = 0; i < r->width; i++) {
        normalize(r->record.fields[i], title);
        if (title[0] && title_column(title) < 0)
            take_unknown(r, title);
    }
    if (!has(r, PREFIX))
        fault_missing(r, "'prefix' or 'country'");
    if (!has(r, PRICE))
        fault_missing(r, "'price'");
    return r->file->fault_count == 0;
}

/* ---- records ---- */

static bool make_room(struct price_reading *r)
{
    size_t room = r->room ? r->room * 2 : 256;
    struct price_line *lines = realloc(r->lines, room * sizeof *lines);

    if (!lines)
        return false;
    r->lines = lines;
    r->room = room;
    return true;
}

static int take_record(struct price_reading *r)
{
    struct price_record p = {.micros = 0};

    if (!price_fields_read(r, &p))
        return 0;
    if (r->file->count == r->room && !make_room(r))
        return -ENOMEM;
    r->lines[r->file->count++] = (struct price_line){p, r->record.line};
    return 0;
}

static void take_records(struct price_reading *r)
{
    const char *why = "memory is short";
    int more = csv_next(&r->csv, &r->record, &why);

    if (more == 0)
        price_fault(r, 1, "the file is empty: " NEEDED);
    if (more == 1 && !take_titles(r))
        return;
    while (more == 1) {
        more = csv_next(&r->csv, &r->record, &why);
        if (more == 1 && take_record(r) < 0)
            more = -ENOMEM;
    }
    if (more < 0)
        price_fault(r, r->record.line, "%s", more == -ENOMEM ? "memory is short" : why);
}

int price_record_compare(const struct price_record *a, const struct price_record *b)
{
    int order = strcmp(a->prefix, b->prefix);

    if (order == 0)
        order = strcmp(a->country, b->country);
    if (order == 0)
        order = (int)a->kind - (int)b->kind;
    return order ? order : (a->from_us > b->from_us) - (a->from_us < b->from_us);
}

static int line_compare(const void *left, const void *right)
{
    const struct price_line *a = left, *b = right;
    int order = price_record_compare(&a->record, &b->record);

    return order ? order : (a->line > b->line) - (a->line < b->line);
}

/* Sorts, names what stands twice, and leaves the records alone. */
static void close_records(struct price_reading *r)
{
    struct price_file *f = r->file;

    if (f->count == 0)
        return;
    qsort(r->lines, f->count, sizeof *r->lines, line_compare);
    for (size_t i = 1; i < f->count; i++)
        if (price_record_compare(&r->lines[i - 1].record, &r->lines[i].record) == 0)
            price_fault(r, r->lines[i].line, "line %u has a price for the same already",
                        r->lines[i - 1].line);
    f->records = malloc(f->count * sizeof *f->records);
    if (!f->records)
        price_fault(r, 1, "memory is short");
    for (size_t i = 0; f->records && i < f->count; i++)
        f->records[i] = r->lines[i].record;
}

void price_file_read(struct price_file *f, const char *name, struct str bytes, struct arena *a)
{
    struct price_reading r = {.file = f, .name = name};

    buf_init(&f->faults, FAULTS_MAX);
    buf_init(&f->ignored, FAULTS_MAX);
    if (str_starts(bytes, STR("\xff\xfe")) || str_starts(bytes, STR("\xfe\xff"))) {
        price_fault(&r, 1, "the file is UTF-16; save it as CSV in UTF-8");
        return;
    }
    csv_init(&r.csv, bytes, a);
    take_records(&r);
    close_records(&r);
    if (f->fault_count == 0 && f->count == 0)
        price_fault(&r, 1, "there is no price below the titles");
    free(r.lines);
}

void price_file_done(struct price_file *f)
{
    free(f->records);
    buf_done(&f->faults);
    buf_done(&f->ignored);
}
