/* Live statistics as JSON: what is the same for all who ask for an owner's is written once, and
 * what holds for one key is put in between. */
#pragma once

#include "api/stats_board.h"
#include "base/buf.h"
#include "messaging/bottleneck.h"

struct stats_text {
    struct buf text;
    size_t gap;    /* where the limit of a key goes */
    bool followed; /* other limits come behind it */
};

void stats_text_init(struct stats_text *t);
void stats_text_done(struct stats_text *t);
/* Anew; 0 or -ENOMEM. */
int stats_text_write(struct stats_text *t, const struct stats *stats,
                     const struct bottleneck *bottlenecks, size_t count);
/* As a key sees it; `of_key` NULL: it is not limited. */
void stats_text_add(const struct stats_text *t, const struct bottleneck *of_key, struct buf *out);
