#include "cli/answer_print.h"

#include "net/http_client.h"

#include <assert.h>
#include <unistd.h>

enum { COLUMNS_MAX = 32, CELL_MAX = 1 << 16, EACH_MAX = 10 };

const char *answer_text(struct table *t, const struct json_node *node, const char *path)
{
    struct buf b BUF_CLEANUP = {.max = CELL_MAX};
    const struct json_node *value = json_node_at(node, path);

    if (!value)
        return NULL;
    json_node_text(value, &b);
    return table_text(t, buf_str(&b));
}

/* "2026-01-31 09:00:00" of a time; nothing where it has not come. */
static const char *time_at(struct table *t, const struct json_node *node, const char *path)
{
    const char *text = answer_text(t, node, path);
    char time[24];

    if (!text || !*text)
        return NULL;
    output_time(str_of(text), time);
    return table_text(t, str_of(time));
}

static const char *list_at(struct table *t, const struct json_node *node, const char *path)
{
    struct buf b BUF_CLEANUP = {.max = CELL_MAX};
    const struct json_node *list = json_node_at(node, path);

    for (size_t i = 0; i < json_node_count(list); i++) {
        buf_text(&b, i ? "," : "");
        json_node_text(json_node_item(list, i), &b);
    }
    return b.n ? table_text(t, buf_str(&b)) : NULL;
}

static const char *cell_at(struct table *t, const struct json_node *node, const char *path,
                           enum cell_kind kind)
{
    switch (kind) {
    case CELL_TIME:
        return time_at(t, node, path);
    case CELL_LIST:
        return list_at(t, node, path);
    case CELL_TEXT:
        break;
    }
    return answer_text(t, node, path);
}

static void add_row(struct table *t, const struct answer_field *fields,
                    const struct json_node *node)
{
    const char **row = table_add(t);

    for (size_t i = 0; row && i < t->width; i++) {
        row[i] = cell_at(t, node, fields[i].path, fields[i].kind);
        if (fields[i].otherwise && !(row[i] && *row[i]))
            row[i] = cell_at(t, node, fields[i].otherwise, fields[i].kind);
    }
}

void answer_print_json(const struct json_node *node, bool indent)
{
    struct buf b BUF_CLEANUP;

    buf_init(&b, 2 * HTTP_REPLY_MAX);
    json_node_write(node, indent, &b);
    buf_add_char(&b, '\n');
    fwrite(b.p, 1, b.n, stdout);
}

/* `columns` has to outlive the table. */
static void start_table(struct table *t, const struct answer_field *fields, size_t count,
                        struct column columns[COLUMNS_MAX])
{
    assert(count <= COLUMNS_MAX);
    for (size_t i = 0; i < count; i++)
        columns[i] = fields[i].column;
    table_init(t, columns, count);
}

void answer_print_list(const struct json_node *answer, const struct answer_field *fields,
                       size_t count, enum output_format format)
{
    const struct json_node *data = json_node_at(answer, "data");
    struct column columns[COLUMNS_MAX];
    struct table t TABLE_CLEANUP;

    start_table(&t, fields, count, columns);
    switch (format) {
    case OUTPUT_JSON:
        answer_print_json(answer, isatty(STDOUT_FILENO));
        return;
    case OUTPUT_JSONL:
        for (size_t i = 0; i < json_node_count(data); i++)
            answer_print_json(json_node_item(data, i), false);
        return;
    case OUTPUT_TABLE:
    case OUTPUT_CSV:
        for (size_t i = 0; i < json_node_count(data); i++)
            add_row(&t, fields, json_node_item(data, i));
        if (format == OUTPUT_CSV || t.count)
            table_print(&t, format, stdout);
    }
}

/* ---- one ---- */

static const char *line_text(struct table *t, const struct json_node *node,
                             const struct answer_line *l)
{
    if (l->kind == LINE_LIST)
        return list_at(t, node, l->path);
    const char *text =
        l->kind == LINE_TIME ? time_at(t, node, l->path) : answer_text(t, node, l->path);
    const char *second = l->second ? answer_text(t, node, l->second) : NULL;

    if (!text || !*text || (l->kind != LINE_TIME && !(second && *second)))
        return text;
    switch (l->kind) {
    case LINE_PLAIN:
    case LINE_LIST:
    case LINE_EACH:
        break;
    case LINE_NOTED: /* what says the same again is no note */
        return strcmp(text, second) == 0 ? text
                                         : arena_printf(&t->memory, "%s  (%s)", text, second);
    case LINE_WITH_UNIT:
        return arena_printf(&t->memory, "%s %s", text, second);
    case LINE_TIME:
        return arena_printf(&t->memory, "%s UTC", text);
    }
    return text;
}

/* Lines of a record: titles and texts, as many as are used. */
struct record {
    struct table table;
    struct column columns[COLUMNS_MAX];
    const char **texts;
    size_t used;
};

static void add_line(struct record *r, const char *title, const char *text)
{
    assert(r->used < COLUMNS_MAX);
    r->columns[r->used].title = title;
    r->texts[r->used++] = text;
}

/* The title stands beside the first. */
static void add_each(struct record *r, const struct json_node *list, const char *title)
{
    size_t count = json_node_count(list);

    for (size_t i = 0; i < count && i < EACH_MAX; i++)
        add_line(r, i ? "" : title, answer_text(&r->table, json_node_item(list, i), NULL));
    if (count > EACH_MAX)
        add_line(r, "", arena_printf(&r->table.memory, "and %zu more", count - EACH_MAX));
}

static void print_record(const struct json_node *node, const struct answer_line *lines,
                         size_t count)
{
    struct record r = {.used = 0};

    table_init(&r.table, r.columns, COLUMNS_MAX);
    r.texts = table_add(&r.table);
    for (size_t i = 0; r.texts && i < count; i++)
        if (lines[i].kind == LINE_EACH)
            add_each(&r, json_node_at(node, lines[i].path), lines[i].title);
        else
            add_line(&r, lines[i].title, line_text(&r.table, node, &lines[i]));
    if (r.texts)
        table_print_one(&r.table, OUTPUT_TABLE, stdout);
    table_done(&r.table);
}

void answer_print_csv(const struct json_node *node, const struct answer_field *fields, size_t count,
                      bool head)
{
    struct column columns[COLUMNS_MAX];
    struct table t TABLE_CLEANUP;

    start_table(&t, fields, count, columns);
    t.headless = !head;
    add_row(&t, fields, node);
    table_print_one(&t, OUTPUT_CSV, stdout);
}

void answer_print_one(const struct json_node *node, const struct answer_line *lines,
                      size_t line_count, const struct answer_field *fields, size_t field_count,
                      enum output_format format)
{
    switch (format) {
    case OUTPUT_TABLE:
        print_record(node, lines, line_count);
        break;
    case OUTPUT_JSON:
        answer_print_json(node, isatty(STDOUT_FILENO));
        break;
    case OUTPUT_JSONL:
        answer_print_json(node, false);
        break;
    case OUTPUT_CSV:
        answer_print_csv(node, fields, field_count, true);
        break;
    }
}
