#include "cli/analytics.h"

#include "base/clock.h"
#include "cli/answer_print.h"
#include "cli/figure.h"

#define DAY_US INT64_C(86400000000)

enum { FIELDS_MAX = 16, CELL_MAX = 4096 };

/* ---- times ---- */

const char *report_interval(const struct json_node *answer)
{
    static const char *const words[] = {"hour", "week", "month"};
    struct str word = json_node_string(json_node_at(answer, "period.interval"));

    for (size_t i = 0; i < 3; i++)
        if (str_is(word, words[i]))
            return words[i];
    return "day";
}

void report_date(struct str rfc3339, const char *interval, char out[24])
{
    size_t length = strcmp(interval, "hour") == 0 ? 16 : strcmp(interval, "month") == 0 ? 7 : 10;

    output_time(rfc3339, out);
    if (strlen(out) > length)
        out[length] = '\0';
    for (char *c = out; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
}

/* "2026-11-16", of a time at midnight; else with hour and minute. The end of a report is the first
 * moment that is no longer in it; for whole days people name the last. */
static void edge_text(const struct json_node *answer, const char *path, int64_t shift_us,
                      char out[RFC3339_SIZE])
{
    struct str given = json_node_string(json_node_at(answer, path));
    int64_t at_us;

    str_format(out, RFC3339_SIZE, "?");
    if (!rfc3339_parse(given, &at_us))
        return;
    bool whole = at_us % DAY_US == 0;
    rfc3339_format(whole ? at_us + shift_us : at_us, out);
    out[10] = ' ';
    out[whole ? 10 : 16] = '\0';
}

static void print_heading(const struct report *r, const struct json_node *answer,
                          const struct report_style *style, FILE *out)
{
    struct buf mode BUF_CLEANUP = {.max = 64};
    char start[RFC3339_SIZE], end[RFC3339_SIZE];

    json_node_text(json_node_at(answer, "livemode"), &mode);
    edge_text(answer, "period.start", 0, start);
    edge_text(answer, "period.end", -DAY_US, end);
    fprintf(out, "%s%s%s of %s messages, %s to %s UTC, by %s\n\n", style->fancy ? "\033[1m" : "",
            r->title, style->fancy ? "\033[0m" : "",
            str_is(buf_str(&mode), "true") ? "live" : "test", start, end, report_interval(answer));
}

/* ---- cells ---- */

static const char *word_of(struct table *t, const struct json_node *node, const char *path)
{
    const char *text = answer_text(t, node, path);
    return text && *text ? text : "unknown";
}

static const char *money_of(struct table *t, const struct json_node *node, const char *path)
{
    const struct json_node *value = json_node_at(node, path);
    return answer_text(t, json_node_at(value, "amount") ? value : node,
                       json_node_at(value, "amount") ? "amount" : path);
}

static const char *figure_cell(struct table *t, const struct json_node *node,
                               const struct report_field *f)
{
    char out[FIGURE_SIZE];
    const char *text =
        f->kind == FIGURE_MONEY ? money_of(t, node, f->path) : answer_text(t, node, f->path);

    if (!text || !*text)
        return "-";
    switch (f->kind) {
    case FIGURE_COUNT:
    case FIGURE_MONEY:
        return table_text(t, str_of(figure_grouped(str_of(text), out)));
    case FIGURE_RATE:
        return table_text(t, str_of(figure_percent(str_of(text), out)));
    case FIGURE_SECONDS:
        return table_text(t, str_of(figure_duration(str_of(text), out)));
    case FIGURE_WORD:
    case FIGURE_DATE:
        break;
    }
    return text;
}

static const char *cell_of(struct table *t, const struct json_node *node,
                           const struct report_field *f, const char *interval)
{
    char date[24];

    switch (f->kind) {
    case FIGURE_WORD:
        return word_of(t, node, f->path);
    case FIGURE_DATE:
        report_date(json_node_string(json_node_at(node, f->path)), interval, date);
        return table_text(t, str_of(date));
    case FIGURE_COUNT:
    case FIGURE_MONEY:
    case FIGURE_RATE:
    case FIGURE_SECONDS:
        break;
    }
    return figure_cell(t, node, f);
}

static void start_table(struct table *t, const struct report_field *fields, size_t count,
                        struct column columns[FIELDS_MAX])
{
    for (size_t i = 0; i < count; i++)
        columns[i] = (struct column){
            .title = fields[i].title,
            .right = fields[i].kind != FIGURE_WORD && fields[i].kind != FIGURE_DATE,
        };
    table_init(t, columns, count);
}

static void add_row(struct table *t, const struct json_node *node,
                    const struct report_field *fields, const char *interval)
{
    const char **row = table_add(t);

    for (size_t i = 0; row && i < t->width; i++)
        row[i] = cell_of(t, node, &fields[i], interval);
}

static bool is_nothing(const char *cell)
{
    return !cell || strcmp(cell, "0") == 0 || strcmp(cell, "-") == 0;
}

/* A column with nothing in it only takes the room of the others: it is not shown. */
static void drop_empty_columns(struct table *t)
{
    for (size_t column = 1; column < t->width; column++) {
        size_t row = 0;
        while (row < t->count && is_nothing(t->cells[row * t->width + column]))
            row++;
        for (size_t i = 0; row == t->count && i < t->count; i++)
            t->cells[i * t->width + column] = NULL;
    }
}

/* ---- totals, rows, parts ---- */

static void print_totals(const struct report *r, const struct json_node *answer, FILE *out)
{
    struct column columns[FIELDS_MAX];
    struct table t TABLE_CLEANUP;
    const char *currency = NULL;

    start_table(&t, r->totals, r->total_count, columns);
    add_row(&t, answer, r->totals, "");
    currency = answer_text(&t, answer, "currency");
    if (!currency)
        currency = answer_text(&t, answer, "totals.cost.currency");
    for (size_t i = 0; t.count && currency && i < r->total_count; i++)
        if (r->totals[i].kind == FIGURE_MONEY && strcmp(t.cells[i], "-") != 0)
            t.cells[i] = arena_printf(&t.memory, "%s %s", t.cells[i], currency);
    if (t.count)
        table_print_one(&t, OUTPUT_TABLE, out);
}

static bool is_empty(const struct json_node *row, const struct report *r)
{
    for (size_t i = 1; i < r->row_count; i++)
        if (report_number(row, r->rows[i].path) != 0)
            return false;
    return true;
}

/* Most of a month may be empty; programs get every row, people those in which something was. */
static void print_rows(const struct report *r, const struct json_node *answer, FILE *out)
{
    const struct json_node *data = json_node_at(answer, "data");
    const char *interval = report_interval(answer);
    struct column columns[FIELDS_MAX];
    struct table t TABLE_CLEANUP;
    size_t empty = 0;

    start_table(&t, r->rows, r->row_count, columns);
    for (size_t i = 0; i < json_node_count(data); i++)
        if (is_empty(json_node_item(data, i), r))
            empty++;
        else
            add_row(&t, json_node_item(data, i), r->rows, interval);
    fputc('\n', out);
    if (!t.count) {
        fprintf(out, "There was nothing in this time.\n");
        return;
    }
    drop_empty_columns(&t);
    table_print(&t, OUTPUT_TABLE, out);
    if (empty)
        fprintf(out, "%zu %s%s with nothing %s left out.\n", empty, interval, empty == 1 ? "" : "s",
                empty == 1 ? "is" : "are");
}

static void add_rest(struct table *t, const struct report_part *p, const struct json_node *answer)
{
    const struct json_node *rest = p->rest ? json_node_at(answer, p->rest) : NULL;

    if (!json_node_at(rest, "messages"))
        return;
    add_row(t, rest, p->fields, "");
    if (t->count)
        t->cells[(t->count - 1) * t->width] = p->rest_name;
}

static void print_part(const struct report_part *p, const struct json_node *answer,
                       const struct report_style *style, FILE *out)
{
    const struct json_node *list = json_node_at(answer, p->path);
    struct column columns[FIELDS_MAX];
    struct table t TABLE_CLEANUP;

    start_table(&t, p->fields, p->count, columns);
    for (size_t i = 0; i < json_node_count(list); i++)
        add_row(&t, json_node_item(list, i), p->fields, "");
    add_rest(&t, p, answer);
    if (!t.count)
        return;
    drop_empty_columns(&t);
    fprintf(out, "\n%s%s%s\n", style->fancy ? "\033[1m" : "", p->title,
            style->fancy ? "\033[0m" : "");
    table_print(&t, OUTPUT_TABLE, out);
}

void report_print(const struct report *r, const struct json_node *answer,
                  const struct report_style *style, FILE *out)
{
    print_heading(r, answer, style, out);
    print_totals(r, answer, out);
    if (style->plot)
        report_plot(r, answer, style, out);
    print_rows(r, answer, out);
    for (size_t i = 0; i < r->part_count; i++)
        print_part(&r->parts[i], answer, style, out);
}
