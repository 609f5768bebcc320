/* Numbers over time as a picture of characters: a bar for each bucket of time, an axis with round
 * figures, dates below. From numbers and a width to lines; knows no terminal. */
#pragma once

#include "base/buf.h"

/* Bars of one kind; panels stand one above the other, over the same dates. */
struct plot_panel {
    const char *title;    /* "Messages" */
    const double *values; /* one for each bucket, none of them negative */
    const char *before;   /* each figure of the axis, such as "$"; or NULL */
    bool whole;           /* there are no fractions of it */
    unsigned rows;        /* an even number: the axis has a figure half way */
    char mark;            /* what bars are made of where there are only ASCII characters */
    const char *colour;   /* of an SGR sequence: "32" is green */
};

struct plot {
    const struct plot_panel *panels;
    size_t panel_count;
    const char *const *labels; /* of each bucket, in ASCII: the first, middle and last are shown */
    size_t count;              /* of buckets, at least one */
    const char *bucket;        /* what one is: "day" */
    int width;                 /* of the terminal, in characters */
    bool ascii, fancy;
};

enum { PLOT_WIDTH_MIN = 40, PLOT_WIDTH_MAX = 400 };

/* Where there are more buckets than columns, several are added up for a bar, and the title says how
 * many. A bucket with anything in it can be told from an empty one. */
void plot_draw(const struct plot *p, struct buf *out);

/* One character for each value, as high as its share of the greatest. */
void plot_spark(const double *values, size_t count, bool ascii, struct buf *out);
