/* Reports of the analytics endpoints, for people: what each is made of, and how it is shown. */
#pragma once

#include "cli/output.h"
#include "json/tree.h"

enum figure_kind {
    FIGURE_COUNT,
    FIGURE_MONEY, /* an amount, or an object that has one */
    FIGURE_RATE,
    FIGURE_SECONDS,
    FIGURE_WORD, /* "unknown" where there is none */
    FIGURE_DATE,
};

/* A line of the totals, or a column of rows. */
struct report_field {
    const char *title, *path;
    enum figure_kind kind;
};

/* A list of the answer, behind the totals and the rows. */
struct report_part {
    const char *title, *path;
    const struct report_field *fields;
    size_t count;
    const char *rest, *rest_name; /* a row for all that is not in the list; or NULL */
};

struct report_bars {
    const char *title, *path, *colour;
    enum figure_kind kind;
    unsigned rows;
    char mark;
};

enum { REPORT_BARS_MAX = 2 };

struct report {
    const char *path, *title;
    const struct report_field *totals, *rows; /* the first of a row is its date */
    size_t total_count, row_count;
    const struct report_part *parts;
    size_t part_count;
    struct report_bars bars[REPORT_BARS_MAX];
    size_t bars_count;
};

extern const struct report shown_usage, shown_delivery, shown_costs;

struct report_style {
    bool plot, ascii, fancy;
    int width;
};

/* Heading, totals, plot, rows, parts. */
void report_print(const struct report *r, const struct json_node *answer,
                  const struct report_style *style, FILE *out);

/* ---- the pieces of it ---- */

/* What one bucket is: "hour", "day", "week" or "month". */
const char *report_interval(const struct json_node *answer);
/* The beginning of a bucket as people say it, as short as the interval allows. */
void report_date(struct str rfc3339, const char *interval, char out[24]);
void report_plot(const struct report *r, const struct json_node *answer,
                 const struct report_style *style, FILE *out);
/* The number that stands there; of an object its amount; 0 when there is none. */
double report_number(const struct json_node *node, const char *path);
