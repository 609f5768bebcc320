/* Answers of the API on stdout, by tables of fields: as a table or a record for people, or as JSON,
 * JSON lines or CSV for programs. */
#pragma once

#include "cli/output.h"
#include "json/tree.h"

enum cell_kind {
    CELL_TEXT,
    CELL_TIME, /* for people: UTC, seconds */
    CELL_LIST  /* for people: items with commas between them */
};

/* A column of a list; the order is that of the columns. */
struct answer_field {
    struct column column;
    const char *path;
    enum cell_kind kind;
    const char *otherwise; /* path of what is shown when there is nothing at the first; or NULL */
};

enum line_kind {
    LINE_PLAIN,
    LINE_NOTED,
    LINE_WITH_UNIT,
    LINE_TIME,
    LINE_LIST, /* items with commas between them */
    LINE_EACH  /* items below each other */
};

/* A line of the record that people see; `second` is a note in brackets, or a unit. */
struct answer_line {
    const char *title;
    enum line_kind kind;
    const char *path, *second;
};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* What stands at the path as a cell; NULL when nothing does. */
const char *answer_text(struct table *t, const struct json_node *node, const char *path);

/* As JSON, on one line or indented, and the end of a line. */
void answer_print_json(const struct json_node *node, bool indent);
/* A page: `answer` has the rows in its member `data`. */
void answer_print_list(const struct json_node *answer, const struct answer_field *fields,
                       size_t count, enum output_format format);
/* One as a line of CSV, below a line with the names of the fields when `head` is set. */
void answer_print_csv(const struct json_node *node, const struct answer_field *fields, size_t count,
                      bool head);
/* One: the lines for people, the fields for CSV. */
void answer_print_one(const struct json_node *node, const struct answer_line *lines,
                      size_t line_count, const struct answer_field *fields, size_t field_count,
                      enum output_format format);
