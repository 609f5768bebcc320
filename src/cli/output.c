#include "cli/output.h"

#include "json/write.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MEMORY_MAX = 64 << 20, OUTPUT_MAX = 256 << 20, COLUMNS_MAX = 32, WIDTH = 80 };

bool output_format_parse(const char *word, enum output_format *ret)
{
    static const char *const words[] = {"table", "json", "jsonl", "csv"};

    for (int i = 0; i < 4; i++)
        if (!word || strcmp(word, words[i]) == 0) {
            *ret = (enum output_format)i;
            return true;
        }
    return false;
}

bool output_is_fancy(FILE *out)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");

    return isatty(fileno(out)) && !(no_colour && *no_colour) && terminal &&
           strcmp(terminal, "dumb") != 0;
}

int output_width(FILE *out)
{
    struct winsize size = {.ws_col = 0};
    uint64_t columns;

    if (str_to_u64(str_of(getenv("COLUMNS")), &columns) && columns > 0 && columns < 10000)
        return (int)columns;
    return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : WIDTH;
}

bool output_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

void output_time(struct str rfc3339, char out[24])
{
    str_format(out, 24, "%.*s", rfc3339.n > 19 ? 19 : (int)rfc3339.n, rfc3339.p ? rfc3339.p : "");
    if (strlen(out) == 19)
        out[10] = ' ';
}

void output_wrap(struct buf *out, const char *text, int left)
{
    struct str rest = str_of(text);
    int column = left;

    while (rest.p) {
        struct str word = str_cut(&rest, ' ');
        if (column > left && column + 1 + (int)word.n > WIDTH) {
            buf_printf(out, "\n%*s", left, "");
            column = left;
        }
        buf_printf(out, "%s%.*s", column > left ? " " : "", STR_FMT(word));
        column += (int)word.n + (column > left);
    }
    buf_text(out, "\n");
}

void output_plain(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        buf_add_char(out, text.p[i] >= ' ' && text.p[i] <= '~' ? text.p[i] : '?');
}

void table_init(struct table *t, const struct column *columns, size_t width)
{
    assert(width <= COLUMNS_MAX);
    *t = (struct table){.columns = columns, .width = width};
    arena_init(&t->memory, MEMORY_MAX);
}

void table_done(struct table *t)
{
    free(t->cells);
    arena_done(&t->memory);
}

const char **table_add(struct table *t)
{
    if (t->count == t->room) {
        size_t room = t->room ? t->room * 2 : 16;
        const char **cells = realloc(t->cells, room * t->width * sizeof *cells);
        if (!cells)
            return NULL;
        t->cells = cells;
        t->room = room;
    }
    const char **row = t->cells + t->count++ * t->width;
    memset(row, 0, t->width * sizeof *row);
    return row;
}

const char *table_text(struct table *t, struct str text)
{
    return arena_copy(&t->memory, text).p;
}

static const char *cell(const struct table *t, size_t row, size_t column)
{
    return t->cells[row * t->width + column];
}

/* ---- for people ---- */

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static size_t characters(const char *text)
{
    size_t n = 0;

    for (; text && *text; text++)
        n += !continues(*text);
    return n;
}

/* Writes at most `widest` characters and returns how many; a cut is marked with "…". What a
 * terminal would obey (below space, DEL, and C1, which UTF-8 writes as C2 80 to C2 9F) is shown as
 * a space. */
static size_t add_shown(struct buf *b, const char *text, size_t widest)
{
    size_t n = 0;
    bool cut = widest && characters(text) > widest;

    for (const char *c = text ? text : ""; *c; c++) {
        if (!continues(*c) && cut && n + 1 == widest) {
            buf_text(b, "…");
            return widest;
        }
        n += !continues(*c);
        if (c[0] == '\xc2' && (unsigned char)c[1] >= 0x80 && (unsigned char)c[1] < 0xa0) {
            buf_add_char(b, ' ');
            c++;
        } else {
            buf_add_char(b, (unsigned char)*c < 0x20 || *c == 0x7f ? ' ' : *c);
        }
    }
    return n;
}

static size_t shown_width(const struct column *c, const char *text)
{
    size_t n = characters(text);
    return c->widest && n > c->widest ? c->widest : n;
}

/* Widths of 0 hide a column. Spaces are owed until the next text, so that no line ends in them. */
static void add_cells(struct buf *b, const struct table *t, const char *const *cells,
                      const size_t *widths)
{
    size_t owed = 0;

    for (size_t i = 0; i < t->width; i++) {
        if (!widths[i])
            continue;
        size_t room = widths[i] - shown_width(&t->columns[i], cells[i]);
        bool right = t->columns[i].right;
        if (cells[i] && cells[i][0]) {
            buf_printf(b, "%*s", (int)(owed + (right ? room : 0)), "");
            owed = right ? 0 : room;
            add_shown(b, cells[i], t->columns[i].widest);
        } else {
            owed += widths[i];
        }
        owed += 2;
    }
    buf_add_char(b, '\n');
}

/* As wide as the widest cell or the title; a column with nothing in it is not shown. */
static size_t column_width(const struct table *t, size_t column)
{
    const struct column *c = &t->columns[column];
    size_t width = 0;

    for (size_t row = 0; c->title && row < t->count; row++) {
        size_t n = shown_width(c, cell(t, row, column));
        width = n > width ? n : width;
    }
    return width && width < characters(c->title) ? characters(c->title) : width;
}

static void add_table(struct buf *b, const struct table *t, bool fancy)
{
    size_t widths[COLUMNS_MAX];
    const char *titles[COLUMNS_MAX];

    for (size_t i = 0; i < t->width; i++) {
        titles[i] = t->columns[i].title;
        widths[i] = column_width(t, i);
    }
    buf_text(b, fancy ? "\033[1m" : "");
    add_cells(b, t, titles, widths);
    buf_text(b, fancy ? "\033[0m" : "");
    for (size_t row = 0; row < t->count; row++)
        add_cells(b, t, t->cells + row * t->width, widths);
}

static void add_record(struct buf *b, const struct table *t, bool fancy)
{
    size_t widest = 0;

    for (size_t i = 0; i < t->width; i++)
        if (characters(t->columns[i].title) > widest)
            widest = characters(t->columns[i].title);
    for (size_t i = 0; i < t->width; i++) {
        const char *text = cell(t, 0, i);
        if (!t->columns[i].title || !text || !*text)
            continue;
        buf_printf(b, "%s%-*s%s  ", fancy ? "\033[1m" : "", (int)widest, t->columns[i].title,
                   fancy ? "\033[0m" : "");
        add_shown(b, text, 0);
        buf_add_char(b, '\n');
    }
}

/* ---- for programs ---- */

static void add_object(struct json_writer *w, const struct table *t, size_t row)
{
    json_begin_object(w);
    for (size_t i = 0; i < t->width; i++) {
        const char *text = cell(t, row, i);
        if (!t->columns[i].name)
            continue;
        json_key(w, t->columns[i].name);
        if (!text)
            json_put_null(w);
        else if (t->columns[i].bare)
            json_put_raw(w, str_of(text));
        else
            json_put_string(w, str_of(text));
    }
    json_end(w);
}

static void add_json(struct buf *b, const struct table *t)
{
    struct json_writer w;

    json_writer_init(&w, b);
    json_begin_array(&w);
    for (size_t row = 0; row < t->count; row++)
        add_object(&w, t, row);
    json_end(&w);
    buf_add_char(b, '\n');
}

static void add_json_lines(struct buf *b, const struct table *t)
{
    for (size_t row = 0; row < t->count; row++) {
        struct json_writer w;
        json_writer_init(&w, b);
        add_object(&w, t, row);
        buf_add_char(b, '\n');
    }
}

static void add_csv_cell(struct buf *b, const char *text)
{
    if (!text || !strpbrk(text, "\",\r\n")) {
        buf_text(b, text);
        return;
    }
    buf_add_char(b, '"');
    for (; *text; text++)
        buf_text(b, *text == '"' ? "\"\"" : (char[]){*text, '\0'});
    buf_add_char(b, '"');
}

static void add_csv_names(struct buf *b, const struct table *t)
{
    const char *mark = "";

    for (size_t i = 0; i < t->width; i++)
        if (t->columns[i].name) {
            buf_printf(b, "%s%s", mark, t->columns[i].name);
            mark = ",";
        }
    buf_add_char(b, '\n');
}

static void add_csv(struct buf *b, const struct table *t)
{
    const char *mark;

    if (!t->headless)
        add_csv_names(b, t);
    for (size_t row = 0; row < t->count; row++) {
        mark = "";
        for (size_t i = 0; i < t->width; i++)
            if (t->columns[i].name) {
                buf_text(b, mark);
                add_csv_cell(b, cell(t, row, i));
                mark = ",";
            }
        buf_add_char(b, '\n');
    }
}

static void print(const struct table *t, enum output_format format, bool one, FILE *out)
{
    struct buf b BUF_CLEANUP;

    buf_init(&b, OUTPUT_MAX);
    switch (format) {
    case OUTPUT_TABLE:
        if (one)
            add_record(&b, t, output_is_fancy(out));
        else
            add_table(&b, t, output_is_fancy(out));
        break;
    case OUTPUT_JSON:
        if (one)
            add_json_lines(&b, t);
        else
            add_json(&b, t);
        break;
    case OUTPUT_JSONL:
        add_json_lines(&b, t);
        break;
    case OUTPUT_CSV:
        add_csv(&b, t);
        break;
    }
    fwrite(b.p, 1, b.n, out);
}

void table_print(const struct table *t, enum output_format format, FILE *out)
{
    print(t, format, false, out);
}

void table_print_one(const struct table *t, enum output_format format, FILE *out)
{
    print(t, format, true, out);
}
