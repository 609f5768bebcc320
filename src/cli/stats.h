/* Live statistics for people: a block of lines, or one line. */
#pragma once

#include "base/buf.h"
#include "json/tree.h"

enum { STATS_SPARK = 60 }; /* seconds whose throughput is shown */

/* What was seen while watching: messages sent a second, oldest first. */
struct stats_past {
    double sent[STATS_SPARK];
    size_t count;
};

void stats_remember(struct stats_past *past, const struct json_node *stats);

struct stats_style {
    bool ascii, fancy;
};

/* `past` may be NULL. */
void stats_block(const struct json_node *stats, const struct stats_past *past,
                 const struct stats_style *style, struct buf *out);
void stats_line(const struct json_node *stats, struct buf *out);

/* Draws `text` over what was drawn before, cut to fit the terminal. Keeps how many lines that were;
 * 0 begins anew below. */
void stats_redraw(struct str text, int width, int height, unsigned *lines, struct buf *out);
