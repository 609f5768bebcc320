/* Results on stdout: rows of named cells, shown as a table for people or as JSON, JSON lines or
 * CSV for programs. Cells of a table never carry control characters to the terminal. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

#include <stdio.h>

enum output_format { OUTPUT_TABLE, OUTPUT_JSON, OUTPUT_JSONL, OUTPUT_CSV };

/* False when `word` is no format; NULL is a table. */
bool output_format_parse(const char *word, enum output_format *ret);

struct column {
    const char *title; /* over the table; NULL = not shown there */
    const char *name;  /* in JSON and CSV; NULL = not there */
    size_t widest;     /* characters shown in a table; 0 = all */
    bool bare;         /* a number: no quotes in JSON */
    bool right;        /* stands at the right edge of its column in a table */
};

struct table {
    const struct column *columns;
    size_t width;
    const char **cells; /* row by row; NULL = nothing there */
    size_t count, room; /* in rows */
    bool headless;      /* CSV has no line with names */
    struct arena memory;
};

void table_init(struct table *t, const struct column *columns, size_t width);
void table_done(struct table *t);
#define TABLE_CLEANUP __attribute__((cleanup(table_done)))

/* A new row of `width` empty cells; NULL when memory is out. */
const char **table_add(struct table *t);
/* Memory for cells, freed with the table. */
const char *table_text(struct table *t, struct str text);

void table_print(const struct table *t, enum output_format format, FILE *out);
/* One row: a JSON object instead of a list, and a line per cell instead of a table. */
void table_print_one(const struct table *t, enum output_format format, FILE *out);

/* "2026-11-15 01:02:03" of an RFC 3339 time, for people. */
void output_time(struct str rfc3339, char out[24]);
/* Words of `text` between column `left` and the 80th; the first line goes on where the caller
 * stopped, at `left`. Ends the line. */
void output_wrap(struct buf *out, const char *text, int left);
/* Text from outside on one line: what is not printable ASCII is shown as ?. */
void output_plain(struct buf *out, struct str text);
/* Whether bold and dim may be used there: a terminal, and no NO_COLOR. */
bool output_is_fancy(FILE *out);
/* How many characters fit on a line there: $COLUMNS, or what the terminal says, or 80. */
int output_width(FILE *out);
/* Whether people see more than ASCII, by what $LC_ALL, $LC_CTYPE or $LANG says. */
bool output_is_utf8(void);
